/* What an exercise sees on paths that an engine shows, for the fit of its policy. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_FEATURES_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_FEATURES_H

#include "app/pricing/value/exercise/exercise_lanes.h"
#include "app/pricing/value/exercise/policy_makers.h"

struct path_features {
    int n_assets;            /* whose growth is one number each: those of a best or worst, or one */
    struct seen_date *dates; /* [chunk][date] */
    double *sums;            /* [chunk][date][asset] of prices over the strike */
    double *value;           /* [path] of the policy so far, discounted to today: room */
};

/* Watches what the exercise looks at on its dates, in all chunks of its paths. Not where a variance
 * is the second feature: then value functions make the policy. path_features_free, whatever is
 * returned. STATUS_NO_MEMORY, STATUS_INTERRUPTED, STATUS_FAILED, and what the engine says. */
enum status features_watch(const struct fit_setup *setup, const struct exercise *exercise,
                           struct path_features *features, struct message *why);
void path_features_free(struct path_features *features);

#endif
