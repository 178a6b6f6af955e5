/* Paths of several assets: one thread a path, the state of its underlyings in shared memory.
 *
 * As with slots of observables, element e of the path of thread q of the block is at [e * blockDim.x + q], so
 * a warp's accesses are consecutive: first the states (x of each underlying, or x, v and clock), then the
 * first normals of a step, then slots. What does not depend on the path (loadings, coefficients, which model)
 * is the same for a whole warp. */
#ifndef PRICER_KERNELS_CUDA_SEVERAL_CUH
#define PRICER_KERNELS_CUDA_SEVERAL_CUH

#include "kernels/cuda/models.cuh"

enum { SEVERAL_BLOCK = 64, SEVERAL_MOST = 256 };

/* What touches see of the thread's path. */
struct several_paths {
    enum { GIVES = READS_CLOCK | READS_VARIANCE };
    double *states; /* the thread's element 0 */
    int threads, state_width;

    __device__ __forceinline__ double *of(int underlying) const
    {
        return states + underlying * state_width * threads;
    }
    __device__ __forceinline__ double x(int underlying, int) const
    {
        return *of(underlying);
    }
    __device__ __forceinline__ double v(int underlying, int) const
    {
        return of(underlying)[threads];
    }
    __device__ __forceinline__ double clock(int underlying, int) const
    {
        return of(underlying)[2 * threads];
    }
};

/* One underlying's row of a warp's instructions: a step of one model. `z0` is its correlated normal; the
 * others lie in rows of `normals`, the first of them its own. */
template <int OF, class NORMAL>
static __device__ __forceinline__ void move_one(const struct walk &w, const double *coefficients, double z0,
                                                const NORMAL *normals, const struct several_paths &paths,
                                                int underlying)
{
    double *at = paths.of(underlying);
    double z[model_row<OF>::FACTORS];
    struct path_state state = {at[0], 0.0, 0.0};
    if (OF != MODEL_BLACK_SCHOLES) state.v = at[paths.threads], state.clock = at[2 * paths.threads];
    z[0] = z0;
#pragma unroll
    for (int f = 1; f < model_row<OF>::FACTORS; f++) z[f] = (double)normals[(size_t)f * w.paths];
    loaded_coefficients<OF> step;
    step.load(coefficients);
    model_row<OF>::step(step.c, w.table, &state, z);
    at[0] = state.x;
    if (OF != MODEL_BLACK_SCHOLES) at[paths.threads] = state.v, at[2 * paths.threads] = state.clock;
}

static __device__ __forceinline__ struct placed_underlying load_placed(const struct walk &w, int underlying)
{
    int4 bits = __ldg(reinterpret_cast<const int4 *>(w.placed) + underlying);
    return {bits.x, bits.y, bits.z, 0};
}

/* acc[k] += loadings of the tile's underlying k on one normal, all LOADINGS of them. */
static __device__ __forceinline__ void add_loaded(const double *loadings, double z, double *acc)
{
    static_assert(LOADINGS == 4, "two loads of 16 bytes");
    double2 a = __ldg(reinterpret_cast<const double2 *>(loadings)),
            b = __ldg(reinterpret_cast<const double2 *>(loadings) + 1);
    acc[0] = fma(a.x, z, acc[0]), acc[1] = fma(a.y, z, acc[1]);
    acc[2] = fma(b.x, z, acc[2]), acc[3] = fma(b.y, z, acc[3]);
}

/* Turns the first normals of the underlyings, z[underlying * threads], into correlated ones in their place:
 * from the last tile of underlyings up, for w[u] needs z[0] .. z[u] alone. */
static __device__ __forceinline__ void correlate(const struct walk &w, double *z, int threads)
{
    int n = w.n_underlyings;
    for (int first = (n - 1) / LOADINGS * LOADINGS; first >= 0; first -= LOADINGS) {
        const double *loadings = w.loadings + (size_t)first * (size_t)n;
        double acc[LOADINGS];
        if (first) { /* the first normal multiplies, the others are added */
            double z0 = z[0];
#pragma unroll
            for (int k = 0; k < LOADINGS; k++) acc[k] = __ldg(loadings + k) * z0;
            for (int i = 1; i < first; i++) add_loaded(loadings + i * LOADINGS, z[i * threads], acc);
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

/* One step of every underlying. `normals` is the path's element of the first row of the step. */
template <class NORMAL>
static __device__ __forceinline__ void move_all(const struct walk &w, int j, const NORMAL *normals,
                                                const struct several_paths &paths, double *z)
{
    const double *coefficients = w.coefficients + (size_t)j * (size_t)w.width;
#pragma unroll 4
    for (int u = 0; u < w.n_underlyings; u++)
        z[u * paths.threads] = (double)normals[(size_t)load_placed(w, u).factor * w.paths];
    correlate(w, z, paths.threads);
    for (int u = 0; u < w.n_underlyings; u++) {
        struct placed_underlying placed = load_placed(w, u);
        switch (placed.model) {
#define MODEL(NAME, name, factors, of_a_step)                                                                \
    case MODEL_##NAME:                                                                                       \
        move_one<MODEL_##NAME>(w, coefficients + placed.coefficient, z[u * paths.threads],                   \
                               normals + (size_t)placed.factor * w.paths, paths, u);                         \
        break;
#include "models/dynamics/models.def"
#undef MODEL
        }
    }
}

template <class NORMAL>
static __device__ __forceinline__ void walk_several(const struct walk &w)
{
    extern __shared__ double shared[];
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    struct several_paths paths = {shared + threadIdx.x, (int)blockDim.x, w.state_width};
    double *z = paths.of(w.n_underlyings);
    struct recorder<RECORD_TOUCHES, 1> recorder;
    struct next_dividend dividend;
    recorder.begin(w, z + w.n_underlyings * paths.threads);
    dividend.fetch(w.dividends);
    for (int u = 0; u < w.n_underlyings; u++)
        for (int i = 0; i < w.state_width; i++) paths.of(u)[i * paths.threads] = (&w.starts[u].x)[i];
    const NORMAL *normals = (const NORMAL *)w.normals + path;
    for (int j = 0; j < w.n_steps; j++, normals += (size_t)w.n_factors * w.paths) {
        move_all(w, j, normals, paths, z);
        for (; dividend.step == j; dividend.fetch(dividend.at + 1)) {
            double *x = paths.of(dividend.underlying);
            *x = after_dividend(*x, dividend.amount);
        }
        recorder.step(w, j, paths, path, stored_bridges_of<NORMAL>(w, path));
    }
    recorder.end(w, path);
}

/* As many threads a block as were asked for, as long as blocks fit beside each other. */
template <class KERNEL>
static cudaError_t launch_several(KERNEL kernel, const struct walk *walk, int block, cudaStream_t stream)
{
    size_t elements = (size_t)(walk->n_underlyings * (walk->state_width + 1) + walk->n_slots);
    if (!block) block = SEVERAL_BLOCK;
    if (block > SEVERAL_MOST) block = SEVERAL_MOST;
    while (block > 32 && elements * sizeof(double) * (size_t)block > 64 * 1024)
        block = (block / 2 + 31) / 32 * 32;
    return launch_walk(kernel, walk, 1, block, elements * sizeof(double) * (size_t)block, stream);
}

#endif
