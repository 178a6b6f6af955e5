/* What a device can do at most: the ceilings that path kernels are held against. */
#ifndef PRICER_VALIDATION_BENCH_CEILINGS_H
#define PRICER_VALIDATION_BENCH_CEILINGS_H

#include "validation/bench/event_timing.h"

/* What the device can do at most, measured. */
struct ceilings {
    double read_bytes; /* per second, reading a large array */
    double fma;        /* double precision fused multiply-adds per second */
};

/* Measures the ceilings of the current device. */
enum status measure_ceilings(struct ceilings *ceilings, struct message *why);

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
