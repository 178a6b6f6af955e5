/* rolling-shared: one path a thread; a ring in shared memory holds the normals of the next DEPTH
 * steps, and plain loads and stores refill one slot at every step. After "Boosting Application
 * Performance with GPU Memory Prefetching" (NVIDIA technical blog, 2022).
 *
 * Depth costs no registers, but each normal passes through one on its way into shared memory: its
 * store waits for its load, and the next step's read of the ring comes after the store. So a thread
 * waits for memory at every step after all, however deep its ring, and only other warps hide it:
 * asynchronous copies are what does away with that.
 *
 * The normals of a thread lie together, padded to an odd number of doubles, as the article
 * recommends: with DEPTH of them a thread, threads of a warp would fall on the same banks, and
 * their accesses would be served one after the other. Other rungs put slot after slot
 * (single_path.cuh), which needs no padding and is what the article leaves as an exercise. */
#include "kernels/cuda/device/single_path.cuh"

enum { DEPTH = 4, PADDED = DEPTH + 1 }; /* measured on an H200 */

template <int RECORD>
static __global__ void rolling_shared(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = thread_path();
    if (path >= w.paths) return;
    /* Accesses are volatile: else the compiler may keep a slot in a register, and shared memory
     * would be written and not read */
    struct loaded_ring<DEPTH, volatile double *> ring = {
        shared + threadIdx.x *PADDED, (const double *)w.normals + path, w.paths, w.n_steps
    };
    struct single_path<RECORD> single_path;
    single_path.begin(w, path, shared + PADDED * blockDim.x + threadIdx.x);
    simulate_ring<DEPTH>(w, single_path, ring);
    single_path.end(w);
}

cudaError_t launch_rolling_shared(const struct path_launch *path_launch, enum record record,
                                  int block, cudaStream_t stream)
{
    block = single_path_block(block);
    return LAUNCH_RECORD(rolling_shared, path_launch, record, 1, block, PADDED * sizeof(double),
                         stream);
}
