/* Books of a small market, their Greeks, profits and losses, and the references' own, for tests of
 * app/risk/. */
#ifndef PRICER_VALIDATION_TESTS_RISK_BOOK_H
#define PRICER_VALIDATION_TESTS_RISK_BOOK_H

#include "app/pricing/risk/greeks/greek_check.h"
#include "app/pricing/risk/risk_make.h"
#include "models/math/tally.h"
#include "validation/tests/black.h"
#include "validation/tests/with_references.h"
#include "validation/tests/written_book.h"

/* Books are written with ' for ". */
#ifndef MARKET
#define MARKET                                                                                     \
    "market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0.03; },"           \
    "{ name = 'USD'; curve = { times = [0.5, 2.0]; zero_rates = [0.04, 0.035]; }; } );"            \
    "assets = ( { name = 'A'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.01;"              \
    "volatility = 0.2; }, { name = 'B'; currency = 'EUR'; spot = 50.0;"                            \
    "volatility = { times = [0.25, 1.0, 2.0]; vols = [0.3, 0.25, 0.24]; }; },"                     \
    "{ name = 'EURUSD'; currency = 'USD'; foreign_currency = 'EUR'; spot = 1.1;"                   \
    "volatility = 0.1; }, { name = 'H'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.01;"    \
    "model = 'heston'; heston = { v0 = 0.04; kappa = 1.0; theta = 0.04; xi = 0.001; rho = 0.0; };" \
    "} ); correlations = ( { assets = ['A', 'B']; value = 0.6; } ); };\n"
#endif

#define GREEKS                                                                                     \
    "greeks = ['delta', 'gamma', 'vega', 'vega_bucket', 'rho', 'theta', 'cross_gamma', "           \
    "'correlation'];"

/* Writes the trades of a table as a book has them: a line `product: keys`, and under it a line of
 * values for each trade, - where it lacks the key. Lists and groups have no blanks, and words get
 * their quotes. The caller frees the text. */
static inline char *trades_of(const char *table)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    const char *product = table, *keys = NULL, *separator = "";
    assert_non_null(to);
    for (const char *line = table; *line; line += strcspn(line, "\n") + 1) {
        const char *value = line + strspn(line, " ");
        int n = (int)strcspn(line, "\n:");
        if (line[n] == ':') {
            product = line, keys = line + n + 1;
            continue;
        }
        fprintf(to, "%s{ type = '%.*s'; ", separator, (int)strcspn(product, ":"), product);
        for (const char *key = keys + strspn(keys, " "); *key != '\n'; key += strspn(key, " ")) {
            int of_key = (int)strcspn(key, " \n"), of_value = (int)strcspn(value, " \n");
            bool plain = strchr("+-.0123456789[{", *value) || !strncmp(value, "true", 4);
            if (*value != '-' || of_value > 1)
                fprintf(to, plain ? "%.*s = %.*s; " : "%.*s = '%.*s'; ", of_key, key, of_value,
                        value);
            key += of_key, value += of_value;
            value += strspn(value, " ");
        }
        fputs("}", to);
        separator = ", ";
    }
    assert_int_equal(fclose(to), 0);
    return text;
}

/* Reads a book of this market, whose trades are written as books have them, or as a table. */
static inline void load(const char *settings, const char *trades, const char *risk,
                        struct book *book)
{
    char *table = trades[0] == '{' ? NULL : trades_of(trades);
    read_written(text_of("settings = { %s };\n%sbook = { trades = ( %s ); };\n%s\n", settings,
                         MARKET, table ? table : trades, risk),
                 book);
    free(table);
}

/* Returns the reference of one unit of a trade in a market with some shocks. */
static inline struct reference reference_under(const struct book *book, int trade, int n,
                                               const struct reference_shock *shocks)
{
    struct reference reference = {0};
    const struct reference_scenario scenario = {n, shocks, 0.0, 0};
    assert_ok(reference_scenario_price(&book->market, &scenario, &book->trades[trade], NULL,
                                       &reference, &said));
    return reference;
}

/* What values a book on the CPU. */
static inline struct valuer valuer_of(const struct book *book, uint64_t seed)
{
    static const struct engine_options options = {.kernel = "auto", .threads = 2};
    return (struct valuer){
        .market = &book->market,
        .n_trades = book->n_trades,
        .trades = book->trades,
        .engine = &cpu_engine,
        .options = &options,
        .settings = {.paths = (uint64_t)book->settings.paths, .seed = seed, .max_step = 0.02}};
}

static inline void make(const struct book *book, uint64_t seed, struct risk *risk)
{
    const struct valuer valuer = valuer_of(book, seed);
    struct complaints notes = {0};
    assert_ok(risk_make(&valuer, &book->risk, risk, &notes, &said));
    assert_int_equal(notes.n, 0);
    complaints_free(&notes);
}

static inline void check(const struct book *book, struct risk *risk)
{
    struct estimate *estimates = calloc((size_t)book->n_trades, sizeof *estimates);
    assert_non_null(estimates);
    for (int i = 0; i < book->n_trades; i++) {
        const struct reference reference = reference_for(&book->market, &book->trades[i]);
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

/* A book and its risk. */
struct night {
    struct book book;
    struct risk risk;
};

/* Loads a book and makes its risk by a seed. Free with free_night. */
static inline void make_night_by(uint64_t seed, const char *settings, const char *trades,
                                 const char *risk, struct night *night)
{
    load(settings, trades, risk, &night->book);
    make(&night->book, seed, &night->risk);
}

static inline void make_night(const char *settings, const char *trades, const char *risk,
                              struct night *night)
{
    make_night_by(1, settings, trades, risk, night);
}

static inline void make_checked_night(const char *settings, const char *trades, const char *risk,
                                      struct night *night)
{
    make_night(settings, trades, risk, night);
    check(&night->book, &night->risk);
}

static inline void free_night(struct night *night)
{
    risk_free(&night->risk);
    book_free(&night->book);
}

/* Prints what was found beside what it is to be. */
static inline void print_greek(const char *id, const char *name, const struct greek_value *greek,
                               double wanted)
{
    print_message("%-15s %-15s %11.6g +- %.2g, bump %.3g, to be %11.6g, reference %11.6g +- %.2g\n",
                  id, name, greek->value, greek->std_error, greek->bump, wanted, greek->reference,
                  greek->reference_error);
}

static inline const struct greek_value *greek_named(const struct risk *risk, const char *name,
                                                    int trade)
{
    for (int s = 0; s < risk->n_sensitivities; s++)
        if (!strcmp(risk->sensitivities[s].name, name)) return risk_greek(risk, s, trade);
    fail_msg("no column %s", name);
    return NULL;
}

/* Fails the test unless the Greek of a column and a trade is good, and says which one it is. */
static inline void assert_good(const struct night *night, int column, int trade, bool good)
{
    const struct greek_value *greek = risk_greek(&night->risk, column, trade);
    if (good) return;
    fail_msg("%s of %s: %g +- %g, reference %g +- %g", night->risk.sensitivities[column].name,
             night->book.trades[trade].id, greek->value, greek->std_error, greek->reference,
             greek->reference_error);
}

/* Fails the test unless the Greek of a column and a trade is what a formula says, within 4 of its
 * standard errors. */
static inline void assert_exact(const struct night *night, int column, int trade, double exact)
{
    const struct greek_value *greek = risk_greek(&night->risk, column, trade);
    print_greek(night->book.trades[trade].id, night->risk.sensitivities[column].name, greek, exact);
    assert_true(fabs(greek->value - exact) < 4.0 * greek->std_error);
}

enum { SEEDS_OF_Z = 200 };

struct z_of_seeds {
    struct tally z;
    double largest;
};

static inline void add_z(struct z_of_seeds *of, double z)
{
    assert_true(isfinite(z));
    of->z = tally_add(of->z, z);
    of->largest = fmax(of->largest, fabs(z));
}

/* Prints what z of a number has come to over the seeds. False where its error is too small. */
static inline bool has_honest_error(const struct z_of_seeds *of, const char *name, const char *id)
{
    double variance = of->z.m2 / of->z.n;
    bool good = variance < 1.4 && of->largest < 5.0 && fabs(of->z.mean) < 0.35;
    print_message("%s%s of %s: z has mean %.2f, variance %.2f, largest %.2f\n",
                  good ? "" : "BAD: ", name, id, of->z.mean, variance, of->largest);
    return good;
}

#endif
