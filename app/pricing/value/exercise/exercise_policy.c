#include "app/pricing/value/exercise/exercise_policy.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/value/exercise/exercise_borrow.h"
#include "app/pricing/value/exercise/exercise_features.h"
#include "app/pricing/value/exercise/exercise_grid.h"
#include "app/pricing/value/exercise/exercise_steps.h"
#include "app/pricing/value/exercise/ranked_fits.h"
#include "kernels/threads.h"
#include "models/market/market.h"
#include "models/base/stop.h"

/* ---- all of them ----------------------------------------------------------------------------- */

/* Policies from values are fitted side by side, what takes longest first. Those from paths are
 * fitted in waves, a few at a time: first their paths are watched, by chunks that threads share,
 * then each is fitted by one thread. */
#define WAVE_BYTES 0x40000000u /* of features, at most, unless one exercise alone has more */

struct policy_fits {
    const struct engine *engine;
    struct engine_options options; /* of one call */
    struct plan plan;              /* with the fit's own Philox key and paths */
    int threads;                   /* that fit */
    struct exercise *exercises;    /* those to be fitted, then those that borrow */
    int n;
    /* [n] those that are fitted from values, what takes longest first, then the others */
    const struct exercise **order;
    int n_by_values, first, wave; /* of the order */
    struct path_features *fits;   /* [wave] */
    const struct stop *stop;      /* may be NULL */
    struct team *team;
    struct ranked_fits ranked; /* who else fits them */
    atomic_int status;
    struct message why; /* of the first call that failed */
};

/* Which way a policy is made. */
static bool by_values(const struct policy_fits *fits, const struct exercise *exercise)
{
    const struct group *group = &fits->plan.groups[exercise->group];
    return valuation_possible(group) && valuation_complete(group, exercise);
}

/* Keeps the first failure, */
static bool fail(struct policy_fits *fits, enum status status)
{
    int none = STATUS_OK;
    return status && atomic_compare_exchange_strong(&fits->status, &none, (int)status);
}

/* and what it says. */
static void fail_because(struct policy_fits *fits, enum status status, const struct message *why)
{
    if (fail(fits, status)) fits->why = *why;
}

static void watch_chunk(void *context, int i)
{
    struct policy_fits *fits = context;
    const struct exercise *exercise = fits->order[fits->first + i / FIT_CHUNKS];
    struct message why = {""};
    if (asked_to_stop(fits->stop)) fail(fits, STATUS_INTERRUPTED);
    if (atomic_load(&fits->status)) return;
    enum status status =
        features_watch(fits->engine, &fits->options, &fits->plan, exercise,
                       (uint64_t)(i % FIT_CHUNKS), &fits->fits[i / FIT_CHUNKS], &why);
    fail_because(fits, status, &why);
}

static void fit_from_paths(void *context, int i)
{
    struct policy_fits *fits = context;
    const struct exercise *exercise = fits->order[fits->first + i];
    if (atomic_load(&fits->status)) return;
    fail(fits, policy_from_paths(exercise, &fits->plan.groups[exercise->group], &fits->fits[i],
                                 fits->stop, fits->team));
}

/* Steps of points that a fit from values takes, more or less. */
static int64_t size_of_fit(const struct exercise *exercise)
{
    int64_t steps = exercise->steps[exercise->n_dates - 1] + 1;
    return exercise_has_second(exercise) ? 8 * steps : steps;
}

/* Tells whether one thread is to do a fit on a grid: one that is over before others wake. */
static bool fits_alone(const struct policy_fits *fits, const struct exercise *exercise)
{
    enum { SMALL_FIT = 100 }; /* steps of one feature: two milliseconds */
    return grid_possible(&fits->plan.groups[exercise->group], exercise) &&
           size_of_fit(exercise) < SMALL_FIT;
}

static void fit_from_values(void *context, int i)
{
    struct policy_fits *fits = context;
    const struct exercise *exercise = fits->order[i];
    struct team *team = fits_alone(fits, exercise) ? NULL : fits->team;
    if (atomic_load(&fits->status)) return;
    fail(fits, policy_from_values(&fits->plan, exercise, fits->stop, team));
}

/* As many exercises from `first` on as fit into WAVE_BYTES, at least one and no more than there are
 * threads.
 */
static int wave_from(const struct policy_fits *fits)
{
    size_t bytes = 0;
    int n = 0;
    while (fits->first + n < fits->n && n < fits->threads) {
        bytes +=
            (size_t)fits->order[fits->first + n]->n_dates * FIT_CHUNKS * sizeof(struct seen_date);
        if (n && bytes > WAVE_BYTES) break;
        n++;
    }
    return n;
}

static enum status fit_wave(struct policy_fits *fits)
{
    enum status status = STATUS_OK;
    fits->fits = calloc((size_t)fits->wave, sizeof *fits->fits);
    if (!fits->fits) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < fits->wave; i++)
        TRY(path_features_make(&fits->plan, fits->order[fits->first + i], &fits->fits[i]));
    team_loop_own(fits->team, fits->wave * FIT_CHUNKS, watch_chunk, NULL, fits);
    TRY((enum status)atomic_load(&fits->status));
    team_loop(fits->team, fits->wave, fit_from_paths, fits);
done:
    for (int i = 0; fits->fits && i < fits->wave; i++) path_features_free(&fits->fits[i]);
    free(fits->fits);
    return status;
}

/* Fits in waves, and beside it all that are fitted from values. */
static void fit_side(void *context, int side)
{
    struct policy_fits *fits = context;
    if (side) {
        team_loop(fits->team, fits->n_by_values, fit_from_values, fits);
        return;
    }
    for (fits->first = fits->n_by_values; fits->first < fits->n; fits->first += fits->wave) {
        fits->wave = wave_from(fits);
        fail(fits, fit_wave(fits));
        if (atomic_load(&fits->status)) return;
    }
}

/* ---- in which order -------------------------------------------------------------------------- */

static int compare_fits(const void *p, const void *q)
{
    const struct exercise *a = *(const struct exercise *const *)p,
                          *b = *(const struct exercise *const *)q;
    int64_t of_a = size_of_fit(a), of_b = size_of_fit(b);
    return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : (a > b) - (a < b);
}

/* Orders those that are wanted: [n] of the exercises. */
static enum status order_fits(struct policy_fits *fits, int n, const bool *wanted)
{
    int n_values = 0, n_paths = 0;
    fits->order = malloc(sizeof *fits->order * ((size_t)n + 1));
    if (!fits->order) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++)
        if (wanted[i] && by_values(fits, &fits->exercises[i]))
            fits->order[n_values++] = &fits->exercises[i];
    for (int i = 0; i < n; i++)
        if (wanted[i] && !by_values(fits, &fits->exercises[i]))
            fits->order[n_values + n_paths++] = &fits->exercises[i];
    qsort(fits->order, (size_t)n_values, sizeof *fits->order, compare_fits);
    fits->n_by_values = n_values, fits->n = n_values + n_paths;
    return STATUS_OK;
}

/* Fits those of the n exercises that are wanted, in this process. */
static enum status fit_here(struct policy_fits *fits, int n, const bool *wanted)
{
    enum status status = order_fits(fits, n, wanted);
    bool from_values = fits->n_by_values > 0, from_paths = fits->n_by_values < fits->n;
    if (!status && from_values && from_paths) team_loop(fits->team, 2, fit_side, fits);
    else if (!status && fits->n) fit_side(fits, from_values);
    free(fits->order);
    return status ? status : (enum status)atomic_load(&fits->status);
}

/* ---- what was fitted before ------------------------------------------------------------------ */

/* Digests what an exercise sees on a date, wherever it keeps it. */
static uint64_t digest_date(uint64_t digest, const struct group *group,
                            const struct exercise *exercise, int date)
{
    const struct observation *t = exercise->dates[date];
    int j = exercise->steps[date];
    digest = digest_integer(digest, (uint64_t)j);
    digest = digest_integer(digest, exercise_sees_variance(t->kind));
    for (int i = 0; i < 5; i++) digest = digest_number(digest, t->c[i]);
    for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
        const struct observation *part = &group->observations[i];
        if (observation_in_row(part->kind) || part->slot != t->source) continue;
        digest = digest_integer(digest, part->kind);
        digest = digest_integer(digest, part->underlying);
        digest = digest_number(digest, part->c[0]);
    }
    return digest;
}

/* Names a policy by all that its fit depends on: the paths up to its last date, and what it sees of
 * them, whatever else its group is made for. */
static enum status make_key(const struct plan *fitted, const struct exercise *exercise,
                            uint64_t *key)
{
    const struct group *group = &fitted->groups[exercise->group];
    struct group seen = *group;
    struct plan part = *fitted;
    int *none = calloc((size_t)group->n_steps + 1, sizeof *none);
    if (!none) return STATUS_NO_MEMORY;
    part.n_groups = part.n_scenarios = 1;
    part.n_contrasts = part.n_totals = 0;
    part.groups = &seen;
    seen.n_observations = seen.n_pairs = seen.n_slots = seen.n_results = seen.n_payoffs = 0;
    seen.first_observation = none;
    bool tables = false;
    for (int u = 0; u < group->n_underlyings; u++)
        tables |= model_takes(group->underlyings[u].model, TAKES_SURFACE) ||
                  model_takes(group->underlyings[u].model, TAKES_HISTORY);
    if (!tables) seen.lookup.n = 0;
    *key = digest_integer(digest_plan_for_run(&part, NULL), (uint64_t)exercise->n_leaders);
    for (int d = 0; d < exercise->n_dates; d++) *key = digest_date(*key, group, exercise, d);
    free(none);
    return STATUS_OK;
}

/* Fits in this process what the leader asks for; several such calls go on side by side. */
static enum status fit_asked(void *context, int n, const bool *wanted, struct message *why)
{
    struct policy_fits fits = *(const struct policy_fits *)context;
    enum status status = fit_here(&fits, n, wanted);
    if (status) *why = fits.why;
    return status;
}

/* Has all ranks fit those that are wanted: in as many parts as there are ranks, each of which has
 * long ones and short ones, the longest first. */
static enum status fit_by_ranks(struct policy_fits *fits, int n, const bool *wanted)
{
    enum status status = order_fits(fits, n, wanted);
    int parts = fits->ranked.ranks->n, at = 0, *which = malloc(sizeof *which * ((size_t)n + 1));
    if (!which) status = STATUS_NO_MEMORY;
    for (int part = 0; !status && part < parts; part++)
        for (int i = part; i < fits->n; i += parts)
            which[at++] = (int)(fits->order[i] - fits->exercises);
    if (!status) status = ranked_fits_make(&fits->ranked, at, which, &fits->why);
    free(fits->order);
    free(which);
    return status;
}

/* Fits those of the n exercises that are wanted. */
static enum status fit_wanted(struct policy_fits *fits, int n, const bool *wanted)
{
    return fits->ranked.ranks ? fit_by_ranks(fits, n, wanted) : fit_here(fits, n, wanted);
}

/* One exercise on its way to a policy. */
struct wanted_policy {
    uint64_t key;
    bool done;
    float *numbers; /* [date][term]; owned; NULL where memory was short */
};

/* What threads name. */
struct naming {
    struct policy_fits *fits;
    struct wanted_policy *policies;
};

static void name_policy(void *context, int i)
{
    const struct naming *naming = context;
    const struct exercise *exercise = &naming->fits->exercises[i];
    struct wanted_policy *policy = &naming->policies[i];
    if (!make_key(&naming->fits->plan, exercise, &policy->key))
        policy->numbers = malloc(size_of_policy(exercise) * sizeof(float) + 1);
}

/* Asks the memory for all that are not done: sets `wanted` where they are to be fitted here, and
 * returns whether one is. Waits for other threads only where nothing waits for this one. */
static bool ask_for_all(const struct policy_fits *fits, int n, bool wait,
                        struct policy_memory *memory, struct wanted_policy *policies, bool *wanted)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        const struct exercise *exercise = &fits->exercises[i];
        size_t size = size_of_policy(exercise);
        wanted[i] = false;
        if (policies[i].done) continue;
        enum policy_answer answer =
            policy_memory_ask(memory, policies[i].key, size, wait && !any, policies[i].numbers);
        wanted[i] = answer == POLICY_YOURS;
        any |= wanted[i];
        policies[i].done = answer != POLICY_MADE;
        if (answer == POLICY_KNOWN)
            policy_numbers(&fits->plan, exercise, true, policies[i].numbers);
    }
    return any;
}

/* Keeps what was fitted, or says that it was not. */
static void keep_all(const struct policy_fits *fits, int n, bool fitted,
                     struct policy_memory *memory, const struct wanted_policy *policies,
                     const bool *wanted)
{
    for (int i = 0; i < n; i++) {
        const struct exercise *exercise = &fits->exercises[i];
        if (!wanted[i]) continue;
        policy_numbers(&fits->plan, exercise, false, policies[i].numbers);
        if (fitted)
            policy_memory_keep(memory, policies[i].key, size_of_policy(exercise),
                               policies[i].numbers);
        else policy_memory_forget(memory, policies[i].key);
    }
}

static bool all_done(int n, const struct wanted_policy *policies)
{
    for (int i = 0; i < n; i++)
        if (!policies[i].done) return false;
    return true;
}

/* Fits the first n exercises, but for those that the memory has or gets meanwhile. */
static enum status fit_unknown(struct policy_fits *fits, int n, struct policy_memory *memory)
{
    enum status status = STATUS_OK;
    struct wanted_policy *policies = calloc((size_t)n + 1, sizeof *policies);
    bool *wanted = calloc((size_t)n + 1, sizeof *wanted);
    if (!policies || !wanted) TRY(STATUS_NO_MEMORY);
    team_loop(fits->team, n, name_policy, &(struct naming){fits, policies});
    for (int i = 0; i < n; i++) {
        wanted[i] = true;
        if (!policies[i].numbers) TRY(STATUS_NO_MEMORY);
    }
    if (!memory) TRY(fit_wanted(fits, n, wanted));
    for (bool wait = false; memory && !all_done(n, policies); wait = true) {
        if (!ask_for_all(fits, n, wait, memory, policies, wanted)) continue;
        status = fit_wanted(fits, n, wanted);
        keep_all(fits, n, !status, memory, policies, wanted);
        TRY(status);
    }
done:
    for (int i = 0; policies && i < n; i++) free(policies[i].numbers);
    free(policies);
    free(wanted);
    return status;
}

/* ---- all of a plan --------------------------------------------------------------------------- */

/* Fits of a range for each thread, or threads wait for the longest. */
enum { FITS_A_THREAD = 4 };

/* The first n exercises, as other ranks know them: by the plan as it is without policies. */
static struct ranked_fits ranked_fits_of(struct policy_fits *fits, int n)
{
    const struct ranks *ranks = fits->options.ranks;
    return (struct ranked_fits){.ranks = ranks,
                                .plan = &fits->plan,
                                .key = ranks ? digest_plan_for_run(&fits->plan, fits->team) : 0,
                                .n = n,
                                .exercises = fits->exercises,
                                .least = FITS_A_THREAD * (uint64_t)fits->threads,
                                .stop = fits->stop,
                                .fit = fit_asked,
                                .context = fits};
}

enum status exercise_fit(const struct engine *engine, const struct engine_options *options,
                         struct policy_memory *memory, struct plan *plan, struct message *why)
{
    enum status status = STATUS_OK;
    int n = 0, fitted = 0, threads = thread_count(options->threads);
    struct team *own = options->team ? NULL : team_begin(threads);
    struct policy_fits fits = {.engine = engine,
                               .options = *options,
                               .plan = *plan,
                               .threads = threads,
                               .stop = options->stop,
                               .team = own ? own : options->team};
    fits.options.kernel = "auto"; /* whose policies have the same bits everywhere */
    fits.options.threads = 1;
    fits.options.streams = 1;
    fits.plan.seed = plan->seed ^ EXERCISE_KEY;
    fits.plan.paths = FIT_PATHS;
    fits.plan.antithetic = true;
    TRY(exercises_find(plan, &n, &fits.exercises));
    fitted = borrowers_last(plan, n, fits.exercises);
    if (fitted) fits.ranked = ranked_fits_of(&fits, fitted);
    if (!ranks_follow(fits.ranked.ranks)) TRY(fit_unknown(&fits, fitted, memory));
    if (fits.ranked.ranks) TRY(ranked_fits_tell(&fits.ranked, &fits.why));
    TRY(borrow_policies(plan, n, fitted, fits.exercises, options->stop, fits.team));
done:
    if (status) *why = fits.why;
    if (status == STATUS_NO_MEMORY && !why->text[0])
        snprintf(why->text, sizeof why->text,
                 "not enough memory to fit the policies of early exercise");
    exercises_free(n, fits.exercises);
    team_end(own);
    return status;
}
