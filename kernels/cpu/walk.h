/* One batch of paths of one group on the CPU: from random numbers to the tally of every payoff.
 *
 * walk.c is compiled once for each instruction set; walks.def lists the builds. */
#ifndef PRICER_KERNELS_CPU_WALK_H
#define PRICER_KERNELS_CPU_WALK_H

#include "kernels/plan.h"
#include "models/math/tally.h"

enum { WALK_LANES = 256 }; /* paths that are walked side by side, a divisor of CHUNK_PATHS */

/* Working memory of one thread, aligned to 64 bytes. */
struct walk_scratch {
    double *state;    /* [slot][WALK_LANES] */
    double *observed; /* [row][CHUNK_PATHS] */
    struct ladder_bin
        *bins; /* three times [bin of all ladders of the group]: of a batch, of some chunks, beyond strikes */
};

/* Walks batch `batch` of the plan's paths and writes the tally of every payoff of the group. */
typedef void walk_function(const struct plan *plan, const struct group *group, uint64_t batch,
                           struct walk_scratch *scratch, struct tally *tallies);

#define WALK(name, idea, supported) walk_function walk_##name;
#include "kernels/cpu/walks.def"
#undef WALK

#endif
