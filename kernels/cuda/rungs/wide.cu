/* wide: 16 bytes a load. Of the big array, the normals, it brings those of two paths a thread; of
 * the small one, both coefficients of the step. After "Boosting Application Performance with GPU
 * Memory Access Tuning" (NVIDIA technical blog, 2022).
 *
 * As many bytes are moved, in half the instructions: what is saved is addresses, and the registers
 * they take. Two paths a thread also share each coefficient and fill each other's waits. */
#include "kernels/cuda/device/record.cuh"

enum { PATHS = 2, BLOCK = 128, MOST = 256 };

template <int RECORD>
static __global__ void __launch_bounds__(MOST, 2) wide(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    const double *normals = (const double *)w.normals + path;
    struct recorder<RECORD, PATHS> recorder;
    recorder.begin(w, shared + threadIdx.x * PATHS);
    double x[PATHS] = {w.start.x, w.start.x};
    for (int j = 0; j < w.n_steps; j++) {
        double2 z = *reinterpret_cast<const double2 *>(normals + (size_t)j * w.paths);
        double2 step = load_step(w, j);
        x[0] = black_scholes_move(x[0], step.x, step.y, z.x);
        x[1] = black_scholes_move(x[1], step.x, step.y, z.y);
        recorder.step(w, j, plain_paths{x}, path, stored_bridges_of(w, path));
    }
    recorder.end(w, path);
}

cudaError_t launch_wide(const struct path_launch *path_launch, enum record record, int block,
                        cudaStream_t stream)
{
    if (!block) block = BLOCK;
    if (block > MOST) block = MOST;
    return LAUNCH_RECORD(wide, path_launch, record, PATHS, block, 0, stream);
}
