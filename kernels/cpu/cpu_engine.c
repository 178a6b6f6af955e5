/* The CPU engine: threads take batches of paths of a group, in any order. */
#include "kernels/engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/clock.h"
#include "kernels/cpu/simulate.h"
#include "kernels/merge.h"
#include "kernels/threads.h"
#include "models/base/stop.h"

/* ---- the table of kernels -------------------------------------------------------------------- */

static const struct kernel_row kernels[] = {{"auto", "the fastest that this processor can run"},
                                            {"optimized", "the same as auto"},
#define BUILD(name, idea, supported) {#name, idea},
#include "models/base/builds.def"
#undef BUILD
                                            {0}};

static const char *const settings[] = {
#define BUILD(name, idea, supported) #name,
#include "models/base/builds.def"
#undef BUILD
    NULL};

/* Finds the build of a kernel's name; the fastest for "auto" and "optimized". */
static enum status find_build(const char *name, const struct cpu_build **found, struct message *why)
{
    const struct {
        const struct cpu_build *build;
        int supported;
    } builds[] = {
#define BUILD(name, idea, supported) {&simulate_##name, supported},
#include "models/base/builds.def"
#undef BUILD
    };
    const bool best = !strcmp(name, "auto") || !strcmp(name, "optimized");
    for (int i = (int)(sizeof builds / sizeof *builds) - 1; i >= 0; i--) {
        if (best ? !builds[i].supported : strcmp(name, builds[i].build->name)) continue;
        *found = builds[i].build;
        if (builds[i].supported) return STATUS_OK;
        return say_why(STATUS_BAD_INPUT, why,
                       "kernel '%s' needs instructions that this processor does not have", name);
    }
    return say_why(STATUS_BAD_INPUT, why,
                   "the cpu engine has no kernel '%s'; --list-kernels names them", name);
}

static enum status no_memory(struct message *why)
{
    return say_why(STATUS_NO_MEMORY, why, "not enough memory for the paths");
}

static enum status cpu_route(const struct plan *plan, int group,
                             const struct engine_options *options, struct route *route,
                             struct message *why)
{
    const struct cpu_build *build;
    (void)plan, (void)group;
    MUST(find_build(options->kernel, &build, why));
    snprintf(route->kernel, sizeof route->kernel, "%s", build->name);
    route->why = strcmp(options->kernel, build->name) ? "the fastest that this processor can run"
                                                      : "asked for by name";
    return STATUS_OK;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* What is simulated together: one group, or a scenario set. */
struct cpu_part {
    int group;    /* the first */
    size_t tally; /* its first in the range */
};

struct cpu_run {
    const struct plan *plan;
    const struct engine_options *options;
    const struct cpu_build *build;
    const struct batch_range *range;
    uint64_t batches; /* of the range */
    int n_parts;
    struct cpu_part *parts;    /* [n_parts] */
    size_t means;              /* of a batch of a scenario set, at most */
    atomic_uint_fast64_t next; /* task: part * batches + batch */
    atomic_uint_fast64_t done; /* path-steps */
    uint64_t total;
    atomic_int out_of_memory;
    pthread_mutex_t lock;        /* of progress, and of: */
    pthread_cond_t added;        /* the totals of some scenario set */
    int *turns;                  /* [batch] the part whose totals are the next to be added */
    struct shared_moves *shared; /* [group] of the first of groups alike in a scenario set */
};

static void say_progress(struct cpu_run *run, int g, uint64_t paths)
{
    uint64_t steps = 0;
    for (int i = 0; i < scenario_set_size(run->plan, g); i++)
        steps += paths * group_asset_steps(&run->plan->groups[g + i]);
    uint64_t done = atomic_fetch_add(&run->done, steps) + steps;
    if (!run->options->progress) return;
    pthread_mutex_lock(&run->lock);
    run->options->progress(run->options->progress_context, done, run->total);
    pthread_mutex_unlock(&run->lock);
}

/* Adds when the scenario sets before have added theirs. Their tasks were taken before this one, so
 * that the earliest of all never waits, and every task that was taken is done. */
static void add_in_turn(struct cpu_run *run, int part, uint64_t batch, const double *means)
{
    const struct plan *plan = run->plan;
    uint64_t chunks = (uint64_t)plan_batch_chunks(plan, run->range->first + batch);
    pthread_mutex_lock(&run->lock);
    while (run->turns[batch] < part) pthread_cond_wait(&run->added, &run->lock);
    pthread_mutex_unlock(&run->lock);
    add_totals(plan, run->parts[part].group, chunks, means,
               run->range->totals + batch * BATCH_CHUNKS * chunk_totals(plan));
    pthread_mutex_lock(&run->lock);
    run->turns[batch] = part + 1;
    pthread_cond_broadcast(&run->added);
    pthread_mutex_unlock(&run->lock);
}

/* Simulates a batch of the range. */
static void simulate_batch(struct cpu_run *run, int part, uint64_t batch,
                           struct path_scratch *scratch, double *means)
{
    const struct plan *plan = run->plan;
    int g = run->parts[part].group;
    const struct group *group = &plan->groups[g];
    uint64_t plan_batch = run->range->first + batch;
    struct tally *tallies =
        run->range->tallies + run->parts[part].tally + batch * scenario_set_tallies(plan, g);
    if (group->scenario_set) run->build->simulate_set(plan, g, plan_batch, scratch, tallies, means);
    else run->build->simulate(plan, group, plan_batch, scratch, tallies);
    if (run->range->totals) add_in_turn(run, part, batch, means);
    say_progress(run, g, (uint64_t)plan_batch_chunks(plan, plan_batch) * CHUNK_PATHS);
}

static bool stopped(const struct cpu_run *run)
{
    return asked_to_stop(run->options->stop);
}

static void *work(void *argument)
{
    struct cpu_run *run = argument;
    struct path_scratch scratch;
    double *means = malloc(sizeof *means * (run->means + 1));
    if (scratch_make(run->plan, run->shared, &scratch) || !means)
        atomic_store(&run->out_of_memory, 1);
    scratch.stop = run->options->stop;
    uint64_t tasks = run->batches * (uint64_t)run->n_parts;
    while (!atomic_load(&run->out_of_memory) && !stopped(run)) {
        uint64_t task = atomic_fetch_add(&run->next, 1);
        if (task >= tasks) break;
        simulate_batch(run, (int)(task / run->batches), task % run->batches, &scratch, means);
    }
    scratch_free(&scratch);
    free(means);
    return NULL;
}

/* Finds the parts of the plan, where their tallies go, and the moves that groups alike share where
 * they are simulated side by side. */
static enum status find_parts(struct cpu_run *run)
{
    const struct plan *plan = run->plan;
    const size_t n = (size_t)plan->n_groups + 1;
    size_t tally = 0;
    run->parts = malloc(sizeof *run->parts * n);
    run->shared = calloc(n, sizeof *run->shared);
    run->turns = calloc((size_t)run->batches + 1, sizeof *run->turns);
    if (!run->parts || !run->shared || !run->turns) return STATUS_NO_MEMORY;
    for (int g = 0; g < plan->n_groups; g += scenario_set_size(plan, g)) {
        size_t means = BATCH_CHUNKS * (size_t)plan->n_contrasts * (size_t)plan->groups[g].n_payoffs;
        if (means > run->means) run->means = means;
        run->parts[run->n_parts++] = (struct cpu_part){g, tally};
        tally += (size_t)run->batches * scenario_set_tallies(plan, g);
    }
    for (int g = 0; plan->n_contrasts && g < plan->n_groups; g++)
        MUST(shared_moves_find(&plan->groups[g], &run->shared[g]));
    return STATUS_OK;
}

static enum status cpu_ready(struct message *why)
{
    (void)why;
    return STATUS_OK;
}

static enum status cpu_walk(const struct plan *plan, const struct engine_options *options,
                            const struct batch_range *range, struct engine_report *report,
                            struct message *why)
{
    enum status status = STATUS_OK;
    double began = seconds_now();
    int threads = thread_count(options->threads);
    struct cpu_run run = {
        .plan = plan, .options = options, .range = range, .batches = range->end - range->first};
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.added, NULL);
    TRY(find_build(options->kernel, &run.build, why));
    for (int g = 0; g < plan->n_groups; g++)
        run.total += range_paths(plan, range) * group_asset_steps(&plan->groups[g]);
    TRY(find_parts(&run));
    uint64_t tasks = run.batches * (uint64_t)run.n_parts;
    run_on_threads(tasks < (uint64_t)threads ? (int)tasks : threads, work, &run);
    if (atomic_load(&run.out_of_memory)) TRY(STATUS_NO_MEMORY);
    if (stopped(&run)) TRY(STATUS_INTERRUPTED);
    snprintf(report->kernel, sizeof report->kernel, "%s", run.build->name);
    snprintf(report->device, sizeof report->device, "%d CPU threads", threads);
    report->paths = seconds_now() - began;
done:
    if (status == STATUS_NO_MEMORY) no_memory(why);
    free(run.parts);
    free(run.turns);
    for (int g = 0; run.shared && g < plan->n_groups; g++) shared_moves_free(&run.shared[g]);
    free(run.shared);
    pthread_cond_destroy(&run.added);
    pthread_mutex_destroy(&run.lock);
    return status;
}

/* ---- what paths remember --------------------------------------------------------------------- */

struct observed_chunks {
    const struct plan *plan;
    const struct engine_options *options;
    const struct group *group;
    const struct chunk_range *range;
    const struct cpu_build *build;
    atomic_uint_fast64_t next; /* chunk of the range */
    atomic_int status;
};

static void *observe_some(void *argument)
{
    struct observed_chunks *run = argument;
    uint64_t chunks = run->range->end - run->range->first;
    struct path_scratch scratch;
    enum status status = scratch_make(run->plan, NULL, &scratch);
    scratch.stop = run->options->stop;
    for (uint64_t c; !status && (c = atomic_fetch_add(&run->next, 1)) < chunks;) {
        run->build->observe(run->plan, run->group, run->range->first + c, &scratch);
        for (size_t r = 0; r < (size_t)run->group->n_rows; r++)
            memcpy(run->range->rows + (r * chunks + c) * CHUNK_PATHS,
                   scratch.observed + r * CHUNK_PATHS, CHUNK_PATHS * sizeof *scratch.observed);
        if (simulation_stopped(&scratch)) status = STATUS_INTERRUPTED;
    }
    if (status) atomic_store(&run->status, (int)status);
    scratch_free(&scratch);
    return NULL;
}

static enum status cpu_observe(const struct plan *plan, const struct engine_options *options,
                               int group, const struct chunk_range *range, struct message *why)
{
    struct observed_chunks run = {
        .plan = plan, .options = options, .group = &plan->groups[group], .range = range};
    MUST(find_build(options->kernel, &run.build, why));
    run_on_threads(thread_count(options->threads), observe_some, &run);
    const enum status status = (enum status)atomic_load(&run.status);
    return status == STATUS_NO_MEMORY ? no_memory(why) : status;
}

static enum status cpu_watch(const struct plan *plan, const struct engine_options *options,
                             int group, uint64_t chunk, const struct path_watcher *watcher,
                             struct message *why)
{
    enum status status = STATUS_OK;
    const struct cpu_build *build;
    struct path_scratch scratch[CHUNK_COLUMNS] = {{NULL}};
    MUST(find_build(options->kernel, &build, why));
    for (int c = 0; c < CHUNK_COLUMNS; c++) {
        enum status made = scratch_make(plan, NULL, &scratch[c]);
        if (made) status = made;
        scratch[c].stop = options->stop;
    }
    if (!status) build->watch(plan, &plan->groups[group], chunk, scratch, watcher);
    if (!status && simulation_stopped(scratch)) status = STATUS_INTERRUPTED;
    for (int c = 0; c < CHUNK_COLUMNS; c++) scratch_free(&scratch[c]);
    return status == STATUS_NO_MEMORY ? no_memory(why) : status;
}

const struct engine cpu_engine = {.name = "cpu",
                                  .kernels = kernels,
                                  .settings = settings,
                                  .shown = settings,
                                  .ready = cpu_ready,
                                  .route = cpu_route,
                                  .calls = 1,
                                  .fill = 1,
                                  .walk = cpu_walk,
                                  .observe = cpu_observe,
                                  .watch = cpu_watch};
