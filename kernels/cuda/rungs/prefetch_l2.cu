/* prefetch-l2: one path a thread; at every step a PTX prefetch asks for the normal DEPTH steps
 * ahead to be brought into the L2 cache, and a plain load takes it from there when its
 * step has come. The variation that "Boosting Application Performance with GPU Memory Prefetching"
 * (NVIDIA technical blog, 2022) names at its end.
 *
 * It takes neither registers nor shared memory, and a thread may be any number of steps ahead; but
 * every normal is asked for twice, the way from L2 is still to be waited for, and a line may be
 * gone again before it is used. */
#include "kernels/cuda/device/single_path.cuh"

/* For sums alone, for other books; measured on an H200. */
enum { SUM_DEPTH = 3, OBSERVED_DEPTH = 4 };

static __device__ __forceinline__ void prefetch(const double *normal)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(normal));
}

template <int RECORD, int DEPTH = RECORD == RECORD_SUM ? SUM_DEPTH : OBSERVED_DEPTH>
static __global__ void prefetch_ahead(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    const double *normals = (const double *)w.normals + path;
    struct single_path<RECORD> single_path;
    single_path.begin(w, path, shared + threadIdx.x);
    for (int d = 1; d < DEPTH && d < w.n_steps; d++) prefetch(normals + (size_t)d * w.paths);
    for (int j = 0; j < w.n_steps; j++) {
        if (j + DEPTH < w.n_steps) prefetch(normals + (size_t)(j + DEPTH) * w.paths);
        single_path.step(w, j, normals[(size_t)j * w.paths]);
    }
    single_path.end(w);
}

cudaError_t launch_prefetch_l2(const struct path_launch *path_launch, enum record record, int block,
                               cudaStream_t stream)
{
    block = single_path_block(block);
    return LAUNCH_RECORD(prefetch_ahead, path_launch, record, 1, block, 0, stream);
}
