#define _DEFAULT_SOURCE /* madvise */
#include "app/pricing/value/exercise/exercise_features.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "models/math/sobol.h"

/* A group on the paths of another, up to the last date of an exercise, that is looked at where the
 * exercise looks at assets. */
struct watched_exercise {
    struct group group;
    int *first_observation;           /* [step + 1] */
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

/* Looks at an asset that an exercise takes on all its dates. */
static size_t count_looks(const struct plan *plan, const struct exercise *exercise)
{
    size_t n = 0;
    for (int d = 0; d < exercise->n_dates; d++)
        n += (size_t)find_parts(&plan->groups[exercise->group], exercise, d, NULL);
    return n;
}

static void watched_free(struct watched_exercise *watched)
{
    free(watched->first_observation);
    free(watched->parts);
}

static enum status watched_make(const struct plan *plan, const struct exercise *exercise,
                                struct watched_exercise *watched)
{
    const struct group *group = &plan->groups[exercise->group];
    size_t parts = count_looks(plan, exercise);
    int steps = exercise->steps[exercise->n_dates - 1] + 1, n = 0;
    *watched = (struct watched_exercise){
        .first_observation = malloc(((size_t)steps + 1) * sizeof *watched->first_observation),
        .parts = calloc(parts + 1, sizeof *watched->parts)};
    if (!watched->first_observation || !watched->parts) return STATUS_NO_MEMORY;
    for (int j = 0, d = 0; j < steps; j++) {
        watched->first_observation[j] = n;
        if (exercise->steps[d] != j) continue;
        int looks = find_parts(group, exercise, d++, watched->parts + n);
        if (!looks) return STATUS_FAILED; /* nobody would show the paths on this date */
        n += looks;
    }
    watched->first_observation[steps] = n;
    for (int i = 0; i < n; i++)
        if (!exercise_sees(watched->parts[i]->kind)) return STATUS_FAILED;
    watched->group = *group;
    watched->group.n_steps = steps;
    watched->group.first_observation = watched->first_observation;
    watched->group.observations = NULL; /* which a watcher does not look at */
    watched->group.n_observations = n;
    watched->group.n_rows = 0;
    watched->group.n_pairs = watched->group.n_slots = watched->group.n_results = 0;
    watched->group.n_payoffs = watched->group.n_single = watched->group.n_strips = 0;
    watched->group.n_programs = watched->group.n_shared = watched->group.n_prices = 0;
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

/* Room that is written once, from one end to the other, by each thread a part of its own: in pages
 * that are as large as can be had, since each is fetched from the system at the first touch. */
static void *large_room(size_t bytes)
{
    const size_t page = (size_t)1 << 21;
    void *room = aligned_alloc(page, (bytes + page) / page * page);
#ifdef MADV_HUGEPAGE
    if (room && bytes >= page) madvise(room, (bytes + page) / page * page, MADV_HUGEPAGE);
#endif
    return room;
}

enum status path_features_make(const struct plan *plan, const struct exercise *exercise,
                               struct path_features *features)
{
    size_t n = (size_t)exercise->n_dates * (size_t)exercise->chunks;
    *features = (struct path_features){.n_assets = leading_assets(plan, exercise),
                                       .n_dates = (size_t)exercise->n_dates};
    features->dates = large_room(n * sizeof *features->dates);
    features->sums = calloc(n * (size_t)features->n_assets, sizeof(double));
    features->value = malloc((size_t)exercise->chunks * CHUNK_PATHS * sizeof(double));
    return features->dates && features->sums && features->value ? STATUS_OK : STATUS_NO_MEMORY;
}

void path_features_free(struct path_features *features)
{
    free(features->dates);
    free(features->sums);
    free(features->value);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* A chunk of paths that pass. */
struct passing {
    const struct exercise *exercise;
    const struct watched_exercise *watched;
    const struct path_features *features;
    struct seen_date *dates; /* [date] of the chunk */
    double *sums;            /* [date][asset] of the chunk */
    int d;                   /* the date that is seen */
    double *prices;          /* [part][PATH_LANES] */
    double lane_sums[UNDERLYINGS_MAX * MOMENT_LANES];
};

/* Sees columns of a best-of or worst-of. */
static void see_leaders(struct passing *passing, int column, int n_parts,
                        const struct observation *const *parts, const double *const *x)
{
    int d = passing->d, n = n_parts * MOMENT_LANES;
    const struct observation *const *t = passing->exercise->dates + d;
    double *lane_sums = passing->lane_sums, *sums = passing->sums + (size_t)d * (size_t)n_parts;
    double sign = parts[0]->kind == OBSERVATION_TOP_OF ? 1.0 : -1.0;
    for (int i = 0; column == 0 && i < n; i++) lane_sums[i] = 0.0;
    fastest_lanes().see(t[0], sign, n_parts, parts, x, column, passing->prices, lane_sums,
                        &passing->dates[d], d ? &passing->dates[d - 1] : NULL,
                        d ? t[-1]->c[1] : 0.0);
    for (int i = 0; column + PATH_LANES == CHUNK_PATHS && i < n; i++)
        sums[i / MOMENT_LANES] += lane_sums[i];
}

static void see_columns(void *context, int step, int column, const double *const *x)
{
    struct passing *passing = context;
    const double *of_part[UNDERLYINGS_MAX];
    while (passing->exercise->steps[passing->d] != step) passing->d++;
    const int *first = passing->watched->first_observation + step;
    const struct observation *const *parts = passing->watched->parts + first[0];
    int n_parts = first[1] - first[0];
    struct seen_date *seen = &passing->dates[passing->d];
    for (int p = 0; p < n_parts; p++) of_part[p] = x[parts[p]->underlying];
    if (passing->features->n_assets > 1) see_leaders(passing, column, n_parts, parts, of_part);
    else
        fastest_lanes().features(passing->exercise->dates[passing->d], n_parts, parts, of_part,
                                 seen->f + column, seen->g + column);
}

/* What becomes of one price is told by the feature itself. */
static void follow_one(const struct passing *passing)
{
    size_t n = passing->features->n_dates;
    for (size_t d = 0; d < n; d++) {
        struct seen_date *seen = &passing->dates[d];
        for (int i = 0; i < CHUNK_PATHS; i++) {
            seen->first[i] = seen->second[i] = d + 1 < n ? 1.0f + seen[1].f[i] : 0.0f;
            seen->of_first[i] = seen->of_second[i] = 0;
            passing->sums[d] += 1.0 + (double)seen->f[i];
        }
    }
}

bool features_begin_apart(const struct exercise *exercise)
{
    return exercise->n_leaders && exercise_keeps_apart(exercise->dates[0]->kind);
}

/* One and a half deviations of log2 S, S the price that leads on a date. */
static double way_apart(const struct seen_date *seen)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < CHUNK_PATHS; i++) {
        double x = exact_log2(1.0 + (double)seen->f[i]);
        sum += x, squares += x * x;
    }
    return 1.5 * sqrt(fmax(squares / CHUNK_PATHS - sum / CHUNK_PATHS * (sum / CHUNK_PATHS), 0.0));
}

/* Moves where the paths of a chunk begin by a Sobol point of those `way` up, or down. */
static void begin_apart(double way, uint64_t chunk, struct group *group, struct underlying *moved)
{
    for (int u = 0; u < group->n_underlyings; u++) {
        struct sobol_dimension dimension = sobol_published(u);
        moved[u] = group->underlyings[u];
        moved[u].start.x += way * 0x1p-32 * (double)sobol_word(&dimension, (uint32_t)chunk);
    }
    group->underlyings = moved;
}

enum status features_watch(const struct engine *engine, const struct engine_options *options,
                           const struct plan *plan, const struct exercise *exercise, uint64_t chunk,
                           struct path_features *features, struct message *why)
{
    struct watched_exercise watched;
    struct underlying moved[UNDERLYINGS_MAX];
    enum status status = watched_make(plan, exercise, &watched);
    size_t first = (size_t)chunk * features->n_dates;
    struct passing passing = {.exercise = exercise,
                              .watched = &watched,
                              .features = features,
                              .dates = features->dates + first,
                              .sums = features->sums + first * (size_t)features->n_assets};
    const struct path_watcher watcher = {see_columns, &passing};
    TRY(status);
    if (exercise_sees_variance(exercise->dates[0]->kind)) TRY(STATUS_FAILED);
    const struct plan alone = {.seed = plan->seed,
                               .paths = (uint64_t)exercise->chunks * CHUNK_PATHS,
                               .antithetic = plan->antithetic,
                               .n_scenarios = 1,
                               .n_groups = 1,
                               .groups = &watched.group};
    if (chunk && features_begin_apart(exercise))
        begin_apart(features->apart, chunk, &watched.group, moved);
    passing.prices = malloc((size_t)features->n_assets * PATH_LANES * sizeof *passing.prices);
    if (!passing.prices) TRY(STATUS_NO_MEMORY);
    TRY(engine->watch(&alone, options, 0, chunk, &watcher, why));
    if (features->n_assets == 1) follow_one(&passing);
    if (!chunk && features_begin_apart(exercise))
        features->apart =
            exercise->dates[0]->c[0] * way_apart(&passing.dates[features->n_dates - 1]);
done:
    if (status == STATUS_FAILED && !why->text[0])
        snprintf(why->text, sizeof why->text,
                 "an exercise sees more than spots, or nothing on a date");
    watched_free(&watched);
    free(passing.prices);
    return status;
}
