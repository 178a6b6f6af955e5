/* The loop of the rungs `baseline`, `plain` and `bounds`: one thread a path, one plain load of a normal a
 * step. They differ in the arithmetic they are compiled with and in their launch bounds. */
#ifndef PRICER_KERNELS_CUDA_TEXTBOOK_CUH
#define PRICER_KERNELS_CUDA_TEXTBOOK_CUH

#include "kernels/cuda/record.cuh"

enum { TEXTBOOK_BLOCK = 128 };

template <int RECORD>
static __device__ __forceinline__ void walk_textbook(const struct walk &w)
{
    extern __shared__ double shared[];
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    const double *normals = (const double *)w.normals + path;
    struct recorder<RECORD, 1> recorder;
    recorder.begin(w, shared + threadIdx.x);
    double x = w.start;
    for (int j = 0; j < w.n_steps; j++) {
        double z = normals[(size_t)j * w.paths];
        x = black_scholes_step(x, w.steps[j].drift, w.steps[j].volatility, z);
        recorder.step(w, j, &x, path, stored_bridges_of<double>(w, path));
    }
    recorder.end(w, path);
}

#endif
