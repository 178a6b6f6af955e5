/* Greeks beside levels that are watched at every moment: barriers, and the extreme of a lookback so
 * far, nearer to the spot than the bumps would be. Held against differences of reference prices
 * over an eighth of the distance, on the side of today's spot. */
#include "app/pricing/risk/greeks/greek_pools.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/pricing/risk_book.h"

/* The level is 0.05, 0.1 or 0.2 % away; that of the last trades is no nearer than a bump. */
#define NEAR                                                                                       \
    "barrier: id   asset option strike barrier direction knock monitoring expiry\n"                \
    "         up   A     call   90     100.05  up        out   continuous 1\n"                     \
    "         down A     call   100    99.9    down      out   continuous 1\n"                     \
    "         in   A     put    100    99.9    down      in    continuous 1\n"                     \
    "double_barrier: id     asset option strike lower upper knock monitoring expiry\n"             \
    "                double A     call   100    99.8  140   out   continuous 1\n"                  \
    "touch: id   asset touch barrier direction cash pay_at monitoring expiry lower upper\n"        \
    "       hit  A     one   100.1   up        10   hit    continuous 1      -     -\n"            \
    "       none A     no    -       -         10   -      continuous 1      99.9  130\n"          \
    "lookback: id       asset option strike_type extreme monitoring expiry strike\n"               \
    "          floating A     put    floating    100.1   continuous 1      -\n"                    \
    "          fixed    A     call   fixed       -       continuous 1      100.1\n"                \
    "          lowest   A     put    fixed       99.9    continuous 1      110\n"                  \
    "barrier: id   asset  option strike barrier direction knock monitoring expiry\n"               \
    "         term B      call   50     49.95   down      out   continuous 1\n"                    \
    "         fx   EURUSD call   1.1    1.099   down      out   continuous 1\n"

#define CLOCKED                                                                                    \
    "barrier: id asset option strike barrier direction knock monitoring expiry\n"                  \
    "         up H     call   90     100.2   up        out   continuous 1\n"                       \
    "touch: id  asset touch barrier direction cash pay_at monitoring expiry\n"                     \
    "       hit H     one   100.2   up        10   hit    continuous 1\n"                          \
    "lookback: id       asset option strike_type extreme monitoring expiry\n"                      \
    "          floating H     put    floating    100.2   continuous 1\n"

#define FAR                                                                                        \
    "barrier: id  asset option strike barrier direction knock monitoring expiry\n"                 \
    "         far A     call   90     130     up        out   continuous 1\n"

static double spot_of(const struct book *book, const struct trade *trade)
{
    return book->market.assets[trade->asset].spot;
}

/* The level of a trade that is next to its spot, over the spot, less 1. */
static double distance_of(const struct book *book, const struct trade *trade)
{
    double levels[] = {trade->barrier, trade->lower, trade->upper, trade->extreme, trade->strike};
    double least = HUGE_VAL, spot = spot_of(book, trade);
    int n = trade->product == PRODUCT_LOOKBACK ? 5 : 3;
    for (int i = 0; i < n; i++)
        if (levels[i] > 0.0) least = fmin(least, fabs(levels[i] / spot - 1.0));
    return least;
}

/* Reference prices a bump h below today's spot, at it and above it, of a trade as if under
 * black_scholes. */
static void delta_and_gamma(const struct book *book, const struct trade *trade, double h,
                            double *delta, double *gamma)
{
    struct market market = book->market;
    struct trade on_a = *trade;
    double price[3];
    if (market.assets[trade->asset].model == MODEL_HESTON)
        on_a.asset = 0, on_a.assets = &on_a.asset;
    double spot = spot_of(book, &on_a);
    for (int i = 0; i < 3; i++) {
        market.assets[on_a.asset].spot = spot + (i - 1) * h;
        price[i] = reference_for(&market, &on_a).price;
    }
    market.assets[on_a.asset].spot = spot;
    *delta = trade->quantity * (price[2] - price[0]) / (2.0 * h);
    *gamma = trade->quantity * (price[2] - 2.0 * price[1] + price[0]) / (h * h);
}

/* `bias` is what the clocks of a model may add, over the size of the Greek. */
static void assert_near(const char *id, const struct greek_value *greek, double wanted, double bias)
{
    print_greek(id, "", greek, wanted);
    assert_true(fabs(greek->value - wanted) < 4.0 * greek->std_error + bias * fabs(wanted));
    if (bias == 0.0) assert_true(fabs(greek->reference - wanted) < 0.002 * fabs(wanted) + 2e-5);
}

static void assert_greeks(const char *trades, double bias)
{
    struct night night;
    make_night("paths = 65536;", trades, "risk = { greeks = ['delta', 'gamma']; };", &night);
    if (bias == 0.0) check(&night.book, &night.risk);
    for (int t = 0; t < night.book.n_trades; t++) {
        const struct trade *trade = &night.book.trades[t];
        double delta, gamma, distance = distance_of(&night.book, trade);
        double spot = spot_of(&night.book, trade);
        char names[2][32];
        for (int second = 0; second < 2; second++)
            snprintf(names[second], sizeof names[second], "%s:%s", second ? "gamma" : "delta",
                     night.book.market.assets[trade->asset].name);
        const struct greek_value *of_gamma = greek_named(&night.risk, names[1], t);
        delta_and_gamma(&night.book, trade, distance / 8.0 * spot, &delta, &gamma);
        assert_near(trade->id, greek_named(&night.risk, names[0], t), delta, bias);
        assert_near(trade->id, of_gamma, gamma, bias);
        assert_true(of_gamma->bump <= 0.5 * distance * spot);
    }
    free_night(&night);
}

TEST(test_near)
{
    assert_greeks(NEAR, 0.0);
}

TEST(test_clocked)
{
    assert_greeks(CLOCKED, 0.01);
}

/* A barrier that is far away has the bump that it had: a trade beside its own changes nothing. */
TEST(test_company)
{
    struct book book[2];
    struct greek_pools pools[2];
    double bump[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        load("paths = 65536;", i ? FAR NEAR : FAR, "", &book[i]);
        assert_ok(greek_pools_make(&book[i].market, book[i].n_trades, book[i].trades, 1 << 20,
                                   &pools[i]));
        for (int u = 0; u < pools[i].n; u++) {
            const struct greek_pool *pool = &pools[i].pools[u];
            assert_int_equal(pool_has(pool, GREEK_VEGA), pool->greeks != POOL_OF_SPOTS);
            assert_int_equal(pool_has(pool, GREEK_THETA), pool->greeks != POOL_OF_REST);
            for (int t = 0; t < pool->n; t++)
                if (pool->greeks != POOL_OF_REST && pool->trades[t] == 0)
                    bump[i] = pool->max_spot_bump;
        }
    }
    assert_true(bump[0] == HUGE_VAL && bump[1] == HUGE_VAL && pools[0].n == 1 && pools[1].n > 2);
    for (int i = 0; i < 2; i++) {
        greek_pools_free(&pools[i]);
        book_free(&book[i]);
    }
}

/* A lookback that looks once a week, whose strike the first look hardly ever leaves uncrossed: its
 * gamma is a tail of the law to that date, which a bump as wide as that law does not see. */
TEST(a_strike_a_few_deviations_of_the_first_look_away)
{
    struct night night;
    make_checked_night("paths = 262144; greeks = ['delta', 'gamma'];",
                       "{ id = 'weekly'; type = 'lookback'; asset = 'A'; option = 'call'; "
                       "strike_type = 'fixed'; strike = 93.0; monitoring = 208; expiry = 4.0; }",
                       "", &night);
    const struct greek_value *gamma = greek_named(&night.risk, "gamma:A", 0);
    print_greek("weekly", "gamma", gamma, gamma->reference);
    assert_true(fabs(gamma->z) < 4.0);
    assert_true(gamma->std_error < 0.2 * fabs(gamma->reference));
    free_night(&night);
}

/* A volatility beyond the expiry of a trade is nothing to it, though it is to others that share its
 * bumps, whose rounding the trade would have for a Greek. */
TEST(a_date_after_the_expiry)
{
#define CAPPED                                                                                     \
    "type = 'cliquet'; asset = 'B'; notional = 100.0; local_floor = -0.05; local_cap = 0.05; "     \
    "global_floor = 0.0; "
    struct night night;
    make_checked_night("paths = 16384;",
                       "{ id = 'short'; " CAPPED "reset_times = [0.0, 0.25, 0.5]; expiry = 0.75; },"
                       "{ id = 'long'; " CAPPED "reset_times = [0.0, 0.7, 1.3]; expiry = 2.0; }",
                       "risk = { greeks = ['vega_bucket']; };", &night);
    assert_int_equal(night.risk.n_sensitivities, 3);
    assert_true(risk_greek(&night.risk, 1, 0)->value != 0.0);
    assert_true(risk_greek(&night.risk, 2, 1)->value != 0.0);
    const struct greek_value *late = risk_greek(&night.risk, 2, 0);
    assert_true(late->value == 0.0 && late->std_error == 0.0 && isnan(late->z));
    assert_string_equal(late->method, "after expiry");
    free_night(&night);
}

/* An extreme that begins at today's spot, where its value bends, and a payment that jumps: the
 * delta of both in one script is that of the two apart, whose bumps are narrow or not off. */
TEST(an_extreme_beside_a_jump)
{
#define FALLEN "s(expiry) - lowest(s, expiry)"
#define PAID "product p(asset s; date expiry)\\n  at expiry\\n    pay "
    struct night night;
    make_night("paths = 262144;",
               "{ id = 'both'; asset = 'A'; expiry = 1.0; script = \"" PAID FALLEN
               " + (1 if s(expiry) > 105 else 0)\"; },"
               "{ id = 'fallen'; asset = 'A'; expiry = 1.0; script = \"" PAID FALLEN "\"; },"
               "{ id = 'jump'; type = 'digital'; asset = 'A'; option = 'call'; strike = 105.0; "
               "payout = 'cash'; cash = 1.0; expiry = 1.0; }",
               "risk = { greeks = ['delta']; };", &night);
    const struct greek_value *both = greek_named(&night.risk, "delta:A", 0);
    double apart = greek_named(&night.risk, "delta:A", 1)->value +
                   greek_named(&night.risk, "delta:A", 2)->value;
    print_greek("both", "delta", both, apart);
    assert_true(fabs(both->value - apart) < 4.0 * both->std_error);
    assert_true(both->std_error < 0.005 * apart);
    free_night(&night);
}

ALL_TESTS(greek_levels_test)
