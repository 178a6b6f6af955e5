/* Compiled once for each row of walks.def, with WALK_FUNCTION set to the function's name. Every loop over
 * lanes is simple enough for the compiler to vectorise, and every operation is exact in the sense of exact.h,
 * so the builds differ in speed alone. */
#include "kernels/cpu/walk.h"

#include <string.h>

#include "kernels/cpu/normals_avx2.h"
#include "kernels/cpu/normals_avx512.h"
#include "kernels/tally_order.h"
#include "models/dynamics/dividend.h"
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "models/payoffs/products.h"
#include "models/payoffs/trade.h"

/* ---- random numbers ------------------------------------------------------------------------------ */

/* The words of one Philox block for WALK_LANES paths from first_path on. */
static void draw_words(uint64_t seed, uint64_t first_path, uint32_t stream, uint32_t block,
                       uint32_t (*words)[WALK_LANES])
{
    uint32_t path_low = (uint32_t)first_path, path_high = (uint32_t)(first_path >> 32);
    for (uint32_t l = 0; l < WALK_LANES; l++) {
        struct philox_words counter = {block, stream, path_low + l, path_high};
        struct philox_words w = philox4x32_10(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
        words[0][l] = w.word0;
        words[1][l] = w.word1;
        words[2][l] = w.word2;
        words[3][l] = w.word3;
    }
}

/* The four normals of one Philox block for WALK_LANES paths from first_path on (a multiple of WALK_LANES). */
static void draw_block(uint64_t seed, uint64_t first_path, uint32_t stream, uint32_t block,
                       float (*normals)[WALK_LANES])
{
#if defined PRICER_NORMALS_AVX512
    draw_block_avx512(seed, first_path, stream, block, WALK_LANES, &normals[0][0], WALK_LANES);
#elif defined PRICER_NORMALS_AVX2
    draw_block_avx2(seed, first_path, stream, block, WALK_LANES, &normals[0][0], WALK_LANES);
#else
    uint32_t words[WALK_DRAWS][WALK_LANES];
    draw_words(seed, first_path, stream, block, words);
    const uint32_t *flat = &words[0][0];
    float *out = &normals[0][0];
    for (int i = 0; i < WALK_DRAWS * WALK_LANES; i++) out[i] = normal_from_bits(flat[i], normal_cubic);
#endif
}

/* Normals of WALK_LANES words. */
static void normals_of_words(const uint32_t *words, float *normals)
{
#if defined PRICER_NORMALS_AVX512
    normals_from_bits_avx512(words, normals, WALK_LANES);
#elif defined PRICER_NORMALS_AVX2
    for (int l = 0; l < WALK_LANES; l += 8)
        _mm256_storeu_ps(normals + l, normals_avx2(_mm256_loadu_si256((const __m256i *)(words + l))));
#else
    for (int l = 0; l < WALK_LANES; l++) normals[l] = normal_from_bits(words[l], normal_cubic);
#endif
}

#include "kernels/cpu/points.h"

/* Of antithetic paths the later half of a chunk is drawn as the half before it and turned round. */
static bool turned(const struct plan *plan, uint64_t first_path)
{
    return plan->antithetic && (first_path & PAIR_PATHS);
}

/* The four normals of one Philox block of the paths' own. */
static void draw_normals(const struct plan *plan, uint64_t first_path, uint32_t stream, uint32_t block,
                         float (*normals)[WALK_LANES])
{
    bool turn = turned(plan, first_path);
    draw_block(plan->seed, turn ? first_path - PAIR_PATHS : first_path, stream, block, normals);
    float *z = &normals[0][0];
    for (int i = 0; turn && i < WALK_DRAWS * WALK_LANES; i++) z[i] = -z[i];
}

/* ---- touches ------------------------------------------------------------------------------------- */

/* Row `slot` of the lanes' state, which begins at `state`. */
#define SLOT(state, slot) ((state) + (size_t)(slot)*WALK_LANES)

/* What touches look at: the paths of their underlying, bridge normals, the observable that they read, the
 * group's table. */
struct sight {
    const double *path; /* rows of the underlying */
    const float *z0, *z1;
    const double *of;
    const float *table;
};

/* touch_<kind>() on every lane: `own` is the observable's first slot. */
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                                   \
    static void lanes_##name(const struct touch *touch, const struct sight *sight, double *own)              \
    {                                                                                                        \
        const struct touch t = *touch;                                                                       \
        const struct sight s = *sight;                                                                       \
        _Pragma("GCC ivdep") for (int l = 0; l < WALK_LANES; l++)                                            \
        {                                                                                                    \
            struct memory m = {0};                                                                           \
            m.a = own[l];                                                                                    \
            if (slots > 1) m.b = own[WALK_LANES + l];                                                        \
            if (slots > 2) m.c = own[2 * WALK_LANES + l];                                                    \
            if (slots > 3) m.d = own[3 * WALK_LANES + l];                                                    \
            if ((reads)&READS_OF) m.of_a = s.of[l], m.of_b = s.of[WALK_LANES + l];                           \
            if ((reads)&READS_CLOCK) m.clock = s.path[ROW_CLOCK * WALK_LANES + l];                           \
            if ((reads)&READS_VARIANCE) m.v = s.path[ROW_V * WALK_LANES + l];                                \
            if ((reads)&READS_TABLE) m.table = s.table;                                                      \
            touch_##name(&t, s.path[l], (double)s.z0[l], (double)s.z1[l], &m);                               \
            own[l] = m.a;                                                                                    \
            if (slots > 1) own[WALK_LANES + l] = m.b;                                                        \
            if (slots > 2) own[2 * WALK_LANES + l] = m.c;                                                    \
            if (slots > 3) own[3 * WALK_LANES + l] = m.d;                                                    \
        }                                                                                                    \
    }
#include "models/payoffs/observables.def"
#undef OBSERVABLE

typedef void lanes_function(const struct touch *, const struct sight *, double *);

static lanes_function *const lanes_touch[N_TOUCHES] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [TOUCH_##NAME] = lanes_##name,
#include "models/payoffs/observables.def"
#undef OBSERVABLE
};

/* ---- steps --------------------------------------------------------------------------------------- */

/* NAME_step() on every lane. Normals are [factor][WALK_DRAWS][WALK_LANES] from those of this step on, the
 * first of them in place of `first` where that is given (correlated with other assets). */
#define STEP_LANES(NAME, name, factors, FIRST)                                                               \
    _Pragma("GCC ivdep") for (int l = 0; l < WALK_LANES; l++)                                                \
    {                                                                                                        \
        struct path_state s = {path[l], 0.0, 0.0};                                                           \
        double z[factors];                                                                                   \
        z[0] = (double)FIRST[l];                                                                             \
        for (int f = 1; f < factors; f++) z[f] = (double)normals[f * WALK_DRAWS * WALK_LANES + l];           \
        if (HAS_V(NAME)) s.v = path[ROW_V * WALK_LANES + l];                                                 \
        if (HAS_CLOCK(NAME)) s.clock = path[ROW_CLOCK * WALK_LANES + l];                                     \
        name##_step(c, table, &s, z);                                                                        \
        path[l] = s.x;                                                                                       \
        if (HAS_V(NAME)) path[ROW_V * WALK_LANES + l] = s.v;                                                 \
        if (HAS_CLOCK(NAME)) path[ROW_CLOCK * WALK_LANES + l] = s.clock;                                     \
    }
#define HAS_V(NAME) (MODEL_##NAME == MODEL_HESTON || MODEL_##NAME == MODEL_BATES)
#define HAS_CLOCK(NAME) (MODEL_##NAME != MODEL_BLACK_SCHOLES)

#define MODEL(NAME, name, factors, coefficients)                                                             \
    static void step_##name(const double *of_step, const float *table, const double *first,                  \
                            const float *normals, double *path)                                              \
    {                                                                                                        \
        double c[coefficients];                                                                              \
        for (int i = 0; i < coefficients; i++) c[i] = of_step[i];                                            \
        if (first) {                                                                                         \
            STEP_LANES(NAME, name, factors, first)                                                           \
        } else {                                                                                             \
            STEP_LANES(NAME, name, factors, normals)                                                         \
        }                                                                                                    \
    }
#include "models/dynamics/models.def"
#undef MODEL

typedef void step_function(const double *, const float *, const double *, const float *, double *);

static step_function *const steps[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients) [MODEL_##NAME] = step_##name,
#include "models/dynamics/models.def"
#undef MODEL
};

/* Normals of one step's spot of underlying u, correlated with those before it. */
static void correlate(const struct group *group, int u, const float *normals, double *w)
{
    const double *loading = group->loadings + (size_t)u * (size_t)group->n_underlyings;
    for (int i = 0; i <= u; i++) {
        const float *z = normals + (size_t)group->underlyings[i].factor * WALK_DRAWS * WALK_LANES;
        double weight = loading[i];
        if (i == 0)
            for (int l = 0; l < WALK_LANES; l++) w[l] = weight * (double)z[l];
        else
            for (int l = 0; l < WALK_LANES; l++) w[l] = fma(weight, (double)z[l], w[l]);
    }
}

/* Step j of every underlying; `normals` are those of this step. */
static void step_lanes(const struct group *group, int j, const float *normals, double *paths)
{
    _Alignas(64) double w[WALK_LANES];
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *underlying = &group->underlyings[u];
        const double *c = group->coefficients + (size_t)j * (size_t)group->width + underlying->coefficient;
        bool alone = group->n_underlyings == 1;
        if (!alone) correlate(group, u, normals, w);
        steps[underlying->model](c, group->lookup.table, alone ? NULL : w,
                                 normals + (size_t)underlying->factor * WALK_DRAWS * WALK_LANES,
                                 SLOT(paths, PATH_ROWS * u));
    }
}

static void pay_dividend(const struct dividend *dividend, double *paths)
{
    double amount = dividend->amount, *x = SLOT(paths, PATH_ROWS * dividend->underlying);
    for (int l = 0; l < WALK_LANES; l++) x[l] = after_dividend(x[l], amount);
}

/* ---- paths --------------------------------------------------------------------------------------- */

static void begin_lanes(const struct group *group, struct walk_scratch *scratch)
{
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct path_state *start = &group->underlyings[u].start;
        double *path = SLOT(scratch->paths, PATH_ROWS * u);
        for (int l = 0; l < WALK_LANES; l++) {
            path[ROW_X * WALK_LANES + l] = start->x;
            path[ROW_V * WALK_LANES + l] = start->v;
            path[ROW_CLOCK * WALK_LANES + l] = start->clock;
        }
    }
    for (int s = 0; s < group->n_slots; s++)
        for (int l = 0; l < WALK_LANES; l++) SLOT(scratch->state, s)[l] = group->initial[s];
}

/* The words of the first factor of steps 4 block .. 4 block + 3 of an underlying. */
static void draw_step_words(const struct plan *plan, const struct group *group,
                            const struct underlying *underlying, uint64_t first_path, int block,
                            uint32_t (*words)[WALK_LANES])
{
    bool turn = turned(plan, first_path);
    int factor = factor_number(group, underlying, 0);
    for (int d = 0; plan->points && d < WALK_DRAWS; d++)
        point_words(plan, (WALK_DRAWS * block + d) * group->n_factors + factor, first_path, words[d]);
    if (plan->points) return;
    draw_words(plan->seed, turn ? first_path - PAIR_PATHS : first_path, factor_stream(underlying, 0),
               (uint32_t)block, words);
    uint32_t *word = &words[0][0];
    for (int i = 0; turn && i < WALK_DRAWS * WALK_LANES; i++) word[i] = ~word[i];
}

/* The indices of steps 4 block .. 4 block + 3 in the place of normals: historical.h. `before` are those of
 * the step before. */
static void draw_indices(const struct plan *plan, const struct group *group,
                         const struct underlying *underlying, uint64_t first_path, int block,
                         const float *before, float (*indices)[WALK_LANES])
{
    uint32_t words[WALK_DRAWS][WALK_LANES];
    bool drawn = false;
    for (int d = 0; d < WALK_DRAWS && WALK_DRAWS * block + d < group->n_steps; before = indices[d++]) {
        const double *c = group->coefficients + underlying->coefficient +
                          (size_t)(WALK_DRAWS * block + d) * (size_t)group->width;
        const float last = (float)c[HISTORICAL_LAST];
        float *index = indices[d];
        if (c[HISTORICAL_TURN] == HISTORICAL_START) {
            if (!drawn) draw_step_words(plan, group, underlying, first_path, block, words);
            drawn = true;
            for (int l = 0; l < WALK_LANES; l++) index[l] = historical_start(words[d][l], last);
        } else if (c[HISTORICAL_TURN] == HISTORICAL_NEXT) {
            for (int l = 0; l < WALK_LANES; l++) index[l] = historical_next(before[l], last);
        } else {
            for (int l = 0; l < WALK_LANES; l++) index[l] = before[l];
        }
    }
}

/* The normals of every step from Sobol points. */
static void draw_points(const struct plan *plan, const struct group *group, uint64_t first_path,
                        float *normals)
{
    int blocks = (group->n_steps + WALK_DRAWS - 1) / WALK_DRAWS;
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *underlying = &group->underlyings[u];
        const float *before = normals; /* none: the first step starts */
        for (int b = 0; draws_indices(underlying) && b < blocks; b++) {
            float *of_block = of_step(group, underlying->factor, b * WALK_DRAWS, normals);
            draw_indices(plan, group, underlying, first_path, b, before, (float(*)[WALK_LANES])of_block);
            before = of_block + (WALK_DRAWS - 1) * WALK_LANES;
        }
        for (int f = 0; !draws_indices(underlying) && f < model_factors(underlying->model); f++)
            bridge_factor(plan, group, first_path, underlying->factor + f, normals);
    }
}

/* The normals of steps 4 block .. 4 block + 3. */
static void draw_steps(const struct plan *plan, const struct group *group, uint64_t first_path, int block,
                       float *normals)
{
    for (int u = 0; u < group->n_underlyings; u++)
        for (int f = 0; f < model_factors(group->underlyings[u].model); f++) {
            float *of_factor = normals + (size_t)(group->underlyings[u].factor + f) * WALK_DRAWS * WALK_LANES;
            if (draws_indices(&group->underlyings[u])) {
                draw_indices(plan, group, &group->underlyings[u], first_path, block,
                             of_factor + (WALK_DRAWS - 1) * WALK_LANES, (float(*)[WALK_LANES])of_factor);
                continue;
            }
            draw_normals(plan, first_path, factor_stream(&group->underlyings[u], f), (uint32_t)block,
                         (float(*)[WALK_LANES])of_factor);
        }
}

/* Those of the steps from j on, a multiple of WALK_DRAWS, drawn unless they are there. */
static const float *normals_from(const struct plan *plan, const struct group *group, uint64_t first_path,
                                 int j, const struct walk_scratch *scratch)
{
    bool kept = plan->points || scratch->keeps_normals;
    float *normals = kept ? of_step(group, 0, j, scratch->normals) : scratch->normals;
    if (!plan->points && !scratch->has_normals) draw_steps(plan, group, first_path, j / WALK_DRAWS, normals);
    return normals;
}

/* Block `block` of the normals of bridges between dates. */
static void draw_bridges(const struct plan *plan, const struct group *group, uint64_t first_path,
                         uint32_t block, float (*bridges)[WALK_LANES])
{
    int dimension = group->n_steps * group->n_factors + WALK_DRAWS * (int)block;
    uint32_t stream = (uint32_t)group->underlyings[0].asset | BRIDGE_STREAM;
    for (int d = 0; plan->points && d < WALK_DRAWS; d++)
        point_normals(plan, dimension + d, first_path, bridges[d]);
    if (!plan->points) draw_normals(plan, first_path, stream, block, bridges);
}

/* Writes down what an exercise sees on the next of its dates. */
static void watch_lanes(const struct touch *touch, const struct sight *s, struct watched_exercise *watched)
{
    size_t at = (size_t)watched->date++ * watched->paths + watched->path;
    const struct touch t = *touch;
    for (int l = 0; l < WALK_LANES; l++) {
        struct memory m = {
            .of_a = s->of[l], .of_b = s->of[WALK_LANES + l], .v = s->path[ROW_V * WALK_LANES + l]};
        double second = exercise_second(&t, &m);
        if (t.on == TOUCH_EXERCISE_VARIANCE) second = exercise_variance_second(&t, &m);
        watched->f[at + (size_t)l] = (float)exercise_first(&t, &m);
        watched->g[at + (size_t)l] = (float)second;
    }
}

/* Walks WALK_LANES paths; column `column` of scratch->observed is the first of them. `watched` may be NULL.
 */
static void walk_lanes(const struct plan *plan, const struct group *group, uint64_t first_path, int column,
                       struct walk_scratch *scratch, struct watched_exercise *watched)
{
    _Alignas(64) float bridges[WALK_DRAWS][WALK_LANES];
    uint32_t bridge_block = UINT32_MAX;
    const float *normals = scratch->normals;
    int dividend = 0;
    begin_lanes(group, scratch);
    if (plan->points && !scratch->has_normals) draw_points(plan, group, first_path, scratch->normals);
    for (int j = 0; j < group->n_steps; j++) {
        if (walk_stopped(scratch)) return;
        if (j % WALK_DRAWS == 0) normals = normals_from(plan, group, first_path, j, scratch);
        step_lanes(group, j, normals + j % WALK_DRAWS * WALK_LANES, scratch->paths);
        for (; dividend < group->n_dividends && group->dividends[dividend].step == j; dividend++)
            pay_dividend(&group->dividends[dividend], scratch->paths);
        for (int i = group->first_touch[j]; i < group->first_touch[j + 1]; i++) {
            const struct touch *t = &group->touches[i];
            int pair = t->pair < 0 ? 0 : 2 * (t->pair % 2);
            if (t->pair >= 0 && (uint32_t)t->pair / 2 != bridge_block) {
                bridge_block = (uint32_t)t->pair / 2;
                draw_bridges(plan, group, first_path, bridge_block, bridges);
            }
            const float *drawn = t->pair < 0 ? scratch->normals : bridges[pair];
            struct sight sight = {SLOT(scratch->paths, PATH_ROWS * t->underlying), drawn, drawn + WALK_LANES,
                                  SLOT(scratch->state, t->of), group->lookup.table};
            if (watched && touch_is_exercise(t->on)) {
                if (t->slot == watched->slot) watch_lanes(t, &sight, watched);
                continue;
            }
            double *own = touch_in_row(t->on) ? scratch->observed + (size_t)t->slot * CHUNK_PATHS + column
                                              : SLOT(scratch->state, t->slot);
            lanes_touch[t->on](t, &sight, own);
        }
    }
    for (int r = 0; r < group->n_results; r++)
        for (int l = 0; l < WALK_LANES; l++)
            scratch->observed[(size_t)group->results[r].row * CHUNK_PATHS + (size_t)(column + l)] =
                SLOT(scratch->state, group->results[r].slot)[l];
}

/* ---- payoffs ------------------------------------------------------------------------------------- */

#define PAYOFF(NAME, name, required, optional)                                                               \
    static void values_##name(const struct payoff *payoff, const double *observed, double *values)           \
    {                                                                                                        \
        const struct payoff p = *payoff;                                                                     \
        const double *a = observed + (size_t)p.seen[0] * CHUNK_PATHS;                                        \
        const double *b = observed + (size_t)p.seen[1] * CHUNK_PATHS;                                        \
        const double *c = observed + (size_t)p.seen[2] * CHUNK_PATHS;                                        \
        _Pragma("GCC ivdep") for (int i = 0; i < CHUNK_PATHS; i++) values[i] =                               \
            name##_value(&p, a[i], b[i], c[i]);                                                              \
    }
#include "models/payoffs/formulas.def"
#undef PAYOFF

typedef void values_function(const struct payoff *, const double *, double *);

static values_function *const payoff_values[N_FORMULAS] = {
#define PAYOFF(NAME, name, required, optional) [FORMULA_##NAME] = values_##name,
#include "models/payoffs/formulas.def"
#undef PAYOFF
};

/* The tally of a chunk's n values: CHUNK_PATHS, or PAIR_PATHS. */
static struct tally tally_values(const double *values, int n)
{
    _Alignas(64) double sum[TALLY_LANES] = {0}, squares[TALLY_LANES] = {0};
    double centre = values[0];
    for (int r = 0; r < n / TALLY_LANES; r++)
        for (int l = 0; l < TALLY_LANES; l++) {
            struct tally_sums lane = {sum[l], squares[l]};
            lane = tally_sums_take(lane, values[r * TALLY_LANES + l], centre);
            sum[l] = lane.sum;
            squares[l] = lane.squares;
        }
    for (int half = TALLY_LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) {
            sum[l] += sum[l + half];
            squares[l] += squares[l + half];
        }
    return tally_of_sums((struct tally_sums){sum[0], squares[0]}, centre, n);
}

/* The tally of a chunk's values, of which antithetic ones become those of pairs. */
static struct tally tally_chunk(const struct plan *plan, const double *values)
{
    _Alignas(64) double pairs[PAIR_PATHS];
    if (!plan->antithetic) return tally_values(values, CHUNK_PATHS);
    for (int i = 0; i < PAIR_PATHS; i++) pairs[i] = tally_pair(values[i], values[PAIR_PATHS + i]);
    return tally_values(pairs, PAIR_PATHS);
}

/* ---- ladders ------------------------------------------------------------------------------------- */

/* A bin as one vector: its three additions are one instruction. */
typedef double bin_vector __attribute__((vector_size(sizeof(struct ladder_bin)), may_alias));

/* Adds the chunk's paths to the bins of one ladder: ladder_add() of {1, D, D^2}. */
static void fill_bins(const struct ladder *ladder, const double *observed, struct ladder_bin *bins)
{
    _Alignas(64) double spots[CHUNK_PATHS];
    _Alignas(64) int places[CHUNK_PATHS]; /* cells, then bins: ladder_bin_of() on every path */
    const double *x = observed + (size_t)ladder->row * CHUNK_PATHS;
    const struct ladder l = *ladder;
    for (int i = 0; i < CHUNK_PATHS; i++) spots[i] = path_exp2(x[i]);
    for (int i = 0; i < CHUNK_PATHS; i++) places[i] = l.first[ladder_cell(&l, x[i])];
    for (int d = 0; d < l.depth; d++)
        for (int i = 0; i < CHUNK_PATHS; i++) places[i] += spots[i] > l.strikes[places[i]];
    for (int i = 0; i < CHUNK_PATHS; i++) {
        double difference = spots[i] - l.centre;
        bin_vector *bin = (bin_vector *)&bins[places[i]];
        *bin += (bin_vector){1.0, difference, difference * difference, 0.0};
    }
}

/* Tallies of a ladder's payoffs over `paths` paths: puts and the like from the bins below their strikes, then
 * calls from those above, each added from the outermost bin inwards. */
static void tally_ladder(const struct ladder *ladder, const struct ladder_bin *bins,
                         struct ladder_bin *beyond, double paths, struct tally *tallies)
{
    for (int above = 0; above < 2; above++) {
        struct ladder_bin sums = {0};
        for (int i = 0; i < ladder->n_strikes; i++) { /* beyond[strike] */
            int strike = above ? ladder->n_strikes - 1 - i : i;
            sums = ladder_add(sums, bins[above ? strike + 1 : strike]);
            beyond[strike] = sums;
        }
        for (int p = 0; p < ladder->n_payoffs; p++)
            if (ladder->payoffs[p].above == above)
                tallies[p] = ladder_tally(ladder->payoffs[p], beyond[ladder->payoffs[p].strike], paths);
    }
}

/* Adds the bins of the last chunks to those of the batch and empties them. */
static void close_stretch(const struct group *group, struct ladder_bin *bins)
{
    int n = group_bins(group);
    bin_vector *batch = (bin_vector *)bins, *stretch = (bin_vector *)(bins + n);
    for (int b = 0; b < n; b++) {
        batch[b] += stretch[b];
        stretch[b] = (bin_vector){0};
    }
}

static void tally_ladders(const struct group *group, struct walk_scratch *scratch, double paths,
                          struct tally *tallies)
{
    struct ladder_bin *bins = scratch->bins;
    for (int l = 0; l < group->n_ladders; l++) {
        const struct ladder *ladder = &group->ladders[l];
        tally_ladder(ladder, bins, scratch->bins + 2 * group_bins(group), paths,
                     tallies + ladder->first_payoff);
        bins += ladder->n_strikes + 1;
    }
}

/* ---- batches ------------------------------------------------------------------------------------- */

static void walk_chunk(const struct plan *plan, const struct group *group, uint64_t chunk,
                       struct walk_scratch *scratch, struct tally *tallies)
{
    _Alignas(64) double values[CHUNK_PATHS];
    struct ladder_bin *bins = scratch->bins + group_bins(group);
    for (int column = 0; column < CHUNK_PATHS; column += WALK_LANES)
        walk_lanes(plan, group, plan->first_path + chunk * CHUNK_PATHS + (uint64_t)column, column, scratch,
                   NULL);
    if (walk_stopped(scratch)) return;
    for (int p = 0; p < group->n_single; p++) {
        payoff_values[group->payoffs[p].formula](&group->payoffs[p], scratch->observed, values);
        tallies[p] = tally_merge(tallies[p], tally_chunk(plan, values));
    }
    for (int l = 0; l < group->n_ladders; l++) {
        fill_bins(&group->ladders[l], scratch->observed, bins);
        bins += group->ladders[l].n_strikes + 1;
    }
}

void WALK_FUNCTION(const struct plan *plan, const struct group *group, uint64_t batch,
                   struct walk_scratch *scratch, struct tally *tallies)
{
    int chunks = plan_batch_chunks(plan, batch);
    for (int p = 0; p < group->n_payoffs; p++) tallies[p] = (struct tally){0};
    for (int b = 0; b < 2 * group_bins(group); b++) scratch->bins[b] = (struct ladder_bin){0};
    for (int c = 0; c < chunks; c++) {
        walk_chunk(plan, group, batch * BATCH_CHUNKS + (uint64_t)c, scratch, tallies);
        if ((c + 1) % LADDER_CHUNKS == 0 || c + 1 == chunks) close_stretch(group, scratch->bins);
    }
    tally_ladders(group, scratch, (double)chunks * CHUNK_PATHS, tallies);
}

#define JOINED(a, b) a##b

/* ---- bundles ------------------------------------------------------------------------------------- */

/* WALK_LANES paths of every group of a bundle, each into rows of its own; those alike on one draw. */
static void walk_bundle_lanes(const struct plan *plan, const struct group *groups, uint64_t first_path,
                              int column, const struct walk_scratch *scratch)
{
    struct walk_scratch own = *scratch;
    for (int s = 0; s < plan->n_scenarios; s++) {
        if (groups[s].alike) own.keeps_normals = keeps_normals(&groups[s]);
        own.has_normals = own.keeps_normals && !groups[s].alike;
        walk_lanes(plan, &groups[s], first_path, column, &own, NULL);
        own.observed += (size_t)groups[s].n_rows * CHUNK_PATHS;
    }
}

/* The measure of each path from its values [scenario][CHUNK_PATHS]. */
static void measure_values(const struct measure *measure, const double (*values)[CHUNK_PATHS],
                           double *measured)
{
    for (int t = 0; t < measure->n_terms; t++) {
        double weight = measure->terms[t].weight;
        const double *of = values[measure->terms[t].scenario];
        if (t == 0)
            for (int i = 0; i < CHUNK_PATHS; i++) measured[i] = weight * of[i];
        else
            for (int i = 0; i < CHUNK_PATHS; i++) measured[i] = fma(weight, of[i], measured[i]);
    }
}

static void tally_bundle(const struct plan *plan, const struct group *groups, const double *observed,
                         struct tally *tallies, double *means)
{
    _Alignas(64) double values[MARKETS_MAX][CHUNK_PATHS], measured[CHUNK_PATHS];
    int n = groups->n_payoffs;
    for (int p = 0; p < n; p++) {
        const double *rows = observed;
        struct tally *to = tallies + p;
        for (int s = 0; s < plan->n_scenarios; s++) {
            const struct payoff *payoff = &groups[s].payoffs[p];
            payoff_values[payoff->formula](payoff, rows, values[s]);
            rows += (size_t)groups[s].n_rows * CHUNK_PATHS;
        }
        for (int m = 0; m < plan->n_measures; m++, to += n) {
            measure_values(&plan->measures[m], (const double(*)[CHUNK_PATHS])values, measured);
            struct tally chunk = tally_values(measured, CHUNK_PATHS);
            *to = tally_merge(*to, chunk);
            means[(size_t)m * (size_t)n + (size_t)p] = chunk.mean;
        }
    }
}

#define BUNDLE(function) JOINED(function, _bundle)

void BUNDLE(WALK_FUNCTION)(const struct plan *plan, int first, uint64_t batch, struct walk_scratch *scratch,
                           struct tally *tallies, double *means)
{
    const struct group *groups = &plan->groups[first];
    size_t n = bundle_tallies(plan, first), measured = (size_t)plan->n_measures * (size_t)groups->n_payoffs;
    int chunks = plan_batch_chunks(plan, batch);
    for (size_t i = 0; i < n; i++) tallies[i] = (struct tally){0};
    for (int c = 0; c < chunks; c++) {
        uint64_t path = plan->first_path + (batch * BATCH_CHUNKS + (uint64_t)c) * CHUNK_PATHS;
        for (int column = 0; column < CHUNK_PATHS; column += WALK_LANES)
            walk_bundle_lanes(plan, groups, path + (uint64_t)column, column, scratch);
        if (walk_stopped(scratch)) return;
        tally_bundle(plan, groups, scratch->observed, tallies, means + (size_t)c * measured);
    }
}

/* ---- what an exercise sees ----------------------------------------------------------------------- */

#define WATCHING(function) JOINED(function, _watching)

void WATCHING(WALK_FUNCTION)(const struct plan *plan, const struct group *group, uint64_t chunk,
                             struct walk_scratch *scratch, struct watched_exercise *watched)
{
    for (int column = 0; column < CHUNK_PATHS; column += WALK_LANES) {
        watched->date = 0;
        watched->path = (size_t)chunk * CHUNK_PATHS + (size_t)column;
        walk_lanes(plan, group, watched->path, column, scratch, watched);
    }
}

/* ---- one step, from given states by given words (kernels/exercise_upper.h) ----------------------- */

/* What an exercise that is touched by `t` in step j sees: first what it reads, asset after asset. */
static void see_lanes(const struct group *group, int j, const struct touch *t, struct walk_scratch *scratch,
                      double *f, double *g)
{
    const float *drawn = scratch->normals; /* looked at by none of these */
    struct sight sight = {.z0 = drawn, .z1 = drawn, .table = group->lookup.table};
    for (int i = group->first_touch[j]; i < group->first_touch[j + 1]; i++) {
        const struct touch *part = &group->touches[i];
        if (touch_in_row(part->on) || part->slot != t->of) continue;
        sight.path = SLOT(scratch->paths, PATH_ROWS * part->underlying);
        sight.of = SLOT(scratch->state, part->of);
        lanes_touch[part->on](part, &sight, SLOT(scratch->state, part->slot));
    }
    const double *of = SLOT(scratch->state, t->of);
    const double *v = SLOT(scratch->paths, PATH_ROWS * t->underlying) + ROW_V * WALK_LANES;
    const struct touch seen = *t;
    for (int l = 0; l < WALK_LANES; l++) {
        struct memory m = {.of_a = of[l], .of_b = of[WALK_LANES + l], .v = v[l]};
        f[l] = exercise_first(&seen, &m);
        g[l] = exercise_second(&seen, &m);
        if (seen.on == TOUCH_EXERCISE_VARIANCE) g[l] = exercise_variance_second(&seen, &m);
    }
}

#define ONE_STEP(function) JOINED(function, _one_step)

void ONE_STEP(WALK_FUNCTION)(const struct group *group, int step, const uint32_t *words, int slot,
                             struct walk_scratch *scratch, double *f, double *g)
{
    for (int k = 0; k < group->n_factors; k++)
        normals_of_words(words + (size_t)k * WALK_LANES,
                         scratch->normals + (size_t)k * WALK_DRAWS * WALK_LANES);
    step_lanes(group, step, scratch->normals, scratch->paths);
    for (int d = 0; d < group->n_dividends; d++)
        if (group->dividends[d].step == step) pay_dividend(&group->dividends[d], scratch->paths);
    for (int i = group->first_touch[step]; f && i < group->first_touch[step + 1]; i++) {
        const struct touch *t = &group->touches[i];
        if (touch_is_exercise(t->on) && t->slot == slot) see_lanes(group, step, t, scratch, f, g);
    }
}
