/* plain: the textbook kernel with our arithmetic. */
#include "kernels/cuda/textbook.cuh"

cudaError_t launch_plain(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    return launch_textbook(walk, record, block, stream);
}
