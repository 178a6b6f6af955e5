/* One batch of paths of one group on the CPU: from random numbers to the tally of every payoff.
 *
 * simulate.c is compiled once for each instruction set; builds.def lists the builds. */
#ifndef PRICER_KERNELS_CPU_SIMULATE_H
#define PRICER_KERNELS_CPU_SIMULATE_H

#include <stdbool.h>

#include "kernels/cpu/lane_steps.h"
#include "models/base/status.h"
#include "kernels/engine.h"
#include "kernels/shared_moves.h"
#include "models/base/stop.h"
#include "models/math/tally.h"

enum { PATH_DRAWS = 4 }; /* numbers of one Philox block */

/* PATH_LANES paths of one group on their way. */
struct lanes {
    _Alignas(64) float bridges[PATH_DRAWS][PATH_LANES]; /* normals of the block: */
    uint32_t bridge_block;
    const struct group *group;
    const int *movers; /* [underlying] of those that move by others' moves; NULL: none does */
    bool moved[UNDERLYINGS_MAX];
    bool clocked;
    int dividend;          /* the next to be paid */
    double *paths, *state; /* of the scratch */
    double *observed;      /* from the first of these paths on */
};

/* Working memory of one thread, aligned to 64 bytes. */
struct path_scratch {
    struct lanes *lanes; /* [group] of those that are simulated side by side; and of them: */
    double *state;       /* [group][slot][PATH_LANES] */
    double *paths;       /* [group][underlying][x, v, clock][PATH_LANES] */
    /* [PATH_DRAWS steps][factor][PATH_DRAWS][PATH_LANES]: of points all, others of the steps that
     * are taken together */
    float *normals;
    /* [group] of the first of groups alike what they share; NULL: each group moves by itself */
    const struct shared_moves *shared;
    float *moves;      /* [mover][step][PATH_LANES] of the steps that are taken together, */
    double *jumps;     /* under Bates, added after the move */
    double *variances; /* [mover][PATH_LANES] */
    /* [row][CHUNK_PATHS], of a scenario set the rows of one group after those of the other */
    double *observed;
    double *registers; /* [register][PATH_LANES] of one program */
    bool late;         /* programs of payoffs are run when these are valued, not on all rows */
    /* Three times [bin of all strike strips of the group]: of a batch, of some chunks, beyond
     * strikes */
    struct strike_bin *bins;
    /* May be NULL; cuts a simulation short, and what it leaves is of no use */
    const struct stop *stop;
};

/* Row `slot` of the lanes' state, which begins at `state`. */
#define SLOT(state, slot) ((state) + (size_t)(slot)*PATH_LANES)

/* Tells whether a simulation is to end before its last step: its steps may be a million. */
static inline bool simulation_stopped(const struct path_scratch *scratch)
{
    return asked_to_stop(scratch->stop);
}

/* Floats of normals and moves that groups side by side share at a time: they stay in the cache. */
enum { SHARED_FLOATS = 1 << 17 };

/* Returns how many steps groups alike take before the next group takes them, a multiple of
 * PATH_DRAWS. An index in the place of a normal depends on the one before. */
static inline int steps_together(const struct group *group, int n_markets, int n_movers)
{
    int blocks = group->n_steps / PATH_DRAWS + 1,
        most = SHARED_FLOATS / ((group->n_factors + n_movers) * PATH_DRAWS * PATH_LANES);
    for (int u = 0; u < group->n_underlyings; u++)
        if (draws_indices(&group->underlyings[u])) most = 1;
    if (most < 1 || n_markets < 2) most = 1;
    return PATH_DRAWS * (blocks < most ? blocks : most);
}

/* Lanes of a chunk. */
enum { CHUNK_COLUMNS = CHUNK_PATHS / PATH_LANES };

/* A build of simulate.c: a row of builds.def. */
struct cpu_build {
    const char *name;
    /* Simulates batch `batch` of the plan's paths and writes the tally of every payoff of the
     * group. */
    void (*simulate)(const struct plan *plan, const struct group *group, uint64_t batch,
                     struct path_scratch *scratch, struct tally *tallies);
    /* Simulates batch `batch` of the paths of the scenario set whose first group is `first` and
     * writes tallies [contrast][payoff], and the means of the contrasts over each of its chunks,
     * [chunk][contrast][payoff]. */
    void (*simulate_set)(const struct plan *plan, int first, uint64_t batch,
                         struct path_scratch *scratch, struct tally *tallies, double *means);
    /* Simulates chunk `chunk` of the plan's paths and leaves what they remember in
     * scratch->observed. */
    void (*observe)(const struct plan *plan, const struct group *group, uint64_t chunk,
                    struct path_scratch *scratch);
    /* Shows a watcher the paths of chunk `chunk` as they pass; scratch [CHUNK_COLUMNS]. */
    void (*watch)(const struct plan *plan, const struct group *group, uint64_t chunk,
                  struct path_scratch *scratch, const struct path_watcher *watcher);
    program_lanes_function *program;
    step_lanes_function *step;
    draw_lanes_function *draw;
};

#define BUILD(name, idea, supported) extern const struct cpu_build simulate_##name;
#include "models/base/builds.def"
#undef BUILD

/* ---- working memory of one thread of the engine ---------------------------------------------- */

/* Makes room for any group of the plan, and for the moves [group] that groups alike share (NULL:
 * none). STATUS_NO_MEMORY; scratch_free() after both. */
enum status scratch_make(const struct plan *plan, const struct shared_moves *shared,
                         struct path_scratch *scratch);

void scratch_free(struct path_scratch *scratch);

#endif
