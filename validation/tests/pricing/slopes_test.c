/* Slopes at exercise against bumps on the same paths: delta, gamma and cross gamma agree, with
 * errors about as small; which trades have them, and in how few markets. exercise_greeks_test holds
 * them against convolutions. */
#define MARKET                                                                                     \
    "valuation_date = '2026-11-20'; market = { currencies = ( { name = 'EUR'; rate = 0.05; },"     \
    "{ name = 'USD'; rate = 0.03; } ); assets = ({ name = 'A'; currency = 'EUR'; spot = 100.0; "   \
    "volatility = 0.2; },"                                                                         \
    "{ name = 'H'; currency = 'EUR'; spot = 50.0; model = 'heston';  heston = { v0 = 0.04; "       \
    "kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.7; }; },"                                       \
    "{ name = 'M'; currency = 'EUR'; spot = 100.0; model = 'merton'; volatility = 0.2; "           \
    " jumps = { intensity = 0.3; mean = -0.15; stdev = 0.15; }; },"                                \
    "{ name = 'D'; currency = 'EUR'; spot = 100.0; volatility = 0.25; "                            \
    " cash_dividends = ( { time = 0.3; amount = 2.0; } ); },"                                      \
    "{ name = 'V'; currency = 'EUR'; spot = 100.0; model = 'local_vol'; "                          \
    "volatility = {  times = [0.25, 1.0]; strikes = [80.0, 100.0, 120.0]; "                        \
    " vols = ([0.3, 0.25, 0.22], [0.28, 0.24, 0.22]); }; },"                                       \
    "{ name = 'P'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.04;  volatility = 0.15; "    \
    "},"                                                                                           \
    "{ name = 'S'; currency = 'EUR'; spot = 200.0; dividend_yield = 0.04;  volatility = 0.3; },"   \
    "{ name = 'EURUSD'; currency = 'USD'; foreign_currency = 'EUR'; spot = 1.1; "                  \
    " volatility = 0.1; } );correlation_default = 0.0; correlations = ( { assets = ['P', 'S']; "   \
    "value = 0.5; },"                                                                              \
    "{ assets = ['P', 'H']; value = 0.4; } ); };\n"
#include "validation/tests/pricing/risk_book.h"
#include "models/payoffs/product_numbers.h"

#include "app/pricing/risk/greeks/bumps.h"
#include "app/pricing/risk/greeks/revalue.h"
#include "app/pricing/risk/greeks/greek_trades.h"

enum { SEED = 5 };

/* On one asset, and on several; those of the worst are not in the order of the market. */
#define ON_ONE "american: id asset option strike exercise expiry quantity settlement_days quanto\n"
#define ON_SEVERAL "american: id assets kind weights option strike exercise expiry\n"
#define BEST ON_SEVERAL "best ['P','S'] best_of [1,0.5] call 110 12 1\n"
#define WORST ON_SEVERAL "worst ['S','P'] worst_of [0.5,1] put 95 12 1\n"

#define SLOPES                                                                                     \
    ON_ONE "put           A put  105 50 1 -3 - -\n"                                                \
           "same_exercise A put  105 50 1 -  - -\n"                                                \
           "call          P call 100 50 1 -  2 -\n"                                                \
           "paid_in_USD   A put  105 12 1 -  - {fx='EURUSD';}\n"                                   \
           "heston        H put  52  12 1 -  - -\n"                                                \
           "merton        M put  105 4  1 -  - -\n" ON_SEVERAL                                     \
           "three ['S','H','P'] best_of [0.5,2,1] put 110 12 1\n" BEST WORST

#define BUMPED                                                                                     \
    ON_ONE "dividend  D put 105 4 1 - - -\n"                                                       \
           "local_vol V put 105 4 1 - - -\n" ON_SEVERAL                                            \
           "sum ['P','S'] average [0.5,0.25] put 100 12 1\n"

/* Values the contrasts of a bump set for one trade. */
static void value_bumps(const struct valuer *valuer, const struct bump_set *set,
                        struct revaluation *revaluation)
{
    *revaluation = (struct revaluation){
        .valuer = *valuer,
        .contrasts = {.n_contrasts = set->n_contrasts, .contrasts = set->contrasts}};
    for (int v = 0; v < set->n_scenarios; v++)
        assert_ok(revaluation_add(revaluation, set->scenarios[v].n_shocks, set->scenarios[v].shocks,
                                  set->scenarios[v].scenario));
    assert_ok(revaluation_prepare(revaluation, &said));
    assert_ok(revaluation_run(revaluation, &said));
}

/* Sets a Greek by slopes beside the same by bumps; the paths of both are the same. */
static void compare(const struct book *book, int trade, const struct risk *risk, int column,
                    const struct tally *tally)
{
    const struct greek_value *greek = risk_greek(risk, column, trade);
    double quantity = book->trades[trade].quantity, bumped = quantity * tally->mean,
           error = fabs(quantity) * tally_standard_error(*tally);
    print_message("%-14s %-16s %10.6f +- %.6f, by bumps %10.6f +- %.6f\n", book->trades[trade].id,
                  risk->sensitivities[column].name, greek->value, greek->std_error, bumped, error);
    assert_string_equal(greek->method, "exercise slope");
    assert_int_equal(isnan(greek->bump),
                     greek_rows[risk->sensitivities[column].greek].second == SLOPE_NOTHING);
    assert_true(fabs(greek->value - bumped) < 2.5 * error);
    /* it counts that of the policy, on three assets what its two features do not see, and a cross
     * gamma by what its two ways differ by */
    int n = trade_n_assets(&book->trades[trade]);
    double policy = n > 1 ? hypot(0.5 * error, (n > 2 ? 0.04 : 0.004) * greek->value) : 0.0;
    bool crossed = greek_rows[risk->sensitivities[column].greek].second == SLOPE_OTHER_SPOT;
    assert_true(greek->std_error < (crossed ? 1.8 : 1.3) * hypot(error, policy));
    assert_true(greek->std_error > 0.4 * error);
}

static int compare_trade(const struct book *book, int trade, const struct risk *risk)
{
    struct trade alone = book->trades[trade];
    struct valuer valuer = valuer_of(book, SEED);
    alone.exercise_apart = trade_n_assets(&alone) > 1;
    valuer.n_trades = 1;
    valuer.trades = &alone;
    struct greek_pools pools;
    struct bump_sets sets = {0};
    int compared = 0;
    assert_ok(greek_pools_make(&book->market, 1, &alone, valuer.settings.paths, &pools));
    assert_true(pools.pools[0].by_slopes);
    assert_ok(bumps_make(&book->market, pools.pools, risk, true, &sets));
    for (int b = 0; b < sets.n; b++) {
        const struct bump_set *set = &sets.list[b];
        struct revaluation revaluation;
        value_bumps(&valuer, set, &revaluation);
        for (int m = 0; m < set->n_contrasts; m++, compared++)
            compare(book, trade, risk, set->sensitivity[m], &revaluation.tallies[m]);
        revaluation_free(&revaluation);
    }
    free(sets.list);
    sets = (struct bump_sets){0};
    assert_ok(bumps_make(&book->market, pools.pools, risk, false, &sets));
    assert_int_equal(sets.n, 0);
    free(sets.list);
    greek_pools_free(&pools);
    return compared;
}

TEST(slopes_agree_with_bumps)
{
    struct night night;
    int compared = 0;
    make_night_by(SEED, "paths = 32768; greeks = ['delta', 'gamma', 'cross_gamma'];", SLOPES, "",
                  &night);
    for (int t = 0; t < night.book.n_trades; t++)
        compared += compare_trade(&night.book, t, &night.risk);
    assert_int_equal(compared, 6 * 2 + 2 * 5 + 9);
    free_night(&night);
}

TEST(others_are_bumped)
{
    struct night night;
    make_night("paths = 4096; greeks = ['delta', 'gamma'];", BUMPED, "", &night);
    const struct market *market = &night.book.market;
    struct trade *trades = night.book.trades;
    for (int t = 0; t < night.book.n_trades; t++) {
        assert_false(has_slopes_at_exercise(market, &trades[t]));
        for (int s = 0; s < night.risk.n_sensitivities; s++)
            if (!isnan(risk_greek(&night.risk, s, t)->value))
                assert_string_equal(risk_greek(&night.risk, s, t)->method, "central difference");
    }
    /* a dividend that comes later moves nothing */
    trades[0].expiry = 0.25;
    assert_true(has_slopes_at_exercise(market, &trades[0]));
    trades[0].product = PRODUCT_EUROPEAN;
    assert_false(has_slopes_at_exercise(market, &trades[0]));
    free_night(&night);
}

/* Deltas alone need no market but today's; gammas and cross gammas of n assets 2 n more. */
TEST(markets_are_few)
{
    static const struct {
        const char *greeks;
        int sets, scenarios, contrasts;
    } wanted[] = {{"paths = 4096; greeks = ['delta', 'vega'];", 1, 1, 1},
                  {"paths = 4096; greeks = ['gamma'];", 1, 5, 2},
                  {"paths = 4096; greeks = ['cross_gamma'];", 1, 5, 2},
                  {"paths = 4096; greeks = ['delta', 'gamma', 'cross_gamma', 'rho'];", 1, 5, 3},
                  {"paths = 4096; greeks = ['rho'];", 0, 0, 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct night night;
        struct greek_pools pools;
        struct bump_sets sets = {0};
        make_night(wanted[i].greeks, BEST WORST, "", &night);
        const struct book *book = &night.book;
        assert_ok(greek_pools_make(&book->market, 2, book->trades, 4096, &pools));
        assert_int_equal(pools.n, 1);
        assert_ok(slope_bumps_make(&book->market, pools.pools, &night.risk, &sets));
        assert_int_equal(sets.n, wanted[i].sets);
        if (sets.n) assert_int_equal(sets.list[0].n_scenarios, wanted[i].scenarios);
        if (sets.n) assert_int_equal(sets.list[0].n_contrasts, wanted[i].contrasts);
        free(sets.list);
        greek_pools_free(&pools);
        free_night(&night);
    }
}

ALL_TESTS(slopes_test)
