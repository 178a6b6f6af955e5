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

template <int RECORD, int OF>
static __global__ void __launch_bounds__(TEXTBOOK_MODEL_MOST) plain_model(const struct walk w)
{
    walk_textbook_model<RECORD, OF>(w);
}

cudaError_t launch_model_plain(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    if (block > TEXTBOOK_MODEL_MOST) block = TEXTBOOK_MODEL_MOST;
    switch (walk->model) {
#define MODEL(NAME, name, factors, coefficients)                                                             \
    case MODEL_##NAME:                                                                                       \
        return LAUNCH_MODEL(plain_model, MODEL_##NAME, walk, record, 1, block, 0, stream);
#include "models/dynamics/models.def"
#undef MODEL
    default: return cudaErrorInvalidValue;
    }
}
