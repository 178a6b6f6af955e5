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

struct cpu_build {
    const char *name;
    simulate_function *function;
    simulate_set_function *scenario_set;
    simulate_rows_function *rows;
    simulate_watch_function *watch;
    int supported;
};

/* Finds the build of a kernel's name; the fastest for "auto" and "optimized". */
static enum status find_build(const char *name, struct cpu_build *found, struct message *why)
{
    const struct cpu_build builds[] = {
#define BUILD(name, idea, supported)                                                               \
    {#name,                                                                                        \
     simulate_##name,                                                                              \
     simulate_##name##_scenario_set,                                                               \
     simulate_##name##_rows,                                                                       \
     simulate_##name##_watch,                                                                      \
     supported},
#include "models/base/builds.def"
#undef BUILD
    };
    int n = (int)(sizeof builds / sizeof *builds);
    bool best = !strcmp(name, "auto") || !strcmp(name, "optimized");
    for (int i = n - 1; i >= 0; i--) {
        if (!best && strcmp(name, builds[i].name)) continue;
        if (best && !builds[i].supported) continue;
        *found = builds[i];
        if (builds[i].supported) return STATUS_OK;
        snprintf(why->text, sizeof why->text,
                 "kernel '%s' needs instructions that this processor does not have", name);
        return STATUS_BAD_INPUT;
    }
    snprintf(why->text, sizeof why->text,
             "the cpu engine has no kernel '%s'; --list-kernels names them", name);
    return STATUS_BAD_INPUT;
}

static enum status cpu_route(const struct plan *plan, int group,
                             const struct engine_options *options, struct route *route,
                             struct message *why)
{
    struct cpu_build build;
    enum status status = find_build(options->kernel, &build, why);
    (void)plan, (void)group;
    if (status) return status;
    snprintf(route->kernel, sizeof route->kernel, "%s", build.name);
    route->why = strcmp(options->kernel, build.name) ? "the fastest that this processor can run"
                                                     : "asked for by name";
    return STATUS_OK;
}

/* ---- a run ----------------------------------------------------------------------------------- */

struct cpu_run {
    const struct plan *plan;
    const struct engine_options *options;
    struct cpu_build build;
    const struct batch_range *range;
    uint64_t batches; /* of the range */
    int n_parts,
        *parts; /* [part] first group of what is simulated together: one group, or a scenario set */
    size_t *first_tally;       /* [part] of its first tally in the range */
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
    add_totals(plan, run->parts[part], chunks, means,
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
    int g = run->parts[part];
    const struct group *group = &plan->groups[g];
    uint64_t plan_batch = run->range->first + batch;
    struct tally *tallies =
        run->range->tallies + run->first_tally[part] + batch * scenario_set_tallies(plan, g);
    if (group->scenario_set) run->build.scenario_set(plan, g, plan_batch, scratch, tallies, means);
    else run->build.function(plan, group, plan_batch, scratch, tallies);
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

/* Finds the parts of the plan and where their tallies go. */
static enum status find_parts(struct cpu_run *run)
{
    const struct plan *plan = run->plan;
    size_t n = 0;
    run->parts = malloc(sizeof *run->parts * ((size_t)plan->n_groups + 1));
    run->first_tally = malloc(sizeof *run->first_tally * ((size_t)plan->n_groups + 1));
    run->turns = calloc((size_t)run->batches + 1, sizeof *run->turns);
    if (!run->parts || !run->first_tally || !run->turns) return STATUS_NO_MEMORY;
    for (int g = 0; g < plan->n_groups; g += scenario_set_size(plan, g)) {
        size_t means = BATCH_CHUNKS * (size_t)plan->n_contrasts * (size_t)plan->groups[g].n_payoffs;
        if (means > run->means) run->means = means;
        run->parts[run->n_parts] = g;
        run->first_tally[run->n_parts++] = n;
        n += (size_t)run->batches * scenario_set_tallies(plan, g);
    }
    return STATUS_OK;
}

/* Finds the moves that groups alike share where they are simulated side by side. */
static enum status find_moves(struct cpu_run *run)
{
    const struct plan *plan = run->plan;
    run->shared = calloc((size_t)plan->n_groups + 1, sizeof *run->shared);
    if (!run->shared) return STATUS_NO_MEMORY;
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
    TRY(find_moves(&run));
    uint64_t tasks = run.batches * (uint64_t)run.n_parts;
    run_on_threads(tasks < (uint64_t)threads ? (int)tasks : threads, work, &run);
    if (atomic_load(&run.out_of_memory)) TRY(STATUS_NO_MEMORY);
    if (stopped(&run)) TRY(STATUS_INTERRUPTED);
    snprintf(report->kernel, sizeof report->kernel, "%s", run.build.name);
    snprintf(report->device, sizeof report->device, "%d CPU threads", threads);
    report->paths = seconds_now() - began;
done:
    if (status == STATUS_NO_MEMORY)
        snprintf(why->text, sizeof why->text, "not enough memory for the paths");
    free(run.parts);
    free(run.first_tally);
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
    struct cpu_build build;
    atomic_uint_fast64_t next; /* chunk of the range */
    atomic_int status;
};

static void *observe_some(void *argument)
{
    struct observed_chunks *run = argument;
    uint64_t chunks = run->range->end - run->range->first;
    struct path_scratch scratch;
    enum status status = scratch_make(run->plan, NULL, &scratch);
    double *scratch_rows = scratch.observed;
    scratch.stop = run->options->stop;
    if (chunks == 1) scratch.observed = run->range->rows; /* it is laid out as they are */
    for (uint64_t c; !status && (c = atomic_fetch_add(&run->next, 1)) < chunks;) {
        run->build.rows(run->plan, run->group, run->range->first + c, &scratch);
        for (size_t r = 0; chunks > 1 && r < (size_t)run->group->n_rows; r++)
            memcpy(run->range->rows + (r * chunks + c) * CHUNK_PATHS,
                   scratch.observed + r * CHUNK_PATHS, CHUNK_PATHS * sizeof *scratch.observed);
        if (simulation_stopped(&scratch)) status = STATUS_INTERRUPTED;
    }
    if (status) atomic_store(&run->status, (int)status);
    scratch.observed = scratch_rows;
    scratch_free(&scratch);
    return NULL;
}

static enum status cpu_observe(const struct plan *plan, const struct engine_options *options,
                               int group, const struct chunk_range *range, struct message *why)
{
    struct observed_chunks run = {
        .plan = plan, .options = options, .group = &plan->groups[group], .range = range};
    enum status status = find_build(options->kernel, &run.build, why);
    if (status) return status;
    run_on_threads(thread_count(options->threads), observe_some, &run);
    status = (enum status)atomic_load(&run.status);
    if (status == STATUS_NO_MEMORY)
        snprintf(why->text, sizeof why->text, "not enough memory for the paths");
    return status;
}

static enum status cpu_watch(const struct plan *plan, const struct engine_options *options,
                             int group, uint64_t chunk, const struct path_watcher *watcher,
                             struct message *why)
{
    struct cpu_build build;
    struct path_scratch scratch[CHUNK_COLUMNS] = {{NULL}};
    enum status status = find_build(options->kernel, &build, why);
    if (status) return status;
    for (int c = 0; c < CHUNK_COLUMNS; c++) {
        enum status made = scratch_make(plan, NULL, &scratch[c]);
        if (made) status = made;
        scratch[c].stop = options->stop;
    }
    if (!status) build.watch(plan, &plan->groups[group], chunk, scratch, watcher);
    if (!status && simulation_stopped(scratch)) status = STATUS_INTERRUPTED;
    for (int c = 0; c < CHUNK_COLUMNS; c++) scratch_free(&scratch[c]);
    if (status == STATUS_NO_MEMORY)
        snprintf(why->text, sizeof why->text, "not enough memory for the paths");
    return status;
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
