/* rolling-reg: one path a thread; a ring of registers holds the normals of the next DEPTH steps,
 * and one of them is loaded again at every step. After "Boosting Application Performance with GPU
 * Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * A load has DEPTH steps of arithmetic to arrive in, and no step waits for a whole batch. Registers
 * have no index, so the loop is unrolled by DEPTH; each normal takes two of them, so that a deep
 * ring leaves fewer warps. */
#include "kernels/cuda/device/single_path.cuh"

enum {
    SUM_DEPTH = 8,
    OBSERVED_DEPTH = 4
}; /* for sums alone, for other books; measured on an H200 */

template <int DEPTH>
struct register_ring {
    double slot[DEPTH];
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

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH>
static __global__ void rolling_reg(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct register_ring<DEPTH> ring = {
        {0.0}, (const double *)w.normals + path, w.paths, w.n_steps
    };
    struct single_path<RECORD> single_path;
    single_path.begin(w, path, shared + threadIdx.x);
    simulate_ring<DEPTH>(w, single_path, ring);
    single_path.end(w);
}

cudaError_t launch_rolling_reg(const struct path_launch *path_launch, enum record record, int block,
                               cudaStream_t stream)
{
    block = single_path_block(block);
    return LAUNCH_RECORD(rolling_reg, path_launch, record, 1, block, 0, stream);
}
