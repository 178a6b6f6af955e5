/* rolling-shared: one path a thread; a ring in shared memory holds the normals of the next DEPTH steps, and
 * plain loads and stores refill one slot at every step. After "Boosting Application Performance with GPU
 * Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * Depth costs no registers, but each normal passes through one on its way into shared memory: its store
 * waits for its load, and the next step's read of the ring comes after the store. So a thread waits for
 * memory at every step after all, however deep its ring, and only other warps hide it: asynchronous copies
 * are what does away with that. */
#include "kernels/cuda/layouts.cuh"
#include "kernels/cuda/walker.cuh"

enum { SUM_DEPTH = 4, TOUCH_DEPTH = 4 }; /* for sums alone, for other books; measured on an H200 */

/* Accesses are volatile: else the compiler may keep a slot in a register, and shared memory would be written
 * and not read. */
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

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : TOUCH_DEPTH, int LAYOUT = LAYOUT_SLOT>
static __global__ void rolling_shared(const struct walk w)
{
    extern __shared__ double shared[];
    typedef place<DEPTH, LAYOUT> place;
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct shared_ring<DEPTH, place::STRIDE> ring = {
        shared + place::first(), (const double *)w.normals + path, w.paths, w.n_steps
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
    return launch_walk(rolling_shared<RECORD_SUM, DEPTH, LAYOUT>, walk, 1, block, shared, stream);
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

cudaError_t launch_rolling_shared(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    block = walker_block(block);
    if (record != RECORD_SUM)
        return LAUNCH_RECORD(rolling_shared, walk, record, 1, block, TOUCH_DEPTH * sizeof(double), stream);
    switch (walk->variant.of[SETTING_DEPTH]) {
#define DEPTH(of, depth)                                                                                     \
    case depth: return launch_deep<depth>(walk, block, stream);
        DEPTHS(DEPTH, )
#undef DEPTH
    default: return launch_deep<SUM_DEPTH>(walk, block, stream);
    }
}
