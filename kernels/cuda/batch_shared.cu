/* batch-shared: one path a thread; the normals of DEPTH steps are fetched into shared memory by plain loads
 * and stores, then DEPTH steps use them. After "Boosting Application Performance with GPU Memory Prefetching"
 * (NVIDIA technical blog, 2022).
 *
 * The loads of a batch are on their way together, so DEPTH steps wait once; but they do wait, at every batch.
 * Shared memory frees the registers that the batch would take, for the price of a store and a load a step. */
#include "kernels/cuda/layouts.cuh"
#include "kernels/cuda/walker.cuh"

enum { SUM_DEPTH = 3, TOUCH_DEPTH = 4 }; /* for sums alone, for other books; measured on an H200 */

/* The steps from j0 on, n of them: DEPTH, known to the compiler, or the fewer that are left. Accesses to
 * `slot` are volatile: else the compiler would keep the batch in registers after all. */
template <int DEPTH, int STRIDE, int RECORD>
static __device__ __forceinline__ void walk_batch(const struct walk &w, struct walker<RECORD> &walker,
                                                  volatile double *slot, int j0, int n)
{
    const double *normals = (const double *)w.normals + (size_t)j0 * w.paths + walker.path;
#pragma unroll
    for (int d = 0; d < DEPTH; d++)
        if (d < n) slot[d * STRIDE] = normals[(size_t)d * w.paths];
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (d >= n) break;
        walker.step(w, j0 + d, slot[d * STRIDE]);
    }
}

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : TOUCH_DEPTH, int LAYOUT = LAYOUT_SLOT>
static __global__ void batch_shared(const struct walk w)
{
    extern __shared__ double shared[];
    typedef place<DEPTH, LAYOUT> place;
    size_t path = thread_path();
    if (path >= w.paths) return;
    struct walker<RECORD> walker;
    walker.begin(w, path, shared + place::WIDTH * blockDim.x + threadIdx.x);
    double *slot = shared + place::first();
    int j = 0;
    for (; j + DEPTH <= w.n_steps; j += DEPTH) walk_batch<DEPTH, place::STRIDE>(w, walker, slot, j, DEPTH);
    walk_batch<DEPTH, place::STRIDE>(w, walker, slot, j, w.n_steps - j);
    walker.end(w);
}

template <int DEPTH, int LAYOUT>
static cudaError_t launch_placed(const struct walk *walk, int block, cudaStream_t stream)
{
    size_t shared = sizeof(double) * place<DEPTH, LAYOUT>::WIDTH * (size_t)block;
    return launch_walk(batch_shared<RECORD_SUM, DEPTH, LAYOUT>, walk, 1, block, shared, stream);
}

template <int DEPTH>
static cudaError_t launch_deep(const struct walk *walk, int block, cudaStream_t stream)
{
    switch (walk->variant.of[SETTING_LAYOUT]) {
    case LAYOUT_THREAD: return launch_placed<DEPTH, LAYOUT_THREAD>(walk, block, stream);
    case LAYOUT_PADDED: return launch_placed<DEPTH, LAYOUT_PADDED>(walk, block, stream);
    default: return launch_placed<DEPTH, LAYOUT_SLOT>(walk, block, stream);
    }
}

cudaError_t launch_batch_shared(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    block = walker_block(block);
    if (record != RECORD_SUM)
        return LAUNCH_RECORD(batch_shared, walk, record, 1, block, TOUCH_DEPTH * sizeof(double), stream);
    switch (walk->variant.of[SETTING_DEPTH]) {
#define DEPTH(of, depth)                                                                                     \
    case depth: return launch_deep<depth>(walk, block, stream);
        DEPTHS(DEPTH, )
#undef DEPTH
    default: return launch_deep<SUM_DEPTH>(walk, block, stream);
    }
}
