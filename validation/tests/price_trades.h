/* Plans of trades, and their prices by the CPU engine, for tests that look at nothing else of
 * either. */
#ifndef PRICER_VALIDATION_TESTS_PRICE_TRADES_H
#define PRICER_VALIDATION_TESTS_PRICE_TRADES_H

#include "app/pricing/plan/plan_build.h"
#include "app/pricing/value/exercise/exercise_policy.h"
#include "kernels/engine.h"
#include "validation/tests/test.h"

/* Plans trades, none of which may be refused. Free with plan_free. */
static inline void plan_trades(const struct market *market, int n, const struct trade *trades,
                               const struct plan_settings *settings, struct plan *plan)
{
    struct refusal *refusals = calloc((size_t)n + 1, sizeof *refusals);
    assert_non_null(refusals);
    assert_ok(plan_build(market, n, trades, settings, plan, refusals));
    for (int i = 0; i < n; i++) assert_string_equal(refusals[i].why.text, "");
    free(refusals);
}

/* Prices a plan by a kernel on so many threads, 0: all. */
static inline void price_plan(const struct plan *plan, const char *kernel, int threads,
                              struct tally *tallies)
{
    const struct engine_options options = {.kernel = kernel, .threads = threads};
    struct engine_report report = {.kernel = ""};
    assert_ok(engine_price(&cpu_engine, plan, &options, tallies, NULL, &report, &said));
}

/* Fits the policies of a plan's early exercise. */
static inline void fit_policies(struct plan *plan, int threads)
{
    const struct engine_options options = {.threads = threads};
    assert_ok(exercise_fit(&cpu_engine, &options, NULL, plan, &said));
}

static inline void price_trades(const struct market *market, int n, const struct trade *trades,
                                const struct plan_settings *settings, struct tally *tallies)
{
    struct plan plan;
    plan_trades(market, n, trades, settings, &plan);
    price_plan(&plan, "auto", 0, tallies);
    plan_free(&plan);
}

/* Returns whether this processor can run a kernel. */
static inline bool runs_here(const char *kernel)
{
    const struct engine_options options = {.kernel = kernel};
    const struct plan none = {.paths = CHUNK_PATHS};
    struct engine_report report = {.kernel = ""};
    return !engine_price(&cpu_engine, &none, &options, NULL, NULL, &report, &said);
}

/* The `price` of a plan_pricer on the CPU. */
static inline enum status price_on_cpu(void *context, const struct plan *plan,
                                       const struct engine_options *options, struct tally *tallies,
                                       struct engine_report *report, struct message *why)
{
    (void)context;
    return engine_price(&cpu_engine, plan, options, tallies, NULL, report, why);
}

#endif
