#include "app/pricing/exercise/exercise_features.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/pricing/exercise/exercise_lanes.h"

/* A group on the paths of another, up to the last date of an exercise, that remembers one row for
 * each look of the exercise at an asset. */
struct watched_exercise {
    struct group group;
    int *first_observation;           /* [step + 1] */
    struct observation *spots;        /* [look] into row `look` */
    const struct observation **parts; /* [look] what the exercise makes of it, date after date */
};

/* Whether an observation is a part of what the exercise sees on a date, which is in the same step.
 */
static bool is_part(const struct observation *date, const struct observation *observation)
{
    return !observation_in_row(observation->kind) && observation->slot == date->source;
}

/* The looks on date d: returns how many, and writes them where `parts` is not NULL. */
static int find_parts(const struct group *group, const struct exercise *exercise, int d,
                      const struct observation **parts)
{
    int n = 0, j = exercise->steps[d];
    for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
        if (!is_part(exercise->dates[d], &group->observations[i])) continue;
        if (parts) parts[n] = &group->observations[i];
        n++;
    }
    return n;
}

size_t exercise_parts(const struct plan *plan, const struct exercise *exercise)
{
    size_t n = 0;
    for (int d = 0; d < exercise->n_dates; d++)
        n += (size_t)find_parts(&plan->groups[exercise->group], exercise, d, NULL);
    return n;
}

static void watched_free(struct watched_exercise *watched)
{
    free(watched->first_observation);
    free(watched->spots);
    free(watched->parts);
}

static enum status watched_make(const struct plan *plan, const struct exercise *exercise,
                                struct watched_exercise *watched)
{
    const struct group *group = &plan->groups[exercise->group];
    size_t parts = exercise_parts(plan, exercise);
    int steps = exercise->steps[exercise->n_dates - 1] + 1, n = 0;
    *watched = (struct watched_exercise){
        .first_observation = malloc(((size_t)steps + 1) * sizeof *watched->first_observation),
        .spots = calloc(parts + 1, sizeof *watched->spots),
        .parts = calloc(parts + 1, sizeof *watched->parts)};
    if (!watched->first_observation || !watched->spots || !watched->parts) return STATUS_NO_MEMORY;
    for (int j = 0, d = 0; j < steps; j++) {
        watched->first_observation[j] = n;
        if (exercise->steps[d] == j) n += find_parts(group, exercise, d++, watched->parts + n);
    }
    watched->first_observation[steps] = n;
    for (int i = 0; i < n; i++) {
        if (!exercise_sees(watched->parts[i]->kind)) return STATUS_FAILED;
        watched->spots[i] = (struct observation){.kind = OBSERVATION_SPOT,
                                                 .underlying = watched->parts[i]->underlying,
                                                 .slot = i,
                                                 .pair = -1};
    }
    watched->group = *group;
    watched->group.n_steps = steps;
    watched->group.first_observation = watched->first_observation;
    watched->group.observations = watched->spots;
    watched->group.n_observations = watched->group.n_rows = n;
    watched->group.n_pairs = watched->group.n_slots = watched->group.n_results = 0;
    watched->group.n_payoffs = watched->group.n_single = watched->group.n_strips = 0;
    watched->group.n_alike = 1;
    watched->group.scenario_set = 0;
    return STATUS_OK;
}

enum status features_observe(const struct engine *engine, const struct engine_options *options,
                             const struct plan *plan, const struct exercise *exercise,
                             uint64_t first, uint64_t end, float *f, float *g, struct message *why)
{
    struct watched_exercise watched;
    features_function *features = fastest_lanes().features;
    size_t n = (size_t)(end - first) * CHUNK_PATHS;
    struct chunk_range range = {.first = first, .end = end};
    enum status status = STATUS_OK;
    TRY(watched_make(plan, exercise, &watched));
    if (exercise->dates[0]->kind == OBSERVATION_EXERCISE_VARIANCE) TRY(STATUS_FAILED);
    const struct plan alone = {.seed = plan->seed,
                               .paths = plan->paths,
                               .n_scenarios = 1,
                               .n_groups = 1,
                               .groups = &watched.group};
    range.rows = malloc(sizeof *range.rows * n * ((size_t)watched.group.n_rows + 1));
    if (!range.rows) TRY(STATUS_NO_MEMORY);
    TRY(engine->observe(&alone, options, 0, &range, why));
    for (int d = 0; d < exercise->n_dates; d++) {
        int look = watched.first_observation[exercise->steps[d]],
            next = watched.first_observation[exercise->steps[d] + 1];
        size_t at = (size_t)d * plan->paths + first * CHUNK_PATHS;
        features(exercise->dates[d], next - look, watched.parts + look, n,
                 range.rows + (size_t)look * n, f + at, g + at);
    }
done:
    if (status == STATUS_FAILED && !why->text[0])
        snprintf(why->text, sizeof why->text, "an exercise sees more than spots");
    watched_free(&watched);
    free(range.rows);
    return status;
}
