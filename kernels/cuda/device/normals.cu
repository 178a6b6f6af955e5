/* Stored normals. cuRAND's device Philox gives the integers of those that are stored as doubles, as
 * a textbook would have it, and the program's own, which knows the keys of all rounds, those that
 * are stored as floats; the integers are the same, and the table of cubics makes them normals. */
#include <curand_kernel.h>

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/normals.cuh"
#include "kernels/cuda/device/points.cuh"
#include "kernels/cuda/device/stored.cuh"
#include "models/dynamics/historical.h"

enum { BLOCK = 256, MOST_ROWS_OF_BLOCKS = 4 };

/* The path that `path` is drawn as, and whether it is turned round. */
static __device__ __forceinline__ uint64_t drawn_path(uint64_t path, bool antithetic, bool *turned)
{
    *turned = antithetic && (path & PAIR_PATHS);
    return *turned ? path - PAIR_PATHS : path;
}

/* Draws four words of a stream of a path, turned round where the path is. */
static __device__ __forceinline__ uint4 draw_words(double *, const struct normal_draw &draw,
                                                   uint32_t stream, uint64_t path, uint32_t block)
{
    curandStatePhilox4_32_10_t state;
    curand_init(draw.seed, path, ((unsigned long long)stream << 34) + (unsigned long long)block * 4,
                &state);
    return curand4(&state);
}

static __device__ __forceinline__ uint4 draw_words(float *, const struct normal_draw &draw,
                                                   uint32_t stream, uint64_t path, uint32_t block)
{
    struct philox_words c = {block, stream, (uint32_t)path, (uint32_t)(path >> 32)};
    c = philox_rounds(c, &draw.keys);
    return make_uint4(c.word0, c.word1, c.word2, c.word3);
}

/* Thread (path, y, z) draws the Philox blocks y, y + gridDim.y, ... of its path and of factor z. */
template <class NORMAL>
static __global__ void __launch_bounds__(BLOCK)
    draw_blocks(NORMAL *normals, const __grid_constant__ struct normal_draw draw)
{
    extern __shared__ float4 shared4[];
    const spread_normal_table<false> table = spread_normal_table<false>::load(shared4);
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= draw.paths) return;
    bool turned;
    const uint32_t stream = draw.stream + blockIdx.z * FACTOR_STREAM;
    const struct normal_place place = {draw.place.first + (int)blockIdx.z, draw.place.stride};
    const uint64_t drawn_as = drawn_path(draw.first_path + path, draw.antithetic, &turned);
    for (int four = (int)blockIdx.y; four * NORMALS_TOGETHER < draw.rows; four += (int)gridDim.y) {
        const uint4 word = draw_words(normals, draw, stream, drawn_as, (uint32_t)four);
        const uint32_t turn = turned ? ~0u : 0u;
        const double z[NORMALS_TOGETHER] = {
            table.normal(word.x ^ turn), table.normal(word.y ^ turn), table.normal(word.z ^ turn),
            table.normal(word.w ^ turn)};
        store_four(normals, place, four, draw.rows, draw.paths, path, z);
    }
}

cudaError_t draw_normals(void *normals, int width, const struct normal_draw *draw,
                         cudaStream_t stream)
{
    if (!draw->rows) return cudaSuccess;
    const size_t shared = spread_normal_table<false>::SIZE * sizeof(float4);
    int fours = (draw->rows + NORMALS_TOGETHER - 1) / NORMALS_TOGETHER;
    dim3 grid((unsigned)((draw->paths + BLOCK - 1) / BLOCK),
              (unsigned)(fours < MOST_ROWS_OF_BLOCKS ? fours : MOST_ROWS_OF_BLOCKS),
              1 + (unsigned)draw->further);
    if (width == sizeof(float))
        draw_blocks<<<grid, BLOCK, shared, stream>>>((float *)normals, *draw);
    else draw_blocks<<<grid, BLOCK, shared, stream>>>((double *)normals, *draw);
    return cudaGetLastError();
}

/* The word that step j of a path begins a block of indices with; whole warps call it. */
static __device__ __forceinline__ uint32_t word_of_step(const struct path_launch *path_launch,
                                                        int j, uint64_t path, int dimension,
                                                        uint32_t stream)
{
    if (path_launch->points.dimensions)
        return point_word(&path_launch->points, dimension, path, path_launch->seed);
    bool turned;
    const uint64_t drawn_as = drawn_path(path, path_launch->antithetic, &turned);
    curandStatePhilox4_32_10_t state;
    curand_init(path_launch->seed, drawn_as,
                ((unsigned long long)stream << 34) + (unsigned long long)j, &state);
    const uint32_t word = curand(&state);
    return turned ? ~word : word;
}

/* Each thread follows one path, for an index follows from the one before. */
template <class NUMBER>
static __global__ void __launch_bounds__(BLOCK)
    follow(NUMBER *indices, struct normal_place place, int dimension,
           const struct path_launch path_launch, uint32_t stream, const double *coefficients)
{
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= path_launch.paths) return;
    const float last = (float)coefficients[HISTORICAL_LAST];
    float index = 0.0f;
    for (int j = 0; j < path_launch.n_steps; j++) {
        const double turn =
            __ldg(coefficients + (size_t)j * (size_t)path_launch.width + HISTORICAL_TURN);
        if (turn == HISTORICAL_START)
            index = historical_start(word_of_step(&path_launch, j, path_launch.first_path + path,
                                                  j * place.stride + dimension, stream),
                                     last);
        else if (turn == HISTORICAL_NEXT) index = historical_next(index, last);
        *stored_normal(indices, place, j, path_launch.paths, path) = (NUMBER)index;
    }
}

cudaError_t draw_indices(void *indices, int width, struct normal_place place, int dimension,
                         const struct path_launch *path_launch, uint32_t philox_stream,
                         const double *coefficients, cudaStream_t stream)
{
    unsigned blocks = (unsigned)((path_launch->paths + BLOCK - 1) / BLOCK);
    if (width == sizeof(float))
        follow<<<blocks, BLOCK, 0, stream>>>((float *)indices, place, dimension, *path_launch,
                                             philox_stream, coefficients);
    else
        follow<<<blocks, BLOCK, 0, stream>>>((double *)indices, place, dimension, *path_launch,
                                             philox_stream, coefficients);
    return cudaGetLastError();
}

cudaError_t load_normal_kernels(void)
{
    struct cudaFuncAttributes facts;
    cudaError_t error = cudaFuncGetAttributes(&facts, draw_blocks<float>);
    return error == cudaSuccess ? cudaFuncGetAttributes(&facts, draw_blocks<double>) : error;
}
