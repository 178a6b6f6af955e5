/* baseline: the kernel one would write first, with CUDA's own exp. The only rung whose prices differ from the
 * others', in the last digits. */
#define PRICER_LIBRARY_FUNCTIONS
#include "kernels/cuda/textbook.cuh"

template <int RECORD>
static __global__ void baseline(const struct walk w)
{
    walk_textbook<RECORD>(w);
}

cudaError_t launch_baseline(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    return LAUNCH_RECORD(baseline, walk, record, 1, block, 0, stream);
}
