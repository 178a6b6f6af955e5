/* optimized: two paths a thread; a 16-byte asynchronous copy brings the normals of both DEPTH steps ahead, a double2 load
 * the coefficients of the step, and launch bounds leave the registers for it. The default for stored normals. */
#include "kernels/cuda/record.cuh"
#include "kernels/cuda/ring.cuh"

enum { PATHS = 2, DEPTH = 8, BLOCK = 128 };

template <int RECORD>
static __global__ void __launch_bounds__(2 * BLOCK, 3) optimized(const struct walk w)
{
    extern __shared__ double2 shared2[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    struct ring<DEPTH, PATHS> ring = {shared2 + threadIdx.x, w.normals + path, w.paths, w.n_steps};
    double *slots = reinterpret_cast<double *>(shared2 + DEPTH * blockDim.x) + threadIdx.x * PATHS;
    int width = (int)blockDim.x * PATHS;
    double x[PATHS] = {w.start, w.start}, sum[PATHS] = {0.0, 0.0};
    if (RECORD == RECORD_SUM) sum[0] = sum[1] = w.initial[0];
    if (RECORD == RECORD_TOUCHES) record_begin<PATHS>(w, slots, width);
    ring.fill();
    for (int j0 = 0; j0 < w.n_steps; j0 += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            int j = j0 + d;
            if (j >= w.n_steps) break;
            double2 z = ring.next(j, d), step = load_step(w, j);
            x[0] = black_scholes_step(x[0], step.x, step.y, z.x);
            x[1] = black_scholes_step(x[1], step.x, step.y, z.y);
            if (RECORD == RECORD_SUM) {
                sum[0] = sum[0] + path_exp2(x[0]);
                sum[1] = sum[1] + path_exp2(x[1]);
            }
            if (RECORD == RECORD_TOUCHES)
                record_touches<PATHS>(w, j, x, slots, width, path, stored_bridges_of(w, path));
        }
    }
    if (RECORD == RECORD_SUM) *reinterpret_cast<double2 *>(w.observed + path) = make_double2(sum[0], sum[1]);
    if (RECORD == RECORD_TOUCHES) record_end<PATHS>(w, slots, width, path);
}

cudaError_t launch_optimized(const struct walk *walk, enum recorder recorder, int block, cudaStream_t stream)
{
    if (!block) block = BLOCK;
    if (block > 2 * BLOCK) return cudaErrorInvalidConfiguration;
    size_t doubles = (size_t)DEPTH + (recorder == RECORD_SUM ? 0 : (size_t)walk->n_slots);
    size_t shared = sizeof(double2) * doubles * (size_t)block;
    if (recorder == RECORD_SUM) return launch_walk(optimized<RECORD_SUM>, walk, PATHS, block, shared, stream);
    return launch_walk(optimized<RECORD_TOUCHES>, walk, PATHS, block, shared, stream);
}
