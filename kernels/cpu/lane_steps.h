/* One step of paths from states of the caller's own, and a program on paths of its own: the door
 * through which early exercise (app/pricing/value/exercise), whose value functions need it, sees
 * the CPU engine. All else goes through kernels/engine.h. */
#ifndef PRICER_KERNELS_CPU_LANE_STEPS_H
#define PRICER_KERNELS_CPU_LANE_STEPS_H

#include "kernels/plan.h"
#include "models/base/status.h"

/* Rows of an underlying's path_state. */
enum { ROW_X, ROW_V, ROW_CLOCK, PATH_ROWS };

struct path_scratch; /* kernels/cpu/simulate.h */

/* Where the features go that the exercise in a slot sees. */
struct lane_features {
    int slot;
    double *f, *g; /* [PATH_LANES] */
};

/* Moves the PATH_LANES states of the scratch over one step, with normals from random words of the
 * caller's, [factor][PATH_LANES] of 32 bits; then writes the features at the end of the step, if
 * there are any to find (else NULL). */
typedef void step_lanes_function(const struct group *group, int step, const uint32_t *words,
                                 struct path_scratch *scratch,
                                 const struct lane_features *features);

/* Draws the four words of a Philox block for PATH_LANES paths from first_path on, a multiple of
 * PATH_LANES. */
typedef void draw_lanes_function(uint64_t seed, uint64_t first_path, uint32_t stream,
                                 uint32_t block, uint32_t (*words)[PATH_LANES]);

/* Runs a program on PATH_LANES paths, as kernels/run_program.h says: `rows` are its inputs, then
 * its decisions, each CHUNK_PATHS from the one before. */
typedef void program_lanes_function(const struct group_program *run, double *rows,
                                    double *registers, double *value, double *outputs);

/* Returns the fastest for this processor. */
program_lanes_function *program_lanes(void);

/* Working memory of one thread. */
struct lane_steps {
    step_lanes_function *step; /* the fastest for this processor, */
    draw_lanes_function *draw; /* and of these */
    struct path_scratch *scratch;
    double *paths; /* of the scratch: [underlying][PATH_ROWS][PATH_LANES], the states */
};

/* Makes room for any group of the plan. STATUS_NO_MEMORY; lane_steps_free after both. */
enum status lane_steps_make(const struct plan *plan, struct lane_steps *steps);
void lane_steps_free(struct lane_steps *steps);

#endif
