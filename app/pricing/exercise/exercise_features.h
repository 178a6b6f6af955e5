/* What an exercise sees on paths that an engine observes, for the fit of its policy. */
#ifndef PRICER_APP_PRICING_EXERCISE_EXERCISE_FEATURES_H
#define PRICER_APP_PRICING_EXERCISE_EXERCISE_FEATURES_H

#include "app/pricing/exercise/exercise_dates.h"
#include "app/pricing/exercise/exercise_lanes.h"
#include "kernels/engine.h"

/* Looks at an asset that an exercise takes on all its dates. */
size_t exercise_parts(const struct plan *plan, const struct exercise *exercise);

/* What an exercise sees on paths. */
struct path_features {
    int n_assets;         /* whose growth is one number each: those of a best or worst, or one */
    float *f, *g;         /* [date][path] features */
    struct followed next; /* [date][path] of the first feature's price, and of the second's */
    double *sums;         /* [chunk][date][asset] of prices over the strike */
    double *value;        /* [path] of the policy so far, discounted to today */
};

/* STATUS_NO_MEMORY; path_features_free after both. */
enum status path_features_make(const struct plan *plan, const struct exercise *exercise,
                               struct path_features *features);
void path_features_free(struct path_features *features);

/* Observes log2 S of what the exercise looks at on its dates, in chunks first .. end - 1 of the
 * plan's paths from path 0 on, and writes all but the values of these paths. Not where a variance
 * is the second feature: then value functions make the policy. STATUS_NO_MEMORY, STATUS_FAILED, and
 * what the engine says. */
enum status features_observe(const struct engine *engine, const struct engine_options *options,
                             const struct plan *plan, const struct exercise *exercise,
                             uint64_t first, uint64_t end, const struct path_features *features,
                             struct message *why);

#endif
