/* Where the DEPTH normals that a thread has fetched wait in the shared memory of its block:
 *
 *   RING_LAYOUT_THREAD  ring[thread][slot], each thread's normals together. Threads of a warp are
 * DEPTH doubles apart: with an even DEPTH they fall on the same banks, and the accesses of a warp
 * are served one after the other. RING_LAYOUT_PADDED  the same with DEPTH + padding = 2^k + 1
 * doubles a thread: odd, so that no two threads of half a warp meet on a bank. It is what "Boosting
 * Application Performance with GPU Memory Prefetching" (NVIDIA technical blog, 2022) recommends;
 * the padding costs occupancy. RING_LAYOUT_SLOT    ring[slot][thread], for each warp: its accesses
 * are consecutive. No conflict and no padding; it is what that article leaves as an exercise. Slots
 * of a warp, not of the block, so that they are a constant apart and one register addresses them
 * all.
 *
 * A thread reads only what it wrote itself, so none of them needs a barrier. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_RING_LAYOUTS_CUH
#define PRICER_KERNELS_CUDA_DEVICE_RING_LAYOUTS_CUH

#include "kernels/cuda/device/variants.h"

enum { WARP = 32 };

/* Returns the least 2^k + 1 that holds `depth`. */
static constexpr int padded_width(int depth)
{
    int width = 2;
    while (width + 1 < depth) width *= 2;
    return width + 1;
}

template <int DEPTH, int LAYOUT>
struct ring_address {
    static_assert(DEPTH >= 2 && DEPTH <= 16,
                  "one slot is no prefetch; beyond 16 only occupancy is lost");
    static_assert(LAYOUT == RING_LAYOUT_THREAD || LAYOUT == RING_LAYOUT_PADDED ||
                      LAYOUT == RING_LAYOUT_SLOT,
                  "a layout has to be chosen");

    /* Elements a thread */
    static const int WIDTH = LAYOUT == RING_LAYOUT_PADDED ? padded_width(DEPTH) : DEPTH;

    /* Elements from a slot to the next */
    static const int STRIDE = LAYOUT == RING_LAYOUT_SLOT ? WARP : 1;

    /* Elements from the block's first to this thread's slot 0; a block is whole warps. */
    static __device__ __forceinline__ int first()
    {
        int lane = (int)threadIdx.x % WARP;
        return LAYOUT == RING_LAYOUT_SLOT ? ((int)threadIdx.x - lane) * WIDTH + lane
                                          : (int)threadIdx.x * WIDTH;
    }
};

#endif
