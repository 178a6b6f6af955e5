#include "app/pricing/value/exercise/exercise_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_lanes.h"
#include "models/math/normal.h"
#include "models/math/philox.h"

enum {
    LATTICE_DIMENSIONS = 8, /* the others are a Latin hypercube */
    LATTICE_GENERATOR = 7,  /* Korobov's, good by P2 for both numbers of points */
    LED_STATES_LEAST = 64   /* that a function of an asset that leads is fitted to */
};
_Static_assert(!(FEW_POINTS & (FEW_POINTS - 1)) && (int)MANY_POINTS == (int)PATH_LANES &&
                   PATH_LANES % FEW_POINTS == 0,
               "powers of 2 that divide the lanes");

/* Counts the normals of the longest step from date to date. */
static int dimensions_of(const struct exercise *exercise)
{
    int longest = 0;
    for (int k = 0; k < exercise->n_dates; k++) {
        int steps = exercise->steps[k] - (k ? exercise->steps[k - 1] : -1);
        longest = steps > longest ? steps : longest;
    }
    return longest * exercise->group->n_factors;
}

/* Returns the points of an average, for bounds and for the fit, which smooths. */
static uint32_t points_of(const struct exercise *exercise)
{
    return dimensions_of(exercise) <= 4 ? FEW_POINTS : MANY_POINTS;
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

void draw_paths(const struct draws *draws, uint64_t first_path, int step,
                const struct step_scratch *step_scratch)
{
    const struct group *group = draws->group;
    uint32_t words[4][PATH_LANES];
    for (int k = 0; k < group->n_factors; k += 4) {
        int n = group->n_factors - k < 4 ? group->n_factors - k : 4;
        step_scratch->lanes.draw(draws->seed, first_path, (uint32_t)step,
                                 (uint32_t)PATHS * PURPOSE_BLOCKS + (uint32_t)k / 4, words);
        memcpy(step_scratch->words + (size_t)k * PATH_LANES, words, (size_t)n * sizeof *words);
    }
}

/* Returns a permutation of the points, one of many, chosen by a random word. */
static inline uint32_t permuted(uint32_t point, uint32_t word, uint32_t mask)
{
    point = (point * (word | 1u) + (word >> 6)) & mask;
    point ^= point >> 3;
    point = (point * ((word >> 12) | 1u) + (word >> 18)) & mask;
    point ^= point >> 3;
    return (point * ((word >> 24) | 1u)) & mask;
}

/* Applies the tent map 1 - |2 t - 1| of t = (word + 1/2) 2^-32: one to one. */
static inline uint32_t folded(uint32_t word)
{
    return word < 0x80000000u ? word << 1 : ~(word << 1);
}

void draw_points(const struct draws *draws, uint64_t first_state, int step, int dimension,
                 uint32_t *words)
{
    const struct group *group = draws->group;
    uint64_t seed = draws->seed;
    uint32_t points = draws->points, generator = 1, per_point = 0xffffffffu / points + 1;
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

/* ---- jumps ----------------------------------------------------------------------------------- */

int jump_factor(const struct group *group)
{
    enum model model = group->underlyings[0].model;
    if (group->n_underlyings > 1 || !model_takes(model, TAKES_JUMPS)) return -1;
    return model_has(model, REMEMBERS_VARIANCE) ? 2 : 1;
}

uint32_t jump_word(const struct group *group, int step, int count)
{
    enum model model = group->underlyings[0].model;
    int first = model_has(model, REMEMBERS_VARIANCE) ? BATES_THRESHOLD : MERTON_THRESHOLD;
    size_t at = (size_t)step * (size_t)group->width + (size_t)group->underlyings[0].coefficient;
    return word_above(group->coefficients[at + (size_t)(first + count - 1)]);
}

uint32_t word_above(double z)
{
    uint32_t low = 0, high = 0xffffffffu;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)normal_from_bits(middle, normal_cubic) > z) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* Inner paths of one asset that jumps are in two strata: those without a jump and those with one,
 * half of the points each. A few paths of one step meet a jump by chance alone, and then too often;
 * weighted by the probabilities of the strata their average has the right mean, and hardly any
 * noise from jumps (stratified sampling: Glasserman 2004, section 4.3). */

/* The strata of the paths of PATH_LANES points, even ones without a jump and odd ones with one. */
struct strata {
    int factor;         /* jump_factor(); -1: there is one stratum */
    double none;        /* probability that there is no jump in all steps, */
    double none_before; /* in those before the present one */
    uint8_t jumped[PATH_LANES];
};

/* Returns a uniform word, among the words from `low` to below low + n. */
static uint32_t word_within(uint32_t word, uint64_t low, uint64_t n)
{
    return (uint32_t)(low + (word * n >> 32));
}

/* Begins paths over the steps begin .. end. */
static struct strata strata_begin(const struct group *group, int begin, int end)
{
    struct strata strata = {.factor = jump_factor(group), .none = 1.0, .none_before = 1.0};
    for (int j = begin; strata.factor >= 0 && j <= end; j++)
        strata.none *= jump_word(group, j, 1) * 0x1p-32;
    return strata;
}

/* Makes the words of the number of jumps in a step, in words [factor][PATH_LANES], those of the
 * strata: even points have none, odd ones the first one here with its probability given that it is
 * here or later. */
static void strata_take(const struct group *group, int step, struct strata *strata, uint32_t *words)
{
    const uint64_t all = (uint64_t)1 << 32;
    if (strata->factor < 0) return;
    uint32_t *count = words + strata->factor * PATH_LANES;
    uint64_t first = jump_word(group, step, 1);
    double here = strata->none_before * (double)(all - first) * 0x1p-32,
           later = strata->none_before - strata->none; /* here or later */
    uint64_t share = here < later ? (uint64_t)(here / later * 0x1p32) : all;
    for (uint32_t l = 0; l < PATH_LANES; l++) {
        if (!(l & 1)) count[l] = word_within(count[l], 0, first);
        else if (strata->jumped[l]) continue;
        else if (count[l] < share) {
            uint32_t again = (uint32_t)((double)count[l] / (double)share * 0x1p32);
            count[l] = word_within(again, first, all - first);
            strata->jumped[l] = 1;
        } else {
            uint32_t again =
                (uint32_t)((double)(count[l] - share) / (double)(all - share) * 0x1p32);
            count[l] = word_within(again, 0, first);
        }
    }
    strata->none_before *= (double)first * 0x1p-32;
}

/* Adds value i to sum i % SUMS, then the sums in order. */
static double sum_of(uint32_t n, const double *values)
{
    enum { SUMS = 8 };
    double sums[SUMS] = {0}, total = 0.0;
    for (uint32_t i = 0; i < n; i += SUMS)
        for (uint32_t l = 0; l < SUMS; l++) sums[l] += values[i + l];
    for (uint32_t l = 0; l < SUMS; l++) total += sums[l];
    return total;
}

/* Returns the mean over the points of a state, a multiple of 16. */
static double strata_mean(const struct strata *strata, uint32_t points, const double *values)
{
    double halves[2][PATH_LANES / 2];
    if (strata->factor < 0) return sum_of(points, values) / points;
    for (uint32_t p = 0; p < points; p++) halves[p & 1][p / 2] = values[p];
    double none = sum_of(points / 2, halves[0]), some = sum_of(points / 2, halves[1]);
    return (strata->none * none + (1.0 - strata->none) * some) / (points / 2);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Finds which asset is the best or the worst of several in each of PATH_LANES states. */
static void find_leaders(const struct exercise *exercise, const double *rows, int *leaders)
{
    const double sign = exercise->parts[0]->kind == OBSERVATION_TOP_OF ? 1.0 : -1.0;
    double best[PATH_LANES];
    for (int p = 0; p < exercise_parts(exercise, 0); p++) {
        const struct observation *part = exercise->parts[p];
        const double *x = rows + (part->underlying * PATH_ROWS + ROW_X) * PATH_LANES;
        for (int l = 0; l < PATH_LANES; l++) {
            double price = sign * fma(part->c[1], x[l], part->c[0]); /* its log2 */
            bool leads = p == 0 || price > best[l];
            best[l] = leads ? price : best[l];
            leaders[l] = leads ? p : leaders[l];
        }
    }
}

/* Computes what going on from date k, not the last, is worth in PATH_LANES states. */
static void going_on_of(const struct valuation *valuation, int k, const struct states *states,
                        double *going_on)
{
    int n = valuation->leaders, leaders[PATH_LANES];
    const struct value_function *functions = &valuation->functions[k * n];
    exercise_lanes()->values(PATH_LANES, functions, states->f, states->g, going_on);
    if (n > 1) find_leaders(valuation->exercise, states->rows, leaders);
    for (int a = 1; a < n; a++) {
        double of_leader[PATH_LANES];
        exercise_lanes()->values(PATH_LANES, &functions[a], states->f, states->g, of_leader);
        for (int l = 0; l < PATH_LANES; l++)
            going_on[l] = leaders[l] == a ? of_leader[l] : going_on[l];
    }
}

void values_of(const struct valuation *valuation, int k, const struct states *states,
               double *values)
{
    const struct observation *t = valuation->exercise->dates[k];
    double feature_value = t->c[2] * t->c[0], going_on[PATH_LANES] = {0};
    if (k < valuation->exercise->n_dates - 1) going_on_of(valuation, k, states, going_on);
    for (int l = 0; l < PATH_LANES; l++) {
        double gain = feature_value * states->f[l];
        values[l] = gain > going_on[l] ? gain : going_on[l];
    }
}

/* Returns the first step from date k - 1, or today, to date k. */
static int first_step(const struct exercise *exercise, int k)
{
    return k ? exercise->steps[k - 1] + 1 : 0;
}

/* ---- walks ----------------------------------------------------------------------------------- */

void begin_states(const struct group *group, double *rows)
{
    for (int u = 0; u < group->n_underlyings; u++, rows += PATH_ROWS * PATH_LANES)
        for (int l = 0; l < PATH_LANES; l++) {
            rows[ROW_X * PATH_LANES + l] = group->underlyings[u].start.x;
            rows[ROW_V * PATH_LANES + l] = group->underlyings[u].start.v;
            rows[ROW_CLOCK * PATH_LANES + l] = 0.0;
        }
}

void simulate_states(const struct valuation *valuation, uint64_t first_path, int k,
                     struct step_scratch *step_scratch, struct states *states)
{
    const struct group *group = valuation->exercise->group;
    int end = valuation->exercise->steps[k];
    const struct lane_features features = {valuation->exercise->slot, states->f, states->g};
    size_t bytes = state_numbers(group) * sizeof(double);
    memcpy(step_scratch->lanes.paths, states->rows, bytes);
    for (int j = first_step(valuation->exercise, k); j <= end; j++) {
        if (asked_to_stop(valuation->stop)) return;
        draw_paths(&valuation->draws, first_path, j, step_scratch);
        step_scratch->lanes.step(group, j, step_scratch->words, step_scratch->lanes.scratch,
                                 j == end ? &features : NULL);
    }
    memcpy(states->rows, step_scratch->lanes.paths, bytes);
}

/* Copies states from number `first` on to `points` lanes each. */
static void spread(const struct group *group, uint32_t points, const double *rows, uint32_t first,
                   double *paths)
{
    for (int r = 0; r < group->n_underlyings * PATH_ROWS; r++, rows += PATH_LANES)
        for (uint32_t i = first; i < first + PATH_LANES / points; i++)
            for (uint32_t p = 0; p < points; p++) *paths++ = rows[i];
}

void average_values(const struct valuation *valuation, uint64_t first_state, int k,
                    struct step_scratch *step_scratch, const double *rows, double *averages)
{
    const struct group *group = valuation->exercise->group;
    const struct lane_features features = {valuation->exercise->slot, step_scratch->f,
                                           step_scratch->g};
    double values[PATH_LANES];
    int begin = first_step(valuation->exercise, k), end = valuation->exercise->steps[k];
    uint32_t points = valuation->draws.points, at_once = PATH_LANES / points;
    const struct strata fresh = strata_begin(group, begin, end);
    for (uint32_t s = 0; s < PATH_LANES; s += at_once) {
        struct strata strata = fresh;
        spread(group, points, rows, s, step_scratch->lanes.paths);
        for (int j = begin; j <= end; j++) {
            if (asked_to_stop(valuation->stop)) return;
            draw_points(&valuation->draws, first_state + s, j, (j - begin) * group->n_factors,
                        step_scratch->words);
            strata_take(group, j, &strata, step_scratch->words);
            step_scratch->lanes.step(group, j, step_scratch->words, step_scratch->lanes.scratch,
                                     j == end ? &features : NULL);
        }
        const struct states ends = {step_scratch->lanes.paths, step_scratch->f, step_scratch->g};
        values_of(valuation, k, &ends, values);
        for (uint32_t i = 0; i < at_once; i++)
            averages[s + i] = strata_mean(&strata, points, values + i * points);
    }
}

/* ---- working memory -------------------------------------------------------------------------- */

enum status step_scratch_make(const struct group *group, struct step_scratch *step_scratch)
{
    struct group copy = *group;
    const struct plan alone = {.n_groups = 1, .groups = &copy};
    double *room = malloc((state_numbers(group) + 4 * PATH_LANES) * sizeof *room);
    *step_scratch = (struct step_scratch){
        .words = malloc((size_t)group->n_factors * PATH_LANES * sizeof(uint32_t)), .f = room};
    if (room) {
        step_scratch->g = room + PATH_LANES;
        step_scratch->states = (struct states){
            .f = room + 2 * PATH_LANES, .g = room + 3 * PATH_LANES, .rows = room + 4 * PATH_LANES};
    }
    enum status status = lane_steps_make(&alone, &step_scratch->lanes);
    return step_scratch->words && room ? status : STATUS_NO_MEMORY;
}

void step_scratch_free(struct step_scratch *step_scratch)
{
    lane_steps_free(&step_scratch->lanes);
    free(step_scratch->words);
    free(step_scratch->f);
}

enum status valuation_blocks(struct valuation *valuation, int n)
{
    if (!valuation->team) n = 1;
    if (n <= valuation->n_scratch) return STATUS_OK;
    struct step_scratch *more = realloc(valuation->scratch, sizeof *more * (size_t)n);
    if (!more) return STATUS_NO_MEMORY;
    valuation->scratch = more;
    while (valuation->n_scratch < n)
        MUST(step_scratch_make(valuation->exercise->group, &more[valuation->n_scratch++]));
    return STATUS_OK;
}

/* ---- the fit --------------------------------------------------------------------------------- */

int affordable_states(int budget, const struct exercise *exercise, int low, int high)
{
    int64_t last = exercise->steps[exercise->n_dates - 1];
    int64_t n = budget / ((last + 1) * exercise->group->n_underlyings * points_of(exercise)) /
                PATH_LANES * PATH_LANES;
    return n < low ? low : n > high ? high : (int)n;
}

/* Returns how many functions a date has. */
static int leaders_of(const struct exercise *exercise)
{
    const struct group *group = exercise->group;
    for (int p = 1; p < exercise->n_leaders; p++)
        if (!same_law(group, exercise->parts[p]->underlying, group, exercise->parts[0]->underlying))
            return exercise->n_leaders;
    return 1;
}

static enum status known_make(struct valuation *valuation)
{
    const struct exercise *exercise = valuation->exercise;
    struct known_states *known = &valuation->known;
    int states = exercise_has_second(exercise) ? FIT_STATES_TWO : FIT_STATES_ONE;
    known->n = affordable_states(FIT_STEPS, exercise, FIT_STATES_LEAST, states);
    known->blocks = known->n / PATH_LANES;
    known->block = state_numbers(exercise->group);
    size_t dates = (size_t)exercise->n_dates, all = dates * (size_t)known->n;
    bool gathers = !grid_possible(exercise);
    valuation->leaders = leaders_of(exercise);
    valuation->functions = calloc(dates * (size_t)valuation->leaders, sizeof *valuation->functions);
    known->rows = malloc(sizeof(double) *
                         (dates * (size_t)known->blocks * known->block + (gathers ? 5 : 2) * all));
    if (!valuation->functions || !known->rows) return STATUS_NO_MEMORY;
    known->f = known_rows(known, exercise->n_dates, 0);
    known->g = known->f + all;
    if (gathers) known->gathered = known->g + all;
    return STATUS_OK;
}

void valuation_free(struct valuation *valuation)
{
    int functions = valuation->functions ? valuation->exercise->n_dates * valuation->leaders : 0;
    for (int i = 0; i < functions; i++) value_free(&valuation->functions[i]);
    free(valuation->functions);
    free(valuation->known.rows);
    for (int b = 0; b < valuation->n_scratch; b++) step_scratch_free(&valuation->scratch[b]);
    free(valuation->scratch);
    *valuation = (struct valuation){0};
}

/* A fit while threads share its blocks. */
struct fit_work {
    const struct valuation *valuation;
    int k; /* the date that is fitted */
};

/* Simulates the states of a block on all dates. */
static void know_block(void *context, int b)
{
    const struct fit_work *work = context;
    const struct known_states *known = &work->valuation->known;
    struct step_scratch *step_scratch = scratch_of_block(work->valuation, b);
    struct states states = step_scratch->states;
    begin_states(work->valuation->exercise->group, states.rows);
    for (int k = 0; k < work->valuation->exercise->n_dates; k++) {
        size_t at = (size_t)k * (size_t)known->n + (size_t)b * PATH_LANES;
        states.f = known->f + at, states.g = known->g + at;
        simulate_states(work->valuation, (uint64_t)b * PATH_LANES, k, step_scratch, &states);
        memcpy(known_rows(known, k, b), states.rows, known->block * sizeof(double));
    }
}

/* Returns the date whose states block b has for a fit of date k. Every other block has those that
 * its paths have halfway to the end: what can be worth exercising may be far from where paths are
 * on the first dates. (Features do not depend on the date.) */
static int date_of_states(const struct valuation *valuation, int k, int b)
{
    return b % 2 ? (k + valuation->exercise->n_dates - 1) / 2 : k;
}

/* Gathers a block of states of the date that is fitted, with the averages of V on the next. */
static void gather_block(void *context, int b)
{
    const struct fit_work *work = context;
    const struct known_states *known = &work->valuation->known;
    int from = date_of_states(work->valuation, work->k, b);
    size_t n = (size_t)known->n, first = (size_t)b * PATH_LANES;
    double *f = known->gathered + 3 * (size_t)work->k * n + first, *g = f + n, *averages = g + n;
    memcpy(f, known->f + (size_t)from * n + first, PATH_LANES * sizeof *f);
    memcpy(g, known->g + (size_t)from * n + first, PATH_LANES * sizeof *g);
    average_values(work->valuation, first, work->k + 1, scratch_of_block(work->valuation, b),
                   known_rows(known, from, b), averages);
}

struct date_states valuation_states(const struct valuation *valuation, int date)
{
    const struct known_states *known = &valuation->known;
    size_t n = (size_t)known->n, at = (size_t)date * n;
    if (!known->gathered) return (struct date_states){n, known->f + at, known->g + at, NULL};
    const double *f = known->gathered + 3 * at;
    return (struct date_states){n, f, f + n, f + 2 * n};
}

struct date_states valuation_led(const struct valuation *valuation, int k, int leader, double *to)
{
    const struct known_states *known = &valuation->known;
    const struct date_states states = valuation_states(valuation, k), *all = &states;
    size_t n = 0;
    for (int b = 0; b < known->blocks; b++) {
        int leaders[PATH_LANES];
        find_leaders(valuation->exercise, known_rows(known, date_of_states(valuation, k, b), b),
                     leaders);
        for (size_t l = 0; l < PATH_LANES; l++) {
            size_t i = (size_t)b * PATH_LANES + l;
            if (leaders[l] != leader) continue;
            to[n] = all->f[i], to[all->n + n] = all->g[i], to[2 * all->n + n] = all->averages[i];
            n++;
        }
    }
    return (struct date_states){n, to, to + all->n, to + 2 * all->n};
}

/* Fits the functions of date k: that of an asset which hardly ever leads to all states. */
static enum status fit_date(const struct valuation *valuation, int k)
{
    const struct date_states all = valuation_states(valuation, k);
    bool two = exercise_has_second(valuation->exercise);
    double room[3 * FIT_STATES_TWO];
    for (int a = 0; a < valuation->leaders; a++) {
        struct date_states states = all;
        if (valuation->leaders > 1) states = valuation_led(valuation, k, a, room);
        if (states.n < LED_STATES_LEAST) states = all;
        MUST(value_fit(states.n, states.f, states.g, states.averages, two,
                       &valuation->functions[k * valuation->leaders + a]));
    }
    return STATUS_OK;
}

enum status valuation_fit(struct valuation *valuation)
{
    const struct exercise *exercise = valuation->exercise;
    struct fit_work work = {valuation, exercise->n_dates - 2};
    valuation->draws.points = dimensions_of(exercise) == 1 ? FEW_POINTS / 2 : points_of(exercise);
    valuation->draws.group = exercise->group;
    MUST(known_make(valuation));
    MUST(valuation_blocks(valuation, valuation->known.blocks));
    team_loop(valuation->team, valuation->known.blocks, know_block, &work);
    if (asked_to_stop(valuation->stop)) return STATUS_INTERRUPTED;
    if (grid_possible(exercise)) MUST(grid_fit(valuation));
    for (; !grid_possible(exercise) && work.k >= 0; work.k--) {
        team_loop(valuation->team, valuation->known.blocks, gather_block, &work);
        if (asked_to_stop(valuation->stop)) return STATUS_INTERRUPTED;
        MUST(fit_date(valuation, work.k));
    }
    valuation->draws.points = points_of(exercise);
    return STATUS_OK;
}
