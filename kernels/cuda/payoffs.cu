/* Payoffs and tallies: one warp values one payoff on one chunk of paths, in the order of
 * kernels/tally_order.h. */
#include "kernels/cuda/launch.h"
#include "kernels/tally_order.h"
#include "models/payoffs/products.h"
#include "models/payoffs/trade.h"

enum { WARPS = 8, BLOCK = WARPS * TALLY_LANES };

template <int PRODUCT>
static __device__ double value_of(const struct payoff *p, double a, double b, double c);
#define PAYOFF(NAME, name, required, optional)                                                               \
    template <>                                                                                              \
    __device__ __forceinline__ double value_of<PRODUCT_##NAME>(const struct payoff *p, double a, double b,   \
                                                               double c)                                     \
    {                                                                                                        \
        return name##_value(p, a, b, c);                                                                     \
    }
#include "models/payoffs/payoffs.def"
#undef PAYOFF

/* The tally of one payoff on one chunk; `observed` points to the lane's first path. Result valid on lane 0.
 */
template <int PRODUCT>
static __device__ struct tally tally_chunk(const struct payoff *payoff, const double *observed, size_t paths)
{
    const struct payoff p = *payoff;
    const double *a = observed + (size_t)p.seen[0] * paths;
    const double *b = observed + (size_t)p.seen[1] * paths;
    const double *c = observed + (size_t)p.seen[2] * paths;
    struct tally_sums sums = {0.0, 0.0};
    double value = value_of<PRODUCT>(&p, a[0], b[0], c[0]);
    double centre = __shfl_sync(~0u, value, 0);
    sums = tally_sums_take(sums, value, centre);
    for (int r = 1; r < TALLY_ROUNDS; r++) {
        int i = r * TALLY_LANES;
        sums = tally_sums_take(sums, value_of<PRODUCT>(&p, a[i], b[i], c[i]), centre);
    }
    for (int half = TALLY_LANES / 2; half > 0; half /= 2) {
        sums.sum += __shfl_down_sync(~0u, sums.sum, half);
        sums.squares += __shfl_down_sync(~0u, sums.squares, half);
    }
    return tally_of_sums(sums, centre);
}

static __global__ void __launch_bounds__(BLOCK)
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
    switch (p->product) {
#define PAYOFF(NAME, name, required, optional)                                                               \
    case PRODUCT_##NAME:                                                                                     \
        tally = tally_chunk<PRODUCT_##NAME>(p, first, paths);                                                \
        break;
#include "models/payoffs/payoffs.def"
#undef PAYOFF
    default: return;
    }
    if (lane == 0) tallies[chunk * (size_t)n_payoffs + (size_t)payoff] = tally;
}

/* One thread merges the chunks of one batch of one payoff, in index order. */
static __global__ void merge_chunks(const struct tally *chunks, int n_single, int n_payoffs, int n_chunks,
                                    struct tally *batches)
{
    int payoff = (int)(blockIdx.x * blockDim.x + threadIdx.x), first = (int)blockIdx.y * BATCH_CHUNKS;
    if (payoff >= n_single) return;
    int end = first + BATCH_CHUNKS < n_chunks ? first + BATCH_CHUNKS : n_chunks;
    struct tally all = {0.0, 0.0, 0.0};
    for (int c = first; c < end; c++)
        all = tally_merge(all, chunks[(size_t)c * (size_t)n_single + (size_t)payoff]);
    batches[(size_t)blockIdx.y * (size_t)n_payoffs + (size_t)payoff] = all;
}

cudaError_t value_payoffs(const struct payoff *payoffs, int n_single, int n_payoffs, const double *observed,
                          size_t paths, struct tally *chunk_tallies, struct tally *batch_tallies,
                          cudaStream_t stream)
{
    if (!n_single) return cudaSuccess;
    unsigned n_chunks = (unsigned)(paths / CHUNK_PATHS);
    dim3 chunks(n_chunks, (unsigned)((n_single + WARPS - 1) / WARPS));
    value_chunks<<<chunks, BLOCK, 0, stream>>>(payoffs, n_single, observed, paths, chunk_tallies);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    dim3 batches((unsigned)((n_single + 127) / 128), (n_chunks + BATCH_CHUNKS - 1) / BATCH_CHUNKS);
    merge_chunks<<<batches, 128, 0, stream>>>(chunk_tallies, n_single, n_payoffs, (int)n_chunks,
                                              batch_tallies);
    return cudaGetLastError();
}
