/* What the device can do at most: the ceilings that --bench holds its kernels against. */
#ifndef PRICER_KERNELS_CUDA_HOST_CEILINGS_H
#define PRICER_KERNELS_CUDA_HOST_CEILINGS_H

#include "kernels/cuda/host/event_timing.h"

enum status cuda_ceilings(const struct engine_options *options, struct engine_ceilings *ceilings,
                          struct message *why);

/* One way to read an array: every thread has `loads` independent 16-byte loads on their way at a
 * time. */
struct array_read {
    const void *array;
    size_t bytes; /* a multiple of 1 MiB */
    double *sink; /* one number, never written in fact */
    int loads;    /* 1, 2, 4 or 8 */
    /* As many threads as fit, going over the array; else new threads for each piece of it */
    bool in_turns;
    int multiprocessors;
};

/* Independent chains of dependent multiply-adds. */
struct fma_chains {
    double *sink;
    int chains; /* 4 or 8 */
    int multiprocessors;
};

/* Both are of the type timed_work; fma_done is how many multiply-adds one run of the second is. */
PRICER_C cudaError_t read_array(void *array_read, cudaStream_t stream);
PRICER_C cudaError_t multiply_add(void *fma_chains, cudaStream_t stream);
PRICER_C double fma_done(const struct fma_chains *fma_chains);

#endif
