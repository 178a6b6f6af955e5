/* What an exercise sees on paths of its own, for the fit of its policy (kernels/exercise.h). */
#ifndef PRICER_KERNELS_CPU_WATCH_H
#define PRICER_KERNELS_CPU_WATCH_H

#include "kernels/cpu/walk.h"
#include "models/math/status.h"

/* Walks the first `chunks` chunks of a group's paths with the fastest walk of this processor and writes down
 * the features of one of its exercises. STATUS_NO_MEMORY. */
enum status watch_exercise(const struct plan *plan, int group, uint64_t chunks,
                           struct watched_exercise *watched);

#endif
