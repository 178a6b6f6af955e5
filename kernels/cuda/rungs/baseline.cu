/* baseline: the kernel one would write first, with CUDA's own exp. The only rung whose prices
 * differ from the others', in the last digits. */
#define PRICER_LIBRARY_FUNCTIONS
#include "kernels/cuda/device/multi_asset_paths.cuh"
#include "kernels/cuda/rungs/textbook.cuh"

template <int RECORD>
static __global__ void baseline(const struct path_launch w)
{
    simulate_textbook<RECORD>(w);
}

cudaError_t launch_baseline(const struct path_launch *path_launch, enum record record, int block,
                            cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    return LAUNCH_RECORD(baseline, path_launch, record, 1, block, 0, stream);
}

template <int RECORD, int MODEL_ID>
static __global__ void __launch_bounds__(TEXTBOOK_MODEL_MOST)
    baseline_model(const struct path_launch w)
{
    simulate_textbook_model<RECORD, MODEL_ID>(w);
}

cudaError_t launch_model_baseline(const struct path_launch *path_launch, enum record record,
                                  int block, cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    if (block > TEXTBOOK_MODEL_MOST) block = TEXTBOOK_MODEL_MOST;
    switch (path_launch->model) {
#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    case MODEL_##NAME:                                                                             \
        return LAUNCH_MODEL(baseline_model, MODEL_##NAME, path_launch, record, 1, block, 0, stream);
#include "models/dynamics/models.def"
#undef MODEL
    default: return cudaErrorInvalidValue;
    }
}

static __global__ void __launch_bounds__(MULTI_ASSET_BLOCK_MAX)
    baseline_several(const struct path_launch w)
{
    simulate_multi_asset<double>(w);
}

cudaError_t launch_multi_asset_library(const struct path_launch *path_launch, enum record record,
                                       int block, cudaStream_t stream)
{
    (void)record;
    return launch_multi_asset(baseline_several, path_launch, block, stream);
}
