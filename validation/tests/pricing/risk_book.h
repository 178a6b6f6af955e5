/* Books of a small market, their Greeks, profits and losses, and the references' own, for tests of
 * app/risk/. _XOPEN_SOURCE 700 is to be defined before anything is included. */
#ifndef PRICER_VALIDATION_TESTS_RISK_BOOK_H
#define PRICER_VALIDATION_TESTS_RISK_BOOK_H

#include "validation/tests/load_book_file.h"
#include "app/pricing/risk/greeks/greek_check.h"
#include "app/pricing/risk/risk_make.h"
#include "validation/reference/reference.h"
#include "validation/tests/test.h"

#ifndef MARKET
#define MARKET                                                                                     \
    "market = { correlation_default = 0; currencies = ( { name = \"EUR\"; rate = 0.03; },"         \
    "{ name = \"USD\"; curve = { times = [0.5, 2.0]; zero_rates = [0.04, 0.035]; }; } );"          \
    "assets = ( { name = \"A\"; currency = \"EUR\"; spot = 100.0; dividend_yield = 0.01; "         \
    "volatility = 0.2; },"                                                                         \
    "{ name = \"B\"; currency = \"EUR\"; spot = 50.0; volatility = { times = [0.25, 1.0, 2.0]; "   \
    "vols = [0.3, 0.25, 0.24]; }; },"                                                              \
    "{ name = \"EURUSD\"; currency = \"USD\"; foreign_currency = \"EUR\"; spot = 1.1; volatility " \
    "= 0.1; },"                                                                                    \
    "{ name = \"H\"; currency = \"EUR\"; spot = 100.0; dividend_yield = 0.01; model = "            \
    "\"heston\"; heston = { v0 = 0.04; kappa = 1.0; theta = 0.04; xi = 0.001; rho = 0.0; }; } );"  \
    "correlations = ( { assets = [\"A\", \"B\"]; value = 0.6; } ); };\n"
#endif

#define GREEKS                                                                                     \
    "greeks = [\"delta\", \"gamma\", \"vega\", \"vega_bucket\", \"rho\", \"theta\", "              \
    "\"cross_gamma\", \"correlation\"];"

static void load(const char *settings, const char *trades, const char *risk, struct book *book)
{
    char path[] = P_tmpdir "/risk_test_XXXXXX";
    struct complaints complaints = {0};
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file, "settings = { %s };\n%sbook = { trades = ( %s ); };\n%s\n", settings, MARKET,
            trades, risk);
    assert_int_equal(fclose(file), 0);
    enum status status = book_load(path, book, &complaints);
    for (int i = 0; i < complaints.n; i++) print_error("%s\n", complaints.list[i].line);
    assert_ok(status);
    complaints_free(&complaints);
    unlink(path);
}

static void make(const struct book *book, uint64_t seed, struct risk *risk)
{
    const struct engine_options options = {.kernel = "auto", .threads = 2};
    const struct valuer valuer = {
        .market = &book->market,
        .n_trades = book->n_trades,
        .trades = book->trades,
        .engine = &cpu_engine,
        .options = &options,
        .settings = {.paths = (uint64_t)book->settings.paths, .seed = seed, .max_step = 0.02}};
    struct complaints notes = {0};
    struct message why = {""};
    assert_ok(risk_make(&valuer, &book->risk, risk, &notes, &why));
    assert_int_equal(notes.n, 0);
    complaints_free(&notes);
}

static inline void check(const struct book *book, struct risk *risk)
{
    struct estimate *estimates = calloc((size_t)book->n_trades, sizeof *estimates);
    assert_non_null(estimates);
    for (int i = 0; i < book->n_trades; i++) {
        struct reference reference = {0};
        struct message why;
        assert_ok(reference_price(&book->market, &book->trades[i], 1, NULL, &reference, &why));
        snprintf(estimates[i].reference_method, sizeof estimates[i].reference_method, "%s",
                 reference.method);
    }
    const struct greek_check how = {.market = &book->market,
                                    .trades = book->trades,
                                    .estimates = estimates,
                                    .paths = (uint64_t)book->settings.paths,
                                    .threads = 2};
    struct complaints notes = {0};
    assert_ok(greeks_check(&how, risk, &notes));
    complaints_free(&notes);
    free(estimates);
}

#endif
