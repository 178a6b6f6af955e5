/* wide: two paths a thread; one 16-byte load brings the normals of both, one the coefficients of the step. */
#include "kernels/cuda/record.cuh"

enum { PATHS = 2 };

template <int RECORD>
static __global__ void __launch_bounds__(256, 2) wide(const struct walk w)
{
    extern __shared__ double shared[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    double *slots = shared + threadIdx.x * PATHS;
    int width = (int)blockDim.x * PATHS;
    double x[PATHS] = {w.start, w.start}, sum[PATHS] = {0.0, 0.0};
    if (RECORD == RECORD_SUM) sum[0] = sum[1] = w.initial[0];
    if (RECORD == RECORD_TOUCHES) record_begin<PATHS>(w, slots, width);
    for (int j = 0; j < w.n_steps; j++) {
        double2 z = *reinterpret_cast<const double2 *>(w.normals + (size_t)j * w.paths + path);
        double2 step = load_step(w, j);
        x[0] = black_scholes_step(x[0], step.x, step.y, z.x);
        x[1] = black_scholes_step(x[1], step.x, step.y, z.y);
        if (RECORD == RECORD_SUM) {
            sum[0] = sum[0] + path_exp2(x[0]);
            sum[1] = sum[1] + path_exp2(x[1]);
        }
        if (RECORD == RECORD_TOUCHES) record_touches<PATHS>(w, j, x, slots, width, path, stored_bridges_of(w, path));
    }
    if (RECORD == RECORD_SUM) *reinterpret_cast<double2 *>(w.observed + path) = make_double2(sum[0], sum[1]);
    if (RECORD == RECORD_TOUCHES) record_end<PATHS>(w, slots, width, path);
}

cudaError_t launch_wide(const struct walk *walk, enum recorder recorder, int block, cudaStream_t stream)
{
    if (!block) block = 128;
    if (block > 256) return cudaErrorInvalidConfiguration;
    if (recorder == RECORD_SUM) return launch_walk(wide<RECORD_SUM>, walk, PATHS, block, 0, stream);
    size_t shared = sizeof(double) * (size_t)walk->n_slots * (size_t)block * PATHS;
    return launch_walk(wide<RECORD_TOUCHES>, walk, PATHS, block, shared, stream);
}
