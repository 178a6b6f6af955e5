/* optimized: as few instructions as possible for what has to be read.
 *
 * Normals stored as float, the default for stored normals: it costs no bit of the price, because
 * normals are float by nature. A 16-byte asynchronous copy brings those of four paths DEPTH steps
 * ahead into a slot-major ring, a double2 load the coefficients of the step, and launch bounds
 * leave the registers for it.
 *
 * Normals stored as double: two paths a thread. The 16-byte loads of PAIR_DEPTH steps go out
 * together, by a loop without a test inside, and are then used; steps that fill no whole batch are
 * simulated one by one. */
#include "kernels/cuda/device/models.cuh"
#include "kernels/cuda/rungs/ring.cuh"

enum { PATHS = 4, DEPTH = 6, BLOCK = 128 };

template <int RECORD>
static __global__ void __launch_bounds__(BLOCK, 4) optimized(const struct path_launch w)
{
    extern __shared__ float4 shared4[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    struct ring<DEPTH, float4> ring = {
        shared4 + threadIdx.x,
            (const char *)((const float *)w.normals + path), w.paths * sizeof(float), w.n_steps
    };
    struct recorder<RECORD, PATHS> recorder;
    recorder.begin(w,
                   reinterpret_cast<double *>(shared4 + DEPTH * blockDim.x) + threadIdx.x * PATHS);
    double x[PATHS] = {w.start.x, w.start.x, w.start.x, w.start.x};
    ring.fill();
    for (int j0 = 0; j0 < w.n_steps; j0 += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            int j = j0 + d;
            if (j >= w.n_steps) break;
            float4 z = ring.next(d);
            double2 step = load_step(w, j);
            x[0] = black_scholes_move(x[0], step.x, step.y, (double)z.x);
            x[1] = black_scholes_move(x[1], step.x, step.y, (double)z.y);
            x[2] = black_scholes_move(x[2], step.x, step.y, (double)z.z);
            x[3] = black_scholes_move(x[3], step.x, step.y, (double)z.w);
            recorder.step(w, j, plain_paths{x}, path, stored_bridges_of<float>(w, path));
        }
    }
    recorder.end(w, path);
}

/* Threads of a block for sums alone, and for other books; measured on an H200, as the depth is. */
enum { PAIR = 2, PAIR_DEPTH = 6, PAIR_SUM_BLOCK = 512, PAIR_TOUCH_BLOCK = 64 };

/* Steps j .. j + STEPS - 1 of the thread's two paths. */
template <int STEPS, int RECORD>
static __device__ __forceinline__ void simulate_pair(const struct path_launch &w,
                                                     struct recorder<RECORD, PAIR> &recorder,
                                                     double *x, size_t path, int j)
{
    const double *normals = (const double *)w.normals + (size_t)j * w.paths + path;
    double2 z[STEPS];
#pragma unroll
    for (int d = 0; d < STEPS; d++)
        z[d] = *reinterpret_cast<const double2 *>(normals + (size_t)d * w.paths);
#pragma unroll
    for (int d = 0; d < STEPS; d++) {
        double2 step = load_step(w, j + d);
        x[0] = black_scholes_move(x[0], step.x, step.y, z[d].x);
        x[1] = black_scholes_move(x[1], step.x, step.y, z[d].y);
        recorder.step(w, j + d, plain_paths{x}, path, stored_bridges_of<double>(w, path));
    }
}

template <int RECORD>
static __global__ void __launch_bounds__(RECORD == RECORD_SUM ? PAIR_SUM_BLOCK : PAIR_TOUCH_BLOCK,
                                         RECORD == RECORD_SUM ? 2 : 8)
    optimized_double(const struct path_launch w)
{
    extern __shared__ double shared[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PAIR;
    if (path >= w.paths) return;
    struct recorder<RECORD, PAIR> recorder;
    recorder.begin(w, shared + threadIdx.x * PAIR);
    double x[PAIR] = {w.start.x, w.start.x};
    int j = 0;
    for (; j + PAIR_DEPTH <= w.n_steps; j += PAIR_DEPTH)
        simulate_pair<PAIR_DEPTH>(w, recorder, x, path, j);
    for (; j < w.n_steps; j++) simulate_pair<1>(w, recorder, x, path, j);
    recorder.end(w, path);
}

static cudaError_t launch_double(const struct path_launch *path_launch, enum record record,
                                 int block, cudaStream_t stream)
{
    int most = record == RECORD_SUM ? PAIR_SUM_BLOCK : PAIR_TOUCH_BLOCK;
    if (!block || block > most) block = most;
    return LAUNCH_RECORD(optimized_double, path_launch, record, PAIR, block, 0, stream);
}

cudaError_t launch_optimized(const struct path_launch *path_launch, enum record record, int block,
                             cudaStream_t stream)
{
    if (path_launch->variant.value[SETTING_STORED] == sizeof(double))
        return launch_double(path_launch, record, block, stream);
    if (!block) block = record == RECORD_SUM ? BLOCK : BLOCK / 2;
    if (block > BLOCK) block = BLOCK;
    return LAUNCH_RECORD(optimized, path_launch, record, PATHS, block, DEPTH * sizeof(float4),
                         stream);
}

/* ---- one asset under another model ----------------------------------------------------------- */

/* Two paths a thread where a step has one normal, one where it has more; MODEL_DEPTH steps ahead.
 */
enum { MODEL_DEPTH = 4, MODEL_BLOCK = 128 };

template <int PATHS_A_THREAD>
struct stored_floats;
template <>
struct stored_floats<1> {
    typedef float type; /* a row of one path */
    static __device__ __forceinline__ void take(float row, int, double *z)
    {
        z[0] = (double)row;
    }
};
template <>
struct stored_floats<2> {
    typedef float2 type;
    static __device__ __forceinline__ void take(float2 row, int apart, double *z)
    {
        z[0] = (double)row.x, z[apart] = (double)row.y;
    }
};

template <int MODEL_ID>
struct optimized_shape {
    enum { PATHS = model_row<MODEL_ID>::FACTORS == 1 ? 2 : 1 };
};

/* The ring holds rows of normals, FACTORS to a step, in an order that is the memory's. */
template <int RECORD, int MODEL_ID>
static __global__ void __launch_bounds__(MODEL_BLOCK, 4) optimized_model(const struct path_launch w)
{
    enum {
        FACTORS = model_row<MODEL_ID>::FACTORS,
        SLOTS = MODEL_DEPTH * FACTORS,
        N = optimized_shape<MODEL_ID>::PATHS
    };
    typedef stored_floats<N> floats;
    typedef typename floats::type row;
    extern __shared__ float4 shared4[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * N;
    if (path >= w.paths) return;
    struct ring<SLOTS, row> ring = {
        reinterpret_cast<row *>(shared4) + threadIdx.x,
            (const char *)((const float *)w.normals + path), w.paths * sizeof(float),
            w.n_steps *FACTORS
    };
    struct recorder<RECORD, N> recorder;
    recorder.begin(
        w, reinterpret_cast<double *>(reinterpret_cast<row *>(shared4) + SLOTS * blockDim.x) +
               threadIdx.x * N);
    model_paths<MODEL_ID, N> paths;
    paths.begin(w);
    ring.fill();
    int slot = 0;
#pragma unroll 1
    for (int j = 0; j < w.n_steps; j++) {
        double z[N][FACTORS];
        loaded_coefficients<MODEL_ID> step;
        step.load(w.coefficients + (size_t)j * model_row<MODEL_ID>::COEFFICIENTS);
#pragma unroll
        for (int f = 0; f < FACTORS; f++) floats::take(ring.next(slot + f), FACTORS, &z[0][f]);
        slot = slot + FACTORS < SLOTS ? slot + FACTORS : 0;
        paths.move(w, step.c, z);
        paths.pay_dividends(j);
        recorder.step(w, j, paths, path, stored_bridges_of<float>(w, path));
    }
    recorder.end(w, path);
}

cudaError_t launch_model_optimized(const struct path_launch *path_launch, enum record record,
                                   int block, cudaStream_t stream)
{
    if (!block) block = record == RECORD_SUM ? MODEL_BLOCK : MODEL_BLOCK / 2;
    if (block > MODEL_BLOCK) block = MODEL_BLOCK;
    switch (path_launch->model) {
#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    case MODEL_##NAME:                                                                             \
        return LAUNCH_MODEL(                                                                       \
            optimized_model, MODEL_##NAME, path_launch, record,                                    \
            optimized_shape<MODEL_##NAME>::PATHS, block,                                           \
            MODEL_DEPTH * factors * optimized_shape<MODEL_##NAME>::PATHS * sizeof(float), stream);
#include "models/dynamics/models.def"
#undef MODEL
    default: return cudaErrorInvalidValue;
    }
}
