/* What the host part of the CUDA engine (C) and the kernels (CUDA C) say to each other. */
#ifndef PRICER_KERNELS_CUDA_LAUNCH_H
#define PRICER_KERNELS_CUDA_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/plan.h"
#include "models/math/tally.h"

#ifdef __cplusplus
#define PRICER_C extern "C"
#else
#define PRICER_C
#endif

/* One launch of a path kernel: `paths` paths of a group from `first_path` on. All pointers are device memory. */
struct walk {
    const struct step *steps;     /* [step], aligned to 16 bytes: read as double2 */
    const int *first_touch;       /* [step + 1] */
    const struct touch *touches;  /* [touch] */
    const double *initial;        /* [slot] */
    const struct result *results; /* [result] */
    const double *normals;        /* [step and bridge][path]; NULL for kernels that draw their own */
    double *observed;             /* [row][path] */
    double start;                 /* log2 of the spot today */
    size_t paths;                 /* a multiple of CHUNK_PATHS */
    uint64_t first_path, seed;
    uint32_t stream; /* Philox stream of the group's asset */
    int n_steps, n_slots, n_results;
};

/* How a path kernel keeps its observables. */
enum recorder {
    RECORD_TOUCHES, /* any: state in shared memory, changed by the touches of each step */
    RECORD_SUM,     /* one sum over every step: kept in a register */
    N_RECORDERS
};

/* The recorder of a group. */
static inline enum recorder group_recorder(const struct group *group)
{
    int simple = group->n_slots == 1 && group->n_rows == 1 && group->n_touches == group->n_steps && group->n_steps > 0;
    for (int i = 0; simple && i < group->n_touches; i++) simple = group->touches[i].on == TOUCH_SUM;
    return simple ? RECORD_SUM : RECORD_TOUCHES;
}

/* Every path kernel is launched by a function of this kind, with `block` threads a block (0: its own choice). */
typedef cudaError_t walk_launch(const struct walk *walk, enum recorder recorder, int block, cudaStream_t stream);

#define RUNG(function, name, idea, stored) PRICER_C walk_launch launch_##function;
#include "kernels/cuda/rungs.def"
#undef RUNG

/* Fills rows row .. row + rows - 1 of normals[row][path] with draws 0 .. rows - 1 of a Philox stream of each path. */
PRICER_C cudaError_t draw_normals(double *normals, int row, int rows, size_t paths, uint64_t first_path, uint64_t seed,
                                  uint32_t philox_stream, cudaStream_t stream);

/* Values every payoff on every path and writes batch tallies [batch][payoff]; `chunk_tallies` [chunk][payoff] is working
 * memory. The launch's first path begins a batch. */
PRICER_C cudaError_t value_payoffs(const struct payoff *payoffs, int n_payoffs, const double *observed, size_t paths,
                                   struct tally *chunk_tallies, struct tally *batch_tallies, cudaStream_t stream);

#endif
