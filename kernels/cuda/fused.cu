/* fused: one path a thread draws its own normals, four from one block of Philox, and reads nothing but
 * coefficients. */
#include "kernels/cuda/normals.cuh"
#include "kernels/cuda/record.cuh"
#include "models/math/philox.h"

enum { BLOCK = 256, DRAWS = 4 };

/* Bridge normals drawn when they are needed. */
struct drawn_bridges {
    const float4 *table;
    uint64_t seed, path;
    uint32_t stream;
    __device__ __forceinline__ void operator()(int pair, int q, double *z0, double *z1) const
    {
        struct philox_words w = philox_block(seed, path + q, stream | BRIDGE_STREAM, (uint32_t)pair / 2);
        bool second = pair % 2;
        *z0 = normal_of(second ? w.word2 : w.word0, table);
        *z1 = normal_of(second ? w.word3 : w.word1, table);
    }
};

template <int RECORD>
static __global__ void __launch_bounds__(BLOCK, RECORD == RECORD_SUM ? 6 : 3) fused(const struct walk w)
{
    extern __shared__ double shared[];
    __shared__ float4 table[NORMAL_ROWS];
    load_normal_table(table);
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    uint64_t philox_path = w.first_path + path;
    struct drawn_bridges bridges = {table, w.seed, philox_path, w.stream};
    struct recorder<RECORD, 1> recorder;
    recorder.begin(w, shared + threadIdx.x);
    double x = w.start;
    for (int j0 = 0; j0 < w.n_steps; j0 += DRAWS) {
        struct philox_words drawn = philox_block(w.seed, philox_path, w.stream, (uint32_t)(j0 / DRAWS));
        const uint32_t words[DRAWS] = {drawn.word0, drawn.word1, drawn.word2, drawn.word3};
#pragma unroll
        for (int d = 0; d < DRAWS; d++) {
            int j = j0 + d;
            if (j >= w.n_steps) break;
            double2 step = load_step(w, j);
            x = black_scholes_step(x, step.x, step.y, normal_of(words[d], table));
            recorder.step(w, j, &x, path, bridges);
        }
    }
    recorder.end(w, path);
}

cudaError_t launch_fused(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = record == RECORD_SUM ? BLOCK : BLOCK / 2;
    if (block > BLOCK) block = BLOCK;
    return LAUNCH_RECORD(fused, walk, record, 1, block, 0, stream);
}
