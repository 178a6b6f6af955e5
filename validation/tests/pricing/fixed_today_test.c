/* What is fixed today stays where it is while the market moves: Greeks and profits of trades with a
 * date at time 0, or an initial level left to be today's spot, against closed forms and against
 * references which make the fixings and the moves by their own code. */
#include "validation/tests/pricing/risk_book.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/test.h"

#define SOME_GREEKS "greeks = [\"delta\", \"gamma\", \"vega\", \"rho\", \"theta\"];"
#define SCENARIOS                                                                                  \
    "risk = { paths = 65536; scenarios = ( { name = \"crash\"; shocks = ( { asset = \"A\"; spot "  \
    "= -0.2; } ); }, { name = \"rally\"; shocks = ( { asset = \"*\"; spot = 0.15; volatility = "   \
    "0.05; }, { currency = \"EUR\"; rate = 0.01; } ); } ); };"

/* ---- the market of risk_book.h, asset A, in closed form -------------------------------------- */

static const double RATE = 0.03, YIELD = 0.01, VOLATILITY = 0.2;

static double cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static double growth(double t)
{
    return exp((RATE - YIELD) * t);
}

/* Black and Scholes' call of a year, and its delta. */
static double call(double spot, double strike, double *delta)
{
    double d = log(spot / strike) + RATE - YIELD + 0.5 * VOLATILITY * VOLATILITY;
    double of_asset = exp(-YIELD) * cdf(d / VOLATILITY);
    if (delta) *delta = of_asset;
    return spot * of_asset - strike * exp(-RATE) * cdf(d / VOLATILITY - VOLATILITY);
}

static double variance_rest(double spot)
{
    double mean = (RATE - YIELD - 0.5 * VOLATILITY * VOLATILITY) * 0.5;
    return 10000.0 * exp(-RATE) * pow(log(spot / 100.0) + mean, 2.0);
}

/* ---- trades ---------------------------------------------------------------------------------- */

#define ON_A(id, type, rest)                                                                       \
    "{ id = \"" id "\"; type = \"" type "\"; asset = \"A\"; " rest " expiry = 1.0; }"

/* Those of the closed forms, in order. */
#define CLOSED_1                                                                                   \
    ON_A("strike", "forward_start", "option = \"call\"; start = 0.0; strike_ratio = 1.05;")
#define CLOSED_2 ON_A("returns", "cliquet", "reset_times = [0.0, 0.5]; notional = 100.0;")
#define CLOSED_3                                                                                   \
    ON_A("average", "asian",                                                                       \
         "option = \"call\"; averaging = \"arithmetic\"; strike_type = \"fixed\"; strike = 1.0; "  \
         "fixing_times = [0.0, 0.5, 1.0];")
#define CLOSED_4                                                                                   \
    ON_A("variance", "variance_swap",                                                              \
         "strike_volatility = 0.2; fixing_times = [0.5, 1.0]; notional = 10000.0;")
#define CLOSED CLOSED_1 "," CLOSED_2 "," CLOSED_3 "," CLOSED_4

#define OTHERS_1 ON_A("put", "forward_start", "option = \"put\"; start = 0.0; strike_ratio = 0.9;")
#define OTHERS_2                                                                                   \
    ON_A("clipped", "cliquet",                                                                     \
         "reset_times = [0.0, 0.25, 0.5, 0.75]; local_floor = -0.05; local_cap = 0.06; "           \
         "global_floor = 0.0; notional = 100.0;")
#define OTHERS_3                                                                                   \
    ON_A("geometric", "asian",                                                                     \
         "option = \"put\"; averaging = \"geometric\"; strike_type = \"floating\"; fixing_times "  \
         "= [0.0, 0.5, 1.0];")
#define OTHERS_4                                                                                   \
    ON_A("floating", "asian",                                                                      \
         "option = \"call\"; averaging = \"arithmetic\"; strike_type = \"floating\"; "             \
         "fixing_times = [0.0, 0.5];")
#define OTHERS_5                                                                                   \
    ON_A("only today", "asian",                                                                    \
         "option = \"put\"; averaging = \"arithmetic\"; strike_type = \"floating\"; fixing_times " \
         "= [0.0];")
#define OTHERS_6                                                                                   \
    ON_A("realised", "variance_swap",                                                              \
         "strike_volatility = 0.2; fixing_times = [0.0, 0.25, 1.0]; notional = 10000.0; past = { " \
         "years = 0.5; variance = 0.03; };")
#define OTHERS_7                                                                                   \
    ON_A("dates", "barrier",                                                                       \
         "option = \"put\"; strike = 100.0; barrier = 85.0; direction = \"down\"; knock = "        \
         "\"out\"; monitoring = [0.0, 0.5, 1.0];")
#define OTHERS_8                                                                                   \
    ON_A("jumped", "barrier",                                                                      \
         "option = \"put\"; strike = 100.0; barrier = 85.0; direction = \"down\"; knock = "        \
         "\"out\"; rebate = 3.0; monitoring = \"continuous\";")
#define OTHERS_9                                                                                   \
    ON_A("touched", "barrier",                                                                     \
         "option = \"call\"; strike = 95.0; barrier = 100.0; direction = \"down\"; knock = "       \
         "\"in\"; monitoring = \"continuous\";")
#define OTHERS_10                                                                                  \
    ON_A("dead", "double_barrier",                                                                 \
         "option = \"call\"; strike = 95.0; lower = 50.0; upper = 100.0; knock = \"out\"; "        \
         "monitoring = [0.0, 1.0];")
#define OTHERS_11                                                                                  \
    ON_A("paid", "touch",                                                                          \
         "touch = \"one\"; barrier = 100.0; direction = \"up\"; pay_at = \"hit\"; cash = 10.0; "   \
         "monitoring = [0.0, 0.5];")
#define OTHERS_12                                                                                  \
    ON_A("due", "touch",                                                                           \
         "touch = \"one\"; lower = 100.0; upper = 120.0; pay_at = \"expiry\"; cash = 10.0; "       \
         "monitoring = \"continuous\";")
#define OTHERS_13                                                                                  \
    ON_A("never", "touch",                                                                         \
         "touch = \"no\"; barrier = 90.0; direction = \"down\"; cash = 10.0; monitoring = [0.0, "  \
         "1.0];")
#define OTHERS_14                                                                                  \
    ON_A("highest", "lookback",                                                                    \
         "option = \"put\"; strike_type = \"floating\"; monitoring = [0.0, 0.5, 1.0];")
#define OTHERS_15                                                                                  \
    ON_A(                                                                                          \
        "lowest", "lookback",                                                                      \
        "option = \"put\"; strike_type = \"fixed\"; strike = 105.0; monitoring = \"continuous\";")
#define OTHERS_16                                                                                  \
    ON_A("today's right", "american",                                                              \
         "option = \"put\"; strike = 160.0; exercise_times = [0.0, 1.0];")
#define OTHERS_17                                                                                  \
    ON_A("and no other's", "american",                                                             \
         "option = \"put\"; strike = 90.0; exercise_times = [0.0, 0.5, 1.0];")
#define OTHERS_18                                                                                  \
    "{ id = \"owed\"; type = \"autocallable\"; assets = [\"A\"]; initial = [125.0]; "              \
    "observation_times = [0.0, 0.5, 1.0]; call_level = 1.0; coupon = 0.05; coupon_level = 0.9; "   \
    "memory = true; protection_level = 0.7; notional = 100.0; expiry = 1.0; }"
#define OTHERS_19                                                                                  \
    "{ id = \"kept\"; type = \"autocallable\"; assets = [\"A\"]; initial = [105.0]; "              \
    "observation_times = [0.0, 0.5, 1.0]; call_level = 1.0; coupon = 0.05; coupon_level = 0.9; "   \
    "protection_level = 0.7; notional = 100.0; expiry = 1.0; }"
#define OTHERS_20                                                                                  \
    "{ id = \"called\"; type = \"autocallable\"; assets = [\"A\", \"B\"]; observation_times = "    \
    "[0.0, 1.0]; call_level = 1.0; coupon = 0.08; protection_level = 0.7; notional = 100.0; "      \
    "expiry = 1.0; }"
#define OTHERS                                                                                     \
    "," OTHERS_1 "," OTHERS_2 "," OTHERS_3 "," OTHERS_4 "," OTHERS_5 "," OTHERS_6 "," OTHERS_7     \
    "," OTHERS_8 "," OTHERS_9 "," OTHERS_10 "," OTHERS_11 "," OTHERS_12 "," OTHERS_13              \
    "," OTHERS_14 "," OTHERS_15 "," OTHERS_16 "," OTHERS_17 "," OTHERS_18 "," OTHERS_19            \
    "," OTHERS_20

/* Live trades, whose past is stated: what has been fixed does not move either. */
#define LIVE_1                                                                                     \
    ON_A("started", "forward_start",                                                               \
         "option = \"call\"; strike_ratio = 1.0; past = { level = 97.0; };")
#define LIVE_2                                                                                     \
    ON_A("running", "cliquet",                                                                     \
         "reset_times = [0.25, 0.5]; local_floor = -0.05; local_cap = 0.06; global_floor = 0.0; "  \
         "notional = 100.0; past = { level = 97.0; returns = 0.03; };")
#define LIVE_3                                                                                     \
    ON_A("last period", "cliquet",                                                                 \
         "reset_times = []; global_cap = 0.2; notional = 100.0; past = { level = 97.0; returns = " \
         "0.03; };")
#define LIVE_4                                                                                     \
    ON_A("resets today", "cliquet",                                                                \
         "reset_times = [0.0, 0.5]; local_cap = 0.02; notional = 100.0; past = { level = 97.0; "   \
         "returns = 0.03; };")
#define LIVE_5                                                                                     \
    ON_A("since yesterday", "variance_swap",                                                       \
         "strike_volatility = 0.2; fixings = 4; notional = 10000.0; past = { years = 0.5; "        \
         "variance = 0.03; level = 97.0; };")
#define LIVE_6                                                                                     \
    ON_A("and today", "variance_swap",                                                             \
         "strike_volatility = 0.2; fixing_times = [0.0, 1.0]; notional = 10000.0; past = { years " \
         "= 0.5; variance = 0.03; level = 97.0; };")
#define LIVE_7                                                                                     \
    ON_A("averaged", "asian",                                                                      \
         "option = \"call\"; averaging = \"arithmetic\"; strike_type = \"floating\"; "             \
         "fixing_times = []; past = { count = 5; average = 98.0; };")
#define LIVE_8                                                                                     \
    ON_A("so far", "lookback",                                                                     \
         "option = \"put\"; strike_type = \"floating\"; monitoring = \"continuous\"; extreme = "   \
         "104.0;")
#define LIVE_9                                                                                     \
    "{ id = \"missed\"; type = \"autocallable\"; assets = [\"A\"]; initial = [110.0]; "            \
    "observation_times = [0.5, 1.0]; call_level = 1.0; coupon = 0.05; coupon_level = 0.9; memory " \
    "= true; protection_level = 0.7; notional = 100.0; past = { observations = 3; missed = 2; }; " \
    "expiry = 1.0; }"
#define LIVE                                                                                       \
    "," LIVE_1 "," LIVE_2 "," LIVE_3 "," LIVE_4 "," LIVE_5 "," LIVE_6 "," LIVE_7 "," LIVE_8        \
    "," LIVE_9

/* ---- Greeks ---------------------------------------------------------------------------------- */

static const struct greek_value *greek_of(const struct risk *risk, const char *name, int trade)
{
    for (int s = 0; s < risk->n_sensitivities; s++)
        if (!strcmp(risk->sensitivities[s].name, name)) return risk_greek(risk, s, trade);
    fail_msg("no column %s", name);
    return NULL;
}

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
    struct book book;
    struct risk risk;
    double delta, discount = exp(-RATE), half = growth(0.5);
    load("paths = 65536;" SOME_GREEKS, CLOSED, SCENARIOS, &book);
    make(&book, 1, &risk);
    double before = call(100.0, 105.0, &delta),
           slope = (variance_rest(101.0) - variance_rest(99.0)) / 2.0;
    const double deltas[] = {delta, discount * half, discount * (half + growth(1.0)) / 3.0, slope};
    const double crashes[] = {call(80.0, 105.0, NULL) - before, -20.0 * deltas[1],
                              -20.0 * deltas[2], variance_rest(80.0) - variance_rest(100.0)};
    for (int i = 0; i < book.n_trades; i++) {
        const struct greek_value *greek = greek_of(&risk, "delta:A", i);
        print_message("%s: ", book.trades[i].id);
        near("delta", greek->value, greek->std_error, deltas[i], 1e-3 * fabs(deltas[i]));
        near("crash", risk.scenarios[i].value, risk.scenarios[i].std_error, crashes[i], 1e-9);
    }
    risk_free(&risk);
    book_free(&book);
}

/* Every Greek that has a reference agrees with it, give or take what is left of its bump, and
 * nearly all have one. */
TEST(test_greeks)
{
    struct book book;
    struct risk risk;
    int checked = 0, all = 0;
    load("paths = 65536;" SOME_GREEKS, CLOSED OTHERS LIVE, "", &book);
    make(&book, 1, &risk);
    check(&book, &risk);
    for (int s = 0; s < risk.n_sensitivities; s++)
        for (int i = 0; i < book.n_trades; i++) {
            const struct greek_value *greek = risk_greek(&risk, s, i);
            if (isnan(greek->value)) continue;
            all++;
            if (isnan(greek->reference)) continue;
            checked++;
            if (!(fabs(greek->value - greek->reference) <=
                  4.5 * hypot(greek->std_error, greek->reference_error) + 1e-5 +
                      5e-4 * fabs(greek->reference)))
                fail_msg("%s of %s: %g +- %g, reference %g +- %g", risk.sensitivities[s].name,
                         book.trades[i].id, greek->value, greek->std_error, greek->reference,
                         greek->reference_error);
        }
    print_message("%d of %d Greeks have a reference\n", checked, all);
    assert_true(checked > 0.9 * all);
    risk_free(&risk);
    book_free(&book);
}

/* ---- profits --------------------------------------------------------------------------------- */

/* The reference's price where the market is moved as in the scenario, by the reference's own code.
 */
static struct reference price_in(const struct book *book, int trade,
                                 const struct scenario_request *scenario)
{
    static const enum reference_shock_kind words[] = {
        REFERENCE_SHOCK_SPOT, REFERENCE_SHOCK_VOLATILITY, REFERENCE_SHOCK_RATE,
        REFERENCE_SHOCK_CORRELATION};
    struct reference_shock shocks[32];
    struct reference price;
    struct message why = {""};
    int n = scenario ? scenario->n_shocks : 0;
    assert_in_range(n, 0, 32);
    for (int m = 0; m < n; m++) {
        const struct shock *shock = &scenario->shocks[m];
        shocks[m] = (struct reference_shock){.what = words[shock->what],
                                             .target = shock->target,
                                             .other = shock->other,
                                             .date = shock->date,
                                             .strike = -1,
                                             .amount = shock->amount};
    }
    const struct reference_scenario view = {n, shocks, 0.0, 0};
    if (reference_scenario_price(&book->market, &view, &book->trades[trade], NULL, &price, &why))
        fail_msg("%s: %s", book->trades[trade].id, why.text);
    return price;
}

TEST(test_profits)
{
    struct book book;
    struct risk risk;
    load("paths = 65536;", CLOSED OTHERS LIVE, SCENARIOS, &book);
    make(&book, 1, &risk);
    for (int s = 0; s < risk.n_scenarios; s++)
        for (int i = 0; i < book.n_trades; i++) {
            struct pnl pnl = risk.scenarios[s * risk.n_trades + i];
            struct reference today = price_in(&book, i, NULL),
                             then = price_in(&book, i, &book.risk.scenarios[s]);
            double exact = then.price - today.price, error = hypot(then.error, today.error);
            double policy =
                book.trades[i].product == PRODUCT_AMERICAN ? 0.002 * fabs(then.price) : 0.0;
            if (!(fabs(pnl.value - exact) <= 4.5 * hypot(pnl.std_error, error) + policy + 1e-9))
                fail_msg("%s in %s: %g +- %g, reference %g +- %g", book.trades[i].id,
                         risk.scenario_names[s], pnl.value, pnl.std_error, exact, error);
        }
    risk_free(&risk);
    book_free(&book);
}

TEST_MAIN(fixed_today_test)
{
    reference_begin();
    return run_own_tests("fixed_today_test", false, NULL, NULL);
}
