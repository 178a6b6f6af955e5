/* What an exercise sees on paths of its own, for the fit of its policy (kernels/exercise_policy.h).
 */
#ifndef PRICER_KERNELS_CPU_EXERCISE_FEATURES_H
#define PRICER_KERNELS_CPU_EXERCISE_FEATURES_H

#include "kernels/cpu/regress.h"
#include "kernels/cpu/simulate.h"
#include "models/base/status.h"
#include "models/base/stop.h"

/* The fastest builds for this processor of all that early exercise needs. */
struct build_functions {
    record_features_function *record;
    step_lanes_function *one_step;
    moments_function *moments;
    exercising_function *exercising;
    values_function *values;
};
struct build_functions fastest_build(void);

/* Simulates `chunks` chunks of a group's paths from chunk `first` on and writes down the features
 * of one of its exercises. Threads may do so at once, each with its own copy of *watched.
 * STATUS_NO_MEMORY; STATUS_INTERRUPTED where `stop` (NULL: never) asks for it. */
enum status record_exercise(const struct plan *plan, int group, uint64_t first, uint64_t chunks,
                            const struct stop *stop, struct recorded_exercise *recorded);

#endif
