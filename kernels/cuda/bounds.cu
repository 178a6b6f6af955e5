/* bounds: plain, with the block size and the least number of blocks a multiprocessor told to the compiler,
 * which then knows how many registers a thread may have. */
#define TEXTBOOK_BOUNDS __launch_bounds__(256, 4)
#include "kernels/cuda/textbook.cuh"

cudaError_t launch_bounds(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (block > 256) block = 256;
    return launch_textbook(walk, record, block, stream);
}
