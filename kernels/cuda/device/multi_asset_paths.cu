/* several: groups of several assets on stored normals, for every rung but baseline; those that read
 * doubles read them here too, the others floats. */
#include "kernels/cuda/device/multi_asset_paths.cuh"

template <class NORMAL>
static __global__ void __launch_bounds__(MULTI_ASSET_BLOCK_MAX) several(const struct path_launch w)
{
    simulate_multi_asset<NORMAL>(w);
}

cudaError_t launch_multi_asset_doubles(const struct path_launch *path_launch, enum record record,
                                       int block, cudaStream_t stream)
{
    (void)record;
    return launch_multi_asset(several<double>, path_launch, block, stream);
}

cudaError_t launch_multi_asset_floats(const struct path_launch *path_launch, enum record record,
                                      int block, cudaStream_t stream)
{
    (void)record;
    return launch_multi_asset(several<float>, path_launch, block, stream);
}
