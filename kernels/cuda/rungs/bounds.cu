/* bounds: plain, with the block size and the least number of blocks a multiprocessor told to the
 * compiler. After "Boosting Application Performance with GPU Memory Access Tuning" (NVIDIA
 * technical blog, 2022).
 *
 * Untold, the compiler guesses how many registers a thread may have; told, it knows: 65536 over
 * THREADS * BLOCKS. More of them let more loads be on their way at once, fewer let more warps be
 * resident. A bound that is too tight spills registers into local memory. The settings that the
 * article tries, and blocks of 128 and 256. */
#include "kernels/cuda/rungs/textbook.cuh"

enum { OWN_THREADS = 256, OWN_BLOCKS = 4 };

template <int RECORD, int THREADS = OWN_THREADS, int BLOCKS = OWN_BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS) bounds(const struct path_launch w)
{
    static_assert(THREADS * BLOCKS <= 2048, "a multiprocessor holds 2048 threads at most");
    simulate_textbook<RECORD>(w);
}

template <int THREADS, int BLOCKS>
static cudaError_t launch_bounded(const struct path_launch *path_launch, int block,
                                  cudaStream_t stream)
{
    if (!block || block > THREADS) block = THREADS;
    return launch_walk(bounds<RECORD_SUM, THREADS, BLOCKS>, path_launch, 1, block, 0, stream);
}

cudaError_t launch_bounds(const struct path_launch *path_launch, enum record record, int block,
                          cudaStream_t stream)
{
    if (record == RECORD_SUM) switch (path_launch->variant.value[SETTING_BOUNDS]) {
#define BOUNDS(context, threads, blocks)                                                           \
    case BOUNDS_##threads##x##blocks:                                                              \
        return launch_bounded<threads, blocks>(path_launch, block, stream);
            ALL_BOUNDS(BOUNDS, )
#undef BOUNDS
        }
    if (!block || block > OWN_THREADS) block = OWN_THREADS;
    return LAUNCH_RECORD(bounds, path_launch, record, 1, block, 0, stream);
}
