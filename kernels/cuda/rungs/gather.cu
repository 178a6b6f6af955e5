/* gather: indirect access. Each step of a path under the model `historical` reads an index from the
 * big array and then, with it, a return from the asset's table: table[indices[step][path]]. The
 * second load cannot begin before the first has ended, and its address is known to nobody before.
 * The fourth source of the strike strip is "Prefetch" in Intel's oneAPI GPU Optimization Guide,
 * which asks for the next index ahead of its use; here the distance, the cache, and what is asked
 * for are settings:
 *
 * - none: one plain load of the index, one load of the return through the read-only path
 * - index: a PTX prefetch of the index DEPTH steps ahead, into L2 or L1
 * - value: a prefetch of the index 2 DEPTH steps ahead; DEPTH steps ahead the index is loaded and
 * the return that it names is prefetched
 * - registers: the index is loaded 2 DEPTH steps ahead, the return DEPTH steps ahead, both into
 * registers
 *
 * No index beyond the last step is asked for, and every place goes through historical_index(),
 * which cuts it to the table: a damaged index gives a wrong number, never a wrong address. Other
 * books run what `plain` runs. */
#include "kernels/cuda/device/models.cuh"
#include "kernels/cuda/device/single_path.cuh"

enum { GATHER_DEPTH = 4 }; /* measured on an H200, as is the choice of registers for a sum */

template <int CACHE>
static __device__ __forceinline__ void prefetch(const void *at)
{
    if (CACHE == CACHE_L1) asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
    else asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/* What a thread asks for ahead of step j. The first steps' own indices are not asked for: there is
 * no time to. */
template <int FETCH, int DEPTH, int CACHE>
struct fetcher {
    const double *indices; /* of the path, rows `paths` apart */
    const float *table;
    size_t paths;
    int n_steps;

    __device__ __forceinline__ const double *row(int j) const
    {
        return indices + (size_t)j * paths;
    }

    __device__ __forceinline__ void begin(const double *)
    {
    }

    __device__ __forceinline__ float take(int j, int, const double *c)
    {
        const int ahead = FETCH == FETCH_VALUE ? 2 * DEPTH : DEPTH;
        if (FETCH != FETCH_NONE && j + ahead < n_steps) prefetch<CACHE>(row(j + ahead));
        if (FETCH == FETCH_VALUE && j + DEPTH < n_steps)
            prefetch<CACHE>(table + historical_index(c, *row(j + DEPTH)));
        return historical_gather(table, historical_index(c, *row(j)));
    }
};

/* index[d] is that of step j + DEPTH, value[d] the return of step j, j % DEPTH = d. */
template <int DEPTH, int CACHE>
struct fetcher<FETCH_REGISTERS, DEPTH, CACHE> {
    const double *indices;
    const float *table;
    size_t paths;
    int n_steps;
    double index[DEPTH];
    float value[DEPTH];

    __device__ __forceinline__ double index_of(int j) const
    {
        return j < n_steps ? indices[(size_t)j * paths] : 0.0;
    }

    __device__ __forceinline__ void begin(const double *c)
    {
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
        const float now = value[d];
        value[d] = historical_gather(table, historical_index(c, index[d]));
        index[d] = index_of(j + 2 * DEPTH);
        return now;
    }
};

/* Steps are unrolled by the depth of the registers, whose numbers must be constants; else not at
 * all. */
template <int RECORD, int FETCH = RECORD == RECORD_SUM ? FETCH_REGISTERS : FETCH_NONE,
          int DEPTH = GATHER_DEPTH, int CACHE = CACHE_L2>
static __global__ void gather(const struct path_launch w)
{
    const int unrolled = FETCH == FETCH_REGISTERS ? DEPTH : 1;
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct recorder<RECORD, 1> recorder;
    recorder.begin(w, shared + threadIdx.x);
    model_paths<MODEL_HISTORICAL, 1> paths;
    paths.begin(w);
    struct fetcher<FETCH, DEPTH, CACHE> fetch = {
        (const double *)w.normals + path, w.table, w.paths, w.n_steps
    };
    fetch.begin(w.coefficients);
#pragma unroll 1
    for (int j0 = 0; j0 < w.n_steps; j0 += unrolled) {
#pragma unroll
        for (int d = 0; d < unrolled; d++) {
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

template <int FETCH, int CACHE>
static cudaError_t launch_deep(const struct path_launch *path_launch, int block,
                               cudaStream_t stream)
{
    switch (path_launch->variant.value[SETTING_DEPTH]) {
#define DEPTH(context, depth)                                                                      \
    case depth:                                                                                    \
        return launch_walk(gather<RECORD_SUM, FETCH, depth, CACHE>, path_launch, 1, block, 0,      \
                           stream);
        DEPTHS(DEPTH, )
#undef DEPTH
    default:
        return launch_walk(gather<RECORD_SUM, FETCH, GATHER_DEPTH, CACHE>, path_launch, 1, block, 0,
                           stream);
    }
}

template <int FETCH>
static cudaError_t launch_cached(const struct path_launch *path_launch, int block,
                                 cudaStream_t stream)
{
    if (path_launch->variant.value[SETTING_CACHE] == CACHE_L1)
        return launch_deep<FETCH, CACHE_L1>(path_launch, block, stream);
    return launch_deep<FETCH, CACHE_L2>(path_launch, block, stream);
}

/* A sum takes the settings; other books have the kernel's own. */
static cudaError_t launch_gathering(const struct path_launch *path_launch, enum record record,
                                    int block, cudaStream_t stream)
{
    block = single_path_block(block);
    if (record != RECORD_SUM)
        return LAUNCH_RECORD(gather, path_launch, record, 1, block, 0, stream);
    switch (path_launch->variant.value[SETTING_FETCH]) {
    case FETCH_NONE:
        return launch_walk(gather<RECORD_SUM, FETCH_NONE>, path_launch, 1, block, 0, stream);
#define FETCH(context, NAME, word)                                                                 \
    case FETCH_##NAME: return launch_cached<FETCH_##NAME>(path_launch, block, stream);
        FETCHES(FETCH, )
#undef FETCH
    default: return launch_deep<FETCH_REGISTERS, CACHE_L2>(path_launch, block, stream);
    }
}

cudaError_t launch_model_gather(const struct path_launch *path_launch, enum record record,
                                int block, cudaStream_t stream)
{
    if (path_launch->model != MODEL_HISTORICAL)
        return launch_model_plain(path_launch, record, block, stream);
    return launch_gathering(path_launch, record, block, stream);
}

cudaError_t launch_gather(const struct path_launch *path_launch, enum record record, int block,
                          cudaStream_t stream)
{
    return launch_plain(path_launch, record, block, stream);
}
