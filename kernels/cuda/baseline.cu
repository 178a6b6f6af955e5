/* baseline: the kernel one would write first, with CUDA's own exp. The only rung whose prices differ from the
 * others', in the last digits. */
#define PRICER_LIBRARY_FUNCTIONS
#include "kernels/cuda/several.cuh"
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

template <int RECORD, int OF>
static __global__ void __launch_bounds__(TEXTBOOK_MODEL_MOST) baseline_model(const struct walk w)
{
    walk_textbook_model<RECORD, OF>(w);
}

cudaError_t launch_model_baseline(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = TEXTBOOK_BLOCK;
    if (block > TEXTBOOK_MODEL_MOST) block = TEXTBOOK_MODEL_MOST;
    switch (walk->model) {
#define MODEL(NAME, name, factors, coefficients)                                                             \
    case MODEL_##NAME:                                                                                       \
        return LAUNCH_MODEL(baseline_model, MODEL_##NAME, walk, record, 1, block, 0, stream);
#include "models/dynamics/models.def"
#undef MODEL
    default: return cudaErrorInvalidValue;
    }
}

static __global__ void __launch_bounds__(SEVERAL_MOST) baseline_several(const struct walk w)
{
    walk_several<double>(w);
}

cudaError_t launch_several_library(const struct walk *walk, enum record record, int block,
                                   cudaStream_t stream)
{
    (void)record;
    return launch_several(baseline_several, walk, block, stream);
}
