/* several: groups of several assets on stored normals, for every rung but baseline; those that read doubles
 * read them here too, the others floats. */
#include "kernels/cuda/several.cuh"

template <class NORMAL>
static __global__ void __launch_bounds__(SEVERAL_MOST) several(const struct walk w)
{
    walk_several<NORMAL>(w);
}

cudaError_t launch_several_doubles(const struct walk *walk, enum record record, int block,
                                   cudaStream_t stream)
{
    (void)record;
    return launch_several(several<double>, walk, block, stream);
}

cudaError_t launch_several_floats(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    (void)record;
    return launch_several(several<float>, walk, block, stream);
}
