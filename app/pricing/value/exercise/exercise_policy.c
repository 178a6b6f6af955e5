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
#include "app/pricing/value/exercise/program_policy.h"
#include "app/pricing/base/piece.h"
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
    int chunks;                   /* the most of one of the wave */
    struct path_features *fits;   /* [wave] */
    const struct stop *stop;      /* may be NULL */
    struct team *team;
    uint64_t *keys; /* [exercise] of their policies, where those are remembered */
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

static void watch(struct policy_fits *fits, int i, int chunk)
{
    const struct exercise *exercise = fits->order[fits->first + i];
    struct message why = {""};
    if (chunk >= exercise->chunks) return;
    if (asked_to_stop(fits->stop)) fail(fits, STATUS_INTERRUPTED);
    if (atomic_load(&fits->status)) return;
    enum status status = features_watch(fits->engine, &fits->options, &fits->plan, exercise,
                                        (uint64_t)chunk, &fits->fits[i], &why);
    fail_because(fits, status, &why);
}

/* The first chunk of those whose others begin apart, */
static void watch_first(void *context, int i)
{
    struct policy_fits *fits = context;
    if (features_begin_apart(fits->order[fits->first + i])) watch(fits, i, 0);
}

/* and all other chunks. */
static void watch_chunk(void *context, int i)
{
    struct policy_fits *fits = context;
    int of = i / fits->chunks, chunk = i % fits->chunks;
    if (chunk || !features_begin_apart(fits->order[fits->first + of])) watch(fits, of, chunk);
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
static int wave_from(struct policy_fits *fits)
{
    size_t bytes = 0;
    int n = 0;
    while (fits->first + n < fits->n && n < fits->threads) {
        const struct exercise *next = fits->order[fits->first + n];
        bytes += (size_t)(next->n_dates * next->chunks) * sizeof(struct seen_date);
        if (n && bytes > WAVE_BYTES) break;
        if (!n || next->chunks > fits->chunks) fits->chunks = next->chunks;
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
    team_loop(fits->team, fits->wave, watch_first, fits);
    team_loop_own(fits->team, fits->wave * fits->chunks, watch_chunk, NULL, fits);
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
    seen.n_programs = seen.n_shared = seen.n_prices = 0;
    seen.first_observation = none;
    bool tables = false;
    for (int u = 0; u < group->n_underlyings; u++)
        tables |= model_takes(group->underlyings[u].model, TAKES_SURFACE) ||
                  model_takes(group->underlyings[u].model, TAKES_HISTORY);
    if (!tables) seen.lookup.n = 0;
    *key = digest_integer(digest_plan_for_run(&part, NULL), (uint64_t)exercise->chunks);
    *key = digest_integer(*key, exercise_numbers(exercise));
    for (int d = 0; d < exercise->n_dates; d++) *key = digest_date(*key, group, exercise, d);
    free(none);
    return STATUS_OK;
}

static void name_policy(void *context, int i)
{
    struct policy_fits *fits = context;
    fail(fits, make_key(&fits->plan, &fits->exercises[i], &fits->keys[i]));
}

static uint64_t key_of(void *context, int i)
{
    const struct policy_fits *fits = context;
    return fits->keys[i];
}

/* ---- policies as pieces ---------------------------------------------------------------------- */

/* Adds the numbers of a policy [date][term] to the bytes, from their places in the group's table;
 * or reads them back. */
static enum status pass_policy(const struct policy_fits *fits, int i, bool in, struct bytes *bytes)
{
    enum status status = STATUS_OK;
    const struct exercise *exercise = &fits->exercises[i];
    float *table = fits->plan.groups[exercise->group].lookup.table;
    size_t size = exercise_numbers(exercise) * sizeof *table;
    for (int d = 0; !status && d < exercise->n_dates; d++) {
        float *at = table + (int)exercise->dates[d]->c[5];
        if (!in) status = bytes_add(bytes, at, size);
        else if (!bytes_read(bytes, at, size)) status = STATUS_ENGINE;
    }
    return status;
}

/* Fits n policies in this process; several such calls go on side by side. */
static enum status make_policies(void *context, int n, const int *which, struct bytes *made,
                                 struct message *why)
{
    enum status status = STATUS_OK;
    struct policy_fits fits = *(const struct policy_fits *)context;
    bool *wanted = calloc((size_t)fits.n + 1, sizeof *wanted);
    int all = fits.n;
    if (!wanted) return STATUS_NO_MEMORY;
    for (int p = 0; p < n; p++) wanted[which[p]] = true;
    status = fit_here(&fits, all, wanted);
    if (status) *why = fits.why;
    for (int p = 0; !status && p < n; p++) status = pass_policy(&fits, which[p], false, &made[p]);
    free(wanted);
    return status;
}

static enum status take_policy(void *context, int i, struct bytes *made, struct message *why)
{
    (void)why;
    return pass_policy(context, i, true, made);
}

static enum status pass_all(const struct policy_fits *fits, bool in, struct bytes *bytes)
{
    enum status status = STATUS_OK;
    for (int i = 0; !status && i < fits->n; i++) status = pass_policy(fits, i, in, bytes);
    return status;
}

static enum status tell_policies(void *context, struct bytes *result)
{
    return pass_all(context, false, result);
}

static enum status hear_policies(void *context, struct bytes *result)
{
    return pass_all(context, true, result);
}

/* Fits of a range for each thread, or threads wait for the longest. */
enum { FITS_A_THREAD = 4 };

/* Lists all fits in as many parts as there are ranks, each of which has long ones and short ones,
 * the longest first. */
static enum status list_fits(struct policy_fits *fits, int parts, int *which)
{
    int at = 0, n = fits->n;
    struct policy_fits ordered = *fits;
    bool *wanted = malloc((size_t)n + 1);
    if (!wanted) return STATUS_NO_MEMORY;
    memset(wanted, true, (size_t)n);
    enum status status = order_fits(&ordered, n, wanted);
    for (int part = 0; !status && part < parts; part++)
        for (int i = part; i < n; i += parts)
            which[at++] = (int)(ordered.order[i] - ordered.exercises);
    free(ordered.order);
    free(wanted);
    return status;
}

/* Fits the first fits->n exercises, but for those that the memory has or gets meanwhile. */
static enum status fit_all(struct policy_fits *fits, struct piece_memory *memory,
                           struct message *why)
{
    enum status status = STATUS_OK;
    const struct ranks *ranks = fits->options.ranks;
    int *which = malloc(sizeof *which * ((size_t)fits->n + 1));
    fits->keys = calloc((size_t)fits->n + 1, sizeof *fits->keys);
    struct pieces policies = {.kind = "policy",
                              .n = fits->n,
                              .which = which,
                              .context = fits,
                              .make = make_policies,
                              .take = take_policy,
                              .digest = key_of,
                              .memory = memory,
                              .ranks = ranks,
                              .least = FITS_A_THREAD * (uint64_t)fits->threads,
                              .most = (uint64_t)fits->n,
                              .tell = tell_policies,
                              .hear = hear_policies,
                              .stop = fits->stop};
    if (!which || !fits->keys) TRY(STATUS_NO_MEMORY);
    if (ranks) policies.key = digest_text(digest_plan_for_run(&fits->plan, fits->team), "policies");
    if (!ranks_follow(ranks)) {
        TRY(list_fits(fits, ranks ? ranks->n : 1, which));
        if (memory) team_loop(fits->team, fits->n, name_policy, fits);
        TRY((enum status)atomic_load(&fits->status));
    }
    TRY(pieces_make(&policies, why));
done:
    free(which);
    free(fits->keys);
    return status;
}

/* ---- all of a plan --------------------------------------------------------------------------- */

enum status exercise_fit(const struct engine *engine, const struct engine_options *options,
                         struct piece_memory *memory, struct plan *plan, struct message *why)
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
    fits.n = fitted;
    if (fitted) TRY(fit_all(&fits, memory, why));
    TRY(borrow_policies(plan, n, fitted, fits.exercises, options->stop, fits.team));
    TRY(program_policies_fit(engine, &fits.options, &fits.plan, fits.team, why));
done:
    if (status == STATUS_NO_MEMORY && !why->text[0])
        snprintf(why->text, sizeof why->text,
                 "not enough memory to fit the policies of early exercise");
    exercises_free(n, fits.exercises);
    team_end(own);
    return status;
}
