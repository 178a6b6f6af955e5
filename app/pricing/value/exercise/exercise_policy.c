#include "app/pricing/value/exercise/exercise_policy.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/value/exercise/exercise_borrow.h"
#include "app/pricing/value/exercise/exercise_lanes.h"
#include "app/pricing/value/exercise/policy_makers.h"
#include "kernels/threads.h"
#include "models/market/market.h"

/* The exercises of a plan whose policies are fitted. */
struct policy_fits {
    struct fit_setup setup;
    int threads; /* that fit */
    int n;
    struct exercise *exercises; /* [n] */
    uint64_t *keys;             /* [n] of their policies, where those are remembered */
};

/* ---- in this process ------------------------------------------------------------------------- */

#define PATHS_BYTES 0x40000000u /* of what exercises see on paths, at most, unless one has more */

/* Some fits: those from paths, of which a few are under way at a time, then those from values, what
 * takes longest first. */
struct fit_list {
    const struct fit_setup *setup;
    int n, n_paths, at_once;
    const struct exercise **order; /* [n] */
    atomic_int next;               /* from paths */
};

static int compare_fits(const void *p, const void *q)
{
    const struct exercise *a = *(const struct exercise *const *)p,
                          *b = *(const struct exercise *const *)q;
    int64_t of_a = values_steps(a), of_b = values_steps(b);
    if (a->complete != b->complete) return a->complete - b->complete;
    return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : (a > b) - (a < b);
}

/* Orders some of the exercises; free order. STATUS_NO_MEMORY. */
static enum status order_fits(const struct policy_fits *fits, int n, const int *which,
                              struct fit_list *list)
{
    *list = (struct fit_list){.setup = &fits->setup, .n = n};
    list->order = malloc(sizeof *list->order * ((size_t)n + 1));
    if (!list->order) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        list->order[i] = &fits->exercises[which ? which[i] : i];
        list->n_paths += !list->order[i]->complete;
    }
    qsort(list->order, (size_t)n, sizeof *list->order, compare_fits);
    return STATUS_OK;
}

/* Does a fit from values, or those from paths, one after the other, as long as there are some. */
static enum status fit_piece(void *context, int i, struct message *why)
{
    enum status status = STATUS_OK;
    struct fit_list *list = context;
    if (i >= list->at_once)
        return policy_from_values(list->setup, list->order[list->n_paths + i - list->at_once]);
    for (int p; !status && (p = atomic_fetch_add(&list->next, 1)) < list->n_paths;)
        status = policy_from_paths(list->setup, list->order[p], why);
    return status;
}

/* Finds how many fits from paths may be under way at a time. */
static int paths_at_once(const struct fit_list *list, int threads)
{
    size_t largest = 1;
    for (int p = 0; p < list->n_paths; p++) {
        size_t seen = (size_t)(list->order[p]->n_dates * list->order[p]->chunks);
        if (seen * sizeof(struct seen_date) > largest) largest = seen * sizeof(struct seen_date);
    }
    int n = PATHS_BYTES / largest < (size_t)threads ? (int)(PATHS_BYTES / largest) : threads;
    n = n > 1 ? n : 1;
    return n < list->n_paths ? n : list->n_paths;
}

/* ---- what was fitted before ------------------------------------------------------------------ */

/* Digests what an exercise sees on a date, wherever it keeps it. */
static uint64_t digest_date(uint64_t digest, const struct exercise *exercise, int date)
{
    const struct observation *t = exercise->dates[date];
    digest = digest_integer(digest, (uint64_t)exercise->steps[date]);
    digest = digest_integer(digest, exercise_sees_variance(t->kind));
    for (int i = 0; i < 5; i++) digest = digest_number(digest, t->c[i]);
    for (int p = exercise->first_part[date]; p < exercise->first_part[date + 1]; p++) {
        const struct observation *part = exercise->parts[p];
        digest = digest_integer(digest, part->kind);
        digest = digest_integer(digest, part->underlying);
        digest = digest_number(digest, part->c[0]);
    }
    return digest;
}

/* Names a policy by all that its fit depends on: the paths up to its last date, and what it sees of
 * them, whatever else its group is made for. */
static enum status name_policy(void *context, int i, struct message *why)
{
    struct policy_fits *fits = context;
    const struct exercise *exercise = &fits->exercises[i];
    const struct group *group = exercise->group;
    struct group seen = group_unobserved(group);
    struct plan part = fits->setup.plan;
    uint64_t *key = &fits->keys[i];
    (void)why;
    int *none = calloc((size_t)group->n_steps + 1, sizeof *none);
    if (!none) return STATUS_NO_MEMORY;
    part.n_groups = part.n_scenarios = 1;
    part.n_contrasts = part.n_totals = 0;
    part.groups = &seen;
    seen.first_observation = none;
    bool tables = false;
    for (int u = 0; u < group->n_underlyings; u++)
        tables |= model_takes(group->underlyings[u].model, TAKES_SURFACE) ||
                  model_takes(group->underlyings[u].model, TAKES_HISTORY);
    if (!tables) seen.lookup.n = 0;
    *key = digest_integer(digest_plan_for_run(&part, NULL), (uint64_t)exercise->chunks);
    *key = digest_integer(*key, exercise_numbers(exercise));
    for (int d = 0; d < exercise->n_dates; d++) *key = digest_date(*key, exercise, d);
    free(none);
    return STATUS_OK;
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
    size_t size = exercise_numbers(exercise) * sizeof(float);
    for (int d = 0; !status && d < exercise->n_dates; d++) {
        float *policy = exercise_policy(exercise, d);
        if (!in) status = bytes_add(bytes, policy, size);
        else if (!bytes_read(bytes, policy, size)) status = STATUS_ENGINE;
    }
    return status;
}

/* Fits n policies in this process; several such calls go on side by side. */
static enum status make_policies(void *context, int n, const int *which, struct bytes *made,
                                 struct message *why)
{
    enum status status = STATUS_OK;
    const struct policy_fits *fits = context;
    struct fit_list list;
    TRY(order_fits(fits, n, which, &list));
    list.at_once = paths_at_once(&list, fits->threads);
    TRY(team_try(fits->setup.options.team, n - list.n_paths + list.at_once, fit_piece, &list, why));
    for (int p = 0; p < n; p++) TRY(pass_policy(fits, which[p], false, &made[p]));
done:
    free(list.order);
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

static enum status put_policies(void *context, struct bytes *result)
{
    return pass_all(context, false, result);
}

static enum status read_policies(void *context, struct bytes *result)
{
    return pass_all(context, true, result);
}

/* Fits of a range for each thread, or threads wait for the longest. */
enum { FITS_A_THREAD = 4 };

/* Lists all fits in as many parts as there are ranks, each of which has long ones and short ones,
 * the longest first. */
static enum status list_fits(const struct policy_fits *fits, int parts, int *which)
{
    struct fit_list all;
    enum status status = order_fits(fits, fits->n, NULL, &all);
    for (int part = 0; !status && part < parts; part++)
        for (int i = part; i < fits->n; i += parts)
            *which++ = (int)(all.order[i] - fits->exercises);
    free(all.order);
    return status;
}

/* Fits all, but for those that the memory has or gets meanwhile. */
static enum status fit_all(struct policy_fits *fits, struct piece_memory *memory,
                           struct message *why)
{
    enum status status = STATUS_OK;
    const struct engine_options *options = &fits->setup.options;
    const struct ranks *ranks = options->ranks;
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
                              .put_result = put_policies,
                              .take_result = read_policies,
                              .stop = options->stop};
    if (!which || !fits->keys) TRY(STATUS_NO_MEMORY);
    if (ranks)
        policies.key =
            digest_text(digest_plan_for_run(&fits->setup.plan, options->team), "policies");
    if (!ranks_follow(ranks)) {
        TRY(list_fits(fits, ranks ? ranks->n : 1, which));
        if (memory) TRY(team_try(options->team, fits->n, name_policy, fits, why));
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
    int n = 0, threads = thread_count(options->threads);
    struct team *new_team = options->team ? NULL : team_begin(threads);
    struct policy_fits fits = {.setup = {engine, *options, *plan}, .threads = threads};
    struct fit_setup *setup = &fits.setup;
    setup->options.kernel = "auto"; /* whose policies have the same bits everywhere */
    setup->options.threads = setup->options.streams = 1;
    setup->options.team = new_team ? new_team : options->team;
    setup->plan.seed = plan->seed ^ EXERCISE_KEY;
    setup->plan.paths = FIT_PATHS;
    setup->plan.antithetic = true;
    TRY(exercises_find(plan, &n, &fits.n, &fits.exercises));
    if (fits.n) TRY(fit_all(&fits, memory, why));
    TRY(borrow_policies(plan, n, fits.n, fits.exercises, options->stop, setup->options.team));
    TRY(program_policies_fit(setup, why));
done:
    if (status == STATUS_NO_MEMORY && !why->text[0])
        snprintf(why->text, sizeof why->text,
                 "not enough memory to fit the policies of early exercise");
    exercises_free(n, fits.exercises);
    team_end(new_team);
    return status;
}
