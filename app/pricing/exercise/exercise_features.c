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

/* ---- memory ---------------------------------------------------------------------------------- */

/* The number of assets whose prices lead one after the other; 1 where all are seen as one price. */
static int leading_assets(const struct plan *plan, const struct exercise *exercise)
{
    if (exercise->dates[0]->c[3] != (double)EXERCISE_TWO_LOGS) return 1;
    return find_parts(&plan->groups[exercise->group], exercise, 0, NULL);
}

enum status path_features_make(const struct plan *plan, const struct exercise *exercise,
                               struct path_features *features)
{
    size_t n = (size_t)exercise->n_dates * plan->paths, chunks = plan->paths / CHUNK_PATHS;
    *features = (struct path_features){.n_assets = leading_assets(plan, exercise)};
    features->f = malloc(n * sizeof(float));
    features->g = malloc(n * sizeof(float));
    features->next.first = malloc(n * sizeof(float));
    features->next.second = malloc(n * sizeof(float));
    features->next.of_first = calloc(n, 1);
    features->next.of_second = calloc(n, 1);
    features->sums =
        calloc(chunks * (size_t)exercise->n_dates * (size_t)features->n_assets, sizeof(double));
    features->value = malloc(plan->paths * sizeof(double));
    return features->f && features->g && features->next.first && features->next.second &&
                   features->next.of_first && features->next.of_second && features->sums &&
                   features->value
               ? STATUS_OK
               : STATUS_NO_MEMORY;
}

void path_features_free(struct path_features *features)
{
    free(features->f);
    free(features->g);
    free(features->next.first);
    free(features->next.second);
    free(features->next.of_first);
    free(features->next.of_second);
    free(features->sums);
    free(features->value);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Follows the paths of chunk `chunk`, number `at` of n paths that were observed, from date d to the
 * next, or not beyond the last. */
static void follow_chunk(const struct plan *plan, const struct exercise *exercise,
                         const struct watched_exercise *watched, const double *rows, size_t n,
                         size_t at, size_t chunk, int d, const struct path_features *features)
{
    const struct observation *date = exercise->dates[d];
    bool last = d == exercise->n_dates - 1;
    const int *step = exercise->steps + d;
    int look = watched->first_observation[step[0]],
        then = last ? look : watched->first_observation[step[1]];
    int parts = watched->first_observation[step[0] + 1] - look;
    size_t from = (size_t)d * plan->paths + chunk * CHUNK_PATHS,
           beyond = from + (last ? 0 : plan->paths);
    double *sums = features->sums +
                   (chunk * (size_t)exercise->n_dates + (size_t)d) * (size_t)features->n_assets;
    const struct followed to = {features->next.first + from, features->next.second + from,
                                features->next.of_first + from, features->next.of_second + from};
    if (features->n_assets > 1) {
        double sign = watched->parts[look]->kind == OBSERVATION_TOP_OF ? 1.0 : -1.0;
        fastest_lanes().follow(date->c[1], sign, parts, watched->parts + look, CHUNK_PATHS, n,
                               rows + (size_t)look * n + at, rows + (size_t)then * n + at, &to,
                               sums);
        return;
    }
    for (size_t i = 0; i < CHUNK_PATHS; i++) {
        to.first[i] = 1.0f + features->f[beyond + i];
        *sums += 1.0 + (double)features->f[from + i];
    }
}

enum status features_observe(const struct engine *engine, const struct engine_options *options,
                             const struct plan *plan, const struct exercise *exercise,
                             uint64_t first, uint64_t end, const struct path_features *features,
                             struct message *why)
{
    struct watched_exercise watched;
    size_t n = (size_t)(end - first) * CHUNK_PATHS;
    struct chunk_range range = {.first = first, .end = end};
    enum status status = STATUS_OK;
    TRY(watched_make(plan, exercise, &watched));
    if (exercise->dates[0]->kind == OBSERVATION_EXERCISE_VARIANCE) TRY(STATUS_FAILED);
    const struct plan alone = {.seed = plan->seed,
                               .paths = plan->paths,
                               .antithetic = plan->antithetic,
                               .n_scenarios = 1,
                               .n_groups = 1,
                               .groups = &watched.group};
    range.rows = malloc(sizeof *range.rows * n * ((size_t)watched.group.n_rows + 1));
    if (!range.rows) TRY(STATUS_NO_MEMORY);
    TRY(engine->observe(&alone, options, 0, &range, why));
    for (int d = exercise->n_dates - 1; d >= 0; d--) {
        int look = watched.first_observation[exercise->steps[d]],
            next = watched.first_observation[exercise->steps[d] + 1];
        size_t at = (size_t)d * plan->paths + first * CHUNK_PATHS;
        fastest_lanes().features(exercise->dates[d], next - look, watched.parts + look, n,
                                 range.rows + (size_t)look * n, features->f + at, features->g + at);
        for (size_t c = 0; c < end - first; c++)
            follow_chunk(plan, exercise, &watched, range.rows, n, c * CHUNK_PATHS, first + c, d,
                         features);
    }
done:
    if (status == STATUS_FAILED && !why->text[0])
        snprintf(why->text, sizeof why->text, "an exercise sees more than spots");
    watched_free(&watched);
    free(range.rows);
    return status;
}
