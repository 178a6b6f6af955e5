/* Stored normals. cuRAND's device Philox gives the integers of those that are stored as doubles, as
 * a textbook would have it, and the program's own, which knows the keys of all rounds, those that
 * are stored as floats; the integers are the same, and the table of cubics makes them normals. Of
 * Sobol points a warp shares what the words of its 32 paths have in common, and each thread
 * simulates the bridge of its path (kernels/bridge.h). Words and normals have the bits of
 * kernels/cpu/draw_lanes.h. */
#include <curand_kernel.h>

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/normals.cuh"
#include "models/dynamics/historical.h"

enum { BLOCK = 256, MOST_ROWS_OF_BLOCKS = 4 };
static_assert(CHUNK_PATHS % BLOCK == 0, "every warp is full, and begins at a multiple of 32 paths");

/* ---- where they lie -------------------------------------------------------------------------- */

/* Doubles lie as [row][path], a path-step after the other, as a textbook has them; floats in fours
 * of one path, as they are drawn and as path code copies them
 * (kernels/cuda/device/specialised.cuh): [row / 4][path][4]. */

/* Returns where the normal of step j of a place lies. */
static __device__ __forceinline__ double *stored_normal(double *normals, struct normal_place place,
                                                        int j, size_t paths, size_t path)
{
    size_t row = (size_t)place.first + (size_t)j * (size_t)place.stride;
    return normals + row * paths + path;
}

static __device__ __forceinline__ float *stored_normal(float *normals, struct normal_place place,
                                                       int j, size_t paths, size_t path)
{
    size_t four = (size_t)place.first + (size_t)(j / NORMALS_TOGETHER) * (size_t)place.stride;
    return normals + (four * paths + path) * NORMALS_TOGETHER + j % NORMALS_TOGETHER;
}

/* Stores the normals of the steps of a four, of `steps` in all: of floats all four, since there is
 * room. */
static __device__ __forceinline__ void store_four(double *normals, struct normal_place place,
                                                  int four, int steps, size_t paths, size_t path,
                                                  const double *z)
{
#pragma unroll
    for (int d = 0; d < NORMALS_TOGETHER; d++)
        if (four * NORMALS_TOGETHER + d < steps)
            *stored_normal(normals, place, four * NORMALS_TOGETHER + d, paths, path) = z[d];
}

static __device__ __forceinline__ void store_four(float *normals, struct normal_place place,
                                                  int four, int, size_t paths, size_t path,
                                                  const double *z)
{
    *reinterpret_cast<float4 *>(
        stored_normal(normals, place, four * NORMALS_TOGETHER, paths, path)) =
        make_float4((float)z[0], (float)z[1], (float)z[2], (float)z[3]);
}

/* Launches kernels of numbers that are stored in so many bytes each. */
template <class LAUNCH>
static cudaError_t launch_of_width(void *numbers, int width, LAUNCH launch)
{
    if (width == sizeof(float)) launch((float *)numbers);
    else launch((double *)numbers);
    return cudaGetLastError();
}

/* ---- Philox ---------------------------------------------------------------------------------- */

/* The path that `path` is drawn as, and whether it is turned round. */
static __device__ __forceinline__ uint64_t drawn_path(uint64_t path, bool antithetic, bool *turned)
{
    *turned = antithetic && (path & PAIR_PATHS);
    return *turned ? path - PAIR_PATHS : path;
}

/* Draws four words of a stream of a path, turned round where the path is. */
static __device__ __forceinline__ uint4 draw_words(double *, const struct path_launch &w,
                                                   uint32_t stream, uint64_t path, uint32_t block)
{
    curandStatePhilox4_32_10_t state;
    curand_init(w.seed, path, ((unsigned long long)stream << 34) + (unsigned long long)block * 4,
                &state);
    return curand4(&state);
}

static __device__ __forceinline__ uint4 draw_words(float *, const struct path_launch &w,
                                                   uint32_t stream, uint64_t path, uint32_t block)
{
    struct philox_words c = {block, stream, (uint32_t)path, (uint32_t)(path >> 32)};
    c = philox_rounds(c, &w.keys);
    return make_uint4(c.word0, c.word1, c.word2, c.word3);
}

/* Thread (path, y, z) draws the Philox blocks y, y + gridDim.y, ... of its path and of factor z. */
template <class NORMAL>
static __global__ void __launch_bounds__(BLOCK)
    draw_blocks(NORMAL *normals, struct normal_place first_place, int rows, uint32_t first_stream,
                const __grid_constant__ struct path_launch w)
{
    extern __shared__ float4 shared4[];
    const spread_normal_table<false> table = spread_normal_table<false>::load(shared4);
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    bool turned;
    const uint32_t stream = first_stream + blockIdx.z * FACTOR_STREAM;
    const struct normal_place place = {first_place.first + (int)blockIdx.z, first_place.stride};
    const uint64_t drawn_as = drawn_path(w.first_path + path, w.antithetic, &turned);
    for (int four = (int)blockIdx.y; four * NORMALS_TOGETHER < rows; four += (int)gridDim.y) {
        const uint4 word = draw_words(normals, w, stream, drawn_as, (uint32_t)four);
        const uint32_t turn = turned ? ~0u : 0u;
        const double z[NORMALS_TOGETHER] = {
            table.normal(word.x ^ turn), table.normal(word.y ^ turn), table.normal(word.z ^ turn),
            table.normal(word.w ^ turn)};
        store_four(normals, place, four, rows, w.paths, path, z);
    }
}

cudaError_t draw_normals(void *normals, int width, struct normal_place place, int rows,
                         int n_factors, uint32_t philox_stream,
                         const struct path_launch *path_launch, cudaStream_t stream)
{
    if (!rows) return cudaSuccess;
    const size_t shared = spread_normal_table<false>::SIZE * sizeof(float4);
    const int fours = (rows + NORMALS_TOGETHER - 1) / NORMALS_TOGETHER;
    const dim3 grid((unsigned)((path_launch->paths + BLOCK - 1) / BLOCK),
                    (unsigned)(fours < MOST_ROWS_OF_BLOCKS ? fours : MOST_ROWS_OF_BLOCKS),
                    (unsigned)n_factors);
    return launch_of_width(normals, width, [&](auto *to) {
        draw_blocks<<<grid, BLOCK, shared, stream>>>(to, place, rows, philox_stream, *path_launch);
    });
}

/* ---- Sobol points ---------------------------------------------------------------------------- */

/* Returns the word of a dimension for the lane's path; the warp's are 32 in a row from a
 * multiple of 32 on. All of them call it, with one dimension. Lane b takes direction vector b:
 * those of the number's upper bits are added for all paths at once, and those of the lowest five
 * handed round. */
static __device__ __forceinline__ uint32_t point_word(const struct path_launch &w, int dimension,
                                                      uint64_t path)
{
    enum { LANES = 32, LANE_BITS = 5, DRAWS = 4 };
    if (dimension >= w.points.n) {
        struct philox_words drawn =
            philox_block(w.seed, path, PADDING_STREAM, (uint32_t)(dimension / DRAWS));
        int d = dimension % DRAWS;
        return d == 0 ? drawn.word0 : d == 1 ? drawn.word1 : d == 2 ? drawn.word2 : drawn.word3;
    }
    const struct sobol_dimension *sobol = w.points.dimensions + dimension;
    uint32_t lane = threadIdx.x % LANES, first = (uint32_t)path - lane;
    uint32_t vector = __ldg(&sobol->vectors[lane]), word = first >> lane & 1u ? vector : 0u;
#pragma unroll
    for (int half = LANES / 2; half > 0; half /= 2) word ^= __shfl_xor_sync(~0u, word, half);
#pragma unroll
    for (int b = 0; b < LANE_BITS; b++) {
        uint32_t bit_vector = __shfl_sync(~0u, vector, b);
        word ^= lane >> b & 1u ? bit_vector : 0u;
    }
    return word ^ __ldg(&sobol->shift);
}

/* Thread: one path of one factor, every step of it. */
template <class NORMAL>
static __global__ void __launch_bounds__(BLOCK)
    simulate_bridge(NORMAL *normals, struct normal_place place, int factor,
                    const __grid_constant__ struct path_launch w)
{
    __shared__ float4 copy[normal_table::SIZE];
    struct normal_table table = normal_table::load(copy);
    size_t path = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    double stack[BRIDGE_DEPTH], passed = 0.0;
    int depth = 0, step = 0;
    for (int p = 0; p < w.points.n_steps; p++) {
        const struct bridge_node node = w.points.nodes[p];
        double top = depth ? stack[depth - 1] : passed;
        double normal =
            table.normal(point_word(w, node.rank * place.stride + factor, w.first_path + path));
        stack[depth++] = bridge_value(&node, passed, top, normal);
        for (int i = 0; i < node.passes; i++, step++) {
            double next = stack[--depth];
            *stored_normal(normals, place, step, w.paths, path) =
                (NORMAL)bridge_normal(w.points.scales[step], passed, next);
            passed = next;
        }
    }
}

/* Thread: one path of number blockIdx.y, which is a dimension as it is. */
template <class NORMAL>
static __global__ void __launch_bounds__(BLOCK)
    take_rows(NORMAL *normals, struct normal_place place, int dimension,
              const __grid_constant__ struct path_launch w)
{
    __shared__ float4 copy[normal_table::SIZE];
    struct normal_table table = normal_table::load(copy);
    size_t path = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    int number = (int)blockIdx.y;
    *stored_normal(normals, place, number, w.paths, path) =
        (NORMAL)table.normal(point_word(w, dimension + number, w.first_path + path));
}

cudaError_t draw_bridge(void *normals, int width, struct normal_place place, int factor,
                        const struct path_launch *path_launch, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(path_launch->paths / BLOCK);
    return launch_of_width(normals, width, [&](auto *to) {
        simulate_bridge<<<blocks, BLOCK, 0, stream>>>(to, place, factor, *path_launch);
    });
}

cudaError_t draw_dimensions(void *normals, int width, struct normal_place place, int dimension,
                            int n, const struct path_launch *path_launch, cudaStream_t stream)
{
    const dim3 grid((unsigned)(path_launch->paths / BLOCK), (unsigned)n);
    if (!n) return cudaSuccess;
    return launch_of_width(normals, width, [&](auto *to) {
        take_rows<<<grid, BLOCK, 0, stream>>>(to, place, dimension, *path_launch);
    });
}

/* ---- indices --------------------------------------------------------------------------------- */

/* The word that step j of a path begins a block of indices with; whole warps call it. */
static __device__ __forceinline__ uint32_t word_of_step(const struct path_launch &w, int j,
                                                        uint64_t path, int dimension,
                                                        uint32_t stream)
{
    if (w.points.dimensions) return point_word(w, dimension, path);
    bool turned;
    const uint64_t drawn_as = drawn_path(path, w.antithetic, &turned);
    curandStatePhilox4_32_10_t state;
    curand_init(w.seed, drawn_as, ((unsigned long long)stream << 34) + (unsigned long long)j,
                &state);
    const uint32_t word = curand(&state);
    return turned ? ~word : word;
}

/* Each thread follows one path, for an index follows from the one before. */
template <class NUMBER>
static __global__ void __launch_bounds__(BLOCK)
    follow(NUMBER *indices, struct normal_place place, int dimension, uint32_t stream,
           const double *coefficients, const struct path_launch w)
{
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    const float last = (float)coefficients[HISTORICAL_LAST];
    float index = 0.0f;
    for (int j = 0; j < w.n_steps; j++) {
        const double turn = __ldg(coefficients + (size_t)j * (size_t)w.width + HISTORICAL_TURN);
        if (turn == HISTORICAL_START)
            index = historical_start(
                word_of_step(w, j, w.first_path + path, j * place.stride + dimension, stream),
                last);
        else if (turn == HISTORICAL_NEXT) index = historical_next(index, last);
        *stored_normal(indices, place, j, w.paths, path) = (NUMBER)index;
    }
}

cudaError_t draw_indices(void *indices, int width, struct normal_place place, int dimension,
                         const struct path_launch *path_launch, uint32_t philox_stream,
                         const double *coefficients, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((path_launch->paths + BLOCK - 1) / BLOCK);
    return launch_of_width(indices, width, [&](auto *to) {
        follow<<<blocks, BLOCK, 0, stream>>>(to, place, dimension, philox_stream, coefficients,
                                             *path_launch);
    });
}

cudaError_t load_normal_kernels(void)
{
    return load_kernels(draw_blocks<float>, draw_blocks<double>);
}
