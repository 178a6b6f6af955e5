#define _DEFAULT_SOURCE /* madvise */
#include "app/pricing/value/exercise/exercise_features.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "models/math/sobol.h"

/* An exercise while threads share the chunks of its paths. */
struct watching {
    const struct fit_setup *setup;
    const struct exercise *exercise;
    struct path_features *features;
    struct group group; /* up to its last date, with a look wherever the exercise looks at assets */
    int *first_observation; /* [step + 1] of it */
    double farthest;        /* how far from today's log2 S chunks after the first may begin */
    int first;              /* chunk of those that threads share */
};

/* Makes the group that is watched. STATUS_FAILED where nobody would show the paths on a date, or
 * the exercise sees more than spots. */
static enum status begin_watching(struct watching *watching)
{
    const struct exercise *exercise = watching->exercise;
    struct group *group = &watching->group;
    int steps = exercise->steps[exercise->n_dates - 1] + 1;
    int *first = malloc(((size_t)steps + 1) * sizeof *first);
    watching->first_observation = first;
    if (!first) return STATUS_NO_MEMORY;
    first[0] = 0;
    for (int j = 0, d = 0; j < steps; j++) {
        first[j + 1] = first[j];
        if (exercise->steps[d] == j) first[j + 1] += exercise_parts(exercise, d++);
    }
    *group = *exercise->group;
    group->observations = NULL; /* which a watcher does not look at */
    group->n_rows = group->n_pairs = group->n_slots = group->n_results = 0;
    group->n_payoffs = group->n_single = group->n_strips = 0;
    group->n_programs = group->n_shared = group->n_prices = 0;
    group->n_markets = 1;
    group->scenario_set = 0;
    group->n_steps = steps;
    group->first_observation = first;
    group->n_observations = first[steps];
    bool sees = !exercise_sees_variance(exercise->dates[0]->kind);
    for (int d = 0; d < exercise->n_dates; d++) sees &= exercise_parts(exercise, d) > 0;
    for (int i = 0; i < first[steps]; i++) sees &= exercise_sees(exercise->parts[i]->kind);
    return sees ? STATUS_OK : STATUS_FAILED;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Makes room that is written once, from one end to the other, by each thread a part of its own: in
 * pages that are as large as can be had, since each is fetched from the system at the first touch.
 */
static void *large_room(size_t bytes)
{
    const size_t page = (size_t)1 << 21;
    void *room = aligned_alloc(page, (bytes + page) / page * page);
#ifdef MADV_HUGEPAGE
    if (room && bytes >= page) madvise(room, (bytes + page) / page * page, MADV_HUGEPAGE);
#endif
    return room;
}

static enum status path_features_make(const struct exercise *exercise,
                                      struct path_features *features)
{
    size_t n = (size_t)exercise->n_dates * (size_t)exercise->chunks;
    bool lead = exercise->dates[0]->c[3] == (double)EXERCISE_TWO_LOGS;
    *features = (struct path_features){.n_assets = lead ? exercise_parts(exercise, 0) : 1};
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
    struct seen_date *dates; /* [date] of the chunk */
    double *sums;            /* [date][asset] of the chunk */
    int d;                   /* the date that is seen */
    int n_assets;
    double lane_sums[UNDERLYINGS_MAX * MOMENT_LANES];
};

/* Sees columns of a best-of or worst-of. */
static void see_leaders(struct passing *passing, const struct shown_paths *shown)
{
    int d = passing->d, n = shown->n_parts * MOMENT_LANES;
    double *sums = passing->sums + (size_t)d * (size_t)shown->n_parts;
    for (int i = 0; shown->column == 0 && i < n; i++) passing->lane_sums[i] = 0.0;
    exercise_lanes()->see(shown, passing->lane_sums, &passing->dates[d],
                        d ? &passing->dates[d - 1] : NULL,
                        d ? passing->exercise->dates[d - 1]->c[1] : 0.0);
    for (int i = 0; shown->column + PATH_LANES == CHUNK_PATHS && i < n; i++)
        sums[i / MOMENT_LANES] += passing->lane_sums[i];
}

static void see_columns(void *context, int step, int column, const double *const *x)
{
    struct passing *passing = context;
    const struct exercise *exercise = passing->exercise;
    const double *of_part[UNDERLYINGS_MAX];
    while (exercise->steps[passing->d] != step) passing->d++;
    const struct shown_paths shown = {.date = exercise->dates[passing->d],
                                      .n_parts = exercise_parts(exercise, passing->d),
                                      .parts = exercise->parts + exercise->first_part[passing->d],
                                      .x = of_part,
                                      .column = column};
    struct seen_date *seen = &passing->dates[passing->d];
    for (int p = 0; p < shown.n_parts; p++) of_part[p] = x[shown.parts[p]->underlying];
    if (passing->n_assets > 1) see_leaders(passing, &shown);
    else exercise_lanes()->features(&shown, seen->f + column, seen->g + column);
}

/* Follows one price, whose feature says what becomes of it. */
static void follow_one(const struct passing *passing)
{
    int n = passing->exercise->n_dates;
    for (int d = 0; d < n; d++) {
        struct seen_date *seen = &passing->dates[d];
        for (int i = 0; i < CHUNK_PATHS; i++) {
            seen->first[i] = seen->second[i] = d + 1 < n ? 1.0f + seen[1].f[i] : 0.0f;
            seen->of_first[i] = seen->of_second[i] = 0;
            passing->sums[d] += 1.0 + (double)seen->f[i];
        }
    }
}

/* Where the paths of chunks begin apart, each asset's begin anywhere up to one and a half
 * deviations of its last date to where exercise gains: few that begin today come where it is
 * decided early. Returns one and a half deviations of log2 S, S the price that leads on a date. */
static double farthest_start(const struct seen_date *seen)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < CHUNK_PATHS; i++) {
        double x = exact_log2(1.0 + (double)seen->f[i]);
        sum += x, squares += x * x;
    }
    return 1.5 * sqrt(fmax(squares / CHUNK_PATHS - sum / CHUNK_PATHS * (sum / CHUNK_PATHS), 0.0));
}

/* Moves where the paths of a chunk begin by a Sobol point of those up to `farthest` up, or down. */
static void move_start(double farthest, int chunk, struct group *group, struct underlying *moved)
{
    for (int u = 0; u < group->n_underlyings; u++) {
        struct sobol_dimension dimension = sobol_published(u);
        moved[u] = group->underlyings[u];
        moved[u].start.x += farthest * 0x1p-32 * (double)sobol_word(&dimension, (uint32_t)chunk);
    }
    group->underlyings = moved;
}

/* Watches a chunk; of those that begin apart the first one finds how far. */
static enum status watch_chunk(void *context, int i, struct message *why)
{
    struct watching *watching = context;
    int chunk = watching->first + i;
    const struct exercise *exercise = watching->exercise;
    const struct path_features *features = watching->features;
    const struct plan *plan = &watching->setup->plan;
    struct underlying moved[UNDERLYINGS_MAX];
    struct group group = watching->group;
    size_t first = (size_t)chunk * (size_t)exercise->n_dates, n = (size_t)features->n_assets;
    struct passing passing = {.exercise = exercise,
                              .dates = features->dates + first,
                              .sums = features->sums + first * n,
                              .n_assets = features->n_assets};
    const struct path_watcher watcher = {see_columns, &passing};
    const struct plan alone = {.seed = plan->seed,
                               .paths = (uint64_t)exercise->chunks * CHUNK_PATHS,
                               .antithetic = plan->antithetic,
                               .n_scenarios = 1,
                               .n_groups = 1,
                               .groups = &group};
    if (asked_to_stop(watching->setup->options.stop)) return STATUS_INTERRUPTED;
    if (chunk && exercise->starts_differ) move_start(watching->farthest, chunk, &group, moved);
    MUST(watching->setup->engine->watch(&alone, &watching->setup->options, 0, (uint64_t)chunk,
                                        &watcher, why));
    if (n == 1) follow_one(&passing);
    if (!chunk && exercise->starts_differ)
        watching->farthest =
            exercise->dates[0]->c[0] * farthest_start(&passing.dates[exercise->n_dates - 1]);
    return STATUS_OK;
}

enum status features_watch(const struct fit_setup *setup, const struct exercise *exercise,
                           struct path_features *features, struct message *why)
{
    enum status status = STATUS_OK;
    struct watching watching = {.setup = setup, .exercise = exercise, .features = features};
    TRY(path_features_make(exercise, features));
    TRY(begin_watching(&watching));
    if (exercise->starts_differ) {
        TRY(watch_chunk(&watching, 0, why));
        watching.first = 1;
    }
    int left = exercise->chunks - watching.first;
    TRY(team_try(setup->options.team, left, left, watch_chunk, &watching, why));
done:
    if (status == STATUS_FAILED && !why->text[0])
        snprintf(why->text, sizeof why->text,
                 "an exercise sees more than spots, or nothing on a date");
    free(watching.first_observation);
    return status;
}
