/* Payoffs and tallies: one warp values one payoff on one chunk of paths, in the order of
 * kernels/tally_order.h. */
#include "kernels/cuda/device/launch.h"
#include "kernels/tally_order.h"
#include "models/payoffs/products.h"
#include "models/payoffs/trade.h"

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
    if constexpr (FORMULA < (int)N_PRODUCTS) return value_of<FORMULA>(p, a, b, c);
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
    return formula < (int)N_PRODUCTS ? most : 1;
}

/* The tally of one payoff on one chunk of paths, or of pairs of them; `observed` points to the
 * lane's first path. Result valid on lane 0. */
template <int FORMULA, bool PAIRS>
static __device__ struct tally tally_chunk(const struct payoff *payoff, const double *observed,
                                           size_t paths)
{
    const int n = PAIRS ? PAIR_PATHS : CHUNK_PATHS, rounds = at_once(FORMULA, PAIRS ? 2 : 4);
    const struct payoff p = *payoff;
    const double *a = observed + (size_t)p.rows[0] * paths;
    const double *b = observed + (size_t)p.rows[1] * paths;
    const double *c = observed + (size_t)p.rows[2] * paths;
    struct tally_sums sums = {0.0, 0.0};
    double centre = 0.0;
    for (int i0 = 0; i0 < n; i0 += rounds * TALLY_LANES) {
        double values[rounds];
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            int i = i0 + r * TALLY_LANES;
            values[r] = path_value<FORMULA>(&p, payoff, a[i], b[i], c[i]);
            if (PAIRS)
                values[r] = tally_pair(
                    values[r], path_value<FORMULA>(&p, payoff, a[n + i], b[n + i], c[n + i]));
        }
        if (i0 == 0) centre = __shfl_sync(~0u, values[0], 0);
#pragma unroll
        for (int r = 0; r < rounds; r++) sums = tally_sums_take(sums, values[r], centre);
    }
    return tally_of_lanes(sums, centre, n);
}

/* Four blocks on a multiprocessor, as many as there would be without formulas that are called. */
template <bool PAIRS>
static __global__ void __launch_bounds__(BLOCK, 4)
    value_chunks(const struct payoff *payoffs, int n_payoffs, const double *observed, size_t paths,
                 struct tally *tallies)
{
    int lane = (int)threadIdx.x % TALLY_LANES;
    int payoff = (int)blockIdx.y * WARPS + (int)threadIdx.x / TALLY_LANES;
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

/* One thread merges the chunks of one batch of one payoff, in index order. */
static __global__ void merge_chunks(const struct tally *chunks, int n_single, int n_payoffs,
                                    int n_chunks, struct tally *batches)
{
    int payoff = (int)(blockIdx.x * blockDim.x + threadIdx.x),
        first = (int)blockIdx.y * BATCH_CHUNKS;
    if (payoff >= n_single) return;
    int end = first + BATCH_CHUNKS < n_chunks ? first + BATCH_CHUNKS : n_chunks;
    struct tally all = {0.0, 0.0, 0.0};
    for (int c = first; c < end; c++)
        all = tally_merge(all, chunks[(size_t)c * (size_t)n_single + (size_t)payoff]);
    batches[(size_t)blockIdx.y * (size_t)n_payoffs + (size_t)payoff] = all;
}

cudaError_t value_payoffs(const struct payoff *payoffs, int n_single, int n_payoffs,
                          const double *observed, size_t paths, bool antithetic,
                          struct tally *chunk_tallies, struct tally *batch_tallies,
                          cudaStream_t stream)
{
    if (!n_single) return cudaSuccess;
    unsigned n_chunks = (unsigned)(paths / CHUNK_PATHS);
    dim3 chunks(n_chunks, (unsigned)((n_single + WARPS - 1) / WARPS));
    if (antithetic)
        value_chunks<true>
            <<<chunks, BLOCK, 0, stream>>>(payoffs, n_single, observed, paths, chunk_tallies);
    else
        value_chunks<false>
            <<<chunks, BLOCK, 0, stream>>>(payoffs, n_single, observed, paths, chunk_tallies);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    dim3 batches((unsigned)((n_single + 127) / 128), (n_chunks + BATCH_CHUNKS - 1) / BATCH_CHUNKS);
    merge_chunks<<<batches, 128, 0, stream>>>(chunk_tallies, n_single, n_payoffs, (int)n_chunks,
                                              batch_tallies);
    return cudaGetLastError();
}

/* ---- scenario sets --------------------------------------------------------------------------- */

/* The measure of N of the lane's paths, the first of them at `first` in every row. */
template <int FORMULA, int N>
static __device__ void contrast_paths(const struct scenario_set_values *values,
                                      const struct contrast *contrast, int payoff, size_t first,
                                      double *contrasted)
{
    for (int t = 0; t < contrast->n_terms; t++) {
        int scenario = contrast->terms[t].scenario;
        double weight = contrast->terms[t].weight;
        const struct payoff *at = &values->payoffs[scenario][payoff], p = *at;
        const double *observed = values->observed[scenario] + first;
        const double *a = observed + (size_t)p.rows[0] * values->paths;
        const double *b = observed + (size_t)p.rows[1] * values->paths;
        const double *c = observed + (size_t)p.rows[2] * values->paths;
#pragma unroll
        for (int r = 0; r < N; r++) {
            int i = r * TALLY_LANES;
            double value = path_value<FORMULA>(&p, at, a[i], b[i], c[i]);
            contrasted[r] = t ? fma(weight, value, contrasted[r]) : weight * value;
        }
    }
}

/* The tally of one measure of one payoff on one chunk, whose paths the lane takes from `first` on.
 * Result valid on lane 0. */
template <int FORMULA>
static __device__ struct tally tally_contrast(const struct scenario_set_values *values,
                                              const struct contrast *contrast, int payoff,
                                              size_t first)
{
    struct tally_sums sums = {0.0, 0.0};
    double centre = 0.0;
    const int n = at_once(FORMULA, 8);
    for (int round = 0; round < TALLY_ROUNDS; round += n) {
        double contrasted[n];
        contrast_paths<FORMULA, n>(values, contrast, payoff, first + (size_t)round * TALLY_LANES,
                                   contrasted);
        if (round == 0) centre = __shfl_sync(~0u, contrasted[0], 0);
#pragma unroll
        for (int r = 0; r < n; r++) sums = tally_sums_take(sums, contrasted[r], centre);
    }
    return tally_of_lanes(sums, centre, CHUNK_PATHS);
}

/* One warp takes one payoff and one measure on one chunk; the contrasts of a chunk, which see the
 * same paths, are blocks that follow each other. */
static __global__ void __launch_bounds__(BLOCK)
    value_contrasts(const __grid_constant__ struct scenario_set_values values,
                    struct tally *tallies)
{
    int lane = (int)threadIdx.x % TALLY_LANES,
        which = (int)(blockIdx.x % (unsigned)values.n_contrasts);
    int payoff = (int)blockIdx.y * WARPS + (int)threadIdx.x / TALLY_LANES;
    if (payoff >= values.n_payoffs) return;
    size_t chunk = blockIdx.x / (unsigned)values.n_contrasts,
           first = chunk * CHUNK_PATHS + (size_t)lane;
    const struct contrast *contrast = values.contrasts + which;
    struct tally tally;
    switch (values.payoffs[0][payoff].formula) {
#define PAYOFF(NAME, name, ...)                                                                    \
    case FORMULA_##NAME:                                                                           \
        tally = tally_contrast<FORMULA_##NAME>(&values, contrast, payoff, first);                  \
        break;
#include "models/payoffs/formulas.def"
#undef PAYOFF
    default: return;
    }
    size_t row = (chunk * (size_t)values.n_contrasts + (size_t)which) * (size_t)values.n_payoffs;
    if (lane == 0) tallies[row + (size_t)payoff] = tally;
}

/* One thread adds one measure on one chunk, payoff after payoff. */
static __global__ void add_contrasts(const __grid_constant__ struct scenario_set_values values,
                                     int n_chunks, const struct tally *tallies, double *totals)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n_chunks * values.n_contrasts) return;
    const struct tally *of_row = tallies + (size_t)i * (size_t)values.n_payoffs;
    double *to = totals + (size_t)i * (size_t)values.n_totals;
    for (int p = 0; p < values.n_payoffs; p++) {
        int total = values.totals[p];
        if (total >= 0) to[total] = fma(values.quantities[p], of_row[p].mean, to[total]);
    }
}

cudaError_t value_scenario_set(const struct scenario_set_values *values,
                               struct tally *chunk_tallies, struct tally *batch_tallies,
                               cudaStream_t stream)
{
    unsigned n_chunks = (unsigned)(values->paths / CHUNK_PATHS);
    int n = values->n_contrasts * values->n_payoffs;
    dim3 contrasts(n_chunks * (unsigned)values->n_contrasts,
                   (unsigned)((values->n_payoffs + WARPS - 1) / WARPS));
    value_contrasts<<<contrasts, BLOCK, 0, stream>>>(*values, chunk_tallies);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    dim3 batches((unsigned)((n + 127) / 128), (n_chunks + BATCH_CHUNKS - 1) / BATCH_CHUNKS);
    merge_chunks<<<batches, 128, 0, stream>>>(chunk_tallies, n, n, (int)n_chunks, batch_tallies);
    return cudaGetLastError();
}

cudaError_t add_scenario_set_totals(const struct scenario_set_values *values,
                                    const struct tally *chunk_tallies, double *totals,
                                    cudaStream_t stream)
{
    int n_chunks = (int)(values->paths / CHUNK_PATHS);
    unsigned threads = (unsigned)(n_chunks * values->n_contrasts);
    add_contrasts<<<(threads + 127) / 128, 128, 0, stream>>>(*values, n_chunks, chunk_tallies,
                                                             totals);
    return cudaGetLastError();
}

/* ---- loading --------------------------------------------------------------------------------- */

cudaError_t load_payoff_kernels(void)
{
    const void *const kernels[] = {(const void *)value_chunks<false>, (const void *)merge_chunks,
                                   (const void *)value_contrasts, (const void *)add_contrasts};
    struct cudaFuncAttributes facts;
    cudaError_t error = cudaSuccess;
    for (const void *kernel : kernels)
        if (error == cudaSuccess) error = cudaFuncGetAttributes(&facts, kernel);
    return error;
}
