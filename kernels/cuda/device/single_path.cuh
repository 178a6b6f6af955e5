/* One path a thread: all that the rungs share which differ only in how a normal comes to its
 * step. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_SINGLE_PATH_CUH
#define PRICER_KERNELS_CUDA_DEVICE_SINGLE_PATH_CUH

#include "kernels/cuda/device/record.cuh"

enum { WARP = 32, SINGLE_PATH_BLOCK = 128, SINGLE_PATH_BLOCK_MAX = 512 };

/* Returns the index in the launch of the path of this thread. */
static __device__ __forceinline__ size_t thread_path()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Returns where this thread's slot 0 of `depth` lies in the shared memory of its block, of whole
 * warps: ring[slot][thread] for each warp. Accesses of a warp are consecutive, without conflict and
 * without padding; and slots are a constant apart, so that one register addresses them all. */
static __device__ __forceinline__ int warp_slot(int depth)
{
    int lane = (int)threadIdx.x % WARP;
    return ((int)threadIdx.x - lane) * depth + lane;
}

template <int RECORD>
struct single_path {
    double x;
    size_t path;
    struct recorder<RECORD, 1> recorder;

    /* `thread_slots` is the thread's element of slot 0 of the observables. */
    __device__ __forceinline__ void begin(const struct path_launch &w, size_t path_index,
                                          double *thread_slots)
    {
        x = w.start.x;
        path = path_index;
        recorder.begin(w, thread_slots);
    }

    __device__ __forceinline__ void step(const struct path_launch &w, int j, double z)
    {
        double2 step = load_step(w, j);
        x = black_scholes_move(x, step.x, step.y, z);
        recorder.step(w, j, plain_paths{&x}, path, stored_bridges_of(w, path));
    }

    __device__ __forceinline__ void end(const struct path_launch &w)
    {
        recorder.end(w, path);
    }
};

/* A ring whose slots plain loads refill: registers, or an element of shared memory for each. */
template <int DEPTH, class SLOTS>
struct loaded_ring {
    SLOTS slot;
    const double *next_normal; /* this thread's normal of the next step to be fetched */
    size_t paths;
    int left; /* steps still to be fetched */

    /* The next step's, if there is one (`sure`: there is), into a slot. */
    __device__ __forceinline__ void fetch(int slot_number, bool sure)
    {
        if (sure || left > 0) slot[slot_number] = *next_normal;
        next_normal += paths;
        left--;
    }

    __device__ __forceinline__ void fill()
    {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) fetch(d, false);
    }

    __device__ __forceinline__ double next(int slot_number, bool sure)
    {
        double z = slot[slot_number];
        fetch(slot_number, sure);
        return z;
    }
};

/* Simulates the whole path over a ring that fills itself with the first DEPTH normals and hands out
 * that of step j from slot j % DEPTH, which it refills for step j + DEPTH if there is one.
 * Unrolled, so that slots have constant numbers; and without a test at any step as long as a whole
 * round of refills is left. */
template <int DEPTH, int RECORD, class RING>
static __device__ __forceinline__ void
simulate_ring(const struct path_launch &w, struct single_path<RECORD> &single_path, RING &ring)
{
    int j = 0;
    ring.fill();
    for (; j + 2 * DEPTH <= w.n_steps; j += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) single_path.step(w, j + d, ring.next(d, true));
    }
    for (; j < w.n_steps; j += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (j + d >= w.n_steps) break;
            single_path.step(w, j + d, ring.next(d, false));
        }
    }
}

/* Returns the threads of a block: what was asked for, in whole warps, cut to what every kernel of
 * one path a thread has registers for. */
static int single_path_block(int block)
{
    if (!block) return SINGLE_PATH_BLOCK;
    return block < SINGLE_PATH_BLOCK_MAX ? (block + 31) / 32 * 32 : SINGLE_PATH_BLOCK_MAX;
}

#endif
