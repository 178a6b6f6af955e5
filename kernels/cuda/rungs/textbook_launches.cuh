/* The textbook kernels of every group and their launches, for the two rungs that have them:
 * `baseline`, which includes this with the library's functions, and `plain`, which also simulates
 * what other rungs have no kernel for. LAUNCH() names the launch of a rung. */
#ifndef PRICER_KERNELS_CUDA_RUNGS_TEXTBOOK_LAUNCHES_CUH
#define PRICER_KERNELS_CUDA_RUNGS_TEXTBOOK_LAUNCHES_CUH

#include "kernels/cuda/device/multi_asset_paths.cuh"
#include "kernels/cuda/rungs/textbook.cuh"

template <int RECORD>
static __global__ void textbook(const struct path_launch w)
{
    simulate_textbook<RECORD>(w);
}

template <int RECORD, int MODEL_ID>
static __global__ void __launch_bounds__(TEXTBOOK_MODEL_MOST)
    textbook_model(const struct path_launch w)
{
    simulate_textbook_model<RECORD, MODEL_ID>(w);
}

static __global__ void __launch_bounds__(MULTI_ASSET_BLOCK_MAX)
    textbook_multi_asset(const struct path_launch w)
{
    simulate_multi_asset(w);
}

cudaError_t LAUNCH()(const struct path_launch *path_launch, enum record record, int block,
                     cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    return LAUNCH_RECORD(textbook, path_launch, record, 1, block, 0, stream);
}

cudaError_t LAUNCH(model_)(const struct path_launch *path_launch, enum record record, int block,
                           cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    if (block > TEXTBOOK_MODEL_MOST) block = TEXTBOOK_MODEL_MOST;
    switch (path_launch->model) {
#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    case MODEL_##NAME:                                                                             \
        return LAUNCH_MODEL(textbook_model, MODEL_##NAME, path_launch, record, 1, block, 0, stream);
#include "models/dynamics/models.def"
#undef MODEL
    case N_MODELS: break;
    }
    return cudaErrorInvalidValue;
}

cudaError_t LAUNCH(multi_asset_)(const struct path_launch *path_launch, enum record, int block,
                                 cudaStream_t stream)
{
    return launch_multi_asset(textbook_multi_asset, path_launch, block, stream);
}

#endif
