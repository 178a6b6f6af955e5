/* What the host part of the CUDA engine (C) and the kernels (CUDA C) say to each other. */
#ifndef PRICER_KERNELS_CUDA_LAUNCH_H
#define PRICER_KERNELS_CUDA_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda/variants.h"
#include "kernels/plan.h"
#include "models/math/philox.h"
#include "models/math/tally.h"

#ifdef __cplusplus
#define PRICER_C extern "C"
#else
#define PRICER_C
#endif

/* The sum that is touched at every step from the first on, for longest of the group: kernels keep it in a
 * register and its touches are not among the group's on the device. steps is 0 where there is none. */
struct carried_sum {
    int steps, slot, row;
    double initial;
};

/* What a launch was made with; filled where the host asks for it. */
struct launch_facts {
    int registers, shared_bytes, block;
    double occupancy;
};

/* One launch of a path kernel: `paths` paths of a group from `first_path` on. All pointers are device memory.
 */
struct walk {
    const struct step *steps;     /* [step], aligned to 16 bytes: read as double2 */
    const struct touch *touches;  /* [touch] with their step packed into `on`, and one more of no step */
    const double *initial;        /* [slot] */
    const struct result *results; /* [result] */
    const void *normals;          /* [step and bridge][path], of the width the kernel reads */
    double *observed;             /* [row][path] */
    struct carried_sum carried;
    double start; /* log2 of the spot today */
    size_t paths; /* a multiple of CHUNK_PATHS */
    uint64_t first_path, seed;
    struct philox_keys keys; /* of the seed: a kernel reads them as constants */
    uint32_t stream;         /* Philox stream of the group's asset */
    int n_steps, n_slots, n_results;
    struct variant variant;     /* settings of the kernel: the launch reads them, the device does not */
    struct launch_facts *facts; /* host memory, filled by the launch; may be NULL */
};

/* On the device touch.on is the kind, and the step from this bit on; so a path needs no table of steps. */
enum { TOUCH_STEP_SHIFT = 8 };

/* What a path kernel has to keep for a group: template argument RECORD, a sum of these. */
enum record {
    RECORD_SUM = 1,    /* a carried sum over every step */
    RECORD_TOUCHES = 2 /* observables in shared memory, changed by the touches of each step */
};

/* Every path kernel is launched by a function of this kind, with `block` threads a block (0: its own choice).
 */
typedef cudaError_t walk_launch(const struct walk *walk, enum record record, int block, cudaStream_t stream);

#define RUNG(function, name, idea, width, takes) PRICER_C walk_launch launch_##function;
#include "kernels/cuda/rungs.def"
#undef RUNG

/* Fills rows row .. row + rows - 1 of normals[row][path] with draws 0 .. rows - 1 of a Philox stream of each
 * path, as numbers of `width` bytes: float or double. */
PRICER_C cudaError_t draw_normals(void *normals, int width, int row, int rows, size_t paths,
                                  uint64_t first_path, uint64_t seed, uint32_t philox_stream,
                                  cudaStream_t stream);

/* Values the first n_single payoffs on every path and writes their batch tallies into [batch][n_payoffs];
 * `chunk_tallies` [chunk][n_single] is working memory. The launch's first path begins a batch. */
PRICER_C cudaError_t value_payoffs(const struct payoff *payoffs, int n_single, int n_payoffs,
                                   const double *observed, size_t paths, struct tally *chunk_tallies,
                                   struct tally *batch_tallies, cudaStream_t stream);

/* Batch tallies of a ladder's payoffs, into the same array. The pointers in `ladder` are device memory;
 * `bins` is working memory of LADDER_ROOM (n_strikes + 1) bins a batch: those of its stretches of chunks, and
 * the sums below and above strikes. */
enum { LADDER_ROOM = BATCH_CHUNKS / LADDER_CHUNKS + 2 };
PRICER_C cudaError_t value_ladder(const struct ladder *ladder, int n_payoffs, const double *observed,
                                  size_t paths, struct ladder_bin *bins, struct tally *batch_tallies,
                                  cudaStream_t stream);

#endif
