/* The table of the normal inverse in shared memory, one copy a block. */
#ifndef PRICER_KERNELS_CUDA_NORMALS_CUH
#define PRICER_KERNELS_CUDA_NORMALS_CUH

#include "models/math/normal.h"

static __device__ __align__(16) const float device_normal_cubic[NORMAL_ROWS][4] = NORMAL_CUBIC_INITIALISER;

/* Copies the table, with every thread of the block; ends with a barrier. */
static __device__ __forceinline__ void load_normal_table(float4 *table)
{
    for (int i = (int)threadIdx.x; i < NORMAL_ROWS; i += (int)blockDim.x)
        table[i] = reinterpret_cast<const float4 *>(device_normal_cubic)[i];
    __syncthreads();
}

static __device__ __forceinline__ double normal_of(uint32_t word, const float4 *table)
{
    return (double)normal_from_bits(word, reinterpret_cast<const float(*)[4]>(table));
}

#endif
