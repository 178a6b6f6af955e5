/* baseline: the kernel one would write first, with CUDA's own exp. The only rung whose prices differ from the
 * others', in the last digits. */
#define PRICER_LIBRARY_FUNCTIONS
#include "kernels/cuda/textbook.cuh"

cudaError_t launch_baseline(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    return launch_textbook(walk, record, block, stream);
}
