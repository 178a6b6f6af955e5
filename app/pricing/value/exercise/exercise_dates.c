#include "app/pricing/value/exercise/exercise_dates.h"

#include <stdlib.h>
#include <string.h>

enum { FIT_CHUNKS_MOST = 128, FIT_DATES = 4096 }; /* of Greeks; chunks times dates: 75 MB */

/* Adds an exercise without dates, of which there is one a step at most. */
static enum status add_exercise(const struct group *group, int slot, int rank, int *n,
                                struct exercise **exercises)
{
    size_t steps = (size_t)group->n_steps;
    struct exercise *more = realloc(*exercises, sizeof *more * (size_t)(*n + 1));
    if (!more) return STATUS_NO_MEMORY;
    *exercises = more;
    more += (*n)++;
    *more = (struct exercise){.group = group,
                              .slot = slot,
                              .rank = rank,
                              .dates = malloc(steps * sizeof *more->dates),
                              .steps = malloc(steps * sizeof *more->steps),
                              .parts = malloc((size_t)group->n_observations * sizeof *more->parts),
                              .first_part = calloc(steps + 1, sizeof *more->first_part)};
    bool there = more->dates && more->steps && more->parts && more->first_part;
    return there ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Adds a date, at the end of a step, and the looks at assets that it sees there. */
static void add_date(struct exercise *exercise, const struct observation *date, int step)
{
    const struct group *group = exercise->group;
    int d = exercise->n_dates++, n = exercise->first_part[d];
    exercise->dates[d] = date;
    exercise->steps[d] = step;
    for (int i = group->first_observation[step]; i < group->first_observation[step + 1]; i++) {
        const struct observation *t = &group->observations[i];
        if (!observation_in_row(t->kind) && t->slot == date->source) exercise->parts[n++] = t;
    }
    exercise->first_part[d + 1] = n;
}

static enum status find_in_group(const struct group *group, int *n, struct exercise **exercises)
{
    int first = *n, step = 0;
    for (int i = 0; i < group->n_observations; i++) {
        const struct observation *t = &group->observations[i];
        int at = first;
        while (group->first_observation[step + 1] <= i) step++;
        if (!observation_is_exercise(t->kind)) continue;
        while (at < *n && (*exercises)[at].slot != t->slot) at++;
        if (at == *n) MUST(add_exercise(group, t->slot, at - first, n, exercises));
        add_date(&(*exercises)[at], t, step);
    }
    return STATUS_OK;
}

bool group_has_states(const struct group *group)
{
    for (int u = 0; u < group->n_underlyings; u++)
        if (draws_indices(&group->underlyings[u])) return false;
    return true;
}

/* Tells whether the features tell the whole state. One feature tells one price; two tell one with
 * its variance, or the sum of two and a share, or the best and the worst of two that move by one
 * law, which are two prices. Greeks need decisions without noise more than all of a state: they
 * take value functions of the best or worst of any, each that leads having its own, and of other
 * baskets without variances, of which the price tells nearly all. */
static bool is_complete(const struct exercise *exercise)
{
    const struct group *group = exercise->group;
    const struct observation *const *parts = exercise->parts;
    int n = exercise_parts(exercise, 0), kind = exercise->dates[0]->kind;
    bool variance = false;
    if (!group_has_states(group)) return false;
    for (int p = 0; p < n; p++)
        variance |= model_has(group->underlyings[parts[p]->underlying].model, REMEMBERS_VARIANCE);
    if (n == 1) return !variance || exercise_sees_variance(kind);
    if (exercise_keeps_apart(kind)) return !variance || (n == 2 && exercise_leads(exercise));
    return n == 2 && exercise_leads(exercise) && !variance && parts[0]->c[0] == parts[1]->c[0] &&
           same_law(group, parts[1]->underlying, group, parts[0]->underlying);
}

/* Tells whether other scenarios of a group take its policies. */
static bool lends_policies(const struct group *group)
{
    for (int s = 1; s < group->scenario_set; s++)
        if (group[s].borrows_policies) return true;
    return false;
}

int chunks_for_greeks(uint64_t paths, int n_dates)
{
    uint64_t limit = FIT_DATES / (uint64_t)n_dates, n = paths / CHUNK_PATHS;
    if (limit > FIT_CHUNKS_MOST) limit = FIT_CHUNKS_MOST;
    if (n > limit) n = limit;
    return n > FIT_CHUNKS ? (int)n : FIT_CHUNKS;
}

enum status exercises_find(const struct plan *plan, int *n, int *fitted,
                           struct exercise **exercises)
{
    *n = *fitted = 0;
    *exercises = NULL;
    for (int borrows = 0; borrows < 2; borrows++)
        for (int g = 0; g < plan->n_groups; g++) {
            const struct group *group = &plan->groups[g];
            if (group->borrows_policies != borrows) continue;
            /* An exercise has its policy in the group's table */
            if (group->lookup.n) MUST(find_in_group(group, n, exercises));
            if (!borrows) *fitted = *n;
        }
    for (int i = 0; i < *n; i++) {
        struct exercise *exercise = &(*exercises)[i];
        int kind = exercise->dates[0]->kind;
        bool for_greeks = exercise_keeps_apart(kind);
        exercise->complete = is_complete(exercise);
        exercise->chunks = FIT_CHUNKS;
        if (for_greeks) exercise->chunks = chunks_for_greeks(plan->paths, exercise->n_dates);
        /* No law moves its policy to a bumped spot, beside which the first dates have no paths. */
        exercise->starts_differ =
            !group_has_states(exercise->group) && lends_policies(exercise->group);
        if (!exercise_leads(exercise)) continue;
        if (!for_greeks && kind != OBSERVATION_EXERCISE_LED) continue;
        exercise->n_leaders = exercise_parts(exercise, 0);
        exercise->starts_differ |= for_greeks;
        exercise->leader_terms = for_greeks ? EXERCISE_TERMS : LEADER_TERMS;
    }
    return STATUS_OK;
}

void exercises_free(int n, struct exercise *exercises)
{
    for (int i = 0; i < n; i++) {
        free(exercises[i].dates);
        free(exercises[i].steps);
        free(exercises[i].parts);
        free(exercises[i].first_part);
    }
    free(exercises);
}

bool exercise_has_second(const struct exercise *exercise)
{
    const struct observation *t = exercise->dates[0];
    return exercise_sees_variance(t->kind) || t->c[3] == (double)EXERCISE_SHARE ||
           exercise_leads(exercise);
}

bool exercise_leads(const struct exercise *exercise)
{
    return exercise->dates[0]->c[3] == (double)EXERCISE_TWO_LOGS;
}

bool same_law(const struct group *a, int u, const struct group *b, int v)
{
    const struct underlying *first = &a->underlyings[u], *second = &b->underlyings[v];
    if (a->n_dividends || first->model != second->model || first->start.v != second->start.v)
        return false;
    size_t bytes = (size_t)model_coefficients(first->model) * sizeof *a->coefficients;
    for (int j = 0; j < a->n_steps; j++) {
        const double *of_first = a->coefficients + j * a->width + first->coefficient,
                     *of_second = b->coefficients + j * b->width + second->coefficient;
        if (memcmp(of_first, of_second, bytes)) return false;
    }
    return true;
}
