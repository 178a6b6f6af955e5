/* Greeks of early exercise, held against differences of prices by finite differences, of two assets
 * by convolutions: right within errors that are small. With --long over 40 seeds, under more
 * models. */
#define MARKET                                                                                     \
    "market = { correlation_default = 0; currencies = ( { name = \"EUR\"; rate = 0.05; },"         \
    "{ name = \"USD\"; curve = { times = [0.5, 1.0]; zero_rates = [0.0, 0.05]; }; } ); assets = (" \
    "{ name = \"Z\"; currency = \"USD\"; spot = 100.0; volatility = 0.25; },"                      \
    "{ name = \"Y\"; currency = \"EUR\"; spot = 100.0; volatility = 0.25;  dividend_curve = { "    \
    "times = [0.5, 1.0]; yields = [0.0, 0.06]; }; },"                                              \
    "{ name = \"A\"; currency = \"EUR\"; spot = 100.0; volatility = 0.2; },"                       \
    "{ name = \"D\"; currency = \"EUR\"; spot = 100.0; volatility = 0.25;  cash_dividends = ( { "  \
    "time = 0.3; amount = 2.0; }, { time = 0.8; amount = 2.0; } ); },"                             \
    "{ name = \"H\"; currency = \"EUR\"; spot = 100.0; model = \"heston\";  heston = { v0 = "      \
    "0.04; kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.7; }; },"                                 \
    "{ name = \"M\"; currency = \"EUR\"; spot = 100.0; model = \"merton\"; volatility = 0.2;  "    \
    "jumps = { intensity = 0.3; mean = -0.15; stdev = 0.15; }; },"                                 \
    "{ name = \"V\"; currency = \"EUR\"; spot = 100.0; model = \"local_vol\"; volatility = {  "    \
    "times = [0.25, 1.0]; strikes = [80.0, 100.0, 120.0];  vols = ([0.3, 0.25, 0.22], [0.28, "     \
    "0.24, 0.22]); }; },"                                                                          \
    "{ name = \"P\"; currency = \"EUR\"; spot = 100.0; dividend_yield = 0.04;  volatility = "      \
    "0.15; },"                                                                                     \
    "{ name = \"S\"; currency = \"EUR\"; spot = 100.0; dividend_yield = 0.04;  volatility = 0.3; " \
    "} );"                                                                                         \
    "correlations = ( { assets = [\"P\", \"S\"]; value = 0.5; } ); };\n"
#include "validation/tests/pricing/risk_book.h"

#include <math.h>

enum { MOST_TRADES = 6, SEEDS = 40 };

#define AMERICAN(id, asset, option, strike, dates, expiry)                                         \
    "{ id = \"" id "\"; type = \"american\"; asset = \"" asset "\"; option = \"" option            \
    "\"; strike = " strike "; exercise = " dates "; expiry = " expiry "; }"

/* On two assets that are not alike, by the first of them. */
#define TWO(id, kind, option, strike, dates)                                                       \
    "{ id = \"" id "\"; type = \"american\"; assets = [\"P\", \"S\"]; kind = \"" kind              \
    "\"; weights = [1.0, 1.0]; option = \"" option "\"; strike = " strike "; exercise = " dates    \
    "; expiry = 1.0; }"
/* Those of the issue of vega and rho: in the money on daily dates, at any time, few dates. */
#define DAILY AMERICAN("in the money", "A", "put", "110.0", "250", "1.0")
#define LOGNORMAL DAILY "," AMERICAN("quarterly", "A", "put", "105.0", "4", "1.0")
#define BEST TWO("best of two", "best_of", "call", "110.0", "12")
#define SEVERAL                                                                                    \
    BEST "," TWO("worst of two", "worst_of", "put", "95.0",                                        \
                 "12") "," TWO("sum of two", "average", "put", "200.0",                            \
                               "12") "," TWO("mean of two", "geometric", "put", "100.0", "6")
#define EVERY                                                                                      \
    AMERICAN("at any time", "A", "put", "110.0", "\"american\"", "1.0")                            \
    "," AMERICAN("five years", "A", "put", "100.0", "250", "5.0") "," AMERICAN(                    \
        "dividends", "D", "put", "105.0", "\"american\"",                                          \
        "1.0") "," AMERICAN("heston", "H", "put", "100.0", "50",                                   \
                            "1.0") "," AMERICAN("merton", "M", "put", "105.0", "4",                \
                                                "1.0") "," AMERICAN("local_vol", "V", "put",       \
                                                                    "105.0", "50", "1.0")

/* ---- the truth ------------------------------------------------------------------------------- */

static double price_under(const struct book *book, int trade, enum reference_shock_kind what,
                          double amount)
{
    struct reference reference = {0};
    struct message why = {""};
    int target = what == REFERENCE_SHOCK_RATE ? 0 : book->trades[trade].asset;
    const struct reference_shock shock = {what, target, -1, -1, amount};
    const struct reference_scenario scenario = {1, &shock, 0.0};
    assert_int_equal(reference_scenario_price(&book->market, &scenario, &book->trades[trade], 1,
                                              NULL, &reference, &why),
                     STATUS_OK);
    return reference.price;
}

/* A difference over `size` and one over half of it, extrapolated. */
static double slope(const struct book *book, int trade, enum reference_shock_kind what, double size,
                    bool second)
{
    double found[2], today = second ? price_under(book, trade, what, 0.0) : 0.0;
    for (int i = 0; i < 2; i++) {
        double h = i ? 0.5 * size : size, up = price_under(book, trade, what, h),
               down = price_under(book, trade, what, -h);
        found[i] = second ? (up - 2.0 * today + down) / (h * h) : (up - down) / (2.0 * h);
    }
    return (4.0 * found[1] - found[0]) / 3.0;
}

/* A Greek: the error that it may have at 2^20 paths, of itself, and how far its reference may be
 * off. */
struct wanted {
    const char *name;
    enum reference_shock_kind what;
    double size, most_error, doubt;
    double most_of_several,
        policy; /* the same on several assets, and what their policy leaves out */
    bool second;
};

static const struct wanted all_wanted[] = {
    {"delta", REFERENCE_SHOCK_SPOT, 0.01, 0.002, 5e-4, 0.004, 0.005, false},
    {"gamma", REFERENCE_SHOCK_SPOT, 0.03, 0.01, 5e-3, 0.02, 0.01, true},
    {"vega", REFERENCE_SHOCK_VOLATILITY, 0.01, 0.005, 1e-3, 0.005, 0.005, false},
    {"rho", REFERENCE_SHOCK_RATE, 0.005, 0.003, 1e-3, 0.005, 0.015, false}};
enum { WANTED = sizeof all_wanted / sizeof *all_wanted };

static double truth_of(const struct book *book, int trade, const struct wanted *wanted)
{
    const struct asset *asset = &book->market.assets[book->trades[trade].asset];
    double unit = wanted->what == REFERENCE_SHOCK_SPOT ? asset->spot : 1.0;
    return slope(book, trade, wanted->what, wanted->size, wanted->second) /
           (wanted->second ? unit * unit : unit);
}

static const struct greek_value *greek_of(const struct risk *risk, int trade, const char *name)
{
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct greek_value *greek = risk_greek(risk, s, trade);
        if (!strncmp(risk->sensitivities[s].name, name, strlen(name)) && !isnan(greek->value))
            return greek;
    }
    fail();
    return NULL;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

/* The Greeks of a book over some seeds: each within 4.5 errors of the truth, their mean within 4 of
 * its own, their z of variance 1, and their errors small. */
static void check_greeks(const char *trades, uint64_t paths, int seeds)
{
    struct book book;
    double truth[MOST_TRADES][WANTED], sum[MOST_TRADES][WANTED] = {{0.0}},
                                       squares[MOST_TRADES][WANTED] = {{0.0}},
                                       errors[MOST_TRADES][WANTED] = {{0.0}};
    char settings[160];
    snprintf(settings, sizeof settings,
             "paths = %d; greeks = [\"delta\", \"gamma\", \"vega\", \"rho\"];", (int)paths);
    load(settings, trades, "", &book);
    assert_true(book.n_trades <= MOST_TRADES);
    for (int t = 0; t < book.n_trades; t++)
        for (int w = 0; w < WANTED; w++) truth[t][w] = truth_of(&book, t, &all_wanted[w]);
    for (int seed = 1; seed <= seeds; seed++) {
        struct risk risk = {0};
        make(&book, (uint64_t)seed, &risk);
        for (int t = 0; t < book.n_trades; t++)
            for (int w = 0; w < WANTED; w++) {
                const struct greek_value *greek = greek_of(&risk, t, all_wanted[w].name);
                double off = greek->value - truth[t][w],
                       error = hypot(greek->std_error, all_wanted[w].doubt * truth[t][w]);
                sum[t][w] += off;
                squares[t][w] += off * off / (error * error);
                errors[t][w] += greek->std_error * greek->std_error;
                assert_true(fabs(off) < 4.5 * error);
            }
        risk_free(&risk);
    }
    for (int t = 0; t < book.n_trades; t++)
        for (int w = 0; w < WANTED; w++) {
            double error = sqrt(errors[t][w] / seeds), mean = sum[t][w] / seeds;
            double of_million = error / fabs(truth[t][w]) * sqrt((double)paths / 1048576.0);
            print_message("%-14s %-6s %11.6g: mean off by %+.3f %%, error %.3f %%, at 2^20 paths "
                          "%.3f %%, z^2 %.2f\n",
                          book.trades[t].id, all_wanted[w].name, truth[t][w],
                          100.0 * mean / fabs(truth[t][w]), 100.0 * error / fabs(truth[t][w]),
                          100.0 * of_million, squares[t][w] / seeds);
            bool several = trade_n_assets(&book.trades[t]) > 1;
            double doubt = all_wanted[w].doubt + (several ? all_wanted[w].policy : 0.0);
            assert_true(fabs(mean) < 4.0 * error / sqrt(seeds) + doubt * fabs(truth[t][w]));
            assert_true(of_million <
                        (several ? all_wanted[w].most_of_several : all_wanted[w].most_error));
            if (seeds >= SEEDS) assert_true(squares[t][w] / seeds < 2.0);
        }
    book_free(&book);
}

static void greeks_are_right(void **state)
{
    (void)state;
    check_greeks(DAILY, 1 << 16, 1);
    check_greeks(BEST, 1 << 16, 1);
}

/* The program's own check finds the same: delta and gamma on several assets share their markets. */
static void the_check_agrees(void **state)
{
    (void)state;
    struct book book;
    struct risk risk = {0};
    load("paths = 16384; greeks = [\"delta\", \"gamma\", \"rho\"];", BEST, "", &book);
    make(&book, 1, &risk);
    check(&book, &risk);
    int compared = 0;
    for (int s = 0; s < risk.n_sensitivities; s++) {
        const struct greek_value *greek = risk_greek(&risk, s, 0);
        if (isnan(greek->value)) continue;
        double error = hypot(greek->std_error, greek->reference_error);
        assert_true(fabs(greek->value - greek->reference) < 4.0 * error);
        assert_true(error < 0.1 * fabs(greek->value) || greek->reference_error > greek->std_error);
        compared++;
    }
    assert_int_equal(compared, 5); /* of two assets, and the one rate */
    risk_free(&risk);
    book_free(&book);
}

/* A rate, or a yield, of 0 until half a year, at which all exercise at once. */
static void theta_is_right_where_exercise_begins(void **state)
{
    (void)state;
    struct book book;
    struct risk risk = {0};
    load("paths = 65536; greeks = [\"theta\"];",
         AMERICAN("rate", "Z", "put", "100.0", "\"american\"",
                  "1.0") "," AMERICAN("yield", "Y", "call", "100.0", "\"american\"", "1.0"),
         "", &book);
    make(&book, 1, &risk);
    check(&book, &risk);
    for (int t = 0; t < 2; t++) {
        const struct greek_value *greek = greek_of(&risk, t, "theta");
        double error = hypot(greek->std_error, greek->reference_error);
        print_message("%-5s theta %.4f, error %.4f, reference %.4f\n", book.trades[t].id,
                      greek->value, greek->std_error, greek->reference);
        assert_true(fabs(greek->value - greek->reference) < 4.0 * error);
        assert_true(error < 0.3 * fabs(greek->reference));
    }
    risk_free(&risk);
    book_free(&book);
}

static void greeks_are_right_long(void **state)
{
    (void)state;
    check_greeks(LOGNORMAL, 1 << 16, SEEDS);
    check_greeks(EVERY, 1 << 16, SEEDS);
}

static void several_are_right_long(void **state)
{
    (void)state;
    check_greeks(SEVERAL, 1 << 16, SEEDS);
}

int exercise_greeks_test(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(greeks_are_right),
                                       cmocka_unit_test(the_check_agrees),
                                       cmocka_unit_test(theta_is_right_where_exercise_begins)};
    const struct CMUnitTest full[] = {cmocka_unit_test(greeks_are_right_long),
                                      cmocka_unit_test(several_are_right_long)};
    if (argc > 1 && !strcmp(argv[1], "--long")) return cmocka_run_group_tests(full, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
