/* The CPU engine: threads take batches of paths of a group, in any order; tallies are merged in index order
 * at the end. */
#include "kernels/engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/clock.h"
#include "kernels/cpu/scratch.h"
#include "kernels/merge.h"

/* ---- the table of kernels ------------------------------------------------------------------------ */

static const struct kernel_row kernels[] = {{"auto", "the fastest that this processor can run"},
                                            {"optimized", "the same as auto"},
#define WALK(name, idea, supported) {#name, idea},
#include "kernels/cpu/walks.def"
#undef WALK
                                            {0}};

static const char *const settings[] = {
#define WALK(name, idea, supported) #name,
#include "kernels/cpu/walks.def"
#undef WALK
    NULL};

struct walk {
    const char *name;
    walk_function *function;
    int supported;
};

/* The walk of a kernel's name; the fastest for "auto" and "optimized". */
static enum status find_walk(const char *name, struct walk *found, struct message *why)
{
    const struct walk walks[] = {
#define WALK(name, idea, supported) {#name, walk_##name, supported},
#include "kernels/cpu/walks.def"
#undef WALK
    };
    int n = (int)(sizeof walks / sizeof *walks);
    bool best = !strcmp(name, "auto") || !strcmp(name, "optimized");
    for (int i = n - 1; i >= 0; i--) {
        if (!best && strcmp(name, walks[i].name)) continue;
        if (best && !walks[i].supported) continue;
        *found = walks[i];
        if (walks[i].supported) return STATUS_OK;
        snprintf(why->text, sizeof why->text,
                 "kernel '%s' needs instructions that this processor does not have", name);
        return STATUS_BAD_INPUT;
    }
    snprintf(why->text, sizeof why->text, "the cpu engine has no kernel '%s'; --list-kernels names them",
             name);
    return STATUS_BAD_INPUT;
}

/* ---- a run --------------------------------------------------------------------------------------- */

struct run {
    const struct plan *plan;
    const struct engine_options *options;
    walk_function *walk;
    struct batch_range range;  /* all batches */
    size_t *place;             /* [group] of its first tally in the range */
    atomic_uint_fast64_t next; /* task: group * batches + batch */
    atomic_uint_fast64_t done; /* path-steps */
    uint64_t total;
    atomic_int out_of_memory;
    pthread_mutex_t progress_lock;
};

static void say_progress(struct run *run, const struct group *group, uint64_t paths)
{
    uint64_t steps = paths * group_asset_steps(group);
    uint64_t done = atomic_fetch_add(&run->done, steps) + steps;
    if (!run->options->progress) return;
    pthread_mutex_lock(&run->progress_lock);
    run->options->progress(run->options->progress_context, done, run->total);
    pthread_mutex_unlock(&run->progress_lock);
}

static void walk_batch(struct run *run, int g, uint64_t batch, struct walk_scratch *scratch)
{
    const struct group *group = &run->plan->groups[g];
    run->walk(run->plan, group, batch, scratch,
              run->range.tallies + run->place[g] + batch * (uint64_t)group->n_payoffs);
    say_progress(run, group, (uint64_t)plan_batch_chunks(run->plan, batch) * CHUNK_PATHS);
}

static bool stopped(const struct run *run)
{
    return run->options->stop && *run->options->stop;
}

static void *work(void *argument)
{
    struct run *run = argument;
    const struct plan *plan = run->plan;
    struct walk_scratch scratch;
    if (scratch_make(plan, &scratch)) atomic_store(&run->out_of_memory, 1);
    uint64_t tasks = run->range.end * (uint64_t)plan->n_groups;
    while (!atomic_load(&run->out_of_memory) && !stopped(run)) {
        uint64_t task = atomic_fetch_add(&run->next, 1);
        if (task >= tasks) break;
        walk_batch(run, (int)(task / run->range.end), task % run->range.end, &scratch);
    }
    scratch_free(&scratch);
    return NULL;
}

static enum status allocate_tallies(struct run *run)
{
    const struct plan *plan = run->plan;
    size_t n = 0;
    run->place = malloc(sizeof *run->place * ((size_t)plan->n_groups + 1));
    if (!run->place) return STATUS_NO_MEMORY;
    for (int g = 0; g < plan->n_groups; g++) {
        run->place[g] = n;
        n += (size_t)run->range.end * (size_t)plan->groups[g].n_payoffs;
    }
    run->range.tallies = calloc(n + 1, sizeof *run->range.tallies);
    return run->range.tallies ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status cpu_ready(struct message *why)
{
    (void)why;
    return STATUS_OK;
}

static enum status cpu_price(const struct plan *plan, const struct engine_options *options,
                             struct tally *tallies, struct engine_report *report, struct message *why)
{
    enum status status = STATUS_OK;
    double began = seconds_now();
    int threads = thread_count(options->threads);
    struct walk walk = {0};
    struct run run = {.plan = plan, .options = options, .range = {.end = plan_batches(plan)}};
    pthread_mutex_init(&run.progress_lock, NULL);
    TRY(find_walk(options->kernel, &walk, why));
    run.walk = walk.function;
    for (int g = 0; g < plan->n_groups; g++) run.total += plan->paths * group_asset_steps(&plan->groups[g]);
    TRY(allocate_tallies(&run));
    run_on_threads(threads, work, &run);
    if (atomic_load(&run.out_of_memory)) TRY(STATUS_NO_MEMORY);
    if (stopped(&run)) TRY(STATUS_INTERRUPTED);
    merge_batches(plan, &run.range, 1, tallies);
    snprintf(report->kernel, sizeof report->kernel, "%s", walk.name);
    snprintf(report->device, sizeof report->device, "%d CPU threads", threads);
    report->total = report->paths = seconds_now() - began;
done:
    if (status == STATUS_NO_MEMORY) snprintf(why->text, sizeof why->text, "not enough memory for the paths");
    free(run.place);
    free(run.range.tallies);
    pthread_mutex_destroy(&run.progress_lock);
    return status;
}

const struct engine cpu_engine = {
    .name = "cpu", .kernels = kernels, .settings = settings, .ready = cpu_ready, .price = cpu_price};
