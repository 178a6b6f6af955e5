/* wide: 16 bytes a load. Of the big array, the normals, it brings those of two paths a thread; of
 * the small one, both coefficients of the step. After "Boosting Application Performance with GPU
 * Memory Access Tuning" (NVIDIA technical blog, 2022).
 *
 * As many bytes are moved, in half the instructions: what is saved is addresses, and the registers
 * they take. Two paths a thread also share each coefficient and fill each other's waits. */
#include "kernels/cuda/device/record.cuh"

enum { BLOCK = 128, MOST = 256 };

template <int PATHS>
static __device__ __forceinline__ void load_normals(const double *normals, double *z)
{
    static_assert(PATHS == 1 || PATHS == 2, "a load brings one double or two");
    if (PATHS == 1) {
        z[0] = *normals;
        return;
    }
    double2 both = *reinterpret_cast<const double2 *>(normals);
    z[0] = both.x, z[PATHS - 1] = both.y;
}

template <int SMALL>
static __device__ __forceinline__ double2 load_coefficients(const struct path_launch &w, int j)
{
    return SMALL ? load_step(w, j) : make_double2(w.steps[j].drift, w.steps[j].volatility);
}

/* PATHS a thread, and whether coefficients come by one load. */
template <int RECORD, int PATHS = 2, int SMALL = 1>
static __global__ void __launch_bounds__(MOST, 2) wide(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    const double *normals = (const double *)w.normals + path;
    struct recorder<RECORD, PATHS> recorder;
    recorder.begin(w, shared + threadIdx.x * PATHS);
    double x[PATHS], z[PATHS];
#pragma unroll
    for (int q = 0; q < PATHS; q++) x[q] = w.start.x;
    for (int j = 0; j < w.n_steps; j++) {
        load_normals<PATHS>(normals + (size_t)j * w.paths, z);
        double2 step = load_coefficients<SMALL>(w, j);
#pragma unroll
        for (int q = 0; q < PATHS; q++) x[q] = black_scholes_move(x[q], step.x, step.y, z[q]);
        recorder.step(w, j, plain_paths{x}, path, stored_bridges_of(w, path));
    }
    recorder.end(w, path);
}

cudaError_t launch_wide(const struct path_launch *path_launch, enum record record, int block,
                        cudaStream_t stream)
{
    int loads = path_launch->variant.value[SETTING_LOADS];
    if (!block) block = BLOCK;
    if (block > MOST) block = MOST;
    if (record == RECORD_SUM && loads == LOADS_SMALL)
        return launch_walk(wide<RECORD_SUM, 1, 1>, path_launch, 1, block, 0, stream);
    if (record == RECORD_SUM && loads == LOADS_BIG)
        return launch_walk(wide<RECORD_SUM, 2, 0>, path_launch, 2, block, 0, stream);
    return LAUNCH_RECORD(wide, path_launch, record, 2, block, 0, stream);
}
