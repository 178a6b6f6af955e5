/* What an exercise sees on paths that an engine observes, for the fit of its policy. */
#ifndef PRICER_APP_PRICING_EXERCISE_EXERCISE_FEATURES_H
#define PRICER_APP_PRICING_EXERCISE_EXERCISE_FEATURES_H

#include "app/pricing/exercise/exercise_dates.h"
#include "kernels/engine.h"

/* Looks at an asset that an exercise takes on all its dates. */
size_t exercise_parts(const struct plan *plan, const struct exercise *exercise);

/* Observes log2 S of what the exercise looks at on its dates, in chunks first .. end - 1 of the
 * plan's paths from path 0 on, and writes the features [date][path of the plan] of these paths into
 * f and g. Not where a variance is the second feature: then value functions make the policy.
 * STATUS_NO_MEMORY, STATUS_FAILED, and what the engine says. */
enum status features_observe(const struct engine *engine, const struct engine_options *options,
                             const struct plan *plan, const struct exercise *exercise,
                             uint64_t first, uint64_t end, float *f, float *g, struct message *why);

#endif
