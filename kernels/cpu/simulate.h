/* One batch of paths of one group on the CPU: from random numbers to the tally of every payoff.
 *
 * simulate.c is compiled once for each instruction set; builds.def lists the builds. */
#ifndef PRICER_KERNELS_CPU_SIMULATE_H
#define PRICER_KERNELS_CPU_SIMULATE_H

#include <stdbool.h>

#include "kernels/cpu/lane_steps.h"
#include "kernels/engine.h"
#include "models/base/stop.h"
#include "models/math/tally.h"

enum { PATH_DRAWS = 4 }; /* numbers of one Philox block */

/* Working memory of one thread, aligned to 64 bytes. */
struct path_scratch {
    double *state; /* [slot][PATH_LANES] */
    double *paths; /* [underlying][x, v, clock][PATH_LANES] */
    /* [factor][PATH_DRAWS][PATH_LANES]; where they are kept, and of points, one such set for each
     * PATH_DRAWS steps */
    float *normals;
    /* For groups alike to come; those of a group alike are there */
    bool keeps_normals, has_normals;
    /* [row][CHUNK_PATHS], of a scenario set the rows of one group after those of the other */
    double *observed;
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

/* Whether a group's normals are kept for the groups alike that follow it: not indices in their
 * place, of which one depends on the one before, and not more than stay in the cache. */
enum { STORED_NORMALS_MAX = 1 << 19 };

static inline bool keeps_normals(const struct group *group)
{
    size_t sets = ((size_t)group->n_steps + PATH_DRAWS - 1) / PATH_DRAWS;
    for (int u = 0; u < group->n_underlyings; u++)
        if (draws_indices(&group->underlyings[u])) return false;
    return group->n_alike > 1 &&
           sets * (size_t)group->n_factors * PATH_DRAWS * PATH_LANES <= STORED_NORMALS_MAX;
}

/* Simulates batch `batch` of the plan's paths and writes the tally of every payoff of the group. */
typedef void simulate_function(const struct plan *plan, const struct group *group, uint64_t batch,
                               struct path_scratch *scratch, struct tally *tallies);

/* Simulates batch `batch` of the paths of the scenario set whose first group is `first` and writes
 * tallies [contrast][payoff], and the means of the contrasts over each of its chunks,
 * [chunk][contrast][payoff]. */
typedef void simulate_set_function(const struct plan *plan, int first, uint64_t batch,
                                   struct path_scratch *scratch, struct tally *tallies,
                                   double *means);

/* Simulates chunk `chunk` of the plan's paths and leaves what they remember in scratch->observed.
 */
typedef void simulate_rows_function(const struct plan *plan, const struct group *group,
                                    uint64_t chunk, struct path_scratch *scratch);

/* Lanes of a chunk. */
enum { CHUNK_COLUMNS = CHUNK_PATHS / PATH_LANES };

/* Shows a watcher the paths of chunk `chunk` as they pass; scratch [CHUNK_COLUMNS]. */
typedef void simulate_watch_function(const struct plan *plan, const struct group *group,
                                     uint64_t chunk, struct path_scratch *scratch,
                                     const struct path_watcher *watcher);

#define BUILD(name, idea, supported)                                                               \
    simulate_function simulate_##name;                                                             \
    simulate_set_function simulate_##name##_scenario_set;                                          \
    simulate_rows_function simulate_##name##_rows;                                                 \
    simulate_watch_function simulate_##name##_watch;                                               \
    step_lanes_function simulate_##name##_one_step;                                                \
    draw_lanes_function simulate_##name##_words;
#include "models/base/builds.def"
#undef BUILD

#endif
