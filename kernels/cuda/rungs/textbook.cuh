/* The loop of the rungs `baseline`, `plain` and `bounds`: one thread a path, one plain load of a
 * normal a step. They differ in the arithmetic they are compiled with and in their launch bounds.
 * Groups of other models have two of them, baseline and plain. */
#ifndef PRICER_KERNELS_CUDA_RUNGS_TEXTBOOK_CUH
#define PRICER_KERNELS_CUDA_RUNGS_TEXTBOOK_CUH

#include "kernels/cuda/device/models.cuh"

enum { TEXTBOOK_BLOCK = 128, TEXTBOOK_MODEL_MOST = 256 };

template <int RECORD>
static __device__ __forceinline__ void simulate_textbook(const struct path_launch &w)
{
    extern __shared__ double shared[];
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    const double *normals = (const double *)w.normals + path;
    struct recorder<RECORD, 1> recorder;
    recorder.begin(w, shared + threadIdx.x);
    double x = w.start.x;
    for (int j = 0; j < w.n_steps; j++) {
        double z = normals[(size_t)j * w.paths];
        x = black_scholes_move(x, w.steps[j].drift, w.steps[j].volatility, z);
        recorder.step(w, j, plain_paths{&x}, path, stored_bridges_of(w, path));
    }
    recorder.end(w, path);
}

/* Does the same for one asset under any model. */
template <int RECORD, int MODEL_ID>
static __device__ __forceinline__ void simulate_textbook_model(const struct path_launch &w)
{
    enum { FACTORS = model_row<MODEL_ID>::FACTORS };
    extern __shared__ double shared[];
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    const double *normals = (const double *)w.normals + path;
    struct recorder<RECORD, 1> recorder;
    recorder.begin(w, shared + threadIdx.x);
    model_paths<MODEL_ID, 1> paths;
    paths.begin(w);
    for (int j = 0; j < w.n_steps; j++) {
        double z[1][FACTORS];
        for (int f = 0; f < FACTORS; f++)
            z[0][f] = normals[((size_t)j * FACTORS + (size_t)f) * w.paths];
        paths.move(w, w.coefficients + (size_t)j * model_row<MODEL_ID>::COEFFICIENTS, z);
        paths.pay_dividends(j);
        recorder.step(w, j, paths, path, stored_bridges_of(w, path));
    }
    recorder.end(w, path);
}

#endif
