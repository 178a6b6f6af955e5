/* The loop of the rungs `baseline`, `plain` and `bounds`: one thread a path, one plain load of a normal a step. They differ
 * in the arithmetic they are compiled with and in TEXTBOOK_BOUNDS. */
#ifndef PRICER_KERNELS_CUDA_TEXTBOOK_CUH
#define PRICER_KERNELS_CUDA_TEXTBOOK_CUH

#include "kernels/cuda/record.cuh"

#ifndef TEXTBOOK_BOUNDS
#define TEXTBOOK_BOUNDS
#endif

template <int RECORD>
static __global__ void TEXTBOOK_BOUNDS textbook(const struct walk w)
{
    extern __shared__ double shared[];
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    double *slots = shared + threadIdx.x;
    int width = (int)blockDim.x;
    double x = w.start, sum = 0.0;
    if (RECORD == RECORD_SUM) sum = w.initial[0];
    if (RECORD == RECORD_TOUCHES) record_begin<1>(w, slots, width);
    for (int j = 0; j < w.n_steps; j++) {
        double z = w.normals[(size_t)j * w.paths + path];
        x = black_scholes_step(x, w.steps[j].drift, w.steps[j].volatility, z);
        if (RECORD == RECORD_SUM) sum = sum + path_exp2(x);
        if (RECORD == RECORD_TOUCHES) record_touches<1>(w, j, &x, slots, width, path, stored_bridges_of(w, path));
    }
    if (RECORD == RECORD_SUM) w.observed[path] = sum;
    if (RECORD == RECORD_TOUCHES) record_end<1>(w, slots, width, path);
}

static cudaError_t launch_textbook(const struct walk *walk, enum recorder recorder, int block, cudaStream_t stream)
{
    if (!block) block = 128;
    if (recorder == RECORD_SUM) return launch_walk(textbook<RECORD_SUM>, walk, 1, block, 0, stream);
    size_t shared = sizeof(double) * (size_t)walk->n_slots * (size_t)block;
    return launch_walk(textbook<RECORD_TOUCHES>, walk, 1, block, shared, stream);
}

#endif
