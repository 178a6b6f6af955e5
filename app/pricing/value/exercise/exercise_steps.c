#include "app/pricing/value/exercise/exercise_steps.h"

#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_grid.h"
#include "app/pricing/value/exercise/exercise_lanes.h"
#include "app/pricing/value/exercise/exercise_strata.h"
#include "models/math/philox.h"

enum {
    LATTICE_DIMENSIONS = 8, /* the others are a Latin hypercube */
    LATTICE_GENERATOR = 7   /* Korobov's, good by P2 for both numbers of points */
};
_Static_assert(!(FEW_POINTS & (FEW_POINTS - 1)) && (int)MANY_POINTS == (int)PATH_LANES &&
                   PATH_LANES % FEW_POINTS == 0,
               "powers of 2 that divide the lanes");

/* Normals of the longest step from date to date. */
static int dimensions_of(const struct group *group, const struct exercise *exercise)
{
    int most = 0;
    for (int k = 0; k < exercise->n_dates; k++) {
        int steps = exercise->steps[k] - (k ? exercise->steps[k - 1] : -1);
        most = steps > most ? steps : most;
    }
    return most * group->n_factors;
}

/* Points of an average, for bounds and for the fit, which smooths. */
static uint32_t points_of(const struct group *group, const struct exercise *exercise)
{
    return dimensions_of(group, exercise) <= 4 ? FEW_POINTS : MANY_POINTS;
}

static uint32_t fit_points_of(const struct group *group, const struct exercise *exercise)
{
    return dimensions_of(group, exercise) == 1 ? FEW_POINTS / 2 : points_of(group, exercise);
}

/* ---- random words ---------------------------------------------------------------------------- */

/* What words are drawn for: they have different blocks of the Philox stream that is named by the
 * step. */
enum purpose { PATHS, SHIFTS, ORDERS };
enum { PURPOSE_BLOCKS = 64 };

static uint32_t word_for(uint64_t seed, enum purpose purpose, uint64_t path, int step, int factor)
{
    uint32_t block = (uint32_t)purpose * PURPOSE_BLOCKS + (uint32_t)factor / 4;
    struct philox_words w = philox_block(seed, path, (uint32_t)step, block);
    uint32_t all[4] = {w.word0, w.word1, w.word2, w.word3};
    return all[factor % 4];
}

static void draw_paths(const struct group *group, uint64_t seed, uint64_t first_path, int step,
                       const struct step_scratch *step_scratch)
{
    uint32_t words[4][PATH_LANES];
    for (int k = 0; k < group->n_factors; k += 4) {
        int n = group->n_factors - k < 4 ? group->n_factors - k : 4;
        step_scratch->lanes.draw(seed, first_path, (uint32_t)step,
                                 (uint32_t)PATHS * PURPOSE_BLOCKS + (uint32_t)k / 4, words);
        memcpy(step_scratch->words + (size_t)k * PATH_LANES, words, (size_t)n * sizeof *words);
    }
}

/* A permutation of the points, one of many, chosen by a random word. */
static inline uint32_t permuted(uint32_t point, uint32_t word, uint32_t mask)
{
    point = (point * (word | 1u) + (word >> 6)) & mask;
    point ^= point >> 3;
    point = (point * ((word >> 12) | 1u) + (word >> 18)) & mask;
    point ^= point >> 3;
    return (point * ((word >> 24) | 1u)) & mask;
}

/* The tent map 1 - |2 t - 1| of t = (word + 1/2) 2^-32: one to one. */
static inline uint32_t folded(uint32_t word)
{
    return word < 0x80000000u ? word << 1 : ~(word << 1);
}

/* Words of step `step` of the inner paths of as many states as the lanes hold from `first_state`
 * on; `dimension` is that of the first factor. */
static void draw_points(const struct group *group, uint32_t points, uint64_t seed,
                        uint64_t first_state, int step, int dimension, uint32_t *words)
{
    uint32_t generator = 1, per_point = 0xffffffffu / points + 1;
    for (int d = 0; d < dimension && d < LATTICE_DIMENSIONS; d++) generator *= LATTICE_GENERATOR;
    for (int k = 0; k < group->n_factors; k++, generator *= LATTICE_GENERATOR)
        for (uint32_t s = 0; s < PATH_LANES / points; s++) {
            uint32_t shift = word_for(seed, SHIFTS, first_state + s, step, k), order = 0;
            uint32_t *to = words + (uint32_t)k * PATH_LANES + s * points;
            bool lattice = dimension + k < LATTICE_DIMENSIONS;
            if (!lattice) order = word_for(seed, ORDERS, first_state + s, step, k);
            if (lattice)
                for (uint32_t i = 0; i < points; i++) to[i] = i * generator;
            else
                for (uint32_t i = 0; i < points; i++) to[i] = permuted(i, order, points - 1);
            for (uint32_t i = 0; i < points; i++) to[i] = folded(to[i] * per_point + shift);
        }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* V of date k, discounted to today. */
void values_of(const struct valuation *valuation, int k, const double *f, const double *g,
               double *values)
{
    const struct observation *t = valuation->exercise->dates[k];
    double worth = t->c[2] * t->c[0], going_on[PATH_LANES] = {0};
    if (k < valuation->exercise->n_dates - 1)
        fastest_lanes().values(PATH_LANES, &valuation->functions[k], f, g, going_on);
    for (int l = 0; l < PATH_LANES; l++) {
        double gain = worth * f[l];
        values[l] = gain > going_on[l] ? gain : going_on[l];
    }
}

/* Steps from date k - 1, or today, to date k. */
static int first_step(const struct exercise *exercise, int k)
{
    return k ? exercise->steps[k - 1] + 1 : 0;
}

/* ---- walks ----------------------------------------------------------------------------------- */

void begin_states(const struct group *group, struct states *states)
{
    for (int u = 0; u < group->n_underlyings; u++) {
        double *rows = states->rows + (size_t)u * STATE_ROWS * PATH_LANES;
        for (int l = 0; l < PATH_LANES; l++) {
            rows[ROW_X * PATH_LANES + l] = group->underlyings[u].start.x;
            rows[ROW_V * PATH_LANES + l] = group->underlyings[u].start.v;
        }
    }
}

/* Moves the states from date k - 1 to date k by draws of their own. */
void simulate_states(const struct valuation *valuation, uint64_t seed, uint64_t first_path, int k,
                     struct step_scratch *step_scratch, struct states *states)
{
    const struct group *group = valuation->group;
    int end = valuation->exercise->steps[k];
    const struct lane_features features = {valuation->exercise->slot, states->f, states->g};
    double *paths = step_scratch->lanes.paths;
    for (int u = 0; u < group->n_underlyings; u++)
        for (int l = 0; l < STATE_ROWS * PATH_LANES; l++)
            paths[u * PATH_ROWS * PATH_LANES + l] = states->rows[u * STATE_ROWS * PATH_LANES + l];
    for (int j = first_step(valuation->exercise, k); j <= end; j++) {
        if (asked_to_stop(step_scratch->stop)) return;
        draw_paths(group, seed, first_path, j, step_scratch);
        step_scratch->lanes.step(group, j, step_scratch->words, states->still,
                                 step_scratch->lanes.scratch, j == end ? &features : NULL);
    }
    for (int u = 0; u < group->n_underlyings; u++)
        for (int l = 0; l < STATE_ROWS * PATH_LANES; l++)
            states->rows[u * STATE_ROWS * PATH_LANES + l] = paths[u * PATH_ROWS * PATH_LANES + l];
}

/* Copies states from number `first` on to `points` lanes each. */
static void spread(const struct group *group, uint32_t points, const double *rows, uint32_t first,
                   double *paths)
{
    for (int u = 0; u < group->n_underlyings; u++)
        for (int r = 0; r < STATE_ROWS; r++) {
            const double *from = rows + ((size_t)u * STATE_ROWS + (size_t)r) * PATH_LANES + first;
            double *to = paths + ((size_t)u * PATH_ROWS + (size_t)r) * PATH_LANES;
            for (uint32_t i = 0; i < PATH_LANES / points; i++)
                for (uint32_t p = 0; p < points; p++) to[i * points + p] = from[i];
        }
}

/* E[V_k | state on date k - 1] of the states whose number among all is first_state and so on. */
void average_values(const struct valuation *valuation, uint64_t seed, uint64_t first_state, int k,
                    struct step_scratch *step_scratch, const double *rows, double *averages)
{
    const struct group *group = valuation->group;
    const struct lane_features features = {valuation->exercise->slot, step_scratch->f,
                                           step_scratch->g};
    double values[PATH_LANES];
    int begin = first_step(valuation->exercise, k), end = valuation->exercise->steps[k];
    uint32_t points = valuation->points, together = PATH_LANES / points;
    const struct strata fresh = strata_begin(group, begin, end);
    for (uint32_t s = 0; s < PATH_LANES; s += together) {
        struct strata strata = fresh;
        spread(group, points, rows, s, step_scratch->lanes.paths);
        for (int j = begin; j <= end; j++) {
            if (asked_to_stop(step_scratch->stop)) return;
            draw_points(group, points, seed, first_state + s, j, (j - begin) * group->n_factors,
                        step_scratch->words);
            strata_take(group, j, &strata, step_scratch->words);
            step_scratch->lanes.step(group, j, step_scratch->words, NULL,
                                     step_scratch->lanes.scratch, j == end ? &features : NULL);
        }
        values_of(valuation, k, step_scratch->f, step_scratch->g, values);
        for (uint32_t i = 0; i < together; i++)
            averages[s + i] = strata_mean(&strata, points, values + i * points);
    }
}

/* ---- working memory -------------------------------------------------------------------------- */

enum status step_scratch_make(const struct plan *plan, const struct stop *stop, struct team *team,
                              struct step_scratch *step_scratch)
{
    int factors = 1;
    *step_scratch = (struct step_scratch){.plan = plan, .stop = stop, .team = team};
    for (int g = 0; g < plan->n_groups; g++)
        if (plan->groups[g].n_factors > factors) factors = plan->groups[g].n_factors;
    step_scratch->words = malloc((size_t)factors * PATH_LANES * sizeof *step_scratch->words);
    step_scratch->f = malloc(PATH_LANES * sizeof(double));
    step_scratch->g = malloc(PATH_LANES * sizeof(double));
    enum status status = lane_steps_make(plan, &step_scratch->lanes);
    return step_scratch->words && step_scratch->f && step_scratch->g ? status : STATUS_NO_MEMORY;
}

enum status step_scratch_blocks(struct step_scratch *step_scratch, int n)
{
    if (!step_scratch->team || n <= step_scratch->n_blocks) return STATUS_OK;
    struct step_scratch *more = realloc(step_scratch->blocks, sizeof *more * (size_t)n);
    if (!more) return STATUS_NO_MEMORY;
    step_scratch->blocks = more;
    while (step_scratch->n_blocks < n) {
        enum status status = step_scratch_make(step_scratch->plan, step_scratch->stop, NULL,
                                               &more[step_scratch->n_blocks++]);
        if (status) return status;
    }
    return STATUS_OK;
}

void step_scratch_free(struct step_scratch *step_scratch)
{
    for (int b = 0; b < step_scratch->n_blocks; b++) step_scratch_free(&step_scratch->blocks[b]);
    free(step_scratch->blocks);
    lane_steps_free(&step_scratch->lanes);
    free(step_scratch->words);
    free(step_scratch->f);
    free(step_scratch->g);
    *step_scratch = (struct step_scratch){.plan = NULL};
}

/* ---- the fit --------------------------------------------------------------------------------- */

bool valuation_possible(const struct group *group)
{
    for (int u = 0; u < group->n_underlyings; u++)
        if (draws_indices(&group->underlyings[u])) return false;
    return true;
}

/* One feature tells one price; two tell one with its variance, or the best and the worst of two,
 * which are two prices where it does not matter which of them is whose. */
bool valuation_complete(const struct group *group, const struct exercise *exercise)
{
    int parts = 0, read = exercise->dates[0]->source, j = exercise->steps[0];
    bool variance = false, alike = true;
    const struct observation *first = NULL;
    for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
        const struct observation *t = &group->observations[i];
        if (observation_in_row(t->kind) || t->slot != read) continue;
        if (!first) first = t;
        alike &=
            t->c[0] == first->c[0] && moves_alike(group, t->underlying, group, first->underlying);
        enum model model = group->underlyings[t->underlying].model;
        variance |= model_has(model, REMEMBERS_VARIANCE);
        parts++;
    }
    if (parts == 1) return !variance || exercise_sees_variance(exercise->dates[0]->kind);
    return parts == 2 && alike && !variance && exercise_has_second(exercise);
}

int affordable_states(int budget, const struct group *group, const struct exercise *exercise,
                      int least, int most)
{
    int64_t last = exercise->steps[exercise->n_dates - 1];
    int64_t n = budget / ((last + 1) * group->n_underlyings * points_of(group, exercise)) /
                PATH_LANES * PATH_LANES;
    return n < least ? least : n > most ? most : (int)n;
}

/* States that the fit knows, by blocks of PATH_LANES: [date][block] rows, [date][state] features.
 *
 * Of every other block a date takes the states that its paths have halfway to the end: what can be
 * worth exercising may be far from where paths are on the first dates. (Features do not depend on
 * the date.) */
struct known_state {
    int dates, states, blocks;
    size_t block; /* doubles of the rows of a block */
    double *rows, *f, *g;
    double *of_date; /* [f, g, average][state] of the date that is fitted */
};

static enum status known_make(const struct group *group, const struct exercise *exercise, int n,
                              struct known_state *known)
{
    size_t dates = (size_t)n;
    known->dates = n;
    int most = exercise_has_second(exercise) ? FIT_STATES_TWO : FIT_STATES_ONE;
    known->states = affordable_states(FIT_STEPS, group, exercise, FIT_STATES_LEAST, most);
    known->blocks = known->states / PATH_LANES;
    known->block = (size_t)group->n_underlyings * STATE_ROWS * PATH_LANES;
    size_t all = dates * (size_t)known->states + 1;
    known->rows = malloc((dates + 1) * (size_t)known->blocks * known->block * sizeof(double));
    known->f = malloc(all * sizeof(double));
    known->g = malloc(all * sizeof(double));
    known->of_date = malloc(3 * (size_t)known->states * sizeof(double));
    return known->rows && known->f && known->g && known->of_date ? STATUS_OK : STATUS_NO_MEMORY;
}

static void known_free(struct known_state *known)
{
    free(known->rows);
    free(known->f);
    free(known->g);
    free(known->of_date);
}

static double *known_rows(const struct known_state *known, int date, int block)
{
    return known->rows + ((size_t)date * (size_t)known->blocks + (size_t)block) * known->block;
}

/* What is done block by block: states of all dates, or averages of one date. */
struct block_work {
    const struct valuation *valuation;
    uint64_t seed;
    struct step_scratch *step_scratch;
    const struct known_state *known;
    int k; /* the date that is fitted */
    double *f, *g, *averages;
};

static void know_block(void *context, int b)
{
    const struct block_work *work = context;
    const struct known_state *known = work->known;
    struct states states = {.rows = known_rows(known, known->dates, b)};
    begin_states(work->valuation->group, &states);
    for (int k = 0; k < known->dates; k++) {
        size_t at = (size_t)k * (size_t)known->states + (size_t)b * PATH_LANES;
        double *kept = known_rows(known, k, b);
        states.f = known->f + at, states.g = known->g + at;
        simulate_states(work->valuation, work->seed, (uint64_t)b * PATH_LANES, k,
                        scratch_of_block(work->step_scratch, b), &states);
        for (size_t i = 0; i < known->block; i++) kept[i] = states.rows[i];
    }
}

static enum status know_states(const struct valuation *valuation, uint64_t seed,
                               struct step_scratch *step_scratch, struct known_state *known)
{
    struct block_work work = {valuation, seed, step_scratch, .known = known};
    enum status status = step_scratch_blocks(step_scratch, known->blocks);
    if (!status) team_loop(step_scratch->team, known->blocks, know_block, &work);
    return status;
}

/* The date that block b of date k comes from. */
static int date_of_block(const struct valuation *valuation, int k, int b)
{
    return b % 2 ? (k + valuation->exercise->n_dates - 1) / 2 : k;
}

/* States of a block of the date that is fitted, with the averages of V on the next. */
static void gather_block(void *context, int b)
{
    const struct block_work *work = context;
    const struct known_state *known = work->known;
    int from = date_of_block(work->valuation, work->k, b), first = b * PATH_LANES;
    size_t at = (size_t)from * (size_t)known->states + (size_t)first;
    for (int l = 0; l < PATH_LANES; l++) {
        work->f[first + l] = known->f[at + (size_t)l];
        work->g[first + l] = known->g[at + (size_t)l];
    }
    average_values(work->valuation, work->seed, (uint64_t)first, work->k + 1,
                   scratch_of_block(work->step_scratch, b), known_rows(known, from, b),
                   work->averages + first);
}

/* Who is told of the states of each date. */
struct telling {
    const struct valuation *valuation;
    const struct known_state *known;
    int some; /* dates whose states are known */
    date_function *told;
    void *context;
};

static void tell_date(void *context, int k)
{
    const struct telling *telling = context;
    const struct known_state *known = telling->known;
    bool is_known = k < telling->some;
    size_t n = is_known ? (size_t)known->states : 0, at = (size_t)k * n;
    telling->told(telling->context, k, telling->valuation, n, known->f + at, known->g + at, NULL);
}

/* A fit on a grid, and beside it the paths whose states are told. */
struct grid_work {
    struct valuation *valuation;
    uint64_t seed;
    struct step_scratch *step_scratch, *beside;
    struct known_state *known;
    enum status fitted, knew;
};

static void work_on_grid(void *context, int side)
{
    struct grid_work *work = context;
    if (side) work->knew = know_states(work->valuation, work->seed, work->beside, work->known);
    else work->fitted = grid_fit(work->seed, work->step_scratch, work->valuation);
}

/* Fits on a grid, and tells of the states that paths have on each date, by a team; where there is
 * one feature, a function without noise says all, and only the first date has some. */
static enum status fit_grid(uint64_t seed, struct step_scratch *step_scratch, date_function *told,
                            void *context, struct valuation *valuation)
{
    enum status status = STATUS_OK;
    struct known_state known = {0};
    struct step_scratch beside = {.plan = NULL};
    int dates = valuation->exercise->n_dates - 1;
    int some = exercise_has_second(valuation->exercise) || dates < 1 ? dates : 1;
    struct telling telling = {valuation, &known, some, told, context};
    struct grid_work work = {valuation, seed, step_scratch, &beside, &known, STATUS_OK, STATUS_OK};
    if (!told) return grid_fit(seed, step_scratch, valuation);
    TRY(step_scratch_make(step_scratch->plan, step_scratch->stop, step_scratch->team, &beside));
    TRY(known_make(valuation->group, valuation->exercise, some, &known));
    team_loop(step_scratch->team, 2, work_on_grid, &work);
    TRY(work.fitted);
    TRY(work.knew);
    if (asked_to_stop(step_scratch->stop)) TRY(STATUS_INTERRUPTED);
    team_loop(step_scratch->team, dates, tell_date, &telling);
done:
    known_free(&known);
    step_scratch_free(&beside);
    return status;
}

enum status valuation_fit(const struct plan *plan, const struct exercise *exercise, uint64_t seed,
                          struct step_scratch *step_scratch, date_function *told, void *context,
                          struct valuation *valuation)
{
    enum status status = STATUS_OK;
    struct known_state known = {0};
    *valuation = (struct valuation){.exercise = exercise, .group = &plan->groups[exercise->group]};
    valuation->points = fit_points_of(valuation->group, exercise);
    valuation->functions = calloc((size_t)exercise->n_dates, sizeof *valuation->functions);
    if (!valuation->functions) TRY(STATUS_NO_MEMORY);
    if (grid_possible(valuation->group, exercise)) {
        valuation->points = points_of(valuation->group, exercise);
        TRY(fit_grid(seed, step_scratch, told, context, valuation));
        goto done;
    }
    TRY(known_make(valuation->group, exercise, exercise->n_dates - 1, &known));
    size_t n = (size_t)known.states;
    double *f = known.of_date, *g = f + n, *averages = g + n;
    TRY(know_states(valuation, seed, step_scratch, &known));
    for (int k = exercise->n_dates - 2; k >= 0; k--) {
        struct block_work work = {valuation, seed, step_scratch, &known, k, f, g, averages};
        team_loop(step_scratch->team, known.blocks, gather_block, &work);
        if (asked_to_stop(step_scratch->stop)) TRY(STATUS_INTERRUPTED);
        TRY(value_fit(n, f, g, averages, exercise_has_second(exercise), &valuation->functions[k]));
        if (told) told(context, k, valuation, n, f, g, averages);
    }
    valuation->points = points_of(valuation->group, exercise);
done:
    known_free(&known);
    return status;
}

void valuation_free(struct valuation *valuation)
{
    for (int k = 0; valuation->functions && k < valuation->exercise->n_dates; k++)
        value_free(&valuation->functions[k]);
    free(valuation->functions);
    *valuation = (struct valuation){0};
}
