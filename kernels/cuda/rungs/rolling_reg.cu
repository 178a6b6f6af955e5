/* rolling-reg: one path a thread; a ring of registers holds the normals of the next DEPTH steps,
 * and one of them is loaded again at every step. After "Boosting Application Performance with GPU
 * Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * A load has DEPTH steps of arithmetic to arrive in, and no step waits for a whole batch. Registers
 * have no index, so the loop is unrolled by DEPTH; each normal takes two of them, so that a deep
 * ring leaves fewer warps. */
#include "kernels/cuda/device/single_path.cuh"

/* For sums alone, for other books; measured on an H200. */
enum { SUM_DEPTH = 8, OBSERVED_DEPTH = 4 };

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH>
static __global__ void rolling_reg(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct loaded_ring<DEPTH, double[DEPTH]> ring = {
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
