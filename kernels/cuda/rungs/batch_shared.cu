/* batch-shared: one path a thread; the normals of DEPTH steps are fetched into shared memory by
 * plain loads and stores, then DEPTH steps use them. After "Boosting Application Performance with
 * GPU Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * The loads of a batch are on their way together, so DEPTH steps wait once; but they do wait, at
 * every batch. Shared memory frees the registers that the batch would take, for the price of a
 * store and a load a step. */
#include "kernels/cuda/device/ring_layouts.cuh"
#include "kernels/cuda/device/single_path.cuh"

enum {
    SUM_DEPTH = 3,
    OBSERVED_DEPTH = 4
}; /* for sums alone, for other books; measured on an H200 */

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

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH,
          int LAYOUT = RING_LAYOUT_SLOT>
static __global__ void batch_shared(const struct path_launch w)
{
    extern __shared__ double shared[];
    typedef ring_address<DEPTH, LAYOUT> ring_address;
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct single_path<RECORD> single_path;
    single_path.begin(w, path, shared + ring_address::WIDTH * blockDim.x + threadIdx.x);
    double *slot = shared + ring_address::first();
    int j = 0;
    for (; j + DEPTH <= w.n_steps; j += DEPTH)
        simulate_batch<DEPTH, ring_address::STRIDE>(w, single_path, slot, j, DEPTH);
    simulate_batch<DEPTH, ring_address::STRIDE>(w, single_path, slot, j, w.n_steps - j);
    single_path.end(w);
}

template <int DEPTH, int LAYOUT>
static cudaError_t launch_with_layout(const struct path_launch *path_launch, int block,
                                      cudaStream_t stream)
{
    size_t shared = sizeof(double) * ring_address<DEPTH, LAYOUT>::WIDTH * (size_t)block;
    return launch_walk(batch_shared<RECORD_SUM, DEPTH, LAYOUT>, path_launch, 1, block, shared,
                       stream);
}

template <int DEPTH>
static cudaError_t launch_deep(const struct path_launch *path_launch, int block,
                               cudaStream_t stream)
{
    switch (path_launch->variant.value[SETTING_LAYOUT]) {
    case RING_LAYOUT_THREAD:
        return launch_with_layout<DEPTH, RING_LAYOUT_THREAD>(path_launch, block, stream);
    case RING_LAYOUT_PADDED:
        return launch_with_layout<DEPTH, RING_LAYOUT_PADDED>(path_launch, block, stream);
    default: return launch_with_layout<DEPTH, RING_LAYOUT_SLOT>(path_launch, block, stream);
    }
}

cudaError_t launch_batch_shared(const struct path_launch *path_launch, enum record record,
                                int block, cudaStream_t stream)
{
    block = single_path_block(block);
    if (record != RECORD_SUM)
        return LAUNCH_RECORD(batch_shared, path_launch, record, 1, block,
                             OBSERVED_DEPTH * sizeof(double), stream);
    switch (path_launch->variant.value[SETTING_DEPTH]) {
#define DEPTH(context, depth)                                                                      \
    case depth: return launch_deep<depth>(path_launch, block, stream);
        DEPTHS(DEPTH, )
#undef DEPTH
    default: return launch_deep<SUM_DEPTH>(path_launch, block, stream);
    }
}
