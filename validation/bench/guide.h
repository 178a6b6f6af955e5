/* The memory guide: the same paths of an arithmetic Asian, simulated from every kind of memory and
 * copied in every way, so that each piece of common advice has a number beside it. */
#ifndef PRICER_VALIDATION_BENCH_GUIDE_H
#define PRICER_VALIDATION_BENCH_GUIDE_H

#include "validation/bench/event_timing.h"

/* Paths of a whole run and of one batch of it. A batch's normals fill many times the L2 cache. */
enum {
    GUIDE_STEPS = 252,
    GUIDE_PATHS = 1 << 20,
    GUIDE_BATCHES = 8,
    GUIDE_BATCH = GUIDE_PATHS / GUIDE_BATCHES
};

/* The ways in which the coefficients of a step are read, 16 bytes at a time. */
enum coefficients {
    COEFFICIENTS_PLAIN,    /* as any global memory */
    COEFFICIENTS_LDG,      /* by the read-only cache */
    COEFFICIENTS_CONSTANT, /* from constant memory: those set last by guide_set_constants */
    /* The same, its first kilobyte over and over: right where all steps are equal */
    COEFFICIENTS_SMALL
};

/* One launch, one path a thread, one 8-byte load of a normal a step. All pointers are device
 * memory, or host memory that is mapped. */
struct guide_walk {
    const double *normals;             /* [step][path] */
    const struct gaussian_step *steps; /* [step], aligned to 16 bytes */
    double *sums;                      /* [path] of the spots at the end of the steps */
    double start;                      /* log2 of the spot today */
    size_t paths;
    enum coefficients coefficients;
};

PRICER_C cudaError_t launch_guide_walk(const struct guide_walk *path_launch, cudaStream_t stream);
PRICER_C cudaError_t guide_set_constants(const struct gaussian_step *steps);

#endif
