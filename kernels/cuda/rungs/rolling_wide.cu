/* rolling-wide: two paths a thread; a 16-byte asynchronous copy brings the normals of both DEPTH
 * steps ahead, a double2 load the coefficients of the step, and launch bounds leave the registers
 * for it. */
#include "kernels/cuda/device/record.cuh"
#include "kernels/cuda/rungs/ring.cuh"

enum { PATHS = 2, DEPTH = 6, BLOCK = 256 };

template <int RECORD>
static __global__ void __launch_bounds__(BLOCK, RECORD == RECORD_SUM ? 3 : 2)
    rolling_wide(const struct path_launch w)
{
    extern __shared__ double2 shared2[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    struct ring<DEPTH, double2> ring = {
        shared2 + threadIdx.x,
            (const char *)((const double *)w.normals + path), w.paths * sizeof(double), w.n_steps
    };
    struct recorder<RECORD, PATHS> recorder;
    recorder.begin(w,
                   reinterpret_cast<double *>(shared2 + DEPTH * blockDim.x) + threadIdx.x * PATHS);
    double x[PATHS] = {w.start.x, w.start.x};
    ring.fill();
    for (int j0 = 0; j0 < w.n_steps; j0 += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            int j = j0 + d;
            if (j >= w.n_steps) break;
            double2 z = ring.next(d), step = load_step(w, j);
            x[0] = black_scholes_move(x[0], step.x, step.y, z.x);
            x[1] = black_scholes_move(x[1], step.x, step.y, z.y);
            recorder.step(w, j, plain_paths{x}, path, stored_bridges_of(w, path));
        }
    }
    recorder.end(w, path);
}

cudaError_t launch_rolling_wide(const struct path_launch *path_launch, enum record record,
                                int block, cudaStream_t stream)
{
    if (!block) block = record == RECORD_SUM ? BLOCK : BLOCK / 2;
    if (block > BLOCK) block = BLOCK;
    return LAUNCH_RECORD(rolling_wide, path_launch, record, PATHS, block, DEPTH * sizeof(double2),
                         stream);
}
