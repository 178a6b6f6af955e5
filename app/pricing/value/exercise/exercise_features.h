/* What an exercise sees on paths that an engine observes, for the fit of its policy. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_FEATURES_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_FEATURES_H

#include "app/pricing/value/exercise/exercise_dates.h"
#include "app/pricing/value/exercise/exercise_lanes.h"
#include "kernels/engine.h"

/* What an exercise sees on paths. */
struct path_features {
    int n_assets; /* whose growth is one number each: those of a best or worst, or one */
    size_t n_dates;
    struct seen_date *dates; /* [chunk][date] */
    double *sums;            /* [chunk][date][asset] of prices over the strike */
    double *value;           /* [path] of the policy so far, discounted to today */
    double apart;            /* how far from today's log2 S chunks after the first may begin */
};

/* STATUS_NO_MEMORY; path_features_free after both. */
enum status path_features_make(const struct plan *plan, const struct exercise *exercise,
                               struct path_features *features);
void path_features_free(struct path_features *features);

/* Whether the paths of chunks begin apart, each asset's anywhere up to one and a half deviations of
 * its last date to where exercise gains: few that begin today come where it is decided early. Of
 * these the first chunk, which begins today and finds the deviation, is watched before others. */
bool features_begin_apart(const struct exercise *exercise);

/* Watches what the exercise looks at on its dates, in a chunk of the plan's paths, and writes all
 * but the values of these paths. Not where a variance is the second feature: then value functions
 * make the policy. STATUS_NO_MEMORY, STATUS_FAILED, and what the engine says. */
enum status features_watch(const struct engine *engine, const struct engine_options *options,
                           const struct plan *plan, const struct exercise *exercise, uint64_t chunk,
                           struct path_features *features, struct message *why);

#endif
