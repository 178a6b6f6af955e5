/* Ladders of strikes (kernels/ladder.h) on the GPU: one thread owns one bin of one batch and looks at every
 * path of it, in order; then the bins beyond each strike are added from the outermost inwards. No atomics, so
 * the bits are the CPU's. */
#include "kernels/cuda/launch.h"

enum { BLOCK = 256 };

enum { STRETCH_PATHS = LADDER_CHUNKS * CHUNK_PATHS, STRETCHES = BATCH_CHUNKS / LADDER_CHUNKS };
static_assert(BATCH_CHUNKS % LADDER_CHUNKS == 0, "a batch is whole stretches of chunks");

/* Sums of bin blockIdx.y * BLOCK + threadIdx.x over the blockIdx.x-th stretch of chunks. */
static __global__ void __launch_bounds__(BLOCK)
    fill_bins(const struct ladder ladder, const double *observed, size_t paths, struct ladder_bin *bins)
{
    __shared__ double differences[CHUNK_PATHS];
    __shared__ int4 places[CHUNK_PATHS / 4];
    const double *x = observed + (size_t)ladder.row * paths;
    int mine = (int)(blockIdx.y * BLOCK + threadIdx.x);
    size_t begin = (size_t)blockIdx.x * STRETCH_PATHS,
           end = begin + STRETCH_PATHS < paths ? begin + STRETCH_PATHS : paths;
    struct ladder_bin sums = {0.0, 0.0, 0.0, 0.0};
    for (size_t chunk = begin; chunk < end; chunk += CHUNK_PATHS) {
        __syncthreads();
        for (int i = (int)threadIdx.x; i < CHUNK_PATHS; i += BLOCK) {
            double spot = path_exp2(x[chunk + i]);
            differences[i] = spot - ladder.centre;
            reinterpret_cast<int *>(places)[i] =
                ladder_bin_of(&ladder, ladder_cell(&ladder, x[chunk + i]), spot);
        }
        __syncthreads();
        for (int i = 0; i < CHUNK_PATHS; i += 4) {
            int4 place = places[i / 4];
            const int of[4] = {place.x, place.y, place.z, place.w};
#pragma unroll
            for (int q = 0; q < 4; q++)
                if (of[q] == mine) {
                    double d = differences[i + q];
                    struct ladder_bin path = {1.0, d, d * d, 0.0};
                    sums = ladder_add(sums, path);
                }
        }
    }
    if (mine <= ladder.n_strikes) bins[(size_t)blockIdx.x * (size_t)(ladder.n_strikes + 1) + mine] = sums;
}

/* Bin `bin` of a batch: the sum of its stretches, of which the last batch may have fewer. */
static __device__ struct ladder_bin bin_of_batch(const struct ladder_bin *bins, size_t n_bins, size_t bin,
                                                 int stretches)
{
    struct ladder_bin all = {0.0, 0.0, 0.0, 0.0};
    for (int s = 0; s < stretches; s++) all = ladder_add(all, bins[(size_t)s * n_bins + bin]);
    return all;
}

/* One thread adds up a tile of bins in the order they lie in. */
static __device__ void scan_tile(struct ladder_bin *tile, int n, struct ladder_bin *sums)
{
    struct ladder_bin all = *sums;
    for (int i = 0; i < n; i++) tile[i] = all = ladder_add(all, tile[i]);
    *sums = all;
}

/* Tallies of the ladder's payoffs on batch blockIdx.x; beyond[above][strike] of the batch is working memory.
 */
static __global__ void __launch_bounds__(BLOCK)
    tally_ladder(const struct ladder ladder, const struct ladder_bin *bins, struct ladder_bin *beyond,
                 size_t paths, int n_payoffs, struct tally *tallies)
{
    __shared__ struct ladder_bin tiles[2][BLOCK], sums[2];
    int n = ladder.n_strikes, thread = (int)threadIdx.x;
    size_t batch = blockIdx.x, begin = batch * BATCH_PATHS;
    double of_batch = (double)(begin + BATCH_PATHS < paths ? (size_t)BATCH_PATHS : paths - begin);
    int stretches = (int)((of_batch + STRETCH_PATHS - 1) / STRETCH_PATHS);
    bins += batch * STRETCHES * (size_t)(n + 1);
    beyond += batch * 2 * (size_t)(n + 1);
    if (thread < 2) sums[thread] = {0.0, 0.0, 0.0, 0.0};
    for (int tile = 0; tile < n; tile += BLOCK) {
        int here = n - tile < BLOCK ? n - tile : BLOCK;
        __syncthreads();
        if (thread <
            here) { /* below: bin s of strike s; above: bin s + 1 of strike s, from the last strike down */
            tiles[0][thread] = bin_of_batch(bins, (size_t)n + 1, (size_t)(tile + thread), stretches);
            tiles[1][thread] = bin_of_batch(bins, (size_t)n + 1, (size_t)(n - tile - thread), stretches);
        }
        __syncthreads();
        if (thread % 32 == 0 && thread / 32 < 2) scan_tile(tiles[thread / 32], here, &sums[thread / 32]);
        __syncthreads();
        if (thread < here) {
            beyond[tile + thread] = tiles[0][thread];
            beyond[n + 1 + (n - 1 - tile - thread)] = tiles[1][thread];
        }
    }
    __syncthreads();
    for (int p = thread; p < ladder.n_payoffs; p += BLOCK) {
        struct ladder_payoff payoff = ladder.payoffs[p];
        struct ladder_bin sum = beyond[(payoff.above ? n + 1 : 0) + payoff.strike];
        tallies[batch * (size_t)n_payoffs + (size_t)(ladder.first_payoff + p)] =
            ladder_tally(payoff, sum, of_batch);
    }
}

cudaError_t value_ladder(const struct ladder *ladder, int n_payoffs, const double *observed, size_t paths,
                         struct ladder_bin *bins, struct tally *batch_tallies, cudaStream_t stream)
{
    unsigned batches = (unsigned)((paths + BATCH_PATHS - 1) / BATCH_PATHS);
    unsigned stretches = (unsigned)((paths + STRETCH_PATHS - 1) / STRETCH_PATHS);
    unsigned n_bins = (unsigned)ladder->n_strikes + 1;
    fill_bins<<<dim3(stretches, (n_bins + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>(*ladder, observed, paths,
                                                                                   bins);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    tally_ladder<<<batches, BLOCK, 0, stream>>>(*ladder, bins, bins + (size_t)batches * STRETCHES * n_bins,
                                                paths, n_payoffs, batch_tallies);
    return cudaGetLastError();
}
