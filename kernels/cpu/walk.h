/* One batch of paths of one group on the CPU: from random numbers to the tally of every payoff.
 *
 * walk.c is compiled once for each instruction set; walks.def lists the builds. */
#ifndef PRICER_KERNELS_CPU_WALK_H
#define PRICER_KERNELS_CPU_WALK_H

#include <stdbool.h>

#include "kernels/plan.h"
#include "models/math/stop.h"
#include "models/math/tally.h"

enum {
    WALK_LANES = 256, /* paths that are walked side by side, a divisor of CHUNK_PATHS */
    WALK_DRAWS = 4    /* numbers of one Philox block */
};

/* Rows of an underlying's path_state in walk_scratch.paths. */
enum { ROW_X, ROW_V, ROW_CLOCK, PATH_ROWS };

/* Working memory of one thread, aligned to 64 bytes. */
struct walk_scratch {
    double *state;  /* [slot][WALK_LANES] */
    double *paths;  /* [underlying][x, v, clock][WALK_LANES] */
    float *normals; /* [factor][WALK_DRAWS][WALK_LANES]; where they are kept, and of points, one such set for
                     * each WALK_DRAWS steps */
    bool keeps_normals, has_normals; /* for groups alike to come; those of a group alike are there */
    double *observed; /* [row][CHUNK_PATHS], of a bundle the rows of one group after those of the other */
    struct ladder_bin
        *bins; /* three times [bin of all ladders of the group]: of a batch, of some chunks, beyond strikes */
    const volatile int *stop; /* may be NULL; nonzero cuts a walk short, and what it leaves is of no use */
};

/* Whether a walk is to end before its last step: its steps may be a million. */
static inline bool walk_stopped(const struct walk_scratch *scratch)
{
    return asked_to_stop(scratch->stop);
}

/* The features that one exercise sees (models/payoffs/exercise.h), for the fit of its policy: its touches are
 * written down instead of being taken. */
struct watched_exercise {
    int slot;     /* of the exercise */
    size_t paths; /* of all chunks */
    float *f, *g; /* [date][path] */
    int date;     /* the next one, while a path is walked */
    size_t path;  /* first of the lanes */
};

/* Whether a group's normals are kept for the groups alike that follow it: not indices in their place, of
 * which one depends on the one before, and not more than stay in the cache. */
enum { KEPT_NORMALS = 1 << 19 };

static inline bool keeps_normals(const struct group *group)
{
    size_t sets = ((size_t)group->n_steps + WALK_DRAWS - 1) / WALK_DRAWS;
    for (int u = 0; u < group->n_underlyings; u++)
        if (draws_indices(&group->underlyings[u])) return false;
    return group->alike > 1 && sets * (size_t)group->n_factors * WALK_DRAWS * WALK_LANES <= KEPT_NORMALS;
}

/* Walks batch `batch` of the plan's paths and writes the tally of every payoff of the group. */
typedef void walk_function(const struct plan *plan, const struct group *group, uint64_t batch,
                           struct walk_scratch *scratch, struct tally *tallies);

/* Walks batch `batch` of the paths of the bundle whose first group is `first` and writes tallies
 * [measure][payoff], and the means of the measures over each of its chunks, [chunk][measure][payoff]. */
typedef void walk_bundle_function(const struct plan *plan, int first, uint64_t batch,
                                  struct walk_scratch *scratch, struct tally *tallies, double *means);

/* Walks one chunk of paths and writes down what the watched exercise sees. */
typedef void watch_function(const struct plan *plan, const struct group *group, uint64_t chunk,
                            struct walk_scratch *scratch, struct watched_exercise *watched);

/* One step of WALK_LANES paths from the states in scratch->paths, with normals from random words of the
 * caller's, [factor][WALK_LANES] of 32 bits; then, where f is not NULL, the features that the exercise in
 * slot `slot` sees at the end of the step, into f and g [WALK_LANES]. */
typedef void step_lanes_function(const struct group *group, int step, const uint32_t *words, int slot,
                                 struct walk_scratch *scratch, double *f, double *g);

#define WALK(name, idea, supported)                                                                          \
    walk_function walk_##name;                                                                               \
    walk_bundle_function walk_##name##_bundle;                                                               \
    watch_function walk_##name##_watching;                                                                   \
    step_lanes_function walk_##name##_one_step;
#include "kernels/cpu/walks.def"
#undef WALK

#endif
