/* Stored normals: cuRAND's device Philox gives the integers, the table of cubics the normals. */
#include <curand_kernel.h>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/normals.cuh"

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
