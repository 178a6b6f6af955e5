/* Compiled once for each row of builds.def, with SIMULATE_FUNCTION set to the function's name.
 * Every loop over lanes is simple enough for the compiler to vectorise, and every operation is
 * exact in the sense of exact.h, so the builds differ in speed alone. */
#include "kernels/cpu/simulate.h"

#include <string.h>

#include "kernels/cpu/normals_avx2.h"
#include "kernels/cpu/normals_avx512.h"
#include "kernels/tally_order.h"
#include "models/dynamics/dividend.h"
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "models/payoffs/products.h"
#include "models/payoffs/trade.h"

/* ---- random numbers -------------------------------------------------------------------------- */

/* Draws the words of one Philox block for PATH_LANES paths from first_path on. */
static void draw_words(uint64_t seed, uint64_t first_path, uint32_t stream, uint32_t block,
                       uint32_t (*words)[PATH_LANES])
{
    uint32_t path_low = (uint32_t)first_path, path_high = (uint32_t)(first_path >> 32);
    for (uint32_t l = 0; l < PATH_LANES; l++) {
        struct philox_words counter = {block, stream, path_low + l, path_high};
        struct philox_words w = philox4x32_10(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
        words[0][l] = w.word0;
        words[1][l] = w.word1;
        words[2][l] = w.word2;
        words[3][l] = w.word3;
    }
}

/* Draws the four normals of one Philox block for PATH_LANES paths from first_path on (a multiple of
 * PATH_LANES). */
static void draw_block(uint64_t seed, uint64_t first_path, uint32_t stream, uint32_t block,
                       float (*normals)[PATH_LANES])
{
#if defined PRICER_NORMALS_AVX512
    draw_block_avx512(seed, first_path, stream, block, PATH_LANES, &normals[0][0], PATH_LANES);
#elif defined PRICER_NORMALS_AVX2
    draw_block_avx2(seed, first_path, stream, block, PATH_LANES, &normals[0][0], PATH_LANES);
#else
    uint32_t words[PATH_DRAWS][PATH_LANES];
    draw_words(seed, first_path, stream, block, words);
    const uint32_t *flat = &words[0][0];
    float *out = &normals[0][0];
    for (int i = 0; i < PATH_DRAWS * PATH_LANES; i++)
        out[i] = normal_from_bits(flat[i], normal_cubic);
#endif
}

/* Makes normals of PATH_LANES words. */
static void normals_of_words(const uint32_t *words, float *normals)
{
#if defined PRICER_NORMALS_AVX512
    normals_from_bits_avx512(words, normals, PATH_LANES);
#elif defined PRICER_NORMALS_AVX2
    for (int l = 0; l < PATH_LANES; l += 8)
        _mm256_storeu_ps(normals + l,
                         normals_avx2(_mm256_loadu_si256((const __m256i *)(words + l))));
#else
    for (int l = 0; l < PATH_LANES; l++) normals[l] = normal_from_bits(words[l], normal_cubic);
#endif
}

#include "kernels/cpu/sobol_lanes.h"

/* Tells whether the paths have the normals of the half before them, turned round: of antithetic
 * paths the later half of a chunk has. */
static bool turned(const struct plan *plan, uint64_t first_path)
{
    return plan->antithetic && (first_path & PAIR_PATHS);
}

/* Draws the four normals of one Philox block of the paths' own. */
static void draw_normals(const struct plan *plan, uint64_t first_path, uint32_t stream,
                         uint32_t block, float (*normals)[PATH_LANES])
{
    bool turn = turned(plan, first_path);
    draw_block(plan->seed, turn ? first_path - PAIR_PATHS : first_path, stream, block, normals);
    float *z = &normals[0][0];
    for (int i = 0; turn && i < PATH_DRAWS * PATH_LANES; i++) z[i] = -z[i];
}

/* ---- observations ---------------------------------------------------------------------------- */

/* Row `slot` of the lanes' state, which begins at `state`. */
#define SLOT(state, slot) ((state) + (size_t)(slot)*PATH_LANES)

/* What observations look at: the paths of their underlying, bridge normals, the observable that
 * they read, the group's table. */
struct observation_inputs {
    const double *path; /* rows of the underlying */
    const float *z0, *z1;
    const double *source;
    const float *table;
};

/* observe_<kind>() on every lane: `own` is the observable's first slot. */
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                         \
    static void lanes_##name(const struct observation *observation,                                \
                             const struct observation_inputs *inputs, double *own)                 \
    {                                                                                              \
        const struct observation t = *observation;                                                 \
        const struct observation_inputs s = *inputs;                                               \
        _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)                                  \
        {                                                                                          \
            struct memory m = {0};                                                                 \
            m.a = own[l];                                                                          \
            if (slots > 1) m.b = own[PATH_LANES + l];                                              \
            if (slots > 2) m.c = own[2 * PATH_LANES + l];                                          \
            if (slots > 3) m.d = own[3 * PATH_LANES + l];                                          \
            if ((reads)&READS_SOURCE)                                                              \
                m.source_a = s.source[l], m.source_b = s.source[PATH_LANES + l];                   \
            if ((reads)&READS_CLOCK) m.clock = s.path[ROW_CLOCK * PATH_LANES + l];                 \
            if ((reads)&READS_VARIANCE) m.v = s.path[ROW_V * PATH_LANES + l];                      \
            if ((reads)&READS_TABLE) m.table = s.table;                                            \
            observe_##name(&t, s.path[l], (double)s.z0[l], (double)s.z1[l], &m);                   \
            own[l] = m.a;                                                                          \
            if (slots > 1) own[PATH_LANES + l] = m.b;                                              \
            if (slots > 2) own[2 * PATH_LANES + l] = m.c;                                          \
            if (slots > 3) own[3 * PATH_LANES + l] = m.d;                                          \
        }                                                                                          \
    }
#include "models/observables/observables.def"
#undef OBSERVABLE

typedef void lanes_function(const struct observation *, const struct observation_inputs *,
                            double *);

static lanes_function *const observe_lanes[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [OBSERVATION_##NAME] = lanes_##name,
#include "models/observables/observables.def"
#undef OBSERVABLE
};

/* ---- steps ----------------------------------------------------------------------------------- */

/* Chooses, under Heston's quadratic-exponential scheme, its shorter form where all lanes allow it.
 */
static void look_ahead(const double *v, double *c)
{
    if (heston_float(c, HESTON_SCHEME) != (float)HESTON_QUADRATIC_EXPONENTIAL) return;
    int all = 1;
    for (int l = 0; l < PATH_LANES; l++) all &= heston_moments_of(c, (float)v[l]).quadratic;
    if (all) set_float_of_pairs(c + HESTON_PAIRS, HESTON_SCHEME, HESTON_QUADRATIC);
}

/* NAME_step() on every lane. Normals are [factor][PATH_DRAWS][PATH_LANES] from those of this step
 * on, the first of them in place of `first` where that is given (correlated with other assets). */
#define STEP_LANES(traits, name, factors, FIRST)                                                   \
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)                                      \
    {                                                                                              \
        struct path_state s = {path[l], 0.0, 0.0};                                                 \
        double z[factors];                                                                         \
        z[0] = (double)FIRST[l];                                                                   \
        for (int f = 1; f < factors; f++) z[f] = (double)normals[f * PATH_DRAWS * PATH_LANES + l]; \
        if ((traits)&REMEMBERS_VARIANCE) s.v = path[ROW_V * PATH_LANES + l];                       \
        if (keeps) s.clock = path[ROW_CLOCK * PATH_LANES + l];                                     \
        name##_step(c, table, &s, z);                                                              \
        path[l] = s.x;                                                                             \
        if ((traits)&REMEMBERS_VARIANCE) path[ROW_V * PATH_LANES + l] = s.v;                       \
        if (keeps) path[ROW_CLOCK * PATH_LANES + l] = s.clock;                                     \
    }

#define MODEL(NAME, name, factors, coefficients, traits, ...)                                      \
    static void step_##name(const double *of_step, const float *table, const double *first,        \
                            const float *normals, bool clocked, double *path)                      \
    {                                                                                              \
        const bool keeps = ((traits)&REMEMBERS_CLOCK) && clocked;                                  \
        double c[coefficients];                                                                    \
        for (int i = 0; i < coefficients; i++) c[i] = of_step[i];                                  \
        if ((traits)&REMEMBERS_VARIANCE) look_ahead(path + ROW_V * PATH_LANES, c);                 \
        if (first) {                                                                               \
            STEP_LANES(traits, name, factors, first)                                               \
        } else {                                                                                   \
            STEP_LANES(traits, name, factors, normals)                                             \
        }                                                                                          \
    }
#include "models/dynamics/models.def"
#undef MODEL

typedef void step_function(const double *, const float *, const double *, const float *, bool,
                           double *);

static step_function *const steps[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients, ...) [MODEL_##NAME] = step_##name,
#include "models/dynamics/models.def"
#undef MODEL
};

/* Makes the normals of one step's spot of underlying u, correlated with those before it. */
static void correlate(const struct group *group, int u, const float *normals, double *w)
{
    const double *loading = group->loadings + (size_t)u * (size_t)group->n_underlyings;
    for (int i = 0; i <= u; i++) {
        const float *z = normals + (size_t)group->underlyings[i].factor * PATH_DRAWS * PATH_LANES;
        double weight = loading[i];
        if (i == 0)
            for (int l = 0; l < PATH_LANES; l++) w[l] = weight * (double)z[l];
        else
            for (int l = 0; l < PATH_LANES; l++) w[l] = fma(weight, (double)z[l], w[l]);
    }
}

/* Takes step j of every underlying but those that are `still`, if any; `normals` are those of this
 * step. Clocks run where something reads them. */
static void step_lanes(const struct group *group, int j, const float *normals, bool clocked,
                       const bool *still, double *paths)
{
    _Alignas(64) double w[PATH_LANES];
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *underlying = &group->underlyings[u];
        const double *c =
            group->coefficients + (size_t)j * (size_t)group->width + underlying->coefficient;
        bool alone = group->n_underlyings == 1;
        if (still && still[u]) continue;
        if (!alone) correlate(group, u, normals, w);
        steps[underlying->model](c, group->lookup.table, alone ? NULL : w,
                                 normals + (size_t)underlying->factor * PATH_DRAWS * PATH_LANES,
                                 clocked, SLOT(paths, PATH_ROWS * u));
    }
}

static void pay_dividend(const struct dividend *dividend, double *paths)
{
    double amount = dividend->amount, *x = SLOT(paths, PATH_ROWS * dividend->underlying);
    for (int l = 0; l < PATH_LANES; l++) x[l] = after_dividend(x[l], amount);
}

/* Tells whether an observation of the group reads its underlying's clock. */
static bool reads_clock(const struct group *group)
{
    static const bool of_kind[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                         \
    [OBSERVATION_##NAME] = ((reads)&READS_CLOCK) != 0,
#include "models/observables/observables.def"
#undef OBSERVABLE
    };
    for (int i = 0; i < group->n_observations; i++)
        if (of_kind[group->observations[i].kind]) return true;
    return false;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void begin_lanes(const struct group *group, struct path_scratch *scratch)
{
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct path_state *start = &group->underlyings[u].start;
        double *path = SLOT(scratch->paths, PATH_ROWS * u);
        for (int l = 0; l < PATH_LANES; l++) {
            path[ROW_X * PATH_LANES + l] = start->x;
            path[ROW_V * PATH_LANES + l] = start->v;
            path[ROW_CLOCK * PATH_LANES + l] = start->clock;
        }
    }
    for (int s = 0; s < group->n_slots; s++)
        for (int l = 0; l < PATH_LANES; l++) SLOT(scratch->state, s)[l] = group->initial[s];
}

/* Draws the words of the first factor of steps 4 block .. 4 block + 3 of an underlying. */
static void draw_step_words(const struct plan *plan, const struct group *group,
                            const struct underlying *underlying, uint64_t first_path, int block,
                            uint32_t (*words)[PATH_LANES])
{
    bool turn = turned(plan, first_path);
    int factor = factor_number(group, underlying, 0);
    for (int d = 0; plan->points && d < PATH_DRAWS; d++)
        point_words(plan, (PATH_DRAWS * block + d) * group->n_factors + factor, first_path,
                    words[d]);
    if (plan->points) return;
    draw_words(plan->seed, turn ? first_path - PAIR_PATHS : first_path,
               factor_stream(underlying, 0), (uint32_t)block, words);
    uint32_t *word = &words[0][0];
    for (int i = 0; turn && i < PATH_DRAWS * PATH_LANES; i++) word[i] = ~word[i];
}

/* Draws the indices of steps 4 block .. 4 block + 3 in the place of normals: historical.h. `before`
 * are those of the step before. */
static void draw_indices(const struct plan *plan, const struct group *group,
                         const struct underlying *underlying, uint64_t first_path, int block,
                         const float *before, float (*indices)[PATH_LANES])
{
    uint32_t words[PATH_DRAWS][PATH_LANES];
    bool drawn = false;
    for (int d = 0; d < PATH_DRAWS && PATH_DRAWS * block + d < group->n_steps;
         before = indices[d++]) {
        const double *c = group->coefficients + underlying->coefficient +
                          (size_t)(PATH_DRAWS * block + d) * (size_t)group->width;
        const float last = (float)c[HISTORICAL_LAST];
        float *index = indices[d];
        if (c[HISTORICAL_TURN] == HISTORICAL_START) {
            if (!drawn) draw_step_words(plan, group, underlying, first_path, block, words);
            drawn = true;
            for (int l = 0; l < PATH_LANES; l++) index[l] = historical_start(words[d][l], last);
        } else if (c[HISTORICAL_TURN] == HISTORICAL_NEXT) {
            for (int l = 0; l < PATH_LANES; l++) index[l] = historical_next(before[l], last);
        } else {
            for (int l = 0; l < PATH_LANES; l++) index[l] = before[l];
        }
    }
}

/* Draws the normals of every step from Sobol points. */
static void draw_points(const struct plan *plan, const struct group *group, uint64_t first_path,
                        float *normals)
{
    int blocks = (group->n_steps + PATH_DRAWS - 1) / PATH_DRAWS;
    for (int u = 0; u < group->n_underlyings; u++) {
        const struct underlying *underlying = &group->underlyings[u];
        const float *before = normals; /* none: the first step starts */
        for (int b = 0; draws_indices(underlying) && b < blocks; b++) {
            float *of_block = of_step(group, underlying->factor, b * PATH_DRAWS, normals);
            draw_indices(plan, group, underlying, first_path, b, before,
                         (float(*)[PATH_LANES])of_block);
            before = of_block + (PATH_DRAWS - 1) * PATH_LANES;
        }
        for (int f = 0; !draws_indices(underlying) && f < model_factors(underlying->model); f++)
            bridge_factor(plan, group, first_path, underlying->factor + f, normals);
    }
}

/* Draws the normals of steps 4 block .. 4 block + 3. */
static void draw_steps(const struct plan *plan, const struct group *group, uint64_t first_path,
                       int block, float *normals)
{
    for (int u = 0; u < group->n_underlyings; u++)
        for (int f = 0; f < model_factors(group->underlyings[u].model); f++) {
            float *of_factor =
                normals + (size_t)(group->underlyings[u].factor + f) * PATH_DRAWS * PATH_LANES;
            if (draws_indices(&group->underlyings[u])) {
                draw_indices(plan, group, &group->underlyings[u], first_path, block,
                             of_factor + (PATH_DRAWS - 1) * PATH_LANES,
                             (float(*)[PATH_LANES])of_factor);
                continue;
            }
            draw_normals(plan, first_path, factor_stream(&group->underlyings[u], f),
                         (uint32_t)block, (float(*)[PATH_LANES])of_factor);
        }
}

/* Returns the normals of the steps from j on, a multiple of PATH_DRAWS, and draws them unless they
 * are there. */
static const float *normals_from(const struct plan *plan, const struct group *group,
                                 uint64_t first_path, int j, const struct path_scratch *scratch)
{
    bool kept = plan->points || scratch->keeps_normals;
    float *normals = kept ? of_step(group, 0, j, scratch->normals) : scratch->normals;
    if (!plan->points && !scratch->has_normals)
        draw_steps(plan, group, first_path, j / PATH_DRAWS, normals);
    return normals;
}

/* Draws block `block` of the normals of bridges between dates. */
static void draw_bridges(const struct plan *plan, const struct group *group, uint64_t first_path,
                         uint32_t block, float (*bridges)[PATH_LANES])
{
    int dimension = group->n_steps * group->n_factors + PATH_DRAWS * (int)block;
    uint32_t stream = (uint32_t)group->underlyings[0].asset | BRIDGE_STREAM;
    for (int d = 0; plan->points && d < PATH_DRAWS; d++)
        point_normals(plan, dimension + d, first_path, bridges[d]);
    if (!plan->points) draw_normals(plan, first_path, stream, block, bridges);
}

/* Simulates PATH_LANES paths; column `column` of scratch->observed is the first of them. */
static void simulate_lanes(const struct plan *plan, const struct group *group, uint64_t first_path,
                           int column, struct path_scratch *scratch)
{
    _Alignas(64) float bridges[PATH_DRAWS][PATH_LANES];
    uint32_t bridge_block = UINT32_MAX;
    const float *normals = scratch->normals;
    int dividend = 0;
    const bool clocked = reads_clock(group);
    begin_lanes(group, scratch);
    if (plan->points && !scratch->has_normals)
        draw_points(plan, group, first_path, scratch->normals);
    for (int j = 0; j < group->n_steps; j++) {
        if (simulation_stopped(scratch)) return;
        if (j % PATH_DRAWS == 0) normals = normals_from(plan, group, first_path, j, scratch);
        step_lanes(group, j, normals + j % PATH_DRAWS * PATH_LANES, clocked, NULL, scratch->paths);
        for (; dividend < group->n_dividends && group->dividends[dividend].step == j; dividend++)
            pay_dividend(&group->dividends[dividend], scratch->paths);
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
            const struct observation *t = &group->observations[i];
            int pair = t->pair < 0 ? 0 : 2 * (t->pair % 2);
            if (t->pair >= 0 && (uint32_t)t->pair / 2 != bridge_block) {
                bridge_block = (uint32_t)t->pair / 2;
                draw_bridges(plan, group, first_path, bridge_block, bridges);
            }
            const float *drawn = t->pair < 0 ? scratch->normals : bridges[pair];
            struct observation_inputs inputs = {
                SLOT(scratch->paths, PATH_ROWS * t->underlying), drawn, drawn + PATH_LANES,
                SLOT(scratch->state, t->source), group->lookup.table};
            double *own = observation_in_row(t->kind)
                              ? scratch->observed + (size_t)t->slot * CHUNK_PATHS + column
                              : SLOT(scratch->state, t->slot);
            observe_lanes[t->kind](t, &inputs, own);
        }
    }
    for (int r = 0; r < group->n_results; r++)
        for (int l = 0; l < PATH_LANES; l++)
            scratch->observed[(size_t)group->results[r].row * CHUNK_PATHS + (size_t)(column + l)] =
                SLOT(scratch->state, group->results[r].slot)[l];
}

/* ---- payoffs --------------------------------------------------------------------------------- */

#define PAYOFF(NAME, name, ...)                                                                    \
    static void values_##name(const struct payoff *payoff, const double *observed, double *values) \
    {                                                                                              \
        const struct payoff p = *payoff;                                                           \
        const double *a = observed + (size_t)p.rows[0] * CHUNK_PATHS;                              \
        const double *b = observed + (size_t)p.rows[1] * CHUNK_PATHS;                              \
        const double *c = observed + (size_t)p.rows[2] * CHUNK_PATHS;                              \
        _Pragma("GCC ivdep") for (int i = 0; i < CHUNK_PATHS; i++) values[i] =                     \
            name##_value(&p, a[i], b[i], c[i]);                                                    \
    }
#include "models/payoffs/formulas.def"
#undef PAYOFF

typedef void values_function(const struct payoff *, const double *, double *);

static values_function *const payoff_values[N_FORMULAS] = {
#define PAYOFF(NAME, name, ...) [FORMULA_##NAME] = values_##name,
#include "models/payoffs/formulas.def"
#undef PAYOFF
};

/* Returns the tally of a chunk's n values: CHUNK_PATHS, or PAIR_PATHS. */
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

/* Returns the tally of a chunk's values, of which antithetic ones become those of pairs. */
static struct tally tally_chunk(const struct plan *plan, const double *values)
{
    _Alignas(64) double pairs[PAIR_PATHS];
    if (!plan->antithetic) return tally_values(values, CHUNK_PATHS);
    for (int i = 0; i < PAIR_PATHS; i++) pairs[i] = tally_pair(values[i], values[PAIR_PATHS + i]);
    return tally_values(pairs, PAIR_PATHS);
}

/* ---- strike strips --------------------------------------------------------------------------- */

/* A bin as one vector: its three additions are one instruction. */
typedef double bin_vector __attribute__((vector_size(sizeof(struct strike_bin)), may_alias));

/* Adds the chunk's paths to the bins of one strike strip: strike_bin_add() of {1, D, D^2}. */
static void fill_bins(const struct strike_strip *strip, const double *observed,
                      struct strike_bin *bins)
{
    _Alignas(64) double spots[CHUNK_PATHS];
    _Alignas(64) int bin_of_path[CHUNK_PATHS]; /* cells, then bins: strike_bin_of() on every path */
    const double *x = observed + (size_t)strip->row * CHUNK_PATHS;
    const struct strike_strip l = *strip;
    for (int i = 0; i < CHUNK_PATHS; i++) spots[i] = path_exp2(x[i]);
    for (int i = 0; i < CHUNK_PATHS; i++) bin_of_path[i] = l.first[strip_cell(&l, x[i])];
    for (int d = 0; d < l.depth; d++)
        for (int i = 0; i < CHUNK_PATHS; i++)
            bin_of_path[i] += spots[i] > l.strikes[bin_of_path[i]];
    for (int i = 0; i < CHUNK_PATHS; i++) {
        double difference = spots[i] - l.centre;
        bin_vector *bin = (bin_vector *)&bins[bin_of_path[i]];
        *bin += (bin_vector){1.0, difference, difference * difference, 0.0};
    }
}

/* Tallies of a strip's payoffs over `paths` paths: puts and the like from the bins below their
 * strikes, then calls from those above, each added from the outermost bin inwards. */
static void tally_strip(const struct strike_strip *strip, const struct strike_bin *bins,
                        struct strike_bin *beyond, double paths, struct tally *tallies)
{
    for (int above = 0; above < 2; above++) {
        struct strike_bin sums = {0};
        for (int i = 0; i < strip->n_strikes; i++) { /* beyond[strike] */
            int strike = above ? strip->n_strikes - 1 - i : i;
            sums = strike_bin_add(sums, bins[above ? strike + 1 : strike]);
            beyond[strike] = sums;
        }
        for (int p = 0; p < strip->n_payoffs; p++)
            if (strip->payoffs[p].above == above)
                tallies[p] =
                    strip_tally(strip->payoffs[p], beyond[strip->payoffs[p].strike], paths);
    }
}

/* Adds the bins of the last chunks to those of the batch and empties them. */
static void close_tile(const struct group *group, struct strike_bin *bins)
{
    int n = group_bins(group);
    bin_vector *batch = (bin_vector *)bins, *tile = (bin_vector *)(bins + n);
    for (int b = 0; b < n; b++) {
        batch[b] += tile[b];
        tile[b] = (bin_vector){0};
    }
}

static void tally_strips(const struct group *group, struct path_scratch *scratch, double paths,
                         struct tally *tallies)
{
    struct strike_bin *bins = scratch->bins;
    for (int l = 0; l < group->n_strips; l++) {
        const struct strike_strip *strip = &group->strips[l];
        tally_strip(strip, bins, scratch->bins + 2 * group_bins(group), paths,
                    tallies + strip->first_payoff);
        bins += strip->n_strikes + 1;
    }
}

/* ---- batches --------------------------------------------------------------------------------- */

#define JOINED(a, b) a##b
#define ROWS(function) JOINED(function, _rows)

void ROWS(SIMULATE_FUNCTION)(const struct plan *plan, const struct group *group, uint64_t chunk,
                             struct path_scratch *scratch)
{
    uint64_t first_path = plan->first_path + chunk * CHUNK_PATHS;
    for (int column = 0; column < CHUNK_PATHS; column += PATH_LANES)
        simulate_lanes(plan, group, first_path + (uint64_t)column, column, scratch);
}

static void simulate_chunk(const struct plan *plan, const struct group *group, uint64_t chunk,
                           struct path_scratch *scratch, struct tally *tallies)
{
    _Alignas(64) double values[CHUNK_PATHS];
    struct strike_bin *bins = scratch->bins + group_bins(group);
    ROWS(SIMULATE_FUNCTION)(plan, group, chunk, scratch);
    if (simulation_stopped(scratch)) return;
    for (int p = 0; p < group->n_single; p++) {
        payoff_values[group->payoffs[p].formula](&group->payoffs[p], scratch->observed, values);
        tallies[p] = tally_merge(tallies[p], tally_chunk(plan, values));
    }
    for (int l = 0; l < group->n_strips; l++) {
        fill_bins(&group->strips[l], scratch->observed, bins);
        bins += group->strips[l].n_strikes + 1;
    }
}

void SIMULATE_FUNCTION(const struct plan *plan, const struct group *group, uint64_t batch,
                       struct path_scratch *scratch, struct tally *tallies)
{
    int chunks = plan_batch_chunks(plan, batch);
    for (int p = 0; p < group->n_payoffs; p++) tallies[p] = (struct tally){0};
    for (int b = 0; b < 2 * group_bins(group); b++) scratch->bins[b] = (struct strike_bin){0};
    for (int c = 0; c < chunks; c++) {
        simulate_chunk(plan, group, batch * BATCH_CHUNKS + (uint64_t)c, scratch, tallies);
        if ((c + 1) % STRIP_CHUNKS == 0 || c + 1 == chunks) close_tile(group, scratch->bins);
    }
    tally_strips(group, scratch, (double)chunks * CHUNK_PATHS, tallies);
}

/* ---- scenario sets --------------------------------------------------------------------------- */

/* Simulates PATH_LANES paths of every group of a scenario set, each into rows of its own; those
 * alike on one draw. */
static void simulate_scenario_set(const struct plan *plan, const struct group *groups,
                                  uint64_t first_path, int column,
                                  const struct path_scratch *scratch)
{
    struct path_scratch own = *scratch;
    for (int s = 0; s < plan->n_scenarios; s++) {
        if (groups[s].n_alike) own.keeps_normals = keeps_normals(&groups[s]);
        own.has_normals = own.keeps_normals && !groups[s].n_alike;
        simulate_lanes(plan, &groups[s], first_path, column, &own);
        own.observed += (size_t)groups[s].n_rows * CHUNK_PATHS;
    }
}

/* Makes the contrast of each path from its values [scenario][CHUNK_PATHS]. */
static void contrast_values(const struct contrast *contrast, const double (*values)[CHUNK_PATHS],
                            double *contrasted)
{
    for (int t = 0; t < contrast->n_terms; t++) {
        double weight = contrast->terms[t].weight;
        const double *scenario_values = values[contrast->terms[t].scenario];
        if (t == 0)
            for (int i = 0; i < CHUNK_PATHS; i++) contrasted[i] = weight * scenario_values[i];
        else
            for (int i = 0; i < CHUNK_PATHS; i++)
                contrasted[i] = fma(weight, scenario_values[i], contrasted[i]);
    }
}

static void tally_scenario_set(const struct plan *plan, const struct group *groups,
                               const double *observed, struct tally *tallies, double *means)
{
    _Alignas(64) double values[MARKETS_MAX][CHUNK_PATHS], contrasted[CHUNK_PATHS];
    int n = groups->n_payoffs;
    for (int p = 0; p < n; p++) {
        const double *rows = observed;
        struct tally *to = tallies + p;
        for (int s = 0; s < plan->n_scenarios; s++) {
            const struct payoff *payoff = &groups[s].payoffs[p];
            payoff_values[payoff->formula](payoff, rows, values[s]);
            rows += (size_t)groups[s].n_rows * CHUNK_PATHS;
        }
        for (int m = 0; m < plan->n_contrasts; m++, to += n) {
            contrast_values(&plan->contrasts[m], (const double(*)[CHUNK_PATHS])values, contrasted);
            struct tally chunk = tally_values(contrasted, CHUNK_PATHS);
            *to = tally_merge(*to, chunk);
            means[(size_t)m * (size_t)n + (size_t)p] = chunk.mean;
        }
    }
}

#define SCENARIO_SET(function) JOINED(function, _scenario_set)

void SCENARIO_SET(SIMULATE_FUNCTION)(const struct plan *plan, int first, uint64_t batch,
                                     struct path_scratch *scratch, struct tally *tallies,
                                     double *means)
{
    const struct group *groups = &plan->groups[first];
    size_t n = scenario_set_tallies(plan, first),
           contrasted = (size_t)plan->n_contrasts * (size_t)groups->n_payoffs;
    int chunks = plan_batch_chunks(plan, batch);
    for (size_t i = 0; i < n; i++) tallies[i] = (struct tally){0};
    for (int c = 0; c < chunks; c++) {
        uint64_t path = plan->first_path + (batch * BATCH_CHUNKS + (uint64_t)c) * CHUNK_PATHS;
        for (int column = 0; column < CHUNK_PATHS; column += PATH_LANES)
            simulate_scenario_set(plan, groups, path + (uint64_t)column, column, scratch);
        if (simulation_stopped(scratch)) return;
        tally_scenario_set(plan, groups, scratch->observed, tallies,
                           means + (size_t)c * contrasted);
    }
}

/* ---- paths that are watched ------------------------------------------------------------------ */

/* Draws the normals of steps 4 block .. 4 block + 3 of a chunk; antithetic ones are those of the
 * half before, turned round, but where indices stand in their place. */
static void draw_chunk(const struct plan *plan, const struct group *group, uint64_t first_path,
                       int block, struct path_scratch *scratch)
{
    enum { BEFORE = PAIR_PATHS / PATH_LANES };
    size_t n = (size_t)group->n_factors * PATH_DRAWS * PATH_LANES;
    bool indices = false;
    for (int u = 0; u < group->n_underlyings; u++) indices |= draws_indices(&group->underlyings[u]);
    for (int c = 0; c < CHUNK_COLUMNS; c++) {
        uint64_t first = first_path + (uint64_t)c * PATH_LANES;
        float *z = scratch[c].normals;
        if (indices || !turned(plan, first)) {
            draw_steps(plan, group, first, block, z);
            continue;
        }
        const float *before = scratch[c - BEFORE].normals;
        for (size_t i = 0; i < n; i++) z[i] = -before[i];
    }
}

static void show_columns(const struct group *group, int step, const struct path_scratch *scratch,
                         const struct path_watcher *watcher)
{
    const double *x[UNDERLYINGS_MAX];
    for (int c = 0; c < CHUNK_COLUMNS; c++) {
        for (int u = 0; u < group->n_underlyings; u++) x[u] = SLOT(scratch[c].paths, PATH_ROWS * u);
        watcher->see(watcher->context, step, c * PATH_LANES, x);
    }
}

#define WATCH(function) JOINED(function, _watch)

void WATCH(SIMULATE_FUNCTION)(const struct plan *plan, const struct group *group, uint64_t chunk,
                              struct path_scratch *scratch, const struct path_watcher *watcher)
{
    uint64_t first_path = plan->first_path + chunk * CHUNK_PATHS;
    int dividend = 0;
    for (int c = 0; c < CHUNK_COLUMNS; c++) begin_lanes(group, &scratch[c]);
    for (int j = 0; j < group->n_steps; j++) {
        if (simulation_stopped(scratch)) return;
        if (j % PATH_DRAWS == 0) draw_chunk(plan, group, first_path, j / PATH_DRAWS, scratch);
        for (int c = 0; c < CHUNK_COLUMNS; c++)
            step_lanes(group, j, scratch[c].normals + j % PATH_DRAWS * PATH_LANES, false, NULL,
                       scratch[c].paths);
        for (; dividend < group->n_dividends && group->dividends[dividend].step == j; dividend++)
            for (int c = 0; c < CHUNK_COLUMNS; c++)
                pay_dividend(&group->dividends[dividend], scratch[c].paths);
        if (group->first_observation[j] < group->first_observation[j + 1])
            show_columns(group, j, scratch, watcher);
    }
}

/* ---- one step, from given states by given words (lane_steps.h) ------------------- */

/* Finds what an exercise that is observed by `t` in step j sees: first what it reads, asset after
 * asset. */
static void features_of_lanes(const struct group *group, int j, const struct observation *t,
                              struct path_scratch *scratch, double *f, double *g)
{
    const float *drawn = scratch->normals; /* looked at by none of these */
    struct observation_inputs inputs = {.z0 = drawn, .z1 = drawn, .table = group->lookup.table};
    for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
        const struct observation *part = &group->observations[i];
        if (observation_in_row(part->kind) || part->slot != t->source) continue;
        inputs.path = SLOT(scratch->paths, PATH_ROWS * part->underlying);
        inputs.source = SLOT(scratch->state, part->source);
        observe_lanes[part->kind](part, &inputs, SLOT(scratch->state, part->slot));
    }
    const double *source = SLOT(scratch->state, t->source);
    const double *v = SLOT(scratch->paths, PATH_ROWS * t->underlying) + ROW_V * PATH_LANES;
    const struct observation seen = *t;
    for (int l = 0; l < PATH_LANES; l++) {
        struct memory m = {.source_a = source[l], .source_b = source[PATH_LANES + l], .v = v[l]};
        f[l] = exercise_first(&seen, &m);
        g[l] = exercise_second(&seen, &m);
        if (exercise_sees_variance(seen.kind)) g[l] = exercise_variance_second(&seen, &m);
    }
}

#define WORDS(function) JOINED(function, _words)

void WORDS(SIMULATE_FUNCTION)(uint64_t seed, uint64_t first_path, uint32_t stream, uint32_t block,
                              uint32_t (*words)[PATH_LANES])
{
    draw_words(seed, first_path, stream, block, words);
}

#define ONE_STEP(function) JOINED(function, _one_step)

void ONE_STEP(SIMULATE_FUNCTION)(const struct group *group, int step, const uint32_t *words,
                                 const bool *still, int slot, struct path_scratch *scratch,
                                 double *f, double *g)
{
    for (int k = 0; k < group->n_factors; k++)
        normals_of_words(words + (size_t)k * PATH_LANES,
                         scratch->normals + (size_t)k * PATH_DRAWS * PATH_LANES);
    step_lanes(group, step, scratch->normals, false, still, scratch->paths);
    for (int d = 0; d < group->n_dividends; d++)
        if (group->dividends[d].step == step) pay_dividend(&group->dividends[d], scratch->paths);
    for (int i = group->first_observation[step]; f && i < group->first_observation[step + 1]; i++) {
        const struct observation *t = &group->observations[i];
        if (observation_is_exercise(t->kind) && t->slot == slot)
            features_of_lanes(group, step, t, scratch, f, g);
    }
}
