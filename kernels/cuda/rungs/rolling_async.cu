/* rolling-async: one path a thread; the normals of the next DEPTH steps are on their way into a
 * ring in shared memory by asynchronous copies, one sent for at every step. After "Boosting
 * Application Performance with GPU Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * A copy needs no register to land in and nothing waits for it but its own step, so depth costs
 * shared memory alone. The article's version with a commit only where there is something to copy
 * would read the last normals before they have landed: kernels/cuda/rungs/ring.cuh. */
#include "kernels/cuda/rungs/ring.cuh"
#include "kernels/cuda/device/single_path.cuh"

/* For sums alone, for other books; measured on an H200. */
enum { SUM_DEPTH = 6, OBSERVED_DEPTH = 4 };

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH>
static __global__ void rolling_async(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct ring<DEPTH, double, WARP> ring = {
        shared + warp_slot(DEPTH),
            (const char *)((const double *)w.normals + path), w.paths * sizeof(double), w.n_steps
    };
    struct single_path<RECORD> single_path;
    single_path.begin(w, path, shared + DEPTH * blockDim.x + threadIdx.x);
    simulate_ring<DEPTH>(w, single_path, ring);
    single_path.end(w);
}

cudaError_t launch_rolling_async(const struct path_launch *path_launch, enum record record,
                                 int block, cudaStream_t stream)
{
    block = single_path_block(block);
    int depth = record == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH;
    return LAUNCH_RECORD(rolling_async, path_launch, record, 1, block, depth * sizeof(double),
                         stream);
}
