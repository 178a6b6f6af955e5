/* bounds: plain, with the block size and the least number of blocks a multiprocessor told to the
 * compiler. After "Boosting Application Performance with GPU Memory Access Tuning" (NVIDIA
 * technical blog, 2022).
 *
 * Untold, the compiler guesses how many registers a thread may have; told, it knows: 65536 over
 * THREADS * BLOCKS. More of them let more loads be on their way at once, fewer let more warps be
 * resident. A bound that is too tight spills registers into local memory. Of blocks of 128 to 1024
 * threads, one to eight of them, these were as fast as any on an H200. */
#include "kernels/cuda/rungs/textbook.cuh"

enum { THREADS = 256, BLOCKS = 4 };

template <int RECORD>
static __global__ void __launch_bounds__(THREADS, BLOCKS) bounds(const struct path_launch w)
{
    static_assert(THREADS * BLOCKS <= 2048, "a multiprocessor holds 2048 threads at most");
    simulate_textbook<RECORD>(w);
}

cudaError_t launch_bounds(const struct path_launch *path_launch, enum record record, int block,
                          cudaStream_t stream)
{
    if (!block || block > THREADS) block = THREADS;
    return LAUNCH_RECORD(bounds, path_launch, record, 1, block, 0, stream);
}
