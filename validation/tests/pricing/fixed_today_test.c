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
    "{ id = 'strike'; type = 'forward_start'; asset = 'A'; expiry = 1.0; option = 'call'; "        \
    "start = 0.0; strike_ratio = 1.05; },"                                                         \
    "{ id = 'returns'; type = 'cliquet'; asset = 'A'; expiry = 1.0; reset_times = [0.0, 0.5]; "    \
    "notional = 100.0; },"                                                                         \
    "{ id = 'average'; type = 'asian'; asset = 'A'; expiry = 1.0; option = 'call'; "               \
    "averaging = 'arithmetic'; strike_type = 'fixed'; strike = 1.0; "                              \
    "fixing_times = [0.0, 0.5, 1.0]; },"                                                           \
    "{ id = 'variance'; type = 'variance_swap'; asset = 'A'; expiry = 1.0; "                       \
    "strike_volatility = 0.2; fixing_times = [0.5, 1.0]; notional = 10000.0; }"

#define OTHERS                                                                                     \
    ",{ id = 'put'; type = 'forward_start'; asset = 'A'; expiry = 1.0; option = 'put'; "           \
    "start = 0.0; strike_ratio = 0.9; },"                                                          \
    "{ id = 'clipped'; type = 'cliquet'; asset = 'A'; expiry = 1.0; "                              \
    "reset_times = [0.0, 0.25, 0.5, 0.75]; local_floor = -0.05; local_cap = 0.06; "                \
    "global_floor = 0.0; notional = 100.0; },"                                                     \
    "{ id = 'geometric'; type = 'asian'; asset = 'A'; expiry = 1.0; option = 'put'; "              \
    "averaging = 'geometric'; strike_type = 'floating'; fixing_times = [0.0, 0.5, 1.0]; },"        \
    "{ id = 'floating'; type = 'asian'; asset = 'A'; expiry = 1.0; option = 'call'; "              \
    "averaging = 'arithmetic'; strike_type = 'floating'; fixing_times = [0.0, 0.5]; },"            \
    "{ id = 'only today'; type = 'asian'; asset = 'A'; expiry = 1.0; option = 'put'; "             \
    "averaging = 'arithmetic'; strike_type = 'floating'; fixing_times = [0.0]; },"                 \
    "{ id = 'realised'; type = 'variance_swap'; asset = 'A'; expiry = 1.0; "                       \
    "strike_volatility = 0.2; fixing_times = [0.0, 0.25, 1.0]; notional = 10000.0; "               \
    "past = { years = 0.5; variance = 0.03; }; },"                                                 \
    "{ id = 'dates'; type = 'barrier'; asset = 'A'; expiry = 1.0; option = 'put'; "                \
    "strike = 100.0; barrier = 85.0; direction = 'down'; knock = 'out'; "                          \
    "monitoring = [0.0, 0.5, 1.0]; },"                                                             \
    "{ id = 'jumped'; type = 'barrier'; asset = 'A'; expiry = 1.0; option = 'put'; "               \
    "strike = 100.0; barrier = 85.0; direction = 'down'; knock = 'out'; rebate = 3.0; "            \
    "monitoring = 'continuous'; },"                                                                \
    "{ id = 'touched'; type = 'barrier'; asset = 'A'; expiry = 1.0; option = 'call'; "             \
    "strike = 95.0; barrier = 100.0; direction = 'down'; knock = 'in'; "                           \
    "monitoring = 'continuous'; },"                                                                \
    "{ id = 'dead'; type = 'double_barrier'; asset = 'A'; expiry = 1.0; option = 'call'; "         \
    "strike = 95.0; lower = 50.0; upper = 100.0; knock = 'out'; monitoring = [0.0, 1.0]; },"       \
    "{ id = 'paid'; type = 'touch'; asset = 'A'; expiry = 1.0; touch = 'one'; "                    \
    "barrier = 100.0; direction = 'up'; pay_at = 'hit'; cash = 10.0; monitoring = [0.0, 0.5]; "    \
    "},"                                                                                           \
    "{ id = 'due'; type = 'touch'; asset = 'A'; expiry = 1.0; touch = 'one'; lower = 100.0; "      \
    "upper = 120.0; pay_at = 'expiry'; cash = 10.0; monitoring = 'continuous'; },"                 \
    "{ id = 'never'; type = 'touch'; asset = 'A'; expiry = 1.0; touch = 'no'; barrier = 90.0; "    \
    "direction = 'down'; cash = 10.0; monitoring = [0.0, 1.0]; },"                                 \
    "{ id = 'highest'; type = 'lookback'; asset = 'A'; expiry = 1.0; option = 'put'; "             \
    "strike_type = 'floating'; monitoring = [0.0, 0.5, 1.0]; },"                                   \
    "{ id = 'lowest'; type = 'lookback'; asset = 'A'; expiry = 1.0; option = 'put'; "              \
    "strike_type = 'fixed'; strike = 105.0; monitoring = 'continuous'; },"                         \
    "{ id = 'right of today'; type = 'american'; asset = 'A'; expiry = 1.0; option = 'put'; "      \
    "strike = 160.0; exercise_times = [0.0, 1.0]; },"                                              \
    "{ id = 'and no other'; type = 'american'; asset = 'A'; expiry = 1.0; option = 'put'; "        \
    "strike = 90.0; exercise_times = [0.0, 0.5, 1.0]; },"                                          \
    "{ id = 'owed'; type = 'autocallable'; assets = ['A']; expiry = 1.0; call_level = 1.0; "       \
    "protection_level = 0.7; notional = 100.0; initial = [125.0]; "                                \
    "observation_times = [0.0, 0.5, 1.0]; coupon = 0.05; coupon_level = 0.9; memory = true; },"    \
    "{ id = 'kept'; type = 'autocallable'; assets = ['A']; expiry = 1.0; call_level = 1.0; "       \
    "protection_level = 0.7; notional = 100.0; initial = [105.0]; "                                \
    "observation_times = [0.0, 0.5, 1.0]; coupon = 0.05; coupon_level = 0.9; },"                   \
    "{ id = 'called'; type = 'autocallable'; assets = ['A', 'B']; expiry = 1.0; "                  \
    "call_level = 1.0; protection_level = 0.7; notional = 100.0; "                                 \
    "observation_times = [0.0, 1.0]; coupon = 0.08; }"

/* Live trades, whose past is stated: what has been fixed does not move either. */
#define LIVE                                                                                       \
    ",{ id = 'started'; type = 'forward_start'; asset = 'A'; expiry = 1.0; option = 'call'; "      \
    "strike_ratio = 1.0; past = { level = 97.0; }; },"                                             \
    "{ id = 'running'; type = 'cliquet'; asset = 'A'; expiry = 1.0; "                              \
    "reset_times = [0.25, 0.5]; local_floor = -0.05; local_cap = 0.06; global_floor = 0.0; "       \
    "notional = 100.0; past = { level = 97.0; returns = 0.03; }; },"                               \
    "{ id = 'last period'; type = 'cliquet'; asset = 'A'; expiry = 1.0; reset_times = []; "        \
    "global_cap = 0.2; notional = 100.0; past = { level = 97.0; returns = 0.03; }; },"             \
    "{ id = 'resets today'; type = 'cliquet'; asset = 'A'; expiry = 1.0; "                         \
    "reset_times = [0.0, 0.5]; local_cap = 0.02; notional = 100.0; past = { level = 97.0; "        \
    "returns = 0.03; }; },"                                                                        \
    "{ id = 'since yesterday'; type = 'variance_swap'; asset = 'A'; expiry = 1.0; "                \
    "strike_volatility = 0.2; fixings = 4; notional = 10000.0; past = { years = 0.5; "             \
    "variance = 0.03; level = 97.0; }; },"                                                         \
    "{ id = 'and today'; type = 'variance_swap'; asset = 'A'; expiry = 1.0; "                      \
    "strike_volatility = 0.2; fixing_times = [0.0, 1.0]; notional = 10000.0; "                     \
    "past = { years = 0.5; variance = 0.03; level = 97.0; }; },"                                   \
    "{ id = 'averaged'; type = 'asian'; asset = 'A'; expiry = 1.0; option = 'call'; "              \
    "averaging = 'arithmetic'; strike_type = 'floating'; fixing_times = []; "                      \
    "past = { count = 5; average = 98.0; }; },"                                                    \
    "{ id = 'so far'; type = 'lookback'; asset = 'A'; expiry = 1.0; option = 'put'; "              \
    "strike_type = 'floating'; monitoring = 'continuous'; extreme = 104.0; },"                     \
    "{ id = 'missed'; type = 'autocallable'; assets = ['A']; expiry = 1.0; call_level = 1.0; "     \
    "protection_level = 0.7; notional = 100.0; initial = [110.0]; "                                \
    "observation_times = [0.5, 1.0]; coupon = 0.05; coupon_level = 0.9; memory = true; "           \
    "past = { observations = 3; missed = 2; }; }"

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
