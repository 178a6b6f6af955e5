/* What the tests share that hold the CUDA engine against the CPU engine, to the last bit. They
 * print every comparison, and exit 77 where no GPU can be used. */
#ifndef PRICER_VALIDATION_TESTS_GPU_AGAINST_CPU_H
#define PRICER_VALIDATION_TESTS_GPU_AGAINST_CPU_H

#include "app/pricing/value/exercise/exercise_policy.h"
#include "app/pricing/plan/plan_build.h"
#include "kernels/engine.h"
#include "kernels/replicates.h"
#include "kernels/team.h"
#include "kernels/threads.h"
#include "validation/tests/test.h"

#if PRICER_HAVE_CUDA
#include "kernels/cuda/host/specialise.h"
#endif

/* Returns whether the machine has a GPU that can be used, and says why not. */
static inline bool has_gpu(void)
{
    if (!cuda_engine.ready(&said)) return true;
    printf("skipped: %s\n", said.text);
    return false;
}

/* Begins to compile, for the machine's GPU, the path code of plans that are run later one by one:
 * each run waits for what it lacks. NULL where nothing compiles. */
static inline struct compilation *begin_compiling(void)
{
#if PRICER_HAVE_CUDA
    if (cuda_engine.compiler) return cuda_engine.compiler->begin(specialised_architecture());
#endif
    return NULL;
}

/* Adds what `fused` and `optimized` simulate a plan by. */
static inline void add_compiling(struct compilation *compilation, const struct plan *plan)
{
    if (compilation) cuda_engine.compiler->add(compilation, plan, &said);
}

/* Compiles what was added on all cores at once, for the runs that follow. One that fails is
 * compiled again by the run that asks for it, which says why. */
static inline void end_compiling(struct compilation *compilation)
{
    int n = 0;
    if (!compilation) return;
    struct engine_options options = {.team = team_begin(thread_count(0))};
    cuda_engine.compiler->compile(compilation, &options, &n, &said);
    printf("%d kernels compiled\n", n);
    cuda_engine.compiler->end(compilation);
    team_end(options.team);
}

/* Plans trades, none of which may be refused, and fits their policies. False where it cannot. */
static inline bool planned(const struct market *market, int n, const struct trade *trades,
                           const struct plan_settings *settings, struct plan *plan)
{
    struct refusal *refusals = calloc((size_t)n, sizeof *refusals);
    bool good =
        refusals && !plan_build(market, n, trades, settings, plan, refusals) &&
        !exercise_fit(&cpu_engine, &(struct engine_options){.threads = 0}, NULL, plan, &said);
    for (int i = 0; good && i < n; i++)
        if (refusals[i].why.text[0]) printf("%s\n", refusals[i].why.text), good = false;
    free(refusals);
    return good;
}

/* Fills the tallies of a plan, and adds to its totals, if any. False where the engine cannot. */
static inline bool priced(const struct engine *engine, const struct plan *plan,
                          struct engine_options options, struct tally *tallies, double *totals)
{
    struct engine_report report = {.kernel = ""};
    memset(tallies, 0, sizeof *tallies * (size_t)plan_tallies(plan));
    options.team = team_begin(thread_count(options.threads)); /* for compilations */
    enum status status = engine_price(engine, plan, &options, tallies, totals, &report, &said);
    team_end(options.team);
    if (!status) return true;
    printf("%s %s: %s\n", engine->name, options.kernel, said.text);
    return false;
}

static inline enum status price_on(void *engine, const struct plan *plan,
                                   const struct engine_options *options, struct tally *tallies,
                                   struct engine_report *report, struct message *why)
{
    return engine_price(engine, plan, options, tallies, NULL, report, why);
}

/* Fills tallies [replicate][plan_tallies] of a plan of any kind of paths. */
static inline bool priced_replicates(const struct engine *engine, const struct plan *plan,
                                     struct engine_options options, struct tally *tallies)
{
    struct engine_report report = {.kernel = ""};
    const struct plan_pricer pricer = {price_on, (void *)engine, &options, &report};
    memset(tallies, 0xff, sizeof *tallies * (size_t)(plan_runs(plan) * plan_tallies(plan)));
    options.team = team_begin(thread_count(options.threads)); /* for compilations */
    enum status status = replicates_run(&pricer, plan, tallies, &said);
    team_end(options.team);
    if (!status) return true;
    printf("%s %s: %s\n", engine->name, options.kernel, said.text);
    return false;
}

/* Whether a kernel has no way of its own for a group: it simulates it as `plain` does, whose
 * normals it has. */
static inline bool goes_as_plain(const struct plan *plan, int group, const char *kernel)
{
    static const char *const others[] = {"auto", "plain", "fused", "optimized"};
    const struct engine_options options = {.kernel = kernel};
    struct route route;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(kernel, others[i], strlen(others[i]))) return false;
    return !cuda_engine.route(plan, group, &options, &route, &said) &&
           strstr(route.kernel, ", plain") != NULL;
}

/* Returns the number of such groups of the plan. */
static inline int groups_as_plain(const struct plan *plan, const char *kernel)
{
    int n = 0;
    for (int g = 0; g < plan->n_groups; g++) n += goes_as_plain(plan, g, kernel);
    return n;
}

/* Returns how many of n tallies differ, and prints the first of them. */
static inline int count_different(const char *what, int n, const struct tally *cpu,
                                  const struct tally *gpu)
{
    int different = 0;
    for (int i = 0; i < n; i++) {
        if (!memcmp(&cpu[i], &gpu[i], sizeof *cpu) || different++) continue;
        printf("  %s, tally %d: %.17g (m2 %.17g) and %.17g (m2 %.17g)\n", what, i, cpu[i].mean,
               cpu[i].m2, gpu[i].mean, gpu[i].m2);
    }
    return different;
}

#endif
