/* wide: two paths a thread; one 16-byte load brings the normals of both, one the coefficients of the step. */
#include "kernels/cuda/record.cuh"

enum { PATHS = 2 };

template <int RECORD>
static __global__ void __launch_bounds__(256, 2) wide(const struct walk w)
{
    extern __shared__ double shared[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    const double *normals = (const double *)w.normals + path;
    struct recorder<RECORD, PATHS> recorder;
    recorder.begin(w, shared + threadIdx.x * PATHS);
    double x[PATHS] = {w.start, w.start};
    for (int j = 0; j < w.n_steps; j++) {
        double2 z = *reinterpret_cast<const double2 *>(normals + (size_t)j * w.paths), step = load_step(w, j);
        x[0] = black_scholes_step(x[0], step.x, step.y, z.x);
        x[1] = black_scholes_step(x[1], step.x, step.y, z.y);
        recorder.step(w, j, x, path, stored_bridges_of<double>(w, path));
    }
    recorder.end(w, path);
}

cudaError_t launch_wide(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = 128;
    if (block > 256) block = 256;
    return LAUNCH_RECORD(wide, walk, record, PATHS, block, 0, stream);
}
