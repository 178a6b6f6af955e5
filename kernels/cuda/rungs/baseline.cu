/* baseline: the kernel one would write first, with CUDA's own exp. The only rung whose prices
 * differ from the others', in the last digits. */
#define PRICER_LIBRARY_FUNCTIONS
#include "kernels/cuda/rungs/textbook_launches.cuh"

cudaError_t launch_baseline(const struct path_launch *path_launch, enum record record, int block,
                            cudaStream_t stream)
{
    return launch_textbook(path_launch, record, block, stream);
}

cudaError_t launch_model_baseline(const struct path_launch *path_launch, enum record record,
                                  int block, cudaStream_t stream)
{
    return launch_textbook_model(path_launch, record, block, stream);
}

cudaError_t launch_multi_asset_baseline(const struct path_launch *path_launch, enum record,
                                        int block, cudaStream_t stream)
{
    return launch_textbook_multi_asset(path_launch, block, stream);
}
