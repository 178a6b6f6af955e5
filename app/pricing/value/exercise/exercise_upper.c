#include "app/pricing/value/exercise/exercise_upper.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "kernels/threads.h"
#include "app/pricing/base/digest.h"
#include "app/pricing/value/exercise/exercise_steps.h"
#include "app/pricing/base/piece.h"
#include "models/base/stop.h"
#include "models/payoffs/product_numbers.h"
#include "models/payoffs/trade.h"

/* One exercise and its bound. */
struct dual {
    const struct exercise *exercise;
    struct valuation valuation;
    int paths;             /* a multiple of PATH_LANES */
    struct tally *tallies; /* [paths / PATH_LANES] */
};

/* ---- the bound ------------------------------------------------------------------------------- */

/* Paths of block b: max(h - M) of each, as a tally. */
static enum status bound_block(const struct dual *dual, uint64_t seed, int b,
                               struct step_scratch *step_scratch, struct tally *tally)
{
    const struct exercise *exercise = dual->exercise;
    double averages[PATH_LANES] = {0}, values[PATH_LANES], martingale[PATH_LANES] = {0},
           best[PATH_LANES];
    double f[PATH_LANES], g[PATH_LANES];
    struct states states = {.f = f, .g = g};
    uint64_t first = (uint64_t)b * PATH_LANES;
    states.rows = malloc((size_t)dual->valuation.group->n_underlyings * STATE_ROWS * PATH_LANES *
                         sizeof(double));
    if (!states.rows) return STATUS_NO_MEMORY;
    begin_states(dual->valuation.group, &states);
    for (int l = 0; l < PATH_LANES; l++) best[l] = -HUGE_VAL;
    for (int k = 0; k < exercise->n_dates; k++) {
        const struct observation *t = exercise->dates[k];
        bool last = k == exercise->n_dates - 1;
        average_values(&dual->valuation, seed, first, k, step_scratch, states.rows, averages);
        simulate_states(&dual->valuation, seed, first, k, step_scratch, &states);
        if (asked_to_stop(step_scratch->stop)) break;
        values_of(&dual->valuation, k, f, g, values);
        for (int l = 0; l < PATH_LANES; l++) {
            double gain = t->c[2] * exercise_gain(t, f[l]);
            gain = last && gain < 0.0 ? 0.0 : gain;
            martingale[l] += values[l] - averages[l];
            best[l] = fmax(best[l], gain - martingale[l]);
        }
    }
    *tally = (struct tally){0};
    for (int l = 0; l < PATH_LANES; l++) *tally = tally_add(*tally, best[l]);
    free(states.rows);
    return asked_to_stop(step_scratch->stop) ? STATUS_INTERRUPTED : STATUS_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Exercises are bounded in waves of as many as there are threads: first each is fitted by one
 * thread, then threads share the blocks of all. */
struct uppers {
    const struct plan *plan;
    const struct upper_options *options;
    uint64_t fit_seed, bound_seed, digest; /* the plan's, where bounds are stored */
    int n, threads;
    struct exercise *exercises; /* [n] */
    struct tally *tallies;      /* [trade] */
    struct dual *duals;         /* [threads] */
    int wave;                   /* exercises of the wave, */
    int *blocks;                /* [wave + 1] and their first blocks, one after the other */
    atomic_int next, status;
};

static int next_task(struct uppers *uppers, int n)
{
    const struct stop *stop = uppers->options->stop;
    if (asked_to_stop(stop)) atomic_store(&uppers->status, STATUS_INTERRUPTED);
    int i = atomic_load(&uppers->status) ? n : atomic_fetch_add(&uppers->next, 1);
    return i < n ? i : -1;
}

static enum status fit_task(struct uppers *uppers, int i, struct step_scratch *step_scratch)
{
    struct dual *dual = &uppers->duals[i];
    return valuation_fit(uppers->plan, dual->exercise, uppers->fit_seed, step_scratch, NULL, NULL,
                         &dual->valuation);
}

static enum status bound_task(struct uppers *uppers, int i, struct step_scratch *step_scratch)
{
    int d = 0;
    while (i >= uppers->blocks[d + 1]) d++;
    int b = i - uppers->blocks[d];
    const struct dual *dual = &uppers->duals[d];
    return bound_block(dual, uppers->bound_seed, b, step_scratch, &dual->tallies[b]);
}

static void work(struct uppers *uppers, int tasks,
                 enum status (*task)(struct uppers *, int, struct step_scratch *))
{
    struct step_scratch step_scratch = {.words = NULL};
    enum status status =
        step_scratch_make(uppers->plan, uppers->options->stop, NULL, &step_scratch);
    for (int i; !status && (i = next_task(uppers, tasks)) >= 0;)
        status = task(uppers, i, &step_scratch);
    if (status) atomic_store(&uppers->status, (int)status);
    step_scratch_free(&step_scratch);
}

static void *fit_some(void *argument)
{
    struct uppers *uppers = argument;
    work(uppers, uppers->wave, fit_task);
    return NULL;
}

static void *bound_some(void *argument)
{
    struct uppers *uppers = argument;
    work(uppers, uppers->blocks[uppers->wave], bound_task);
    return NULL;
}

static enum status run_tasks(struct uppers *uppers, int tasks, void *(*some)(void *))
{
    atomic_store(&uppers->next, 0);
    run_on_threads(uppers->threads < tasks ? uppers->threads : tasks, some, uppers);
    return (enum status)atomic_load(&uppers->status);
}

static enum status dual_make(const struct plan *plan, const struct exercise *exercise,
                             struct dual *dual)
{
    const struct group *group = &plan->groups[exercise->group];
    *dual = (struct dual){.exercise = exercise};
    dual->paths =
        affordable_states(UPPER_STEPS, group, exercise, UPPER_LEAST_PATHS, UPPER_MOST_PATHS);
    dual->tallies = calloc((size_t)(dual->paths / PATH_LANES), sizeof *dual->tallies);
    return dual->tallies ? STATUS_OK : STATUS_NO_MEMORY;
}

static void dual_free(struct dual *dual)
{
    valuation_free(&dual->valuation);
    free(dual->tallies);
    *dual = (struct dual){0};
}

/* Whether a payoff is the right to this exercise: it reads the row that the exercise's slot goes
 * to. */
static bool payoff_reads(const struct group *group, const struct payoff *payoff, int slot)
{
    for (int r = 0; r < group->n_results; r++)
        if (group->results[r].slot == slot && group->results[r].row == payoff->rows[0])
            return payoff->formula == FORMULA_AMERICAN;
    return false;
}

/* Whether any trade with this exercise is wanted; where `bound` is not NULL, it is handed to those
 * that are.
 */
static bool hand_out(const struct uppers *uppers, const struct exercise *exercise,
                     const struct tally *bound, struct tally *tallies)
{
    const struct group *group = &uppers->plan->groups[exercise->group];
    const bool *wanted = uppers->options->wanted;
    bool any = false;
    if (!valuation_possible(group)) return false;
    for (int p = 0; p < group->n_payoffs; p++) {
        int trade = group->trades[p];
        if (trade >= uppers->plan->n_trades || (wanted && !wanted[trade])) continue;
        if (!payoff_reads(group, &group->payoffs[p], exercise->slot)) continue;
        if (bound) tallies[trade] = *bound;
        any = true;
    }
    return any;
}

/* Bounds the exercises which [wave]. */
static enum status bound_wave(struct uppers *uppers, const int *which, struct tally *bounds)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < uppers->wave; i++) {
        TRY(dual_make(uppers->plan, &uppers->exercises[which[i]], &uppers->duals[i]));
        uppers->blocks[i + 1] = uppers->blocks[i] + uppers->duals[i].paths / PATH_LANES;
    }
    TRY(run_tasks(uppers, uppers->wave, fit_some));
    TRY(run_tasks(uppers, uppers->blocks[uppers->wave], bound_some));
    for (int i = 0; i < uppers->wave; i++) {
        bounds[i] = (struct tally){0};
        for (int b = 0; b < uppers->duals[i].paths / PATH_LANES; b++)
            bounds[i] = tally_merge(bounds[i], uppers->duals[i].tallies[b]);
    }
done:
    for (int i = 0; i < uppers->wave; i++) dual_free(&uppers->duals[i]);
    return status;
}

/* Bounds n exercises here. */
static enum status make(void *context, int n, const int *which, struct bytes *made,
                        struct message *why)
{
    enum status status = STATUS_OK;
    struct uppers *uppers = context;
    struct tally *bounds = calloc((size_t)n + 1, sizeof *bounds);
    (void)why;
    if (!bounds) TRY(STATUS_NO_MEMORY);
    for (int first = 0; first < n; first += uppers->wave) {
        uppers->wave = n - first < uppers->threads ? n - first : uppers->threads;
        TRY(bound_wave(uppers, which + first, bounds + first));
    }
    for (int p = 0; p < n; p++) TRY(bytes_add(&made[p], &bounds[p], sizeof *bounds));
done:
    free(bounds);
    return status;
}

static enum status take(void *context, int i, struct bytes *made, struct message *why)
{
    struct uppers *uppers = context;
    struct tally bound;
    (void)why;
    if (!bytes_read(made, &bound, sizeof bound)) return STATUS_ENGINE;
    hand_out(uppers, &uppers->exercises[i], &bound, uppers->tallies);
    return STATUS_OK;
}

static uint64_t digest_of(void *context, int i)
{
    const struct uppers *uppers = context;
    return digest_integer(uppers->digest, (uint64_t)i);
}

/* Bounds n of them, unless they are stored. */
static enum status bound_all(struct uppers *uppers, int n, const int *which, struct message *why)
{
    const struct pieces bounds = {.kind = "upper bound",
                                  .n = n,
                                  .which = which,
                                  .context = uppers,
                                  .make = make,
                                  .take = take,
                                  .digest = digest_of,
                                  .store = uppers->options->store,
                                  .ranks = uppers->options->ranks,
                                  .key = digest_text(DIGEST_BEGIN, "upper bounds"),
                                  .least = 1,
                                  .most = (uint64_t)uppers->threads,
                                  .stop = uppers->options->stop};
    return pieces_make(&bounds, why);
}

enum status exercise_upper(const struct plan *plan, const struct upper_options *options,
                           struct tally *tallies, struct message *why)
{
    enum status status = STATUS_OK;
    int n = 0, *which = NULL;
    struct uppers uppers = {.plan = plan,
                            .options = options,
                            .tallies = tallies,
                            .threads = thread_count(options->threads)};
    uppers.fit_seed =
        plan->seed ^ 0xd1b54a32d192ed03u; /* any two others than the run's and its fit's */
    uppers.bound_seed = plan->seed ^ 0x8cb92ba72f3d8dd7u;
    for (int i = 0; i < plan->n_trades; i++) tallies[i] = (struct tally){0};
    TRY(exercises_find(plan, &uppers.n, &uppers.exercises));
    uppers.duals = calloc((size_t)uppers.threads, sizeof *uppers.duals);
    uppers.blocks = calloc((size_t)uppers.threads + 1, sizeof *uppers.blocks);
    which = malloc(((size_t)uppers.n + 1) * sizeof *which);
    if (!uppers.duals || !uppers.blocks || !which) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < uppers.n; i++)
        if (hand_out(&uppers, &uppers.exercises[i], NULL, NULL)) which[n++] = i;
    if (options->store && options->store->keep) uppers.digest = digest_plan(plan);
    TRY(bound_all(&uppers, n, which, why));
done:
    free(which);
    free(uppers.duals);
    free(uppers.blocks);
    exercises_free(uppers.n, uppers.exercises);
    return status;
}
