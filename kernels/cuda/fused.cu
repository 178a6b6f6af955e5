/* fused: paths draw their own normals, four from one block of Philox, and read nothing but coefficients.
 *
 * What binds it is the issue of instructions, so: the keys of Philox are constants of the launch; a thread
 * walks PATHS paths with one load of each coefficient; the steps of whole blocks of Philox run without a test
 * for the end; and long paths read the table of cubics from copies spread over the banks of shared memory. */
#include "kernels/cuda/normals.cuh"
#include "kernels/cuda/record.cuh"
#include "models/math/philox.h"

enum { BLOCK = 256, DRAWS = 4, SUM_PATHS = 2, SPREAD_STEPS = 32 };

/* Bridge normals drawn when they are needed. */
template <class TABLE>
struct drawn_bridges {
    TABLE table;
    uint64_t seed, path;
    uint32_t stream;
    __device__ __forceinline__ void operator()(int pair, int q, double *z0, double *z1) const
    {
        struct philox_words w = philox_block(seed, path + q, stream | BRIDGE_STREAM, (uint32_t)pair / 2);
        bool second = pair % 2;
        *z0 = table.normal(second ? w.word2 : w.word0);
        *z1 = table.normal(second ? w.word3 : w.word1);
    }
};

/* One block of Philox for path q of the thread. */
static __device__ __forceinline__ struct philox_words draw(const struct walk &w, uint64_t path, int block)
{
    struct philox_words counter = {(uint32_t)block, w.stream, (uint32_t)path, (uint32_t)(path >> 32)};
    return philox_rounds(counter, &w.keys);
}

/* Words of one block of Philox for each path of a thread. */
template <int PATHS>
struct drawn_words {
    uint32_t word[PATHS][DRAWS];

    __device__ __forceinline__ void draw(const struct walk &w, uint64_t path, int block)
    {
#pragma unroll
        for (int q = 0; q < PATHS; q++) {
            struct philox_words of_path = ::draw(w, path + q, block);
            word[q][0] = of_path.word0, word[q][1] = of_path.word1;
            word[q][2] = of_path.word2, word[q][3] = of_path.word3;
        }
    }
};

/* The steps j0 .. j0 + n - 1 of PATHS paths, from words drawn before; n is known to the compiler or small. */
template <int PATHS, class RECORDER, class TABLE>
static __device__ __forceinline__ void
walk_block(const struct walk &w, int j0, int n, const drawn_words<PATHS> &words, double *x,
           RECORDER &recorder, const drawn_bridges<TABLE> &bridges, size_t path)
{
#pragma unroll
    for (int d = 0; d < DRAWS; d++) {
        if (d >= n) break;
        double2 step = load_step(w, j0 + d);
#pragma unroll
        for (int q = 0; q < PATHS; q++)
            x[q] = black_scholes_step(x[q], step.x, step.y, bridges.table.normal(words.word[q][d]));
        recorder.step(w, j0 + d, x, path, bridges);
    }
}

template <int RECORD, int PATHS, class TABLE>
static __global__ void __launch_bounds__(BLOCK, RECORD == RECORD_SUM ? 2 : 3) fused(const struct walk w)
{
    extern __shared__ float4 shared4[];
    TABLE table = TABLE::load(shared4);
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    drawn_bridges<TABLE> bridges = {table, w.seed, w.first_path + path, w.stream};
    struct recorder<RECORD, PATHS> recorder;
    recorder.begin(w, reinterpret_cast<double *>(shared4 + TABLE::SIZE) + threadIdx.x * PATHS);
    double x[PATHS];
#pragma unroll
    for (int q = 0; q < PATHS; q++) x[q] = w.start;
    int whole = w.n_steps / DRAWS * DRAWS;
    drawn_words<PATHS> words, next;
    words.draw(w, bridges.path, 0);
    for (int j = 0; j < whole;
         j += DRAWS) { /* the next block's integers fill the gaps of this block's arithmetic */
        next.draw(w, bridges.path, j / DRAWS + 1);
        walk_block<PATHS>(w, j, DRAWS, words, x, recorder, bridges, path);
        words = next;
    }
    if (whole < w.n_steps) walk_block<PATHS>(w, whole, w.n_steps - whole, words, x, recorder, bridges, path);
    recorder.end(w, path);
}

template <int RECORD, int PATHS, class TABLE>
static cudaError_t launch_with(const struct walk *walk, int block, cudaStream_t stream)
{
    size_t slots =
        RECORD & RECORD_TOUCHES ? sizeof(double) * PATHS * (size_t)walk->n_slots * (size_t)block : 0;
    return launch_walk(fused<RECORD, PATHS, TABLE>, walk, PATHS, block, TABLE::SIZE * sizeof(float4) + slots,
                       stream);
}

/* The spread table takes a block longer to fill than a few steps gain, and shared memory that slots need
 * more. */
template <int RECORD, int PATHS>
static cudaError_t launch(const struct walk *walk, int block, cudaStream_t stream)
{
    if (RECORD != RECORD_SUM || walk->n_steps < SPREAD_STEPS)
        return launch_with<RECORD, PATHS, struct normal_table>(walk, block, stream);
    return launch_with<RECORD_SUM, PATHS, struct spread_normal_table>(walk, block, stream);
}

cudaError_t launch_fused(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = record == RECORD_SUM ? BLOCK : BLOCK / 2;
    if (block > BLOCK) block = BLOCK;
    if (record == RECORD_SUM) return launch<RECORD_SUM, SUM_PATHS>(walk, block, stream);
    if (record == RECORD_TOUCHES) return launch<RECORD_TOUCHES, 1>(walk, block, stream);
    return launch<RECORD_SUM | RECORD_TOUCHES, 1>(walk, block, stream);
}
