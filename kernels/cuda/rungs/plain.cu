/* plain: the textbook kernel with our arithmetic, which gives the same bits everywhere. */
#include "kernels/cuda/rungs/textbook.cuh"

template <int RECORD>
static __global__ void plain(const struct path_launch w)
{
    simulate_textbook<RECORD>(w);
}

cudaError_t launch_plain(const struct path_launch *path_launch, enum record record, int block,
                         cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    return LAUNCH_RECORD(plain, path_launch, record, 1, block, 0, stream);
}

template <int RECORD, int MODEL_ID>
static __global__ void __launch_bounds__(TEXTBOOK_MODEL_MOST)
    plain_model(const struct path_launch w)
{
    simulate_textbook_model<RECORD, MODEL_ID>(w);
}

cudaError_t launch_model_plain(const struct path_launch *path_launch, enum record record, int block,
                               cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    if (block > TEXTBOOK_MODEL_MOST) block = TEXTBOOK_MODEL_MOST;
    switch (path_launch->model) {
#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    case MODEL_##NAME:                                                                             \
        return LAUNCH_MODEL(plain_model, MODEL_##NAME, path_launch, record, 1, block, 0, stream);
#include "models/dynamics/models.def"
#undef MODEL
    default: return cudaErrorInvalidValue;
    }
}
