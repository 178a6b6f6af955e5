/* Stored normals: cuRAND's device Philox gives the integers, the table of cubics the normals. */
#include <curand_kernel.h>

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/normals.cuh"
#include "kernels/cuda/device/points.cuh"
#include "models/dynamics/historical.h"

enum { BLOCK = 256, DRAWS = 4, MOST_ROWS_OF_BLOCKS = 16 };

/* The path that `path` is drawn as, and whether it is turned round. */
static __device__ __forceinline__ uint64_t drawn_path(uint64_t path, bool antithetic, bool *turned)
{
    *turned = antithetic && (path & PAIR_PATHS);
    return *turned ? path - PAIR_PATHS : path;
}

/* Thread (path, y) fills the rows of Philox blocks y, y + gridDim.y, ... of its path. */
template <class NORMAL>
static __global__ void __launch_bounds__(BLOCK)
    draw(NORMAL *normals, int stride, int rows, size_t paths, uint64_t first_path, uint64_t seed,
         uint32_t stream, bool antithetic)
{
    __shared__ float4 copy[normal_table::SIZE];
    struct normal_table table = normal_table::load(copy);
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;
    bool turned;
    const uint64_t drawn_as = drawn_path(first_path + path, antithetic, &turned);
    for (int row = (int)blockIdx.y * DRAWS; row < rows; row += (int)gridDim.y * DRAWS) {
        curandStatePhilox4_32_10_t state;
        curand_init(seed, drawn_as, ((unsigned long long)stream << 34) + (unsigned long long)row,
                    &state);
        uint4 drawn = curand4(&state);
        const uint32_t words[DRAWS] = {drawn.x, drawn.y, drawn.z, drawn.w};
#pragma unroll
        for (int d = 0; d < DRAWS; d++)
            if (row + d < rows)
                normals[(size_t)(row + d) * (size_t)stride * paths + path] =
                    (NORMAL)table.normal(turned ? ~words[d] : words[d]);
    }
}

cudaError_t draw_normals(void *normals, int width, int row, int stride, int rows, size_t paths,
                         uint64_t first_path, uint64_t seed, uint32_t philox_stream,
                         bool antithetic, cudaStream_t stream)
{
    if (!rows) return cudaSuccess;
    size_t before = (size_t)row * paths;
    int blocks = (rows + DRAWS - 1) / DRAWS;
    dim3 grid((unsigned)((paths + BLOCK - 1) / BLOCK),
              (unsigned)(blocks < MOST_ROWS_OF_BLOCKS ? blocks : MOST_ROWS_OF_BLOCKS));
    if (width == sizeof(float))
        draw<<<grid, BLOCK, 0, stream>>>((float *)normals + before, stride, rows, paths, first_path,
                                         seed, philox_stream, antithetic);
    else
        draw<<<grid, BLOCK, 0, stream>>>((double *)normals + before, stride, rows, paths,
                                         first_path, seed, philox_stream, antithetic);
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
    follow(NUMBER *indices, int stride, int factor, const struct path_launch path_launch,
           uint32_t stream, const double *coefficients)
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
                                                  j * stride + factor, stream),
                                     last);
        else if (turn == HISTORICAL_NEXT) index = historical_next(index, last);
        indices[(size_t)j * (size_t)stride * path_launch.paths + path] = (NUMBER)index;
    }
}

cudaError_t draw_indices(void *indices, int bytes, int row, int stride, int factor,
                         const struct path_launch *path_launch, uint32_t philox_stream,
                         const double *coefficients, cudaStream_t stream)
{
    size_t before = (size_t)row * path_launch->paths;
    unsigned blocks = (unsigned)((path_launch->paths + BLOCK - 1) / BLOCK);
    if (bytes == sizeof(float))
        follow<<<blocks, BLOCK, 0, stream>>>((float *)indices + before, stride, factor,
                                             *path_launch, philox_stream, coefficients);
    else
        follow<<<blocks, BLOCK, 0, stream>>>((double *)indices + before, stride, factor,
                                             *path_launch, philox_stream, coefficients);
    return cudaGetLastError();
}
