/* baseline: the kernel one would write first, with CUDA's own exp2. The only rung whose prices differ from the others', in
 * the last digits; it uses exp2 and not exp because paths are in log2 S, which spares it a multiplication a step. */
#define PRICER_LIBRARY_FUNCTIONS
#include "kernels/cuda/textbook.cuh"

cudaError_t launch_baseline(const struct walk *walk, enum recorder recorder, int block, cudaStream_t stream)
{
    return launch_textbook(walk, recorder, block, stream);
}
