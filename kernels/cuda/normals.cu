/* Stored normals: cuRAND's device Philox gives the integers, the table of cubics the normals. */
#include <curand_kernel.h>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/normals.cuh"
#include "models/dynamics/historical.h"

enum { BLOCK = 256, DRAWS = 4, MOST_ROWS_OF_BLOCKS = 16 };

/* Thread (path, y) fills the rows of Philox blocks y, y + gridDim.y, ... of its path. */
template <class NORMAL>
static __global__ void __launch_bounds__(BLOCK) draw(NORMAL *normals, int stride, int rows, size_t paths,
                                                     uint64_t first_path, uint64_t seed, uint32_t stream)
{
    __shared__ float4 copy[normal_table::SIZE];
    struct normal_table table = normal_table::load(copy);
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;
    for (int row = (int)blockIdx.y * DRAWS; row < rows; row += (int)gridDim.y * DRAWS) {
        curandStatePhilox4_32_10_t state;
        curand_init(seed, first_path + path, ((unsigned long long)stream << 34) + (unsigned long long)row,
                    &state);
        uint4 drawn = curand4(&state);
        const uint32_t words[DRAWS] = {drawn.x, drawn.y, drawn.z, drawn.w};
#pragma unroll
        for (int d = 0; d < DRAWS; d++)
            if (row + d < rows)
                normals[(size_t)(row + d) * (size_t)stride * paths + path] = (NORMAL)table.normal(words[d]);
    }
}

cudaError_t draw_normals(void *normals, int width, int row, int stride, int rows, size_t paths,
                         uint64_t first_path, uint64_t seed, uint32_t philox_stream, cudaStream_t stream)
{
    if (!rows) return cudaSuccess;
    size_t before = (size_t)row * paths;
    int blocks = (rows + DRAWS - 1) / DRAWS;
    dim3 grid((unsigned)((paths + BLOCK - 1) / BLOCK),
              (unsigned)(blocks < MOST_ROWS_OF_BLOCKS ? blocks : MOST_ROWS_OF_BLOCKS));
    if (width == sizeof(float))
        draw<<<grid, BLOCK, 0, stream>>>((float *)normals + before, stride, rows, paths, first_path, seed,
                                         philox_stream);
    else
        draw<<<grid, BLOCK, 0, stream>>>((double *)normals + before, stride, rows, paths, first_path, seed,
                                         philox_stream);
    return cudaGetLastError();
}

/* Each thread follows one path, for an index follows from the one before. */
template <class NUMBER>
static __global__ void __launch_bounds__(BLOCK)
    follow(NUMBER *indices, int stride, int steps, size_t paths, uint64_t first_path, uint64_t seed,
           uint32_t stream, const double *coefficients, int width)
{
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;
    const float last = (float)coefficients[HISTORICAL_LAST];
    float index = 0.0f;
    for (int j = 0; j < steps; j++) {
        const double turn = __ldg(coefficients + (size_t)j * (size_t)width + HISTORICAL_TURN);
        if (turn == HISTORICAL_START) {
            curandStatePhilox4_32_10_t state;
            curand_init(seed, first_path + path, ((unsigned long long)stream << 34) + (unsigned long long)j,
                        &state);
            index = historical_start(curand(&state), last);
        } else if (turn == HISTORICAL_NEXT) {
            index = historical_next(index, last);
        }
        indices[(size_t)j * (size_t)stride * paths + path] = (NUMBER)index;
    }
}

cudaError_t draw_indices(void *indices, int bytes, int row, int stride, int steps, size_t paths,
                         uint64_t first_path, uint64_t seed, uint32_t philox_stream,
                         const double *coefficients, int width, cudaStream_t stream)
{
    size_t before = (size_t)row * paths;
    unsigned blocks = (unsigned)((paths + BLOCK - 1) / BLOCK);
    if (bytes == sizeof(float))
        follow<<<blocks, BLOCK, 0, stream>>>((float *)indices + before, stride, steps, paths, first_path,
                                             seed, philox_stream, coefficients, width);
    else
        follow<<<blocks, BLOCK, 0, stream>>>((double *)indices + before, stride, steps, paths, first_path,
                                             seed, philox_stream, coefficients, width);
    return cudaGetLastError();
}
