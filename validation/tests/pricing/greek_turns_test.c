/* Greeks of trades that look at levels long before they expire: tomorrow, every day, at every
 * moment in a script. Held against closed forms. */
#define _XOPEN_SOURCE 700
#include "app/pricing/risk/greeks/greek_pools.h"
#include "validation/tests/pricing/risk_book.h"

#define RATE 0.03
#define YIELD 0.01
#define SIGMA 0.2
#define YEARS 5.0
#define TOMORROW (1.0 / 365.0)

enum { DAYS = 400 }; /* of "daily", 250 a year */

/* Of asset A of risk_book.h. */
#define TRADES                                                                                     \
    "{ id = 'once'; type = 'asian'; asset = 'A'; option = 'call'; averaging = "                    \
    "'arithmetic'; strike_type = 'fixed'; strike = 100.0; fixing_times = [0.0027397260274]; "      \
    "expiry = 5.0; },"                                                                             \
    "{ id = 'coupons'; asset = 'A'; expiry = 5.0; seen = [0.0027397260274, 5.0]; script = "        \
    "'''\nproduct coupons(asset s; dates seen; date expiry)\n"                                     \
    "  each t in seen\n    if s(t) >= 101: pay 5\n'''; },"                                         \
    "{ id = 'daily'; type = 'range_accrual'; asset = 'A'; fixings = [%s]; "                        \
    "payments = [5.0]; expiry = 5.0; coupon = 0.1; lower = 103.0; notional = 100.0; },"            \
    "{ id = 'survives'; asset = 'A'; expiry = 5.0; script = '''\n"                                 \
    "product down_and_out(asset s; date expiry)\n  at expiry\n"                                    \
    "    pay survives(s, lower = 99, until = expiry) * max(s(expiry) - 100, 0)\n'''; },"           \
    "{ id = 'running'; type = 'cliquet'; asset = 'A'; reset_times = [0.0027397260274]; "           \
    "local_floor = -0.005; local_cap = 0.01; notional = 1000.0; past = { level = 100.0; }; "       \
    "expiry = 0.5; }"

/* Undiscounted, at a spot: of a digital, and of a call. */
static double digital(double spot, double strike, double t)
{
    double deviation = SIGMA * sqrt(t);
    return normal_below((log(spot / strike) + (RATE - YIELD) * t) / deviation - 0.5 * deviation);
}

static double call(double spot, double strike, double t)
{
    return black_option(1.0, spot * exp((RATE - YIELD) * t), strike, SIGMA * sqrt(t));
}

static double value_of_once(double spot)
{
    return exp(-RATE * YEARS) * call(spot, 100.0, TOMORROW);
}

static double value_of_coupons(double spot)
{
    return 5.0 * (exp(-RATE * TOMORROW) * digital(spot, 101.0, TOMORROW) +
                  exp(-RATE * YEARS) * digital(spot, 101.0, YEARS));
}

static double value_of_daily(double spot)
{
    double sum = 0.0;
    for (int i = 1; i <= DAYS; i++) sum += digital(spot, 103.0, i / 250.0);
    return exp(-RATE * YEARS) * 10.0 * sum / DAYS;
}

/* Merton (1973): the barrier lies below the strike. */
static double value_of_survives(double spot)
{
    double power = 2.0 * (RATE - YIELD) / (SIGMA * SIGMA) - 1.0, mirror = 99.0 * 99.0 / spot;
    return exp(-RATE * YEARS) *
           (call(spot, 100.0, YEARS) - pow(99.0 / spot, power) * call(mirror, 100.0, YEARS));
}

/* But for the second period, which the spot does not move. */
static double value_of_running(double spot)
{
    return exp(-RATE * 0.5) * 10.0 * (call(spot, 99.5, TOMORROW) - call(spot, 101.0, TOMORROW));
}

static double (*const values[])(double spot) = {value_of_once, value_of_coupons, value_of_daily,
                                                value_of_survives, value_of_running};

/* Returns n dates, 250 a year, as a book has them; the caller frees them. */
static char *days_of_year(int n)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    for (int i = 1; i <= n; i++) fprintf(stream, "%s%.3f", i > 1 ? "," : "", i / 250.0);
    assert_int_equal(fclose(stream), 0);
    return text;
}

TEST(test_turns)
{
    struct night night;
    char *days = days_of_year(DAYS), *trades = text_of(TRADES, days);
    make_night_by(3, "paths = 262144; seed = 3;", trades,
                  "risk = { greeks = ['delta', 'gamma']; };", &night);
    free(days), free(trades);
    for (int t = 0; t < night.book.n_trades; t++)
        for (int s = 0; s < 2; s++) {
            double h = s ? 0.02 : 0.001, up = values[t](100.0 + h), down = values[t](100.0 - h);
            double wanted =
                s ? (up - 2.0 * values[t](100.0) + down) / (h * h) : (up - down) / (2.0 * h);
            assert_exact(&night, s, t, wanted);
            if (!s) assert_true(risk_greek(&night.risk, s, t)->std_error < 0.02 * fabs(wanted));
        }
    free_night(&night);
}

/* A digital on realised variance: its sum of squares is sigma^2 / 250 times a chi-squared number,
 * as the drift of ln S is 0. It is a twentieth wide, as a bump of payoffs that jump would be. */
TEST(test_realised_variance)
{
    enum { N = 250 };
    struct night night;
    char *days = days_of_year(N);
    char *trade =
        text_of("{ id = 'realised'; asset = 'A'; expiry = 1.0; start = 0.0; seen = [%s]; script = "
                "'''\nproduct realised(asset s; dates seen; date start, expiry)\n"
                "  number squares = 0\n  each t in seen\n"
                "    squares = squares + log(s(t) / s(previous(t, start))) ^ 2\n"
                "  at expiry\n    if squares >= 0.04: pay 10\n'''; }",
                days);
    make_night_by(3, "paths = 65536;", trade, "risk = { greeks = ['vega']; };", &night);
    free(days), free(trade);
    double density = exp((0.5 * N - 1.0) * log(0.5 * N) - 0.5 * N - lgamma(0.5 * N)) / 2.0;
    double wanted = 10.0 * exp(-RATE) * density * 2.0 * N / SIGMA;
    assert_exact(&night, 0, 0, wanted);
    assert_true(risk_greek(&night.risk, 0, 0)->std_error < 0.02 * wanted);
    free_night(&night);
}

/* Far from every level bumps are what they are for the expiry: so many deviations of it. */
TEST(test_far)
{
    struct book book;
    struct greek_pools pools;
    load("paths = 65536;",
         "{ id = 'far'; type = 'step_barrier'; asset = 'A'; watched = [0.002, 0.004, 1.0]; "
         "lower = 50.0; strike = 100.0; expiry = 1.0; },"
         "{ id = 'same'; asset = 'A'; expiry = 1.0; script = '''\n"
         "product digital(asset s; date expiry)\n  at expiry\n    if s(expiry) >= 100: pay 1\n"
         "'''; }",
         "", &book);
    assert_ok(greek_pools_make(&book.market, book.n_trades, book.trades, 1 << 20, &pools));
    assert_int_equal(pools.n, 1);
    assert_true(pools.pools[0].turns.delta == HUGE_VAL && pools.pools[0].turns.gamma == HUGE_VAL);
    greek_pools_free(&pools);
    book_free(&book);
}

ALL_TESTS(greek_turns_test)
