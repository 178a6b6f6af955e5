/* Where the DEPTH normals that a thread has fetched wait in the shared memory of its block:
 *
 * - RING_LAYOUT_THREAD: ring[thread][slot], each thread's normals together. An even DEPTH puts the
 *   threads of a warp on the same banks, which serve its accesses one after the other.
 * - RING_LAYOUT_PADDED: the same with DEPTH + padding = 2^k + 1 doubles a thread, so no two threads
 *   of half a warp meet on a bank ("Boosting Application Performance with GPU Memory Prefetching",
 *   NVIDIA technical blog, 2022). The padding costs occupancy.
 * - RING_LAYOUT_SLOT: ring[slot][thread] for each warp. Accesses are consecutive, without padding;
 *   slots of a warp are a constant apart, so one register addresses them all.
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
