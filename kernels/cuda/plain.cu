/* plain: the textbook kernel with our arithmetic, which gives the same bits everywhere. */
#include "kernels/cuda/textbook.cuh"

template <int RECORD>
static __global__ void plain(const struct walk w)
{
    walk_textbook<RECORD>(w);
}

cudaError_t launch_plain(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    return LAUNCH_RECORD(plain, walk, record, 1, block, 0, stream);
}
