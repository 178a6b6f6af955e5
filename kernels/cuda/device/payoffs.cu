/* Payoffs and tallies: one warp values one payoff on one chunk of paths, in the order of
 * kernels/tally_order.h; of a scenario set one block does, for several contrasts. */
#include "kernels/cuda/device/launch.h"
#include "kernels/tally_order.h"
#include "models/payoffs/products.h"

enum { WARPS = 8, BLOCK = WARPS * TALLY_LANES };

template <int FORMULA>
static __device__ double value_of(const struct payoff *p, double a, double b, double c);
#define PAYOFF(NAME, name, ...)                                                                    \
    template <>                                                                                    \
    __device__ __forceinline__ double value_of<FORMULA_##NAME>(const struct payoff *p, double a,   \
                                                               double b, double c)                 \
    {                                                                                              \
        return name##_value(p, a, b, c);                                                           \
    }
#include "models/payoffs/formulas.def"
#undef PAYOFF

static constexpr __device__ bool is_inlined(int formula)
{
    return formula < (int)N_PAYOFFS || formula == FORMULA_SCRIPT;
}

/* A formula that only Greeks ask for, called: inlined it would take registers from all the others.
 */
template <int FORMULA>
static __device__ __noinline__ double called_value_of(const struct payoff *p, double a, double b,
                                                      double c)
{
    return value_of<FORMULA>(p, a, b, c);
}

/* The value on a path of the payoff `at`, of which p is a copy. */
template <int FORMULA>
static __device__ __forceinline__ double path_value(const struct payoff *p, const struct payoff *at,
                                                    double a, double b, double c)
{
    if constexpr (is_inlined(FORMULA)) return value_of<FORMULA>(p, a, b, c);
    else return called_value_of<FORMULA>(at, a, b, c);
}

/* The tally of the whole warp from the sums of its lanes over n values of a chunk. Result valid on
 * lane 0. */
static __device__ struct tally tally_of_lanes(struct tally_sums sums, double centre, int n)
{
    for (int half = TALLY_LANES / 2; half > 0; half /= 2) {
        sums.sum += __shfl_down_sync(~0u, sums.sum, half);
        sums.squares += __shfl_down_sync(~0u, sums.squares, half);
    }
    return tally_of_sums(sums, centre, n);
}

/* Rounds of paths whose values are found side by side: one by one where the formula is
 * called. */
static constexpr __device__ int at_once(int formula, int most)
{
    return is_inlined(formula) ? most : 1;
}

/* The rows of observables that a payoff reads, from the lane's first path on. */
struct payoff_rows {
    const double *a, *b, *c;
};

static __device__ __forceinline__ struct payoff_rows rows_of(const struct payoff &p,
                                                             const double *observed, size_t paths)
{
    return {observed + (size_t)p.rows[0] * paths, observed + (size_t)p.rows[1] * paths,
            observed + (size_t)p.rows[2] * paths};
}

/* The tally of one payoff on one chunk of paths, or of pairs of them; `observed` points to the
 * lane's first path. Result valid on lane 0. */
template <int FORMULA, bool PAIRS>
static __device__ struct tally tally_chunk(const struct payoff *payoff, const double *observed,
                                           size_t paths)
{
    const int n = PAIRS ? PAIR_PATHS : CHUNK_PATHS, rounds = at_once(FORMULA, PAIRS ? 2 : 4);
    const struct payoff p = *payoff;
    const struct payoff_rows row = rows_of(p, observed, paths);
    struct tally_sums sums = {0.0, 0.0};
    double centre = 0.0;
    for (int i0 = 0; i0 < n; i0 += rounds * TALLY_LANES) {
        double values[rounds];
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            int i = i0 + r * TALLY_LANES;
            values[r] = path_value<FORMULA>(&p, payoff, row.a[i], row.b[i], row.c[i]);
            if (PAIRS)
                values[r] = tally_pair(values[r], path_value<FORMULA>(&p, payoff, row.a[n + i],
                                                                      row.b[n + i], row.c[n + i]));
        }
        if (i0 == 0) centre = __shfl_sync(~0u, values[0], 0);
#pragma unroll
        for (int r = 0; r < rounds; r++) sums = tally_sums_take(sums, values[r], centre);
    }
    return tally_of_lanes(sums, centre, n);
}

/* Values the payoffs from `begin` on, as many as the grid's second number has warps for. Four
 * blocks on a multiprocessor, as many as there would be without formulas that are called. */
template <bool PAIRS>
static __global__ void __launch_bounds__(BLOCK, 4)
    value_chunks(const struct payoff *payoffs, int begin, int n_payoffs, const double *observed,
                 size_t paths, struct tally *tallies)
{
    int lane = (int)threadIdx.x % TALLY_LANES;
    int payoff = begin + (int)blockIdx.y * WARPS + (int)threadIdx.x / TALLY_LANES;
    if (payoff >= n_payoffs) return;
    size_t chunk = blockIdx.x;
    const struct payoff *p = payoffs + payoff;
    const double *first = observed + chunk * CHUNK_PATHS + lane;
    struct tally tally;
    switch (p->formula) {
#define PAYOFF(NAME, name, ...)                                                                    \
    case FORMULA_##NAME:                                                                           \
        tally = tally_chunk<FORMULA_##NAME, PAIRS>(p, first, paths);                               \
        break;
#include "models/payoffs/formulas.def"
#undef PAYOFF
    default: return;
    }
    if (lane == 0) tallies[chunk * (size_t)n_payoffs + (size_t)payoff] = tally;
}

/* One thread merges the chunks of one batch of one payoff, in index order. All are of N values, so
 * that a merge divides while it is compiled; they are read before the first is merged. */
template <int N>
static __global__ void merge_chunks(const struct tally *chunks, int n_single, int n_payoffs,
                                    int n_chunks, struct tally *batches)
{
    int payoff = (int)(blockIdx.x * blockDim.x + threadIdx.x),
        first = (int)blockIdx.y * BATCH_CHUNKS;
    if (payoff >= n_single) return;
    int n = n_chunks - first < BATCH_CHUNKS ? n_chunks - first : BATCH_CHUNKS;
    struct tally chunk_tallies[BATCH_CHUNKS];
#pragma unroll
    for (int c = 0; c < BATCH_CHUNKS; c++)
        if (c < n)
            chunk_tallies[c] = chunks[(size_t)(first + c) * (size_t)n_single + (size_t)payoff];
    struct tally all = chunk_tallies[0];
#pragma unroll
    for (int c = 1; c < BATCH_CHUNKS; c++) {
        all.n = c * N;
        chunk_tallies[c].n = N;
        if (c < n) all = tally_merge(all, chunk_tallies[c]);
        else break;
    }
    all.n = n * N;
    batches[(size_t)blockIdx.y * (size_t)n_payoffs + (size_t)payoff] = all;
}

/* Merges n tallies of each chunk, each of N values, into [batch][n_payoffs]. */
template <int N>
static cudaError_t merge_all(const struct tally *chunks, int n, int n_payoffs, unsigned n_chunks,
                             struct tally *batches, cudaStream_t stream)
{
    dim3 blocks((unsigned)((n + 127) / 128), (n_chunks + BATCH_CHUNKS - 1) / BATCH_CHUNKS);
    merge_chunks<N><<<blocks, 128, 0, stream>>>(chunks, n, n_payoffs, (int)n_chunks, batches);
    return cudaGetLastError();
}

cudaError_t value_payoffs(const struct payoff *payoffs, int n_single, int n_payoffs,
                          const double *observed, size_t paths, bool antithetic,
                          struct tally *chunk_tallies, struct tally *batch_tallies,
                          cudaStream_t stream)
{
    if (!n_single) return cudaSuccess;
    unsigned n_chunks = (unsigned)(paths / CHUNK_PATHS);
    const int most = GRID_SECOND_MOST * WARPS;
    for (int begin = 0; begin < n_single; begin += most) {
        int n = n_single - begin < most ? n_single - begin : most;
        dim3 chunks(n_chunks, (unsigned)((n + WARPS - 1) / WARPS));
        (antithetic ? value_chunks<true> : value_chunks<false>)<<<chunks, BLOCK, 0, stream>>>(
            payoffs, begin, n_single, observed, paths, chunk_tallies);
        cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) return error;
    }
    return (antithetic ? merge_all<PAIR_PATHS> : merge_all<CHUNK_PATHS>)(chunk_tallies, n_single,
                                                                         n_payoffs, n_chunks,
                                                                         batch_tallies, stream);
}

/* ---- scenario sets --------------------------------------------------------------------------- */

/* Contrasts that a block takes, one for each of its warps; a warp has a lane for each of their
 * terms. */
enum { CONTRASTS_TOGETHER = WARPS };
static_assert(CONTRASTS_TOGETHER * CONTRAST_TERMS == TALLY_LANES, "a lane for each term");

/* Paths of a chunk whose values a block holds at once, and those of them that a warp values under
 * one scenario before it takes the next. */
enum { TILE = 256, TILE_PART = 128 };

/* Values of one payoff on a tile of paths. */
typedef double scenario_tile[MARKETS_MAX][TILE];

/* Values a payoff on part of a tile, as the lane's paths from `first` of each row on see it. */
template <int FORMULA>
static __device__ void value_part(const struct payoff *at, const double *observed, size_t paths,
                                  double *values)
{
    const int n = at_once(FORMULA, TILE_PART / TALLY_LANES);
    const struct payoff p = *at;
    const struct payoff_rows row = rows_of(p, observed, paths);
    for (int i0 = 0; i0 < TILE_PART; i0 += n * TALLY_LANES) {
        double found[n];
#pragma unroll
        for (int r = 0; r < n; r++) {
            int i = i0 + r * TALLY_LANES;
            found[r] = path_value<FORMULA>(&p, at, row.a[i], row.b[i], row.c[i]);
        }
#pragma unroll
        for (int r = 0; r < n; r++) values[i0 + r * TALLY_LANES] = found[r];
    }
}

/* The same of whatever formula; `observed` and `values` point to the lane's first path. */
static __device__ __forceinline__ void
value_any_part(const struct payoff *payoff, const double *observed, size_t paths, double *values)
{
    switch (payoff->formula) {
#define PAYOFF(NAME, name, ...)                                                                    \
    case FORMULA_##NAME:                                                                           \
        value_part<FORMULA_##NAME>(payoff, observed, paths, values);                               \
        break;
#include "models/payoffs/formulas.def"
#undef PAYOFF
    }
}

/* The set of scenarios, a bit each, that n contrasts from `contrasts` on are of. */
static __device__ unsigned scenarios_of(const struct contrast *contrasts, int n)
{
    int lane = (int)threadIdx.x % TALLY_LANES, t = lane % CONTRAST_TERMS;
    const struct contrast *contrast = contrasts + lane / CONTRAST_TERMS;
    unsigned scenarios = 0;
    if (lane / CONTRAST_TERMS < n && t < contrast->n_terms)
        scenarios = 1u << contrast->terms[t].scenario;
    for (int half = TALLY_LANES / 2; half > 0; half /= 2)
        scenarios |= __shfl_xor_sync(~0u, scenarios, half);
    return scenarios;
}

/* Lists the scenarios of a set; one warp does. */
static __device__ void list_scenarios(unsigned scenarios, unsigned char *list)
{
    int lane = (int)threadIdx.x % TALLY_LANES;
    unsigned before = scenarios & ((1u << lane) - 1);
    if (scenarios >> lane & 1) list[__popc(before)] = (unsigned char)lane;
}

/* Values a payoff under n scenarios on the tile whose paths begin at `first`, warp after warp
 * taking one scenario and one part of the tile. */
static __device__ void value_tile(const struct scenario_set_values *set, int payoff,
                                  const unsigned char *scenarios, int n, size_t first,
                                  scenario_tile values)
{
    const int lane = (int)threadIdx.x % TALLY_LANES, parts = TILE / TILE_PART;
    for (int p = (int)threadIdx.x / TALLY_LANES; p < n * parts; p += WARPS) {
        int scenario = scenarios[p / parts], i = p % parts * TILE_PART + lane;
        value_any_part(&set->payoffs[scenario][payoff], set->observed[scenario] + first + (size_t)i,
                       set->paths, &values[scenario][i]);
    }
}

/* A tally in the making: its sums, and their centre. */
struct centred_sums {
    struct tally_sums sums;
    double centre;
};

/* Adds one contrast of a tile's paths to the lane's sums; the first tile of a chunk gives the
 * centre. */
static __device__ struct centred_sums take_tile(const struct contrast *contrast,
                                                const scenario_tile values, bool first,
                                                struct centred_sums centred)
{
    const int n = TILE / TALLY_LANES;
    int lane = (int)threadIdx.x % TALLY_LANES;
    double contrasted[n];
    for (int t = 0; t < contrast->n_terms; t++) {
        const double *value = values[contrast->terms[t].scenario] + lane;
        double weight = contrast->terms[t].weight;
#pragma unroll
        for (int r = 0; r < n; r++)
            contrasted[r] = t ? fma(weight, value[r * TALLY_LANES], contrasted[r])
                              : weight * value[r * TALLY_LANES];
    }
    if (first) centred.centre = __shfl_sync(~0u, contrasted[0], 0);
#pragma unroll
    for (int r = 0; r < n; r++)
        centred.sums = tally_sums_take(centred.sums, contrasted[r], centred.centre);
    return centred;
}

/* One block takes one payoff and up to CONTRASTS_TOGETHER contrasts on one chunk: it values the
 * payoff under each of their scenarios once, tile after tile, and each warp forms a contrast of
 * these values. Blocks that follow each other see the same paths. */
static __global__ void __launch_bounds__(BLOCK, 4)
    value_contrasts(const __grid_constant__ struct scenario_set_values set, int n_parts,
                    struct tally *tallies)
{
    __shared__ scenario_tile values;
    __shared__ unsigned char list[MARKETS_MAX];
    int part = (int)blockIdx.x % n_parts, payoff = (int)blockIdx.x / n_parts;
    int begin = set.n_contrasts * part / n_parts, end = set.n_contrasts * (part + 1) / n_parts;
    int which = begin + (int)threadIdx.x / TALLY_LANES;
    const unsigned scenarios = scenarios_of(set.contrasts + begin, end - begin);
    size_t chunk = blockIdx.y;
    struct centred_sums centred = {{0.0, 0.0}, 0.0};
    if (threadIdx.x < TALLY_LANES) list_scenarios(scenarios, list);
#pragma unroll 1
    for (int i = 0; i < CHUNK_PATHS; i += TILE) {
        __syncthreads();
        value_tile(&set, payoff, list, __popc(scenarios), chunk * CHUNK_PATHS + (size_t)i, values);
        __syncthreads();
        if (which < end) centred = take_tile(set.contrasts + which, values, i == 0, centred);
    }
    if (which >= end) return;
    struct tally tally = tally_of_lanes(centred.sums, centred.centre, CHUNK_PATHS);
    size_t row = chunk * (size_t)set.n_contrasts + (size_t)which;
    if (threadIdx.x % TALLY_LANES == 0)
        tallies[row * (size_t)set.n_payoffs + (size_t)payoff] = tally;
}

/* One thread adds one contrast on one chunk, payoff after payoff. It reads a few means at once, and
 * a total once for the payoffs beside each other that are counted in it. */
static __global__ void add_contrasts(const __grid_constant__ struct scenario_set_values set,
                                     int n_chunks, const struct tally *tallies, double *totals)
{
    const int n = 8;
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), at = -1;
    if (i >= n_chunks * set.n_contrasts) return;
    const struct tally *row_tallies = tallies + (size_t)i * (size_t)set.n_payoffs;
    double *to = totals + (size_t)i * (size_t)set.n_totals, sum = 0.0, means[n];
    for (int first = 0; first < set.n_payoffs; first += n) {
#pragma unroll
        for (int r = 0; r < n; r++)
            if (first + r < set.n_payoffs) means[r] = row_tallies[first + r].mean;
#pragma unroll
        for (int r = 0; r < n; r++) {
            int total = first + r < set.n_payoffs ? set.totals[first + r] : -1;
            if (total < 0) continue;
            if (total != at) {
                if (at >= 0) to[at] = sum;
                at = total;
                sum = to[at];
            }
            sum = fma(set.quantities[first + r], means[r], sum);
        }
    }
    if (at >= 0) to[at] = sum;
}

cudaError_t value_scenario_set(const struct scenario_set_values *values,
                               struct tally *chunk_tallies, cudaStream_t stream)
{
    unsigned n_chunks = (unsigned)(values->paths / CHUNK_PATHS);
    int n_parts = (values->n_contrasts + CONTRASTS_TOGETHER - 1) / CONTRASTS_TOGETHER;
    dim3 blocks((unsigned)(n_parts * values->n_payoffs), n_chunks);
    value_contrasts<<<blocks, BLOCK, 0, stream>>>(*values, n_parts, chunk_tallies);
    return cudaGetLastError();
}

cudaError_t merge_scenario_set(int n, unsigned n_chunks, const struct tally *chunk_tallies,
                               struct tally *batch_tallies, cudaStream_t stream)
{
    return merge_all<CHUNK_PATHS>(chunk_tallies, n, n, n_chunks, batch_tallies, stream);
}

cudaError_t add_scenario_set_totals(const struct scenario_set_values *values, int n_chunks,
                                    const struct tally *chunk_tallies, double *totals,
                                    cudaStream_t stream)
{
    unsigned threads = (unsigned)(n_chunks * values->n_contrasts);
    add_contrasts<<<(threads + 127) / 128, 128, 0, stream>>>(*values, n_chunks, chunk_tallies,
                                                             totals);
    return cudaGetLastError();
}

cudaError_t load_payoff_kernels(void)
{
    return load_kernels(value_chunks<false>, merge_chunks<CHUNK_PATHS>, value_contrasts,
                        add_contrasts);
}
