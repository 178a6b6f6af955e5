/* rolling-async: one path a thread; the normals of the next DEPTH steps are on their way into a
 * ring in shared memory by asynchronous copies, one sent for at every step. After "Boosting
 * Application Performance with GPU Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * A copy needs no register to land in and nothing waits for it but its own step, so depth costs
 * shared memory alone. The article's version with a commit only where there is something to copy
 * would read the last normals before they have landed: kernels/cuda/rungs/ring.cuh. */
#include "kernels/cuda/device/ring_layouts.cuh"
#include "kernels/cuda/rungs/ring.cuh"
#include "kernels/cuda/device/single_path.cuh"

enum {
    SUM_DEPTH = 6,
    OBSERVED_DEPTH = 4
}; /* for sums alone, for other books; measured on an H200 */

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH,
          int LAYOUT = RING_LAYOUT_SLOT>
static __global__ void rolling_async(const struct path_launch w)
{
    extern __shared__ double shared[];
    typedef ring_address<DEPTH, LAYOUT> ring_address;
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct ring<DEPTH, double, ring_address::STRIDE> ring = {
        shared + ring_address::first(),
            (const char *)((const double *)w.normals + path), w.paths * sizeof(double), w.n_steps
    };
    struct single_path<RECORD> single_path;
    single_path.begin(w, path, shared + ring_address::WIDTH * blockDim.x + threadIdx.x);
    simulate_ring<DEPTH>(w, single_path, ring);
    single_path.end(w);
}

template <int DEPTH, int LAYOUT>
static cudaError_t launch_with_layout(const struct path_launch *path_launch, int block,
                                      cudaStream_t stream)
{
    size_t shared = sizeof(double) * ring_address<DEPTH, LAYOUT>::WIDTH * (size_t)block;
    return launch_walk(rolling_async<RECORD_SUM, DEPTH, LAYOUT>, path_launch, 1, block, shared,
                       stream);
}

template <int DEPTH>
static cudaError_t launch_deep(const struct path_launch *path_launch, int block,
                               cudaStream_t stream)
{
    switch (path_launch->variant.value[SETTING_LAYOUT]) {
    case RING_LAYOUT_THREAD:
        return launch_with_layout<DEPTH, RING_LAYOUT_THREAD>(path_launch, block, stream);
    case RING_LAYOUT_PADDED:
        return launch_with_layout<DEPTH, RING_LAYOUT_PADDED>(path_launch, block, stream);
    default: return launch_with_layout<DEPTH, RING_LAYOUT_SLOT>(path_launch, block, stream);
    }
}

cudaError_t launch_rolling_async(const struct path_launch *path_launch, enum record record,
                                 int block, cudaStream_t stream)
{
    block = single_path_block(block);
    if (record != RECORD_SUM)
        return LAUNCH_RECORD(rolling_async, path_launch, record, 1, block,
                             OBSERVED_DEPTH * sizeof(double), stream);
    switch (path_launch->variant.value[SETTING_DEPTH]) {
#define DEPTH(context, depth)                                                                      \
    case depth: return launch_deep<depth>(path_launch, block, stream);
        DEPTHS(DEPTH, )
#undef DEPTH
    default: return launch_deep<SUM_DEPTH>(path_launch, block, stream);
    }
}
