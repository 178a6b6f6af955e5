#include "app/pricing/value/exercise/exercise_dates.h"

#include <stdlib.h>
#include <string.h>

enum { FIT_CHUNKS_MOST = 128, FIT_DATES = 4096 }; /* of Greeks; chunks times dates: 75 MB */

/* Touches of the group that are dates of the exercise of a slot. */
static size_t count_dates(const struct group *group, int slot)
{
    size_t dates = 0;
    for (int i = 0; i < group->n_observations; i++)
        dates += observation_is_exercise(group->observations[i].kind) &&
                 group->observations[i].slot == slot;
    return dates;
}

static enum status add_exercise(int group, int slot, size_t room, int *n,
                                struct exercise **exercises)
{
    struct exercise *more = realloc(*exercises, sizeof *more * (size_t)(*n + 1));
    if (!more) return STATUS_NO_MEMORY;
    *exercises = more;
    more[*n] = (struct exercise){.group = group, .slot = slot};
    more[*n].dates = calloc(room, sizeof *more->dates);
    more[*n].steps = calloc(room, sizeof *more->steps);
    (*n)++;
    return more[*n - 1].dates && more[*n - 1].steps ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status find_in_group(const struct plan *plan, int g, int *n,
                                 struct exercise **exercises)
{
    enum status status = STATUS_OK;
    const struct group *group = &plan->groups[g];
    int before = *n;
    for (int j = 0; j < group->n_steps; j++)
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
            const struct observation *t = &group->observations[i];
            int at = before;
            if (!observation_is_exercise(t->kind)) continue;
            while (at < *n && (*exercises)[at].slot != t->slot) at++;
            if (at == *n) TRY(add_exercise(g, t->slot, count_dates(group, t->slot), n, exercises));
            struct exercise *exercise = &(*exercises)[at];
            exercise->dates[exercise->n_dates] = t;
            exercise->steps[exercise->n_dates++] = j;
        }
done:
    return status;
}

/* How many assets an exercise looks at on its dates. */
static int count_parts(const struct group *group, const struct exercise *exercise)
{
    int n = 0, j = exercise->steps[0];
    for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++)
        n += !observation_in_row(group->observations[i].kind) &&
             group->observations[i].slot == exercise->dates[0]->source;
    return n;
}

int chunks_for_greeks(uint64_t paths, int n_dates)
{
    uint64_t most = FIT_DATES / (uint64_t)n_dates, n = paths / CHUNK_PATHS;
    if (most > FIT_CHUNKS_MOST) most = FIT_CHUNKS_MOST;
    if (n > most) n = most;
    return n > FIT_CHUNKS ? (int)n : FIT_CHUNKS;
}

enum status exercises_find(const struct plan *plan, int *n, struct exercise **exercises)
{
    enum status status = STATUS_OK;
    *n = 0;
    *exercises = NULL;
    for (int g = 0; g < plan->n_groups; g++) /* an exercise has its policy in the group's table */
        if (plan->groups[g].lookup.n) TRY(find_in_group(plan, g, n, exercises));
    for (int i = 0; i < *n; i++) {
        struct exercise *exercise = &(*exercises)[i];
        int kind = exercise->dates[0]->kind;
        bool apart = exercise_keeps_apart(kind);
        if ((apart || kind == OBSERVATION_EXERCISE_LED) && exercise_has_second(exercise))
            exercise->n_leaders = count_parts(&plan->groups[exercise->group], exercise);
        exercise->own_terms = apart ? EXERCISE_TERMS : LEADER_TERMS;
        exercise->chunks = apart ? chunks_for_greeks(plan->paths, exercise->n_dates) : FIT_CHUNKS;
    }
done:
    return status;
}

void exercises_free(int n, struct exercise *exercises)
{
    for (int i = 0; i < n; i++) {
        free(exercises[i].dates);
        free(exercises[i].steps);
    }
    free(exercises);
}

bool exercise_has_second(const struct exercise *exercise)
{
    const struct observation *t = exercise->dates[0];
    return exercise_sees_variance(t->kind) || t->c[3] == (double)EXERCISE_TWO_LOGS;
}

bool moves_alike(const struct group *a, int u, const struct group *b, int v)
{
    const struct underlying *one = &a->underlyings[u], *other = &b->underlyings[v];
    if (a->n_dividends || one->model != other->model || one->start.v != other->start.v)
        return false;
    size_t bytes = (size_t)model_coefficients(one->model) * sizeof *a->coefficients;
    for (int j = 0; j < a->n_steps; j++) {
        const double *of_one = a->coefficients + j * a->width + one->coefficient,
                     *of_other = b->coefficients + j * b->width + other->coefficient;
        if (memcmp(of_one, of_other, bytes)) return false;
    }
    return true;
}
