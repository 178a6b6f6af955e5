/* Books that tests of the library price by its door, and what every run begins and ends with. */
#ifndef PRICER_VALIDATION_TESTS_API_RUN_H
#define PRICER_VALIDATION_TESTS_API_RUN_H

#include "app/api/pricer.h"
#include "validation/tests/test.h"

/* Fails the test with the message of a pricer unless the call is PRICER_OK. */
#define assert_done(pricer, call)                                                                  \
    do {                                                                                           \
        if ((call) != PRICER_OK) fail_msg("%s: %s", #call, pricer_message(pricer));                \
    } while (0)

#define assert_refused(call) assert_int_equal((call), PRICER_BAD_INPUT)

/* Options of one thread of the CPU that checks nothing. */
static inline struct pricer_options cpu_options(void)
{
    struct pricer_options options = PRICER_OPTIONS;
    options.engine = "cpu";
    options.check = "none";
    options.threads = 1;
    return options;
}

/* Closed by pricer_close. */
static inline struct pricer *open_with(struct pricer_options options)
{
    struct pricer *pricer;
    assert_int_equal(pricer_open(&options, &pricer), PRICER_OK);
    return pricer;
}

/* A book and its results; they die before their pricer. */
struct run {
    struct pricer *pricer;
    struct pricer_book *book;
    struct pricer_results *results;
};

/* Writes " for ' in a text. The caller frees it. */
static inline char *quoted(const char *text)
{
    char *copy = strdup(text);
    for (char *at = copy; (at = strchr(at, '\'')); at++) *at = '"';
    return copy;
}

/* Reads a text, in which ' stands for ", with values that take the place of its own. */
static inline struct pricer_book *read_book(struct pricer *pricer, const char *text, int n_sets,
                                            const char *const *sets)
{
    struct pricer_book *book;
    char *right = quoted(text);
    assert_done(pricer, pricer_book_read(pricer, "text", right, n_sets, sets, &book));
    free(right);
    return book;
}

/* Plans the book of a text. */
static inline struct run plan_text(struct pricer *pricer, const char *text, int n_sets,
                                   const char *const *sets)
{
    struct run run = {.pricer = pricer, .book = read_book(pricer, text, n_sets, sets)};
    assert_done(pricer, pricer_plan(pricer, run.book, &run.results));
    return run;
}

static inline struct run price_text(struct pricer *pricer, const char *text, int n_sets,
                                    const char *const *sets)
{
    struct run run = plan_text(pricer, text, n_sets, sets);
    assert_done(pricer, pricer_price(run.results));
    return run;
}

static inline void end(struct run *run)
{
    pricer_results_free(run->results);
    pricer_book_free(run->book);
}

static inline void end_and_close(struct run *run)
{
    end(run);
    pricer_close(run->pricer);
}

static inline uint64_t digest_of_text(struct pricer *pricer, const char *text)
{
    struct run run = price_text(pricer, text, 0, NULL);
    uint64_t digest = pricer_digest(run.results);
    end(&run);
    return digest;
}

/* Equal, or both no number. */
static inline bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

#define ONE_ASSET                                                                                  \
    "market = { currencies = ( { name = 'EUR'; rate = 0.03; } ); assets = ("                       \
    "{ name = 'A'; currency = 'EUR'; spot = 100.0; volatility = 0.2; } ); };\n"
#define SPOT_DOWN                                                                                  \
    "risk = { scenarios = ( { name = 'down'; shocks = ( { asset = '*'; spot = -0.1; } ); } ); "    \
    "};\n"
/* Trades on the asset. */
#define CALL                                                                                       \
    "{ id = 'c'; type = 'european'; asset = 'A'; option = 'call'; strike = 100.0; expiry = 1.0; }"
#define AMERICAN                                                                                   \
    "{ id = 'a'; type = 'american'; asset = 'A'; option = 'put'; strike = 100.0; expiry = 1.0; "   \
    "exercise = 12; }"
#define REFUSED                                                                                    \
    "{ id = 'bad'; type = 'european'; asset = 'A'; option = 'call'; strike = -1.0; expiry = 1.0; " \
    "}"

#endif
