/* gather: indirect access. Each step of a path under the model `historical` reads an index from the
 * big array and then, with it, a return from the asset's table: table[indices[step][path]]. The
 * second load cannot begin before the first has ended, and its address is known to nobody before.
 * After "Prefetch" in Intel's oneAPI GPU Optimization Guide, which asks for the next index ahead of
 * its use: here the index is loaded 2 DEPTH steps ahead, and the return that it names DEPTH steps
 * ahead, both into registers. Prefetches of the index into a cache gained nothing on an H200, those
 * of the return lost. Where paths remember more than a sum registers are short, and nothing is
 * asked for ahead.
 *
 * No index beyond the last step is asked for, and every place goes through historical_index(),
 * which cuts it to the table: a damaged index gives a wrong number, never a wrong address. Other
 * books run what `plain` runs. */
#include "kernels/cuda/device/models.cuh"
#include "kernels/cuda/device/single_path.cuh"

enum { GATHER_DEPTH = 4 }; /* measured on an H200 */

/* Reads the returns of a path as its steps come; with a depth of 1 nothing ahead. */
template <int DEPTH>
struct fetcher {
    const double *indices; /* of the path, rows `paths` apart */
    const float *table;
    size_t paths;
    int n_steps;
    double index[DEPTH]; /* [d] of step j + DEPTH, j % DEPTH = d */
    float value[DEPTH];  /* [d] the return of step j */

    __device__ __forceinline__ double index_of(int j) const
    {
        return j < n_steps ? indices[(size_t)j * paths] : 0.0;
    }

    __device__ __forceinline__ void begin(const double *c)
    {
        if (DEPTH == 1) return;
#pragma unroll
        for (int d = 0; d < DEPTH; d++) index[d] = index_of(d);
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            value[d] = historical_gather(table, historical_index(c, index[d]));
#pragma unroll
        for (int d = 0; d < DEPTH; d++) index[d] = index_of(DEPTH + d);
    }

    __device__ __forceinline__ float take(int j, int d, const double *c)
    {
        if (DEPTH == 1)
            return historical_gather(table, historical_index(c, indices[(size_t)j * paths]));
        const float now = value[d];
        value[d] = historical_gather(table, historical_index(c, index[d]));
        index[d] = index_of(j + 2 * DEPTH);
        return now;
    }
};

/* Steps are unrolled by the depth, since registers have no index. */
template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? GATHER_DEPTH : 1>
static __global__ void gather(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct recorder<RECORD, 1> recorder;
    recorder.begin(w, shared + threadIdx.x);
    model_paths<MODEL_HISTORICAL, 1> paths;
    paths.begin(w);
    struct fetcher<DEPTH> fetch = {
        (const double *)w.normals + path, w.table, w.paths, w.n_steps
    };
    fetch.begin(w.coefficients);
#pragma unroll 1
    for (int j0 = 0; j0 < w.n_steps; j0 += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (d && j0 + d >= w.n_steps) break;
            loaded_coefficients<MODEL_HISTORICAL> step;
            step.load(w.coefficients + (size_t)(j0 + d) * HISTORICAL_COEFFICIENTS);
            paths.state[0].x =
                historical_move(step.c, paths.state[0].x, fetch.take(j0 + d, d, step.c));
            paths.state[0].clock = paths.state[0].clock + step.c[HISTORICAL_CLOCK];
            paths.pay_dividends(j0 + d);
            recorder.step(w, j0 + d, paths, path, stored_bridges_of(w, path));
        }
    }
    recorder.end(w, path);
}

cudaError_t launch_model_gather(const struct path_launch *path_launch, enum record record,
                                int block, cudaStream_t stream)
{
    if (path_launch->model != MODEL_HISTORICAL)
        return launch_model_plain(path_launch, record, block, stream);
    return LAUNCH_RECORD(gather, path_launch, record, 1, single_path_block(block), 0, stream);
}
