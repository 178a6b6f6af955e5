/* A plan of every product, and what one call of the engine makes of it, for tests of prices that
 * are put together from pieces. */
#ifndef PRICER_VALIDATION_TESTS_WHOLE_PRICE_H
#define PRICER_VALIDATION_TESTS_WHOLE_PRICE_H

#include "app/pricing/value/stored_price.h"
#include "validation/tests/every_contrast.h"
#include "validation/tests/every_product_book.h"

/* Tallies [n] and totals [n_totals] of all chunks. */
struct whole {
    struct plan plan;
    size_t n, n_totals;
    struct tally *tallies;
    double *totals;
};

/* Plans the book for some batches and a chunk, its prices or every contrast of it. */
static inline void plan_book(int batches, bool contrasts, struct plan *plan)
{
    static struct every_contrast every;
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    const struct plan_settings settings = {
        .paths = (uint64_t)batches * BATCH_PATHS + CHUNK_PATHS, .seed = 7, .max_step = 0.5};
    if (!contrasts) {
        assert_ok(plan_build(&book.market, book.n_trades, book.trades, &settings, plan, refusals));
        return;
    }
    assert_ok(every_contrast_make(&book.market, &every));
    assert_ok(plan_contrasts(&every.wanted, book.n_trades, book.trades, &settings, plan, refusals));
    every_contrast_free(&every);
    assert_in_range(plan->n_totals, 1, book.n_trades);
}

/* Prices through a store, NULL: none; tallies and totals begin as 0. */
static inline enum status price_with(const struct store *store, const struct engine *engine,
                                     const struct engine_options *options,
                                     const struct whole *whole, struct tally *tallies,
                                     double *totals, struct engine_report *report)
{
    *report = (struct engine_report){.kernel = ""};
    memset(tallies, 0, whole->n * sizeof *tallies);
    memset(totals, 0, whole->n_totals * sizeof *totals);
    const struct plan_pricing pricing = {store, engine, &whole->plan, options, tallies, totals};
    enum status status = stored_price(&pricing, report, &said);
    if (!status) assert_string_not_equal(report->kernel, "");
    return status;
}

/* Prices the plan of a whole on one thread. Free with free_whole. */
static inline void price_whole(const struct engine *engine, struct whole *whole)
{
    const struct engine_options options = {.kernel = "auto", .threads = 1};
    struct engine_report report;
    whole->n = (size_t)plan_tallies(&whole->plan);
    whole->n_totals = (size_t)(whole->plan.paths / CHUNK_PATHS) * chunk_totals(&whole->plan);
    whole->tallies = calloc(whole->n + 1, sizeof *whole->tallies);
    whole->totals = calloc(whole->n_totals + 1, sizeof *whole->totals);
    assert_ok(price_with(NULL, engine, &options, whole, whole->tallies, whole->totals, &report));
}

static inline void free_whole(struct whole *whole)
{
    free(whole->tallies);
    free(whole->totals);
    plan_free(&whole->plan);
}

/* Prices again with other options, through a store or NULL, and compares the bits, which those of
 * the baseline are not. */
static inline enum status price_again(const struct store *store, const struct engine *engine,
                                      const struct engine_options *options,
                                      const struct whole *whole, struct engine_report *report)
{
    struct tally *tallies = calloc(whole->n + 1, sizeof *tallies);
    double *totals = calloc(whole->n_totals + 1, sizeof *totals);
    enum status status = price_with(store, engine, options, whole, tallies, totals, report);
    if (!status && strcmp(options->kernel, "baseline")) {
        assert_memory_equal(tallies, whole->tallies, whole->n * sizeof *tallies);
        assert_memory_equal(totals, whole->totals, whole->n_totals * sizeof *totals);
    }
    free(tallies);
    free(totals);
    return status;
}

static inline void expect_whole(const struct engine *engine, const struct engine_options *options,
                                const struct whole *whole)
{
    struct engine_report report;
    assert_ok(price_again(NULL, engine, options, whole, &report));
}

#endif
