/* Strike strips of strikes (kernels/strike strip.h) on the GPU: one thread owns one bin of one
 * batch and looks at every path of it, in order; then the bins beyond each strike are added from
 * the outermost inwards. No atomics, so the bits are the CPU's. */
#include "kernels/cuda/device/launch.h"

enum { BLOCK = 256 };

enum { TILE_PATHS = STRIP_CHUNKS * CHUNK_PATHS, TILES = BATCH_CHUNKS / STRIP_CHUNKS };
static_assert(BATCH_CHUNKS % STRIP_CHUNKS == 0, "a batch is whole stretches of chunks");

/* Returns where the bins of a strip begin: behind those of the strips before it. */
static __device__ struct strike_bin *bins_of(const struct strike_strip &strip, size_t paths,
                                             struct strike_bin *bins)
{
    const size_t batches = (paths + BATCH_PATHS - 1) / BATCH_PATHS;
    return bins + STRIP_ROOM * batches * (size_t)strip.first_bin;
}

/* Sums of bin blockIdx.y * BLOCK + threadIdx.x of strip blockIdx.z over the blockIdx.x-th tile of
 * chunks. */
static __global__ void __launch_bounds__(BLOCK)
    fill_bins(const struct strike_strip *strips, const double *observed, size_t paths,
              struct strike_bin *bins)
{
    __shared__ double differences[CHUNK_PATHS];
    __shared__ int4 bin_quads[CHUNK_PATHS / 4];
    const struct strike_strip strip = strips[blockIdx.z];
    if ((int)(blockIdx.y * BLOCK) > strip.n_strikes) return;
    const double *x = observed + (size_t)strip.row * paths;
    int mine = (int)(blockIdx.y * BLOCK + threadIdx.x);
    size_t begin = (size_t)blockIdx.x * TILE_PATHS,
           end = begin + TILE_PATHS < paths ? begin + TILE_PATHS : paths;
    struct strike_bin sums = {0.0, 0.0, 0.0, 0.0};
    for (size_t chunk = begin; chunk < end; chunk += CHUNK_PATHS) {
        __syncthreads();
        for (int i = (int)threadIdx.x; i < CHUNK_PATHS; i += BLOCK) {
            double spot = path_exp2(x[chunk + i]);
            differences[i] = spot - strip.centre;
            reinterpret_cast<int *>(bin_quads)[i] =
                strike_bin_of(&strip, strip_cell(&strip, x[chunk + i]), spot);
        }
        __syncthreads();
        for (int i = 0; i < CHUNK_PATHS; i += 4) {
            int4 quad = bin_quads[i / 4];
            const int bins[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
            for (int q = 0; q < 4; q++)
                if (bins[q] == mine) {
                    double d = differences[i + q];
                    struct strike_bin path = {1.0, d, d * d, 0.0};
                    sums = strike_bin_add(sums, path);
                }
        }
    }
    if (mine <= strip.n_strikes)
        bins_of(strip, paths, bins)[(size_t)blockIdx.x * (size_t)(strip.n_strikes + 1) + mine] =
            sums;
}

/* Bin `bin` of a batch: the sum of its tiles, of which the last batch may have fewer. */
static __device__ struct strike_bin bin_of_batch(const struct strike_bin *bins, size_t n_bins,
                                                 size_t bin, int n_tiles)
{
    struct strike_bin all = {0.0, 0.0, 0.0, 0.0};
    for (int s = 0; s < n_tiles; s++) all = strike_bin_add(all, bins[(size_t)s * n_bins + bin]);
    return all;
}

/* One thread adds up a tile of bins in the order they lie in. */
static __device__ void scan_tile(struct strike_bin *tile, int n, struct strike_bin *sums)
{
    struct strike_bin all = *sums;
    for (int i = 0; i < n; i++) tile[i] = all = strike_bin_add(all, tile[i]);
    *sums = all;
}

/* Tallies of the payoffs of strip blockIdx.y on batch blockIdx.x; behind its bins,
 * beyond[above][strike] of the batch is working memory. */
static __global__ void __launch_bounds__(BLOCK)
    tally_strips(const struct strike_strip *strips, struct strike_bin *bins, size_t paths,
                 int n_payoffs, struct tally *tallies)
{
    const struct strike_strip strip = strips[blockIdx.y];
    __shared__ struct strike_bin tiles[2][BLOCK], sums[2];
    int n = strip.n_strikes, thread = (int)threadIdx.x;
    size_t batch = blockIdx.x, begin = batch * BATCH_PATHS;
    double batch_paths =
        (double)(begin + BATCH_PATHS < paths ? (size_t)BATCH_PATHS : paths - begin);
    int n_tiles = (int)((batch_paths + TILE_PATHS - 1) / TILE_PATHS);
    bins = bins_of(strip, paths, bins);
    struct strike_bin *beyond = bins + ((size_t)gridDim.x * TILES + batch * 2) * (size_t)(n + 1);
    bins += batch * TILES * (size_t)(n + 1);
    if (thread < 2) sums[thread] = {0.0, 0.0, 0.0, 0.0};
    for (int tile = 0; tile < n; tile += BLOCK) {
        int here = n - tile < BLOCK ? n - tile : BLOCK;
        __syncthreads();
        if (thread < here) { /* below: bin s of strike s; above: bin s + 1 of strike s, from the
                                last strike down */
            tiles[0][thread] = bin_of_batch(bins, (size_t)n + 1, (size_t)(tile + thread), n_tiles);
            tiles[1][thread] =
                bin_of_batch(bins, (size_t)n + 1, (size_t)(n - tile - thread), n_tiles);
        }
        __syncthreads();
        if (thread % 32 == 0 && thread / 32 < 2)
            scan_tile(tiles[thread / 32], here, &sums[thread / 32]);
        __syncthreads();
        if (thread < here) {
            beyond[tile + thread] = tiles[0][thread];
            beyond[n + 1 + (n - 1 - tile - thread)] = tiles[1][thread];
        }
    }
    __syncthreads();
    for (int p = thread; p < strip.n_payoffs; p += BLOCK) {
        struct strip_payoff payoff = strip.payoffs[p];
        struct strike_bin sum = beyond[(payoff.above ? n + 1 : 0) + payoff.strike];
        tallies[batch * (size_t)n_payoffs + (size_t)(strip.first_payoff + p)] =
            strip_tally(payoff, sum, batch_paths);
    }
}

cudaError_t value_strips(const struct strip_launch *strips, int n_payoffs, const double *observed,
                         size_t paths, struct strike_bin *bins, struct tally *batch_tallies,
                         cudaStream_t stream)
{
    const unsigned batches = (unsigned)((paths + BATCH_PATHS - 1) / BATCH_PATHS);
    const unsigned n_tiles = (unsigned)((paths + TILE_PATHS - 1) / TILE_PATHS);
    const unsigned n = (unsigned)strips->n,
                   across = (unsigned)(strips->most_bins + BLOCK - 1) / BLOCK;
    if (!n) return cudaSuccess;
    fill_bins<<<dim3(n_tiles, across, n), BLOCK, 0, stream>>>(strips->strips, observed, paths,
                                                              bins);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    tally_strips<<<dim3(batches, n), BLOCK, 0, stream>>>(strips->strips, bins, paths, n_payoffs,
                                                         batch_tallies);
    return cudaGetLastError();
}
