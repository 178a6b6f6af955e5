/* The two ways to the policy of one exercise (exercise_policy.h): from value functions, and from
 * paths. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_POLICY_MAKERS_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_POLICY_MAKERS_H

#include "app/pricing/value/exercise/exercise_features.h"
#include "kernels/team.h"
#include "models/base/stop.h"

enum {
    FIT_LEAST = 32, /* paths a term that a regression must have; with fewer it drops to fewer terms,
                       then to none */
    ALIKE = 16 /* range of the first feature, in errors of the mean value, below which all decide
                  alike */
};

/* Fits the policy of an exercise whose features tell the whole state of its assets, into its
 * group's table. STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status policy_from_values(const struct plan *plan, const struct exercise *exercise,
                               const struct stop *stop, struct team *team);

/* Fits the policy of an exercise to paths, into its group's table: backwards from the last date, on
 * which everything that gains is exercised. STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status policy_from_paths(const struct exercise *exercise, struct group *group,
                              const struct path_features *fit, const struct stop *stop,
                              struct team *team);

#endif
