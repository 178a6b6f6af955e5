/* A rolling asynchronous prefetch: the normals of the next DEPTH steps of a thread's paths, on
 * their way into shared memory while this step is computed.
 *
 * The ring is slot-major, ring[slot][thread], so that neighbouring threads use neighbouring banks
 * and no padding is needed; slots are STRIDE elements apart. A thread reads only what it copied
 * itself: no barrier is needed. One group of copies is committed at every step, empty past the last
 * one, because
 * __pipeline_wait_prior counts groups: with DEPTH groups committed behind step j, waiting until
 * DEPTH - 1 are left means that step j's normals have landed. */
#ifndef PRICER_KERNELS_CUDA_RUNGS_RING_CUH
#define PRICER_KERNELS_CUDA_RUNGS_RING_CUH

#include <cuda_pipeline_primitives.h>

/* NORMALS is what one copy brings: double, double2, or one, two or four floats. STRIDE 0: as many
 * elements as the block has threads. */
template <int DEPTH, class NORMALS, int STRIDE = 0>
struct ring {
    static_assert(sizeof(NORMALS) == 4 || sizeof(NORMALS) == 8 || sizeof(NORMALS) == 16,
                  "an asynchronous copy moves 4, 8 or 16 bytes");
    static_assert(DEPTH >= 2 && DEPTH <= 16,
                  "a ring of one slot is no prefetch; beyond 16 only occupancy is lost");

    NORMALS *slot;            /* this thread's element of slot 0 */
    const char *next_normals; /* this thread's normals of the next step to be sent for */
    size_t row;               /* bytes from one step's normals to the next */
    int left;                 /* steps still to be sent for */

    __device__ __forceinline__ NORMALS *element(int slot_number) const
    {
        return slot + slot_number * (STRIDE ? STRIDE : (int)blockDim.x);
    }

    /* Sends for the next step, if there is one (`sure`: there is), into a slot. */
    __device__ __forceinline__ void send(int slot_number, bool sure)
    {
        if (sure || left > 0)
            __pipeline_memcpy_async(element(slot_number), next_normals, sizeof(NORMALS));
        __pipeline_commit();
        next_normals += row;
        left--;
    }

    __device__ __forceinline__ void fill()
    {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) send(d, false);
    }

    /* Returns the normals of the next step: step j lies in slot j % DEPTH, which is refilled for
     * step j + DEPTH. */
    __device__ __forceinline__ NORMALS next(int slot_number, bool sure = false)
    {
        __pipeline_wait_prior(DEPTH - 1);
        NORMALS z = *element(slot_number);
        send(slot_number, sure);
        return z;
    }
};

#endif
