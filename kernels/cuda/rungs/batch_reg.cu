/* batch-reg: one path a thread; the normals of DEPTH steps are fetched into registers, then DEPTH
 * steps use them. After "Boosting Application Performance with GPU Memory Prefetching" (NVIDIA
 * technical blog, 2022).
 *
 * The loads of a batch are on their way together, so DEPTH steps wait once; but they do wait, at
 * every batch, and each normal takes two registers, so that a deep batch leaves fewer warps to hide
 * that wait. */
#include "kernels/cuda/device/single_path.cuh"

/* For sums alone, for other books; measured on an H200. */
enum { SUM_DEPTH = 16, OBSERVED_DEPTH = 8 };

/* The steps from j0 on, n of them: DEPTH, known to the compiler, or the fewer that are left. */
template <int DEPTH, int RECORD>
static __device__ __forceinline__ void
simulate_batch(const struct path_launch &w, struct single_path<RECORD> &single_path, int j0, int n)
{
    const double *normals = (const double *)w.normals + (size_t)j0 * w.paths + single_path.path;
    double z[DEPTH];
#pragma unroll
    for (int d = 0; d < DEPTH; d++) z[d] = d < n ? normals[(size_t)d * w.paths] : 0.0;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (d >= n) break;
        single_path.step(w, j0 + d, z[d]);
    }
}

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH>
static __global__ void batch_reg(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct single_path<RECORD> single_path;
    single_path.begin(w, path, shared + threadIdx.x);
    int j = 0;
    for (; j + DEPTH <= w.n_steps; j += DEPTH) simulate_batch<DEPTH>(w, single_path, j, DEPTH);
    simulate_batch<DEPTH>(w, single_path, j, w.n_steps - j);
    single_path.end(w);
}

cudaError_t launch_batch_reg(const struct path_launch *path_launch, enum record record, int block,
                             cudaStream_t stream)
{
    block = single_path_block(block);
    return LAUNCH_RECORD(batch_reg, path_launch, record, 1, block, 0, stream);
}
