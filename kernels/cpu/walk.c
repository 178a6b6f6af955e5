/* Compiled once for each row of walks.def, with WALK_FUNCTION set to the function's name. Every loop over
 * lanes is simple enough for the compiler to vectorise, and every operation is exact in the sense of exact.h,
 * so the builds differ in speed alone. */
#include "kernels/cpu/walk.h"

#include "kernels/cpu/normals_avx2.h"
#include "kernels/cpu/normals_avx512.h"
#include "kernels/tally_order.h"
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "models/payoffs/products.h"
#include "models/payoffs/trade.h"

/* ---- random numbers ------------------------------------------------------------------------------ */

enum { BLOCK_DRAWS = 4 }; /* numbers of one Philox block */

/* The four normals of one Philox block for WALK_LANES paths from first_path on (a multiple of WALK_LANES). */
static void draw_block(uint64_t seed, uint64_t first_path, uint32_t stream, uint32_t block,
                       float normals[BLOCK_DRAWS][WALK_LANES])
{
#if defined PRICER_NORMALS_AVX512
    draw_block_avx512(seed, first_path, stream, block, WALK_LANES, &normals[0][0], WALK_LANES);
#elif defined PRICER_NORMALS_AVX2
    draw_block_avx2(seed, first_path, stream, block, WALK_LANES, &normals[0][0], WALK_LANES);
#else
    uint32_t words[BLOCK_DRAWS][WALK_LANES];
    uint32_t path_low = (uint32_t)first_path, path_high = (uint32_t)(first_path >> 32);
    for (uint32_t l = 0; l < WALK_LANES; l++) {
        struct philox_words counter = {block, stream, path_low + l, path_high};
        struct philox_words w = philox4x32_10(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
        words[0][l] = w.word0;
        words[1][l] = w.word1;
        words[2][l] = w.word2;
        words[3][l] = w.word3;
    }
    const uint32_t *flat = &words[0][0];
    float *out = &normals[0][0];
    for (int i = 0; i < BLOCK_DRAWS * WALK_LANES; i++) out[i] = normal_from_bits(flat[i], normal_cubic);
#endif
}

/* ---- touches ------------------------------------------------------------------------------------- */

/* Row `slot` of the lanes' state, which begins at `state`. */
#define SLOT(state, slot) ((state) + (size_t)(slot)*WALK_LANES)

/* touch_<kind>() on every lane: `own` is the observable's first slot, `of` that of the survival it watches.
 */
#define OBSERVABLE(NAME, name, slots, uses)                                                                  \
    static void lanes_##name(const struct touch *touch, const double *x, const float *z0, const float *z1,   \
                             double *own, const double *of)                                                  \
    {                                                                                                        \
        const struct touch t = *touch;                                                                       \
        _Pragma("GCC ivdep") for (int l = 0; l < WALK_LANES; l++)                                            \
        {                                                                                                    \
            struct memory m = {0};                                                                           \
            m.a = own[l];                                                                                    \
            if (slots > 1) m.b = own[WALK_LANES + l];                                                        \
            if (slots > 2) m.c = own[2 * WALK_LANES + l];                                                    \
            if (uses) m.of_b = of[WALK_LANES + l];                                                           \
            touch_##name(&t, x[l], (double)z0[l], (double)z1[l], &m);                                        \
            own[l] = m.a;                                                                                    \
            if (slots > 1) own[WALK_LANES + l] = m.b;                                                        \
            if (slots > 2) own[2 * WALK_LANES + l] = m.c;                                                    \
        }                                                                                                    \
    }
#include "models/payoffs/observables.def"
#undef OBSERVABLE

typedef void lanes_function(const struct touch *, const double *, const float *, const float *, double *,
                            const double *);

static lanes_function *const lanes_touch[N_TOUCHES] = {
#define OBSERVABLE(NAME, name, slots, uses) [TOUCH_##NAME] = lanes_##name,
#include "models/payoffs/observables.def"
#undef OBSERVABLE
};

/* ---- paths --------------------------------------------------------------------------------------- */

static void step_lanes(const struct step *step, const float *z, double *x)
{
    double drift = step->drift, volatility = step->volatility;
    for (int l = 0; l < WALK_LANES; l++) x[l] = black_scholes_step(x[l], drift, volatility, (double)z[l]);
}

/* Walks WALK_LANES paths; column `column` of scratch->observed is the first of them. */
static void walk_lanes(const struct plan *plan, const struct group *group, uint64_t first_path, int column,
                       struct walk_scratch *scratch)
{
    _Alignas(64) double x[WALK_LANES];
    _Alignas(64) float normals[BLOCK_DRAWS][WALK_LANES], bridges[BLOCK_DRAWS][WALK_LANES];
    uint32_t stream = (uint32_t)group->asset, bridge_block = UINT32_MAX;
    for (int l = 0; l < WALK_LANES; l++) x[l] = group->start;
    for (int s = 0; s < group->n_slots; s++)
        for (int l = 0; l < WALK_LANES; l++) SLOT(scratch->state, s)[l] = group->initial[s];
    for (int j = 0; j < group->n_steps; j++) {
        if (j % BLOCK_DRAWS == 0)
            draw_block(plan->seed, first_path, stream, (uint32_t)(j / BLOCK_DRAWS), normals);
        step_lanes(&group->steps[j], normals[j % BLOCK_DRAWS], x);
        for (int i = group->first_touch[j]; i < group->first_touch[j + 1]; i++) {
            const struct touch *t = &group->touches[i];
            int pair = t->pair < 0 ? 0 : 2 * (t->pair % 2);
            if (t->pair >= 0 && (uint32_t)t->pair / 2 != bridge_block) {
                bridge_block = (uint32_t)t->pair / 2;
                draw_block(plan->seed, first_path, stream | BRIDGE_STREAM, bridge_block, bridges);
            }
            const float *drawn = t->pair < 0 ? normals[0] : bridges[pair];
            double *own = t->on == TOUCH_SPOT ? scratch->observed + (size_t)t->slot * CHUNK_PATHS + column
                                              : SLOT(scratch->state, t->slot);
            lanes_touch[t->on](t, x, drawn, drawn + WALK_LANES, own, SLOT(scratch->state, t->of));
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
#include "models/payoffs/payoffs.def"
#undef PAYOFF

typedef void values_function(const struct payoff *, const double *, double *);

static values_function *const payoff_values[N_PRODUCTS] = {
#define PAYOFF(NAME, name, required, optional) [PRODUCT_##NAME] = values_##name,
#include "models/payoffs/payoffs.def"
#undef PAYOFF
};

static struct tally tally_values(const double *values)
{
    _Alignas(64) double sum[TALLY_LANES] = {0}, squares[TALLY_LANES] = {0};
    double centre = values[0];
    for (int r = 0; r < TALLY_ROUNDS; r++)
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
    return tally_of_sums((struct tally_sums){sum[0], squares[0]}, centre);
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
        walk_lanes(plan, group, chunk * CHUNK_PATHS + (uint64_t)column, column, scratch);
    for (int p = 0; p < group->n_single; p++) {
        payoff_values[group->payoffs[p].product](&group->payoffs[p], scratch->observed, values);
        tallies[p] = tally_merge(tallies[p], tally_values(values));
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
