/* Where stored normals lie: doubles as [row][path], a path-step after the other, as a textbook has
 * them; floats in fours of one path, as they are drawn and as path code copies them
 * (kernels/cuda/device/specialised.cuh): [row / 4][path][4]. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_STORED_CUH
#define PRICER_KERNELS_CUDA_DEVICE_STORED_CUH

#include "kernels/cuda/device/launch.h"

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

#endif
