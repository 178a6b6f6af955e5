/* What the device can do at most: the ceilings that --bench holds its kernels against. */
#ifndef PRICER_KERNELS_CUDA_CEILINGS_H
#define PRICER_KERNELS_CUDA_CEILINGS_H

#include "kernels/cuda/measure.h"

enum status cuda_ceilings(const struct engine_options *options, struct engine_ceilings *ceilings,
                          struct message *why);

/* One way to read an array: threads go over it with 1, 2, 4, ... independent 16-byte loads at a time. */
enum { READ_WAYS = 4 };

struct reading {
    const void *array;
    size_t bytes; /* a multiple of 16 */
    double *sink; /* one number, never written in fact */
    int way;      /* 0 .. READ_WAYS - 1 */
    int multiprocessors;
};

/* Independent chains of dependent multiply-adds. */
enum { FMA_WAYS = 2, FMA_ROUNDS = 4096 };

struct multiplying {
    double *sink;
    int way; /* 0 .. FMA_WAYS - 1 */
    int multiprocessors;
};

/* Both are of the type measured_work; fma_done is how many multiply-adds one run of the second is. */
PRICER_C cudaError_t read_array(void *reading, cudaStream_t stream);
PRICER_C cudaError_t multiply_add(void *multiplying, cudaStream_t stream);
PRICER_C double fma_done(const struct multiplying *multiplying);

#endif
