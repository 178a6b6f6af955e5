/* rolling-async: one path a thread; the normals of the next DEPTH steps are on their way into a ring in
 * shared memory by asynchronous copies, one sent for at every step. After "Boosting Application Performance
 * with GPU Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * A copy needs no register to land in and nothing waits for it but its own step, so depth costs shared memory
 * alone. The article's version with a commit only where there is something to copy would read the last
 * normals before they have landed: kernels/cuda/ring.cuh. */
#include "kernels/cuda/layouts.cuh"
#include "kernels/cuda/ring.cuh"
#include "kernels/cuda/walker.cuh"

enum { SUM_DEPTH = 6, TOUCH_DEPTH = 4 }; /* for sums alone, for other books; measured on an H200 */

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : TOUCH_DEPTH, int LAYOUT = LAYOUT_SLOT>
static __global__ void rolling_async(const struct walk w)
{
    extern __shared__ double shared[];
    typedef place<DEPTH, LAYOUT> place;
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct ring<DEPTH, double, place::STRIDE> ring = {
        shared + place::first(),
            (const char *)((const double *)w.normals + path), w.paths * sizeof(double), w.n_steps
    };
    struct walker<RECORD> walker;
    walker.begin(w, path, shared + place::WIDTH * blockDim.x + threadIdx.x);
    walk_ring<DEPTH>(w, walker, ring);
    walker.end(w);
}

template <int DEPTH, int LAYOUT>
static cudaError_t launch_placed(const struct walk *walk, int block, cudaStream_t stream)
{
    size_t shared = sizeof(double) * place<DEPTH, LAYOUT>::WIDTH * (size_t)block;
    return launch_walk(rolling_async<RECORD_SUM, DEPTH, LAYOUT>, walk, 1, block, shared, stream);
}

template <int DEPTH>
static cudaError_t launch_deep(const struct walk *walk, int block, cudaStream_t stream)
{
    switch (walk->variant.of[SETTING_LAYOUT]) {
    case LAYOUT_THREAD: return launch_placed<DEPTH, LAYOUT_THREAD>(walk, block, stream);
    case LAYOUT_PADDED: return launch_placed<DEPTH, LAYOUT_PADDED>(walk, block, stream);
    default: return launch_placed<DEPTH, LAYOUT_SLOT>(walk, block, stream);
    }
}

cudaError_t launch_rolling_async(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    block = walker_block(block);
    if (record != RECORD_SUM)
        return LAUNCH_RECORD(rolling_async, walk, record, 1, block, TOUCH_DEPTH * sizeof(double), stream);
    switch (walk->variant.of[SETTING_DEPTH]) {
#define DEPTH(of, depth)                                                                                     \
    case depth: return launch_deep<depth>(walk, block, stream);
        DEPTHS(DEPTH, )
#undef DEPTH
    default: return launch_deep<SUM_DEPTH>(walk, block, stream);
    }
}
