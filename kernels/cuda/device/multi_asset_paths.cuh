/* Paths of several assets: one thread a path, the state of its underlyings in shared memory.
 *
 * As with slots of observables, element e of the path of thread q of the block is at [e *
 * blockDim.x + q], so a warp's accesses are consecutive: first the states (x of each underlying, or
 * x, v and clock), then the first normals of a step, then slots. What does not depend on the path
 * (loadings, coefficients, which model) is the same for a whole warp. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_MULTI_ASSET_PATHS_CUH
#define PRICER_KERNELS_CUDA_DEVICE_MULTI_ASSET_PATHS_CUH

#include "kernels/cuda/device/models.cuh"

enum { MULTI_ASSET_BLOCK = 64, MULTI_ASSET_BLOCK_MAX = 256 };

/* The path of a thread as observations see it. */
struct multi_asset_paths {
    enum { GIVES = READS_CLOCK | READS_VARIANCE | READS_LEADER };
    double *states; /* the thread's element 0 */
    int threads, state_width;

    __device__ __forceinline__ double *state(int underlying) const
    {
        return states + underlying * state_width * threads;
    }
    __device__ __forceinline__ double x(int underlying, int) const
    {
        return *state(underlying);
    }
    __device__ __forceinline__ double v(int underlying, int) const
    {
        return state(underlying)[threads];
    }
    __device__ __forceinline__ double clock(int underlying, int) const
    {
        return state(underlying)[2 * threads];
    }
};

/* Takes one step of one underlying under one model. `z0` is its correlated normal; the others lie
 * in rows of `normals`, the first of them its own. WIDE: it remembers more than x. */
template <int MODEL_ID, bool WIDE>
static __device__ __forceinline__ void
move_one(const struct path_launch &w, const double *coefficients, double z0, const double *normals,
         const struct multi_asset_paths &paths, int underlying)
{
    double *at = paths.state(underlying);
    double z[model_row<MODEL_ID>::FACTORS];
    struct path_state state = {at[0], 0.0, 0.0};
    if (WIDE) state.v = at[paths.threads], state.clock = at[2 * paths.threads];
    z[0] = z0;
#pragma unroll
    for (int f = 1; f < model_row<MODEL_ID>::FACTORS; f++) z[f] = normals[(size_t)f * w.paths];
    loaded_coefficients<MODEL_ID> step;
    step.load(coefficients);
    model_row<MODEL_ID>::step(step.c, w.table, &state, z);
    at[0] = state.x;
    if (WIDE) at[paths.threads] = state.v, at[2 * paths.threads] = state.clock;
}

static __device__ __forceinline__ struct device_underlying
load_underlying(const struct path_launch &w, int underlying)
{
    int4 bits = __ldg(reinterpret_cast<const int4 *>(w.underlyings) + underlying);
    return {bits.x, bits.y, bits.z, 0};
}

/* Adds to acc[k] the loading of the tile's underlying k on one normal, times that normal, for all
 * LOADINGS of them. */
static __device__ __forceinline__ void add_loaded(const double *loadings, double z, double *acc)
{
    static_assert(LOADINGS == 4, "two loads of 16 bytes");
    double2 a = __ldg(reinterpret_cast<const double2 *>(loadings)),
            b = __ldg(reinterpret_cast<const double2 *>(loadings) + 1);
    acc[0] = fma(a.x, z, acc[0]), acc[1] = fma(a.y, z, acc[1]);
    acc[2] = fma(b.x, z, acc[2]), acc[3] = fma(b.y, z, acc[3]);
}

/* Turns the first normals of the underlyings, z[underlying * threads], into correlated ones in
 * their place: from the last tile of underlyings up, for w[u] needs z[0] .. z[u] alone. */
static __device__ __forceinline__ void correlate(const struct path_launch &w, double *z,
                                                 int threads)
{
    int n = w.n_underlyings;
    for (int first = (n - 1) / LOADINGS * LOADINGS; first >= 0; first -= LOADINGS) {
        const double *loadings = w.loadings + (size_t)first * (size_t)n;
        double acc[LOADINGS];
        if (first) { /* the first normal multiplies, the others are added */
            double z0 = z[0];
#pragma unroll
            for (int k = 0; k < LOADINGS; k++) acc[k] = __ldg(loadings + k) * z0;
            for (int i = 1; i < first; i++)
                add_loaded(loadings + i * LOADINGS, z[i * threads], acc);
        }
#pragma unroll
        for (int i = 0; i < LOADINGS; i++) { /* the triangle at the diagonal */
            if (first + i >= n) break;
            double zi = z[(first + i) * threads];
#pragma unroll
            for (int k = i; k < LOADINGS; k++) {
                double loading = __ldg(loadings + (first + i) * LOADINGS + k);
                acc[k] = first + i ? fma(loading, zi, acc[k]) : loading * zi;
            }
        }
#pragma unroll
        for (int k = 0; k < LOADINGS; k++)
            if (first + k < n) z[(first + k) * threads] = acc[k];
    }
}

/* Takes one step of every underlying. `normals` is the path's element of the first row of the
 * step. */
static __device__ __forceinline__ void move_all(const struct path_launch &w, int j,
                                                const double *normals,
                                                const struct multi_asset_paths &paths, double *z)
{
    const double *coefficients = w.coefficients + (size_t)j * (size_t)w.width;
#pragma unroll 4
    for (int u = 0; u < w.n_underlyings; u++)
        z[u * paths.threads] = normals[(size_t)load_underlying(w, u).factor * w.paths];
    correlate(w, z, paths.threads);
    for (int u = 0; u < w.n_underlyings; u++) {
        struct device_underlying on_device = load_underlying(w, u);
        switch (on_device.model) {
#define MODEL(NAME, name, factors, step_coefficients, traits, ...)                                 \
    case MODEL_##NAME:                                                                             \
        move_one<MODEL_##NAME, ((traits) & (REMEMBERS_CLOCK | REMEMBERS_VARIANCE)) != 0>(          \
            w, coefficients + on_device.coefficient, z[u * paths.threads],                         \
            normals + (size_t)on_device.factor * w.paths, paths, u);                               \
        break;
#include "models/dynamics/models.def"
#undef MODEL
        }
    }
}

static __device__ __forceinline__ void simulate_multi_asset(const struct path_launch &w)
{
    extern __shared__ double shared[];
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    struct multi_asset_paths paths = {shared + threadIdx.x, (int)blockDim.x, w.state_width};
    double *z = paths.state(w.n_underlyings);
    struct recorder<RECORD_OBSERVATIONS, 1> recorder;
    struct next_dividend dividend;
    recorder.begin(w, z + w.n_underlyings * paths.threads);
    dividend.fetch(w.dividends);
    for (int u = 0; u < w.n_underlyings; u++)
        for (int i = 0; i < w.state_width; i++)
            paths.state(u)[i * paths.threads] = (&w.starts[u].x)[i];
    const double *normals = (const double *)w.normals + path;
    for (int j = 0; j < w.n_steps; j++, normals += (size_t)w.n_factors * w.paths) {
        move_all(w, j, normals, paths, z);
        for (; dividend.step == j; dividend.fetch(dividend.at + 1)) {
            double *x = paths.state(dividend.underlying);
            *x = after_dividend(*x, dividend.amount);
        }
        recorder.step(w, j, paths, path, stored_bridges_of(w, path));
    }
    recorder.end(w, path);
}

/* Launches as many threads a block as were asked for, as long as blocks fit beside each other. */
template <class KERNEL>
static cudaError_t launch_multi_asset(KERNEL kernel, const struct path_launch *path_launch,
                                      int block, cudaStream_t stream)
{
    size_t elements = (size_t)(path_launch->n_underlyings * (path_launch->state_width + 1) +
                               path_launch->n_slots);
    if (!block) block = MULTI_ASSET_BLOCK;
    if (block > MULTI_ASSET_BLOCK_MAX) block = MULTI_ASSET_BLOCK_MAX;
    while (block > 32 && elements * sizeof(double) * (size_t)block > 64 * 1024)
        block = (block / 2 + 31) / 32 * 32;
    return launch_walk(kernel, path_launch, 1, block, elements * sizeof(double) * (size_t)block,
                       stream);
}

#endif
