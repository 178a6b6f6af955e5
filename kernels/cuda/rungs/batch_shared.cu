/* batch-shared: one path a thread; the normals of DEPTH steps are fetched into shared memory by
 * plain loads and stores, then DEPTH steps use them. After "Boosting Application Performance with
 * GPU Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * The loads of a batch are on their way together, so DEPTH steps wait once; but they do wait, at
 * every batch. Shared memory frees the registers that the batch would take, for the price of a
 * store and a load a step. */
#include "kernels/cuda/device/single_path.cuh"

/* For sums alone, for other books; measured on an H200. */
enum { SUM_DEPTH = 3, OBSERVED_DEPTH = 4 };

/* The steps from j0 on, n of them: DEPTH, known to the compiler, or the fewer that are left.
 * Accesses to `slot` are volatile: else the compiler would keep the batch in registers after all.
 */
template <int DEPTH, int STRIDE, int RECORD>
static __device__ __forceinline__ void simulate_batch(const struct path_launch &w,
                                                      struct single_path<RECORD> &single_path,
                                                      volatile double *slot, int j0, int n)
{
    const double *normals = (const double *)w.normals + (size_t)j0 * w.paths + single_path.path;
#pragma unroll
    for (int d = 0; d < DEPTH; d++)
        if (d < n) slot[d * STRIDE] = normals[(size_t)d * w.paths];
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (d >= n) break;
        single_path.step(w, j0 + d, slot[d * STRIDE]);
    }
}

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH>
static __global__ void batch_shared(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct single_path<RECORD> single_path;
    single_path.begin(w, path, shared + DEPTH * blockDim.x + threadIdx.x);
    double *slot = shared + warp_slot(DEPTH);
    int j = 0;
    for (; j + DEPTH <= w.n_steps; j += DEPTH)
        simulate_batch<DEPTH, WARP>(w, single_path, slot, j, DEPTH);
    simulate_batch<DEPTH, WARP>(w, single_path, slot, j, w.n_steps - j);
    single_path.end(w);
}

cudaError_t launch_batch_shared(const struct path_launch *path_launch, enum record record,
                                int block, cudaStream_t stream)
{
    block = single_path_block(block);
    int depth = record == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH;
    return LAUNCH_RECORD(batch_shared, path_launch, record, 1, block, depth * sizeof(double),
                         stream);
}
