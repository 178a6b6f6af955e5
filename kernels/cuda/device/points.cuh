/* The words of Sobol points, by warps. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_POINTS_CUH
#define PRICER_KERNELS_CUDA_DEVICE_POINTS_CUH

#include "kernels/cuda/device/launch.h"

/* Returns the word of a dimension for the lane's path; the warp's are 32 in a row from a
 * multiple of 32 on. All of them call it, with one dimension. Lane b takes direction vector b:
 * those of the number's upper bits are added for all paths at once, and those of the lowest five
 * handed round. */
static __device__ __forceinline__ uint32_t point_word(const struct launch_points *points,
                                                      int dimension, uint64_t path, uint64_t seed)
{
    enum { LANES = 32, LANE_BITS = 5, DRAWS = 4 };
    if (dimension >= points->n) {
        struct philox_words w =
            philox_block(seed, path, PADDING_STREAM, (uint32_t)(dimension / DRAWS));
        int d = dimension % DRAWS;
        return d == 0 ? w.word0 : d == 1 ? w.word1 : d == 2 ? w.word2 : w.word3;
    }
    const struct sobol_dimension *sobol = points->dimensions + dimension;
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

#endif
