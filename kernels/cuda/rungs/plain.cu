/* plain: the textbook kernel with our arithmetic, which gives the same bits everywhere. What a rung
 * has no kernel for (another model, several assets, a shape without path code) is simulated by
 * these. */
#include "kernels/cuda/rungs/textbook_launches.cuh"

cudaError_t launch_plain(const struct path_launch *path_launch, enum record record, int block,
                         cudaStream_t stream)
{
    return launch_textbook(path_launch, record, block, stream);
}

cudaError_t launch_model_plain(const struct path_launch *path_launch, enum record record, int block,
                               cudaStream_t stream)
{
    return launch_textbook_model(path_launch, record, block, stream);
}

cudaError_t launch_multi_asset_plain(const struct path_launch *path_launch, enum record, int block,
                                     cudaStream_t stream)
{
    return launch_textbook_multi_asset(path_launch, block, stream);
}
