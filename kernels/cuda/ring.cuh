/* A rolling asynchronous prefetch: the normals of the next DEPTH steps of a thread's PATHS paths, on their way into shared
 * memory while this step is computed.
 *
 * The ring is slot-major, ring[slot][thread], so that neighbouring threads use neighbouring banks and no padding is
 * needed. A thread reads only what it copied itself: no barrier is needed either. One group of copies is committed at
 * every step, empty past the last one, because __pipeline_wait_prior counts groups: with DEPTH groups committed
 * behind step j, waiting until DEPTH - 1 are left means that step j's normals have landed. */
#ifndef PRICER_KERNELS_CUDA_RING_CUH
#define PRICER_KERNELS_CUDA_RING_CUH

#include <cuda_pipeline_primitives.h>

template <int PATHS> struct normals_of;
template <> struct normals_of<1> {
    typedef double type;
};
template <> struct normals_of<2> {
    typedef double2 type;
};

template <int DEPTH, int PATHS> struct ring {
    static_assert(PATHS == 1 || PATHS == 2, "an asynchronous copy moves 4, 8 or 16 bytes");
    static_assert(DEPTH >= 2 && DEPTH <= 16, "a ring of one slot is no prefetch; beyond 16 only occupancy is lost");
    typedef typename normals_of<PATHS>::type normals;

    normals *slot;       /* this thread's element of slot 0 */
    const double *source; /* this thread's normals of step 0 */
    size_t paths;        /* from one step's row to the next */
    int n_steps;

    /* Sends for step j, if there is one, into its slot. */
    __device__ __forceinline__ void send(int j, int of_slot)
    {
        if (j < n_steps)
            __pipeline_memcpy_async(slot + of_slot * blockDim.x, source + (size_t)j * paths, sizeof(normals));
        __pipeline_commit();
    }

    __device__ __forceinline__ void fill()
    {
        for (int d = 0; d < DEPTH; d++) send(d, d);
    }

    /* The normals of step j, which lie in slot j % DEPTH; the slot is refilled for step j + DEPTH. */
    __device__ __forceinline__ normals next(int j, int of_slot)
    {
        __pipeline_wait_prior(DEPTH - 1);
        normals z = slot[of_slot * blockDim.x];
        send(j + DEPTH, of_slot);
        return z;
    }
};

#endif
