/* rolling-shared: one path a thread; a ring in shared memory holds the normals of the next DEPTH
 * steps, and plain loads and stores refill one slot at every step. After "Boosting Application
 * Performance with GPU Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * Depth costs no registers, but each normal passes through one on its way into shared memory: its
 * store waits for its load, and the next step's read of the ring comes after the store. So a thread
 * waits for memory at every step after all, however deep its ring, and only other warps hide it:
 * asynchronous copies are what does away with that. */
#include "kernels/cuda/device/ring_layouts.cuh"
#include "kernels/cuda/device/single_path.cuh"

enum {
    SUM_DEPTH = 4,
    OBSERVED_DEPTH = 4
}; /* for sums alone, for other books; measured on an H200 */

/* Accesses are volatile: else the compiler may keep a slot in a register, and shared memory would
 * be written and not read. */
template <int DEPTH, int STRIDE>
struct shared_ring {
    volatile double *slot; /* this thread's element of slot 0 */
    const double *ahead;   /* this thread's normal of the next step to be fetched */
    size_t paths;
    int left; /* steps still to be fetched */

    /* The next step's, if there is one (`sure`: there is), into a slot. */
    __device__ __forceinline__ void fetch(int of_slot, bool sure)
    {
        if (sure || left > 0) slot[of_slot * STRIDE] = *ahead;
        ahead += paths;
        left--;
    }

    __device__ __forceinline__ void fill()
    {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) fetch(d, false);
    }

    __device__ __forceinline__ double next(int of_slot, bool sure)
    {
        double z = slot[of_slot * STRIDE];
        fetch(of_slot, sure);
        return z;
    }
};

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH,
          int LAYOUT = RING_LAYOUT_SLOT>
static __global__ void rolling_shared(const struct path_launch w)
{
    extern __shared__ double shared[];
    typedef ring_address<DEPTH, LAYOUT> ring_address;
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct shared_ring<DEPTH, ring_address::STRIDE> ring = {
        shared + ring_address::first(), (const double *)w.normals + path, w.paths, w.n_steps
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
    return launch_walk(rolling_shared<RECORD_SUM, DEPTH, LAYOUT>, path_launch, 1, block, shared,
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

cudaError_t launch_rolling_shared(const struct path_launch *path_launch, enum record record,
                                  int block, cudaStream_t stream)
{
    block = single_path_block(block);
    if (record != RECORD_SUM)
        return LAUNCH_RECORD(rolling_shared, path_launch, record, 1, block,
                             OBSERVED_DEPTH * sizeof(double), stream);
    switch (path_launch->variant.value[SETTING_DEPTH]) {
#define DEPTH(context, depth)                                                                      \
    case depth: return launch_deep<depth>(path_launch, block, stream);
        DEPTHS(DEPTH, )
#undef DEPTH
    default: return launch_deep<SUM_DEPTH>(path_launch, block, stream);
    }
}
