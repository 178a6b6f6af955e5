#include "app/pricing/value/rounds.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/base/grow.h"

struct rounds {
    const struct plan_pricer *pricer;
    const struct plan *plan; /* of the first round */
    const struct accuracy *accuracy;
    struct tally *all, *round; /* [run][trade] of all rounds, of one */
    bool *more;                /* [trade] goes on */
    struct plan next;          /* of the round: its groups are some of the plan's */
};

/* ---- the log --------------------------------------------------------------------------------- */

void round_log_free(struct round_log *log)
{
    free(log->list);
    *log = (struct round_log){0};
}

/* Adds what a trade has come to to the log, where one is kept. */
static enum status log_round(const struct accuracy *accuracy, int trade, double paths,
                             struct tally unit)
{
    struct round_log *log = accuracy->log;
    if (!log || !(accuracy->target > 0.0) || !(unit.n > 0.0)) return STATUS_OK;
    if (grow_array(&log->list, &log->room, log->n + 1, sizeof *log->list)) return STATUS_NO_MEMORY;
    log->list[log->n++] = (struct round_price){trade, paths, unit.mean, tally_standard_error(unit)};
    return STATUS_OK;
}

/* ---- the rounds ------------------------------------------------------------------------------ */

/* Returns the paths of all rounds so far. */
static uint64_t paths_before(const struct rounds *rounds)
{
    return rounds->next.first_path * (uint64_t)plan_runs(rounds->plan);
}

/* Returns the number of paths of the next round, 0 where there can be none. Points come by powers
 * of two. */
static uint64_t next_paths(const struct rounds *rounds)
{
    uint64_t limit = rounds->accuracy->max_paths, before = paths_before(rounds);
    if (!before) return rounds->plan->paths;
    if (limit <= before || (rounds->plan->replicates && limit - before < before)) return 0;
    uint64_t left = (limit - before) / CHUNK_PATHS * CHUNK_PATHS;
    return left < before ? left : before;
}

/* Marks the trades that go on; false where all are done. */
static bool choose_trades(struct rounds *rounds, const struct tally *tallies)
{
    bool any = false, few = paths_before(rounds) < STOP_PATHS;
    double target = rounds->accuracy->target;
    for (int t = 0; t < rounds->plan->n_trades; t++) {
        rounds->more[t] &= target > 0.0 && tallies[t].n > 0.0 &&
                           (few || tally_standard_error(tallies[t]) > target);
        any |= rounds->more[t];
    }
    return any;
}

/* Chooses the groups that hold any of them. */
static void choose_groups(struct rounds *rounds)
{
    struct plan *next = &rounds->next;
    next->n_groups = 0;
    for (int g = 0; g < rounds->plan->n_groups; g++) {
        const struct group *group = &rounds->plan->groups[g];
        bool wanted = false;
        for (int p = 0; p < group->n_payoffs; p++) wanted |= rounds->more[group->trades[p]];
        if (wanted) next->groups[next->n_groups++] = *group;
    }
}

/* Runs the round and adds it to what its trades have. */
static enum status run_round(struct rounds *rounds, struct tally *tallies, double *paths,
                             struct message *why)
{
    struct plan *next = &rounds->next;
    const struct accuracy *accuracy = rounds->accuracy;
    int runs = plan_runs(next), n = next->n_trades;
    MUST(replicates_run(rounds->pricer, next, rounds->round, why));
    next->first_path += next->paths / (uint64_t)runs;
    for (int t = 0; t < n; t++) {
        if (!rounds->more[t] || rounds->round[t].n == 0.0) continue;
        for (int at = t; at < runs * n; at += n)
            rounds->all[at] = tally_merge(rounds->all[at], rounds->round[at]);
        tallies[t] = replicates_sample(rounds->plan, rounds->all, t);
        if (accuracy->sample) tallies[t] = accuracy->sample(accuracy->context, t, tallies[t]);
        paths[t] = (double)paths_before(rounds);
        MUST(log_round(accuracy, t, paths[t], tallies[t]));
    }
    return STATUS_OK;
}

static enum status make(struct rounds *rounds)
{
    size_t n = (size_t)rounds->plan->n_trades + 1, runs = (size_t)plan_runs(rounds->plan);
    rounds->next = *rounds->plan;
    rounds->next.groups =
        malloc(sizeof *rounds->next.groups * (size_t)(rounds->plan->n_groups + 1));
    rounds->all = calloc(runs * n, sizeof *rounds->all);
    rounds->round = calloc(runs * n, sizeof *rounds->round);
    rounds->more = calloc(n, sizeof *rounds->more);
    if (!rounds->next.groups || !rounds->all || !rounds->round || !rounds->more)
        return STATUS_NO_MEMORY;
    for (int g = 0; g < rounds->plan->n_groups; g++)
        for (int p = 0; p < rounds->plan->groups[g].n_payoffs; p++)
            rounds->more[rounds->plan->groups[g].trades[p]] = true;
    return STATUS_OK;
}

enum status rounds_price(const struct plan_pricer *pricer, const struct plan *plan,
                         const struct accuracy *accuracy, struct tally *tallies, double *paths,
                         struct message *why)
{
    enum status status = STATUS_OK;
    struct rounds rounds = {.pricer = pricer, .plan = plan, .accuracy = accuracy};
    TRY(make(&rounds));
    do {
        rounds.next.paths = next_paths(&rounds);
        if (!rounds.next.paths) break;
        choose_groups(&rounds);
        TRY(run_round(&rounds, tallies, paths, why));
    } while (choose_trades(&rounds, tallies));
done:
    free(rounds.next.groups);
    free(rounds.all);
    free(rounds.round);
    free(rounds.more);
    return status;
}

enum status rounds_say(const struct accuracy *accuracy, struct estimate *estimate)
{
    double error = tally_standard_error(estimate->unit);
    char text[120];
    if (accuracy->target <= 0.0 || estimate->unit.n == 0.0 || estimate->verdict == VERDICT_FAILED ||
        error <= accuracy->target)
        return STATUS_OK;
    snprintf(text, sizeof text, "max_paths left a standard error of %.3g a unit, above %g", error,
             accuracy->target);
    estimate->short_of_target = true;
    return estimate_add(estimate, text);
}
