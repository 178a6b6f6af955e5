/* Random words that a thread draws for its own paths, and the normals of bridges. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_DRAWN_CUH
#define PRICER_KERNELS_CUDA_DEVICE_DRAWN_CUH

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/normals.cuh"
#include "models/math/philox.h"

enum { DRAWS = 4 }; /* words of a block of Philox: steps that it serves */

/* Bridge normals drawn when they are needed. */
template <class TABLE>
struct drawn_bridges {
    TABLE table;
    uint64_t seed, path;
    uint32_t stream;
    __device__ __forceinline__ void operator()(int pair, int q, double *z0, double *z1) const
    {
        struct philox_words w =
            philox_block(seed, path + q, stream | BRIDGE_STREAM, (uint32_t)pair / 2);
        bool second = pair % 2;
        *z0 = table.normal(second ? w.word2 : w.word0);
        *z1 = table.normal(second ? w.word3 : w.word1);
    }
};

/* Draws one block of Philox for path q of the thread, of factor f of its asset. */
static __device__ __forceinline__ struct philox_words draw(const struct path_launch &w,
                                                           uint64_t path, int block, int f)
{
    struct philox_words counter = {(uint32_t)block, w.stream + (uint32_t)f * FACTOR_STREAM,
                                   (uint32_t)path, (uint32_t)(path >> 32)};
    return philox_rounds(counter, &w.keys);
}

/* Words of one block of Philox for each path of a thread. */
template <int PATHS>
/* Philox words of a thread for the next steps. */
struct drawn_words {
    uint32_t word[PATHS][DRAWS];

    __device__ __forceinline__ void draw(const struct path_launch &w, uint64_t path, int block,
                                         int f = 0)
    {
#pragma unroll
        for (int q = 0; q < PATHS; q++) {
            struct philox_words of_path = ::draw(w, path + q, block, f);
            word[q][0] = of_path.word0, word[q][1] = of_path.word1;
            word[q][2] = of_path.word2, word[q][3] = of_path.word3;
        }
    }

    /* Puts the next words in the place of the first. */
    __device__ __forceinline__ void shift()
    {
#pragma unroll
        for (int q = 0; q < PATHS; q++)
#pragma unroll
            for (int d = 0; d + 1 < DRAWS; d++) word[q][d] = word[q][d + 1];
    }
};

#endif
