/* fused: one path a thread draws its own normals, four from one block of Philox, and reads nothing but coefficients. */
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
static __global__ void __launch_bounds__(2 * BLOCK, 2) fused(const struct walk w)
{
    extern __shared__ double shared[];
    __shared__ float4 table[NORMAL_ROWS];
    load_normal_table(table);
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    double *slots = shared + threadIdx.x;
    int width = (int)blockDim.x;
    uint64_t philox_path = w.first_path + path;
    struct drawn_bridges bridges = {table, w.seed, philox_path, w.stream};
    double x = w.start, sum = 0.0;
    if (RECORD == RECORD_SUM) sum = w.initial[0];
    if (RECORD == RECORD_TOUCHES) record_begin<1>(w, slots, width);
    for (int j0 = 0; j0 < w.n_steps; j0 += DRAWS) {
        struct philox_words drawn = philox_block(w.seed, philox_path, w.stream, (uint32_t)(j0 / DRAWS));
        const uint32_t words[DRAWS] = {drawn.word0, drawn.word1, drawn.word2, drawn.word3};
#pragma unroll
        for (int d = 0; d < DRAWS; d++) {
            int j = j0 + d;
            if (j >= w.n_steps) break;
            double2 step = load_step(w, j);
            x = black_scholes_step(x, step.x, step.y, normal_of(words[d], table));
            if (RECORD == RECORD_SUM) sum = sum + path_exp2(x);
            if (RECORD == RECORD_TOUCHES) record_touches<1>(w, j, &x, slots, width, path, bridges);
        }
    }
    if (RECORD == RECORD_SUM) w.observed[path] = sum;
    if (RECORD == RECORD_TOUCHES) record_end<1>(w, slots, width, path);
}

cudaError_t launch_fused(const struct walk *walk, enum recorder recorder, int block, cudaStream_t stream)
{
    if (!block) block = recorder == RECORD_SUM ? BLOCK : BLOCK / 2;
    if (block > 2 * BLOCK) return cudaErrorInvalidConfiguration;
    if (recorder == RECORD_SUM) return launch_walk(fused<RECORD_SUM>, walk, 1, block, 0, stream);
    size_t shared = sizeof(double) * (size_t)walk->n_slots * (size_t)block;
    return launch_walk(fused<RECORD_TOUCHES>, walk, 1, block, shared, stream);
}
