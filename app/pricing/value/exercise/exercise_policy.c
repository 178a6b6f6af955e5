#include "app/pricing/value/exercise/exercise_policy.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/value/exercise/exercise_lanes.h"
#include "app/pricing/value/exercise/policy_makers.h"
#include "kernels/threads.h"
#include "models/market/market.h"

/* The exercises of a plan whose policies are fitted. */
struct policy_fits {
    struct fit_setup setup;
    int n;
    struct exercise *exercises; /* [n] */
};

#define PATHS_BYTES 0x40000000u /* of what exercises see on paths, at most, unless one has more */

/* Finds how many fits may be under way at a time: a few where paths show much. */
static int fits_at_once(const struct policy_fits *fits)
{
    size_t largest = 1;
    for (int i = 0; i < fits->n; i++) {
        const struct exercise *exercise = &fits->exercises[i];
        size_t seen = sizeof(struct seen_date) * (size_t)(exercise->n_dates * exercise->chunks);
        if (!exercise->complete && seen > largest) largest = seen;
    }
    return PATHS_BYTES > largest ? (int)(PATHS_BYTES / largest) : 1;
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

/* Names a policy by all that its fit depends on: how paths move, and what it sees of them, whatever
 * else its group is made for. */
static void name_policy(void *context, int i)
{
    struct policy_fits *fits = context;
    struct exercise *exercise = &fits->exercises[i];
    struct group paths = *exercise->group;
    uint64_t digest = digest_integer(DIGEST_BEGIN, fits->setup.plan.seed);
    bool tables = false;
    for (int u = 0; u < paths.n_underlyings; u++)
        tables |= model_takes(paths.underlyings[u].model, TAKES_SURFACE) ||
                  model_takes(paths.underlyings[u].model, TAKES_HISTORY);
    if (!tables) paths.lookup.n = 0;
    digest = digest_integer(digest_paths(digest, &paths),
                            exercise->complete ? 0 : (uint64_t)exercise->chunks);
    if (exercise->starts_differ) digest = digest_integer(digest, 1);
    digest = digest_integer(digest, exercise_numbers(exercise));
    for (int d = 0; d < exercise->n_dates; d++) digest = digest_date(digest, exercise, d);
    exercise->key = digest;
}

static uint64_t key_of(void *context, int i)
{
    return ((const struct policy_fits *)context)->exercises[i].key;
}

/* ---- policies as pieces ---------------------------------------------------------------------- */

/* Adds the numbers of a policy [date][term], from their places in the group's table. */
static enum status put_policy(void *context, int i, struct bytes *content)
{
    const struct exercise *exercise = &((struct policy_fits *)context)->exercises[i];
    size_t size = exercise_numbers(exercise) * sizeof(float);
    for (int d = 0; d < exercise->n_dates; d++)
        MUST(bytes_add(content, exercise_policy(exercise, d), size));
    return STATUS_OK;
}

static enum status take_policy(void *context, int i, struct bytes *content, struct message *why)
{
    const struct exercise *exercise = &((struct policy_fits *)context)->exercises[i];
    size_t size = exercise_numbers(exercise) * sizeof(float);
    (void)why;
    for (int d = 0; d < exercise->n_dates; d++)
        if (!bytes_read(content, exercise_policy(exercise, d), size)) return STATUS_ENGINE;
    return STATUS_OK;
}

static enum status make_policy(void *context, int i, struct bytes *made, struct message *why)
{
    const struct policy_fits *fits = context;
    const struct exercise *exercise = &fits->exercises[i];
    if (exercise->complete) MUST(policy_from_values(&fits->setup, exercise));
    else MUST(policy_from_paths(&fits->setup, exercise, why));
    return put_policy(context, i, made);
}

/* Fits of a range for each thread, or threads wait for the longest. */
enum { FITS_A_THREAD = 4 };

/* Fits all, but for those that the memory has. */
static enum status fit_all(struct policy_fits *fits, struct piece_memory *memory,
                           struct message *why)
{
    enum status status = STATUS_OK;
    const struct engine_options *options = &fits->setup.options;
    const struct ranks *ranks = options->ranks;
    int *which = malloc(sizeof *which * ((size_t)fits->n + 1));
    struct pieces policies = {.kind = "policy",
                              .n = fits->n,
                              .which = which,
                              .context = fits,
                              .make = make_policy,
                              .team = options->team,
                              .at_once = fits_at_once(fits),
                              .take = take_policy,
                              .digest = key_of,
                              .memory = memory,
                              .ranks = ranks,
                              .least = FITS_A_THREAD * (uint64_t)team_threads(options->team),
                              .most = (uint64_t)fits->n,
                              .pass_on = put_policy,
                              .stop = options->stop};
    if (!which) TRY(STATUS_NO_MEMORY);
    if (ranks) policies.key = digest_text(digest_plan(&fits->setup.plan), "policies");
    if (!ranks_follow(ranks)) {
        for (int i = 0; i < fits->n; i++) which[i] = i;
        if (memory) team_loop(options->team, fits->n, name_policy, fits);
    }
    TRY(pieces_make(&policies, why));
done:
    free(which);
    return status;
}

/* ---- all of a plan --------------------------------------------------------------------------- */

enum status exercise_fit(const struct engine *engine, const struct engine_options *options,
                         struct piece_memory *memory, struct plan *plan, struct message *why)
{
    enum status status = STATUS_OK;
    int n = 0;
    struct team *new_team = options->team ? NULL : team_begin(thread_count(options->threads));
    struct policy_fits fits = {.setup = {engine, *options, *plan}};
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
