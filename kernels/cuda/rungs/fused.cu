/* fused: paths draw their own normals, four from one block of Philox, and read nothing but
 * coefficients.
 *
 * What binds it is the issue of instructions, so: the keys of Philox are constants of the launch; a
 * thread simulates PATHS paths with one load of each coefficient; the steps of whole blocks of
 * Philox run without a test for the end; and long paths read the table of cubics from copies spread
 * over the banks of shared memory. Plain paths that keep more than a sum are simulated by tiles.cu.
 */
#include "kernels/cuda/device/drawn.cuh"
#include "kernels/cuda/device/models.cuh"

enum { BLOCK = 256, SUM_PATHS = 2, SPREAD_STEPS = 32 };

/* The steps j0 .. j0 + n - 1 of PATHS paths, from words drawn before; n is known to the compiler or
 * small. */
template <int PATHS, class RECORDER, class TABLE>
static __device__ __forceinline__ void
simulate_block(const struct path_launch &w, int j0, int n, const drawn_words<PATHS> &words,
               double *x, RECORDER &recorder, const drawn_bridges<TABLE> &bridges, size_t path)
{
#pragma unroll
    for (int d = 0; d < DRAWS; d++) {
        if (d >= n) break;
        double2 step = load_step(w, j0 + d);
#pragma unroll
        for (int q = 0; q < PATHS; q++)
            x[q] = black_scholes_move(x[q], step.x, step.y, bridges.table.normal(words.word[q][d]));
        recorder.step(w, j0 + d, plain_paths{x}, path, bridges);
    }
}

template <int PATHS, class TABLE>
static __global__ void __launch_bounds__(BLOCK, 2) fused(const struct path_launch w)
{
    extern __shared__ float4 shared4[];
    TABLE table = TABLE::load(shared4);
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    drawn_bridges<TABLE> bridges = {table, w.seed, w.first_path + path, w.stream};
    struct recorder<RECORD_SUM, PATHS> recorder;
    recorder.begin(w, NULL);
    double x[PATHS];
#pragma unroll
    for (int q = 0; q < PATHS; q++) x[q] = w.start.x;
    int whole = w.n_steps / DRAWS * DRAWS;
    drawn_words<PATHS> words, next;
    words.draw(w, bridges.path, 0);
    for (int j = 0; j < whole;
         j += DRAWS) { /* the next block's integers fill the gaps of this block's arithmetic */
        next.draw(w, bridges.path, j / DRAWS + 1);
        simulate_block<PATHS>(w, j, DRAWS, words, x, recorder, bridges, path);
        words = next;
    }
    if (whole < w.n_steps)
        simulate_block<PATHS>(w, whole, w.n_steps - whole, words, x, recorder, bridges, path);
    recorder.end(w, path);
}

/* The spread table takes a block longer to fill than a few steps gain. */
cudaError_t launch_fused(const struct path_launch *path_launch, enum record record, int block,
                         cudaStream_t stream)
{
    if (record != RECORD_SUM) return cudaErrorInvalidValue; /* simulated by tiles.cu */
    if (!block || block > BLOCK) block = BLOCK;
    if (path_launch->n_steps < SPREAD_STEPS)
        return launch_walk(fused<SUM_PATHS, struct normal_table>, path_launch, SUM_PATHS, block,
                           normal_table::SIZE * sizeof(float4), stream);
    return launch_walk(fused<SUM_PATHS, struct spread_normal_table>, path_launch, SUM_PATHS, block,
                       spread_normal_table::SIZE * sizeof(float4), stream);
}

/* ---- one asset under another model ----------------------------------------------------------- */

/* Words of one block of Philox for each factor. */
template <int MODEL_ID, int PATHS>
struct block_words {
    enum { FACTORS = model_row<MODEL_ID>::FACTORS };
    drawn_words<PATHS> factor_words[FACTORS];

    __device__ __forceinline__ void draw(const struct path_launch &w, uint64_t path, int block)
    {
#pragma unroll
        for (int f = 0; f < FACTORS; f++) factor_words[f].draw(w, path, block, f);
    }

    /* The normals that the d-th words give. */
    template <class TABLE>
    __device__ __forceinline__ void normals(const TABLE &table, int d, double (*z)[FACTORS]) const
    {
#pragma unroll
        for (int q = 0; q < PATHS; q++)
#pragma unroll
            for (int f = 0; f < FACTORS; f++) z[q][f] = table.normal(factor_words[f].word[q][d]);
    }

    /* The indices that they give, after those that the paths keep in the place of v: historical.h.
     */
    __device__ __forceinline__ void indices(const double *c, int d, struct path_state *state,
                                            double (*z)[FACTORS]) const
    {
        const float last = (float)c[HISTORICAL_LAST];
#pragma unroll
        for (int q = 0; q < PATHS; q++) {
            float index = (float)state[q].v;
            if (c[HISTORICAL_TURN] == HISTORICAL_START)
                index = historical_start(factor_words[0].word[q][d], last);
            else if (c[HISTORICAL_TURN] == HISTORICAL_NEXT) index = historical_next(index, last);
            state[q].v = z[q][0] = (double)index;
        }
    }

    __device__ __forceinline__ void shift()
    {
#pragma unroll
        for (int f = 0; f < FACTORS; f++) factor_words[f].shift();
    }
};

/* Whether one of the steps j0 .. j0 + DRAWS - 1 of past returns begins a block: the others need no
 * words. */
static __device__ __forceinline__ bool starts_block(const struct path_launch &w, int j0)
{
    bool starts = false;
    for (int j = j0; j < j0 + DRAWS && j < w.n_steps; j++)
        starts |= __ldg(w.coefficients + j * HISTORICAL_COEFFICIENTS + HISTORICAL_TURN) ==
                  HISTORICAL_START;
    return starts;
}

/* Step j by the d-th words. */
template <int MODEL_ID, int PATHS, class RECORDER, class TABLE>
static __device__ __forceinline__ void
simulate_model_step(const struct path_launch &w, int j, const block_words<MODEL_ID, PATHS> &words,
                    int d, model_paths<MODEL_ID, PATHS> &paths, RECORDER &recorder,
                    const drawn_bridges<TABLE> &bridges, size_t path, bool dividends)
{
    double z[PATHS][model_row<MODEL_ID>::FACTORS];
    loaded_coefficients<MODEL_ID> step;
    step.load(w.coefficients + (size_t)j * model_row<MODEL_ID>::COEFFICIENTS);
    if (MODEL_ID == MODEL_HISTORICAL) words.indices(step.c, d, paths.state, z);
    else words.normals(bridges.table, d, z);
    paths.move(w, step.c, z);
    if (dividends) paths.pay_dividends(j);
    recorder.step(w, j, paths, path, bridges);
}

/* PATHS a thread, BLOCKS on a multiprocessor at least. Where UNROLLED, whole blocks of Philox
 * without a dividend are four steps in a row; the other steps are a loop, and so are all where
 * observations make a step long. */
template <int RECORD, int MODEL_ID, int PATHS, int BLOCKS, bool UNROLLED, class TABLE>
static __global__ void __launch_bounds__(BLOCK, BLOCKS) fused_model(const struct path_launch w)
{
    extern __shared__ float4 shared4[];
    TABLE table = TABLE::load(shared4);
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    drawn_bridges<TABLE> bridges = {table, w.seed, w.first_path + path, w.stream};
    struct recorder<RECORD, PATHS> recorder;
    recorder.begin(w, reinterpret_cast<double *>(shared4 + TABLE::SIZE) + threadIdx.x * PATHS);
    model_paths<MODEL_ID, PATHS> paths;
    paths.begin(w);
#pragma unroll 1
    for (int j0 = 0; j0 < w.n_steps; j0 += DRAWS) {
        block_words<MODEL_ID, PATHS> words;
        if (MODEL_ID != MODEL_HISTORICAL || starts_block(w, j0))
            words.draw(w, bridges.path, j0 / DRAWS);
        if (UNROLLED && j0 + DRAWS <= w.n_steps && j0 + DRAWS <= paths.next.step) {
#pragma unroll
            for (int d = 0; d < DRAWS; d++)
                simulate_model_step(w, j0 + d, words, d, paths, recorder, bridges, path, false);
            continue;
        }
        int end = j0 + DRAWS < w.n_steps ? j0 + DRAWS : w.n_steps;
#pragma unroll 1
        for (int j = j0; j < end; j++, words.shift())
            simulate_model_step(w, j, words, 0, paths, recorder, bridges, path, true);
    }
    recorder.end(w, path);
}

/* Paths of a thread that only sums, and blocks of 256 on a multiprocessor, as measured on an H200.
 */
template <int MODEL_ID>
struct fused_shape {
    enum { PATHS = 2, BLOCKS = 2 };
};
template <>
struct fused_shape<MODEL_LOCAL_VOL> {
    enum { PATHS = 4, BLOCKS = 2 };
};
template <>
struct fused_shape<MODEL_HESTON> {
    enum { PATHS = 2, BLOCKS = 3 };
};
template <>
struct fused_shape<MODEL_BATES> {
    enum { PATHS = 1, BLOCKS = 2 };
};

template <int RECORD, int MODEL_ID, class TABLE>
static cudaError_t launch_shaped(const struct path_launch *path_launch, int block, size_t slots,
                                 cudaStream_t stream)
{
    const bool sum = RECORD == RECORD_SUM;
    const int n = sum ? fused_shape<MODEL_ID>::PATHS : 1,
              blocks = sum ? fused_shape<MODEL_ID>::BLOCKS : 2;
    return launch_walk(fused_model<RECORD, MODEL_ID, n, blocks, sum, TABLE>, path_launch, n, block,
                       TABLE::SIZE * sizeof(float4) + slots, stream);
}

template <int MODEL_ID>
static cudaError_t launch_one_model(const struct path_launch *path_launch, enum record record,
                                    int block, cudaStream_t stream)
{
    size_t slots = sizeof(double) * (size_t)path_launch->n_slots * (size_t)block;
    if (record == RECORD_OBSERVATIONS)
        return launch_shaped<RECORD_OBSERVATIONS, MODEL_ID, struct normal_table>(path_launch, block,
                                                                                 slots, stream);
    if (record != RECORD_SUM)
        return launch_shaped<RECORD_SUM | RECORD_OBSERVATIONS, MODEL_ID, struct normal_table>(
            path_launch, block, slots, stream);
    if (path_launch->n_steps < SPREAD_STEPS)
        return launch_shaped<RECORD_SUM, MODEL_ID, struct normal_table>(path_launch, block, 0,
                                                                        stream);
    if constexpr (MODEL_ID == MODEL_LOCAL_VOL)
        return launch_local_vol_fused(path_launch, record, block, stream);
    else
        return launch_shaped<RECORD_SUM, MODEL_ID, struct spread_normal_table>(path_launch, block,
                                                                               0, stream);
}

cudaError_t launch_model_fused(const struct path_launch *path_launch, enum record record, int block,
                               cudaStream_t stream)
{
    if (!block) block = record == RECORD_SUM ? BLOCK : BLOCK / 2;
    if (block > BLOCK) block = BLOCK;
    switch (path_launch->model) {
#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    case MODEL_##NAME:                                                                             \
        return launch_one_model<MODEL_##NAME>(path_launch, record, block, stream);
#include "models/dynamics/models.def"
#undef MODEL
    default: return cudaErrorInvalidValue;
    }
}
