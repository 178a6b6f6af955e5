/* What is fixed today stays where it is while the market moves: Greeks and profits of trades with a
 * date at time 0, or an initial level left to be today's spot, against closed forms and against
 * references which make the fixings and the moves by their own code. */
#include "validation/tests/pricing/risk_book.h"
#include "models/payoffs/product_numbers.h"

#define SOME_GREEKS "greeks = ['delta', 'gamma', 'vega', 'rho', 'theta'];"
#define SCENARIOS                                                                                  \
    "risk = { paths = 65536; scenarios = ("                                                        \
    "{ name = 'crash'; shocks = ( { asset = 'A'; spot = -0.2; } ); },"                             \
    "{ name = 'rally'; shocks = ( { asset = '*'; spot = 0.15; volatility = 0.05; }, "              \
    "{ currency = 'EUR'; rate = 0.01; } ); } ); };"

/* ---- the market of risk_book.h, asset A, in closed form -------------------------------------- */

static const double RATE = 0.03, YIELD = 0.01, VOLATILITY = 0.2;

static double growth(double t)
{
    return exp((RATE - YIELD) * t);
}

/* Black and Scholes' call of a year, and its delta. */
static double call(double spot, double strike, double *delta)
{
    double forward = spot * growth(1.0), d = log(forward / strike) / VOLATILITY + 0.5 * VOLATILITY;
    if (delta) *delta = exp(-YIELD) * normal_below(d);
    return exp(-RATE) * black_option(1.0, forward, strike, VOLATILITY);
}

static double variance_rest(double spot)
{
    double mean = (RATE - YIELD - 0.5 * VOLATILITY * VOLATILITY) * 0.5;
    return 10000.0 * exp(-RATE) * pow(log(spot / 100.0) + mean, 2.0);
}

/* ---- trades ---------------------------------------------------------------------------------- */

/* Those of the closed forms, in order. */
#define CLOSED                                                                                     \
    "forward_start: id     asset expiry option start strike_ratio\n"                               \
    "               strike A     1      call   0     1.05\n"                                       \
    "cliquet: id      asset expiry reset_times notional\n"                                         \
    "         returns A     1      [0,0.5]     100\n"                                              \
    "asian: id      asset expiry option averaging  strike_type strike fixing_times\n"              \
    "       average A     1      call   arithmetic fixed       1      [0,0.5,1]\n"                 \
    "variance_swap: id       asset expiry strike_volatility fixing_times notional\n"               \
    "               variance A     1      0.2               [0.5,1]      10000\n"

#define OTHERS                                                                                     \
    "forward_start: id  asset expiry option start strike_ratio\n"                                  \
    "               put A     1      put    0     0.9\n"                                           \
    "cliquet: id asset expiry reset_times local_floor local_cap global_floor notional\n"           \
    "    clipped A 1 [0,0.25,0.5,0.75] -0.05 0.06 0 100\n"                                         \
    "asian: id         asset expiry option averaging  strike_type fixing_times\n"                  \
    "       geometric  A     1      put    geometric  floating    [0,0.5,1]\n"                     \
    "       floating   A     1      call   arithmetic floating    [0,0.5]\n"                       \
    "       only_today A     1      put    arithmetic floating    [0]\n"                           \
    "variance_swap: id asset expiry strike_volatility fixing_times notional past\n"                \
    "    realised A 1 0.2 [0,0.25,1] 10000 {years=0.5;variance=0.03;}\n"                           \
    "barrier: id      asset expiry option strike barrier direction knock monitoring rebate\n"      \
    "         dates   A     1      put    100    85      down      out   [0,0.5,1]  -\n"           \
    "         jumped  A     1      put    100    85      down      out   continuous 3\n"           \
    "         touched A     1      call   95     100     down      in    continuous -\n"           \
    "double_barrier: id   asset expiry option strike lower upper knock monitoring\n"               \
    "                dead A     1      call   95     50    100   out   [0,1]\n"                    \
    "touch: id    asset expiry touch barrier direction pay_at cash monitoring lower upper\n"       \
    "       paid  A     1      one   100     up        hit    10   [0,0.5]    -     -\n"           \
    "       due   A     1      one   -       -         expiry 10   continuous 100   120\n"         \
    "       never A     1      no    90      down      -      10   [0,1]      -     -\n"           \
    "lookback: id      asset expiry option strike_type monitoring strike\n"                        \
    "          highest A     1      put    floating    [0,0.5,1]  -\n"                             \
    "          lowest  A     1      put    fixed       continuous 105\n"                           \
    "american: id             asset expiry option strike exercise_times\n"                         \
    "          right_of_today A     1      put    160    [0,1]\n"                                  \
    "          and_no_other   A     1      put    90     [0,0.5,1]\n"                              \
    "autocallable: id assets expiry call_level protection_level notional initial "                 \
    "observation_times coupon coupon_level memory\n"                                               \
    "    owed ['A'] 1 1 0.7 100 [125] [0,0.5,1] 0.05 0.9 true\n"                                   \
    "    kept ['A'] 1 1 0.7 100 [105] [0,0.5,1] 0.05 0.9 -\n"                                      \
    "    called ['A','B'] 1 1 0.7 100 - [0,1] 0.08 - -\n"

/* Live trades, whose past is stated: what has been fixed does not move either. */
#define LIVE                                                                                       \
    "forward_start: id      asset expiry option strike_ratio past\n"                               \
    "               started A     1      call   1            {level=97;}\n"                        \
    "cliquet: id asset expiry reset_times local_floor local_cap global_floor notional past "       \
    "global_cap\n"                                                                                 \
    "    running A 1 [0.25,0.5] -0.05 0.06 0 100 {level=97;returns=0.03;} -\n"                     \
    "    last_period A 1 [] - - - 100 {level=97;returns=0.03;} 0.2\n"                              \
    "    resets_today A 1 [0,0.5] - 0.02 - 100 {level=97;returns=0.03;} -\n"                       \
    "variance_swap: id asset expiry strike_volatility fixings notional past fixing_times\n"        \
    "    since_yesterday A 1 0.2 4 10000 {years=0.5;variance=0.03;level=97;} -\n"                  \
    "    and_today A 1 0.2 - 10000 {years=0.5;variance=0.03;level=97;} [0,1]\n"                    \
    "asian: id asset expiry option averaging strike_type fixing_times past\n"                      \
    "    averaged A 1 call arithmetic floating [] {count=5;average=98;}\n"                         \
    "lookback: id     asset expiry option strike_type monitoring extreme\n"                        \
    "          so_far A     1      put    floating    continuous 104\n"                            \
    "autocallable: id assets expiry call_level protection_level notional initial "                 \
    "observation_times coupon coupon_level memory past\n"                                          \
    "    missed ['A'] 1 1 0.7 100 [110] [0.5,1] 0.05 0.9 true {observations=3;missed=2;}\n"

/* ---- Greeks ---------------------------------------------------------------------------------- */

static void near(const char *what, double value, double std_error, double exact, double rounding)
{
    print_message("%s: %.6g +- %.2g, exactly %.6g\n", what, value, std_error, exact);
    if (!(fabs(value - exact) <= 4.0 * std_error + rounding))
        fail_msg("%s: %.6g +- %.2g for %.6g", what, value, std_error, exact);
}

/* Deltas and crashes of a strike, an average, returns and a variance that count from today's fixed
 * spot. */
TEST(test_closed_forms)
{
    struct night night;
    double delta, discount = exp(-RATE), half = growth(0.5);
    make_night("paths = 65536;" SOME_GREEKS, CLOSED, SCENARIOS, &night);
    double before = call(100.0, 105.0, &delta),
           slope = (variance_rest(101.0) - variance_rest(99.0)) / 2.0;
    const double deltas[] = {delta, discount * half, discount * (half + growth(1.0)) / 3.0, slope};
    const double crashes[] = {call(80.0, 105.0, NULL) - before, -20.0 * deltas[1],
                              -20.0 * deltas[2], variance_rest(80.0) - variance_rest(100.0)};
    for (int i = 0; i < night.book.n_trades; i++) {
        const struct greek_value *greek = greek_named(&night.risk, "delta:A", i);
        const struct pnl *crash = &night.risk.scenarios[i];
        print_message("%s: ", night.book.trades[i].id);
        near("delta", greek->value, greek->std_error, deltas[i], 1e-3 * fabs(deltas[i]));
        near("crash", crash->value, crash->std_error, crashes[i], 1e-9);
    }
    free_night(&night);
}

/* Every Greek that has a reference agrees with it, give or take what is left of its bump, and
 * nearly all have one. */
TEST(test_greeks)
{
    struct night night;
    int checked = 0, all = 0;
    make_checked_night("paths = 65536;" SOME_GREEKS, CLOSED OTHERS LIVE, "", &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 0; i < night.book.n_trades; i++) {
            const struct greek_value *greek = risk_greek(&night.risk, s, i);
            double error = 4.5 * hypot(greek->std_error, greek->reference_error) + 1e-5 +
                           5e-4 * fabs(greek->reference);
            if (isnan(greek->value)) continue;
            all++;
            if (isnan(greek->reference)) continue;
            checked++;
            assert_good(&night, s, i, fabs(greek->value - greek->reference) <= error);
        }
    print_message("%d of %d Greeks have a reference\n", checked, all);
    assert_true(checked > 0.9 * all);
    free_night(&night);
}

/* ---- profits --------------------------------------------------------------------------------- */

/* The reference's price where the market is moved as in the scenario, by the reference's own code.
 */
static struct reference price_in(const struct book *book, int trade,
                                 const struct scenario_request *scenario)
{
    static const enum reference_shock_kind words[] = {[SHOCK_SPOT] = REFERENCE_SHOCK_SPOT,
                                                      [SHOCK_VOLATILITY] =
                                                          REFERENCE_SHOCK_VOLATILITY,
                                                      [SHOCK_RATE] = REFERENCE_SHOCK_RATE};
    struct reference_shock shocks[32];
    int n = scenario ? scenario->n_shocks : 0;
    assert_in_range(n, 0, 32);
    for (int m = 0; m < n; m++) {
        const struct shock *shock = &scenario->shocks[m];
        shocks[m] = (struct reference_shock){.what = words[shock->kind],
                                             .target = shock->target,
                                             .other = shock->other,
                                             .date = shock->date,
                                             .strike = -1,
                                             .amount = shock->amount};
    }
    return reference_under(book, trade, n, shocks);
}

TEST(test_profits)
{
    struct night night;
    make_night("paths = 65536;", CLOSED OTHERS LIVE, SCENARIOS, &night);
    for (int s = 0; s < night.risk.n_scenarios; s++)
        for (int i = 0; i < night.book.n_trades; i++) {
            const struct trade *trade = &night.book.trades[i];
            struct pnl pnl = night.risk.scenarios[s * night.risk.n_trades + i];
            struct reference today = price_in(&night.book, i, NULL),
                             then = price_in(&night.book, i, &night.book.risk.scenarios[s]);
            double exact = then.price - today.price, error = hypot(then.error, today.error);
            double policy = trade->product == PRODUCT_AMERICAN ? 0.002 * fabs(then.price) : 0.0;
            if (!(fabs(pnl.value - exact) <= 4.5 * hypot(pnl.std_error, error) + policy + 1e-9))
                fail_msg("%s in %s: %g +- %g, reference %g +- %g", trade->id,
                         night.risk.scenario_names[s], pnl.value, pnl.std_error, exact, error);
        }
    free_night(&night);
}

ALL_TESTS_BETWEEN(fixed_today_test, begin_references, NULL)
