/* Scenarios in registers: the same paths under several markets, with one read, or one draw, of each
 * normal.
 *
 * A thread simulates PATHS paths of SCENARIOS scenarios, which differ in start and coefficients.
 * Nothing but the arithmetic is left to bind: 14 double precision operations a path-step of each
 * scenario. The coefficients of all scenarios of a step are read by every thread at once, so they
 * lie in constant memory, where they cost no load instruction; those of a long path, that do not
 * fit there, come through the read-only path. */
#include "kernels/cuda/device/normals.cuh"
#include "kernels/cuda/device/record.cuh"
#include "models/math/philox.h"

enum { BLOCK = 64, DRAWS = 4, CONSTANT_STEPS = 2048 };

/* [stream slot], each stream's own, for they run side by side; then as launch_scenarios() is given
 * them. Of one run at a time (kernels/cuda/host/reserve.h). */
static __constant__ double2 constant_steps[2][CONSTANT_STEPS];

struct scenarios {
    const void *normals;  /* [step][path] float; NULL where they are drawn */
    const double2 *steps; /* [step][scenario] of those simulated at once, these behind each other */
    size_t paths;
    uint64_t first_path;
    struct philox_keys keys;
    uint32_t stream;
    int n_steps, all, stream_slot;
    double start[MARKETS_MAX], initial[MARKETS_MAX];
    double *row[MARKETS_MAX]; /* of the sum, [path] */
};

template <int SCENARIOS, int PATHS>
struct scenario_paths {
    double x[SCENARIOS][PATHS], sum[SCENARIOS][PATHS];

    __device__ __forceinline__ void begin(const struct scenarios &batch, int first)
    {
#pragma unroll
        for (int s = 0; s < SCENARIOS; s++)
#pragma unroll
            for (int q = 0; q < PATHS; q++)
                x[s][q] = batch.start[first + s], sum[s][q] = batch.initial[first + s];
    }

    template <bool CONSTANT>
    __device__ __forceinline__ void step(const struct scenarios &batch, int base, int j,
                                         const double *z)
    {
#pragma unroll
        for (int s = 0; s < SCENARIOS; s++) {
            int at = base + j * SCENARIOS + s; /* a stride that the compiler knows */
            double2 c = CONSTANT ? constant_steps[batch.stream_slot][at] : __ldg(batch.steps + at);
#pragma unroll
            for (int q = 0; q < PATHS; q++) {
                x[s][q] = black_scholes_move(x[s][q], c.x, c.y, z[q]);
                sum[s][q] = sum[s][q] + path_exp2(x[s][q]);
            }
        }
    }

    __device__ __forceinline__ void end(const struct scenarios &batch, int first, size_t path) const
    {
#pragma unroll
        for (int s = 0; s < SCENARIOS; s++)
#pragma unroll
            for (int q = 0; q < PATHS; q++) batch.row[first + s][path + q] = sum[s][q];
    }
};

/* Rows of stored normals of a thread's paths. */
template <int PATHS>
struct rows_ahead {
    float z[2][PATHS];

    __device__ __forceinline__ void fetch(const struct scenarios &batch, const float *normals,
                                          int j)
    {
#pragma unroll
        for (int a = 0; a < 2; a++)
#pragma unroll
            for (int q = 0; q < PATHS; q++)
                z[a][q] = j + a < batch.n_steps ? normals[(size_t)(j + a) * batch.paths + q] : 0.0f;
    }
};

/* The normals of the next two steps are on their way while these are used. */
template <int SCENARIOS, int PATHS, bool CONSTANT>
static __global__ void __launch_bounds__(BLOCK, 6)
    scenarios_stored(const struct scenarios batch, int first, int base)
{
    size_t path = ((size_t)blockIdx.x * BLOCK + threadIdx.x) * PATHS;
    if (path >= batch.paths) return;
    const float *normals = (const float *)batch.normals + path;
    scenario_paths<SCENARIOS, PATHS> paths;
    rows_ahead<PATHS> now, next;
    paths.begin(batch, first);
    now.fetch(batch, normals, 0);
    int j = 0;
    for (; j + 2 <= batch.n_steps; j += 2) {
        next.fetch(batch, normals, j + 2);
#pragma unroll
        for (int a = 0; a < 2; a++) {
            double z[PATHS];
#pragma unroll
            for (int q = 0; q < PATHS; q++) z[q] = (double)now.z[a][q];
            paths.template step<CONSTANT>(batch, base, j + a, z);
        }
        now = next;
    }
    if (j < batch.n_steps) {
        double z[PATHS];
#pragma unroll
        for (int q = 0; q < PATHS; q++) z[q] = (double)now.z[0][q];
        paths.template step<CONSTANT>(batch, base, j, z);
    }
    paths.end(batch, first, path);
}

template <int PATHS>
struct few_normals {
    double z[PATHS];
};

/* One block of Philox for each path of a thread: the normals of four steps. */
template <int PATHS>
struct drawn_block {
    uint32_t word[PATHS][DRAWS];

    __device__ __forceinline__ drawn_block(const struct scenarios &batch, size_t path, int block)
    {
#pragma unroll
        for (int q = 0; q < PATHS; q++) {
            uint64_t path_number = batch.first_path + path + q;
            struct philox_words counter = {(uint32_t)block, batch.stream, (uint32_t)path_number,
                                           (uint32_t)(path_number >> 32)};
            struct philox_words w = philox_rounds(counter, &batch.keys);
            word[q][0] = w.word0, word[q][1] = w.word1, word[q][2] = w.word2, word[q][3] = w.word3;
        }
    }

    __device__ __forceinline__ few_normals<PATHS> normals(const normal_table &table, int d) const
    {
        few_normals<PATHS> few;
#pragma unroll
        for (int q = 0; q < PATHS; q++) few.z[q] = table.normal(word[q][d]);
        return few;
    }
};

template <int SCENARIOS, int PATHS, bool CONSTANT>
static __global__ void __launch_bounds__(BLOCK, 6)
    scenarios_drawn(const struct scenarios batch, int first, int base)
{
    __shared__ float4 copy[normal_table::SIZE];
    struct normal_table table = normal_table::load(copy);
    size_t path = ((size_t)blockIdx.x * BLOCK + threadIdx.x) * PATHS;
    if (path >= batch.paths) return;
    scenario_paths<SCENARIOS, PATHS> paths;
    paths.begin(batch, first);
    int whole = batch.n_steps / DRAWS * DRAWS;
    for (int j = 0; j < whole; j += DRAWS) {
        drawn_block<PATHS> block(batch, path, j / DRAWS);
#pragma unroll
        for (int d = 0; d < DRAWS; d++)
            paths.template step<CONSTANT>(batch, base, j + d, block.normals(table, d).z);
    }
    drawn_block<PATHS> block(batch, path, whole / DRAWS);
#pragma unroll
    for (int d = 0; d < DRAWS; d++) {
        if (whole + d >= batch.n_steps) break;
        paths.template step<CONSTANT>(batch, base, whole + d, block.normals(table, d).z);
    }
    paths.end(batch, first, path);
}

/* The next SCENARIOS of them from `first` on. */
template <int SCENARIOS, int PATHS, bool CONSTANT>
static cudaError_t launch(const struct scenarios *batch, int first, struct launch_facts *facts,
                          cudaStream_t stream)
{
    size_t paths_a_block = (size_t)BLOCK * PATHS;
    unsigned blocks = (unsigned)((batch->paths + paths_a_block - 1) / paths_a_block);
    cudaError_t error = cudaSuccess;
    if (facts)
        error = batch->normals
                    ? find_facts(scenarios_stored<SCENARIOS, PATHS, CONSTANT>, BLOCK, 0, facts)
                    : find_facts(scenarios_drawn<SCENARIOS, PATHS, CONSTANT>, BLOCK, 0, facts);
    if (error != cudaSuccess) return error;
    if (batch->normals)
        scenarios_stored<SCENARIOS, PATHS, CONSTANT>
            <<<blocks, BLOCK, 0, stream>>>(*batch, first, first * batch->n_steps);
    else
        scenarios_drawn<SCENARIOS, PATHS, CONSTANT>
            <<<blocks, BLOCK, 0, stream>>>(*batch, first, first * batch->n_steps);
    return cudaGetLastError();
}

template <bool CONSTANT>
static cudaError_t launch_all(const struct scenarios *batch, int at_once,
                              struct launch_facts *facts, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (int first = 0, n; first < batch->all && error == cudaSuccess; first += n) {
        n = scenarios_at_once(batch->all - first, at_once);
        error = n == 8   ? launch<8, 2, CONSTANT>(batch, first, facts, stream)
                : n == 4 ? launch<4, 2, CONSTANT>(batch, first, facts, stream)
                : n == 2 ? launch<2, 4, CONSTANT>(batch, first, facts, stream)
                         : launch<1, 4, CONSTANT>(batch, first, facts, stream);
    }
    return error;
}

cudaError_t launch_scenarios(const struct path_launch *path_launches, int n, int at_once,
                             bool stored, const void *interleaved, int stream_slot,
                             cudaStream_t stream)
{
    const struct path_launch *w = &path_launches[0];
    struct scenarios batch = {stored ? w->normals : NULL,
                              (const double2 *)interleaved,
                              w->paths,
                              w->first_path,
                              w->keys,
                              w->stream,
                              w->n_steps,
                              n,
                              stream_slot,
                              {},
                              {},
                              {}};
    for (int s = 0; s < n; s++) {
        batch.start[s] = path_launches[s].start.x;
        batch.initial[s] = path_launches[s].register_sum.initial;
        batch.row[s] =
            path_launches[s].observed + (size_t)path_launches[s].register_sum.row * w->paths;
    }
    int steps = w->n_steps * n;
    if (steps > CONSTANT_STEPS || stream_slot < 0)
        return launch_all<false>(&batch, at_once, w->facts, stream);
    cudaError_t error = cudaMemcpyToSymbolAsync(
        constant_steps, interleaved, sizeof(double2) * (size_t)steps,
        sizeof(double2) * CONSTANT_STEPS * (size_t)stream_slot, cudaMemcpyDeviceToDevice, stream);
    if (error != cudaSuccess) return error;
    return launch_all<true>(&batch, at_once, w->facts, stream);
}
