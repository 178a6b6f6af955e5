/* The ways to the policies of one exercise (exercise_policy.h): from value functions, from paths,
 * and from another scenario; and to those of the decisions that programs make. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_POLICY_MAKERS_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_POLICY_MAKERS_H

#include "app/pricing/value/exercise/exercise_dates.h"
#include "kernels/engine.h"
#include "app/pricing/base/team_try.h"
#include "models/base/stop.h"

/* What policies are fitted by. */
struct fit_setup {
    const struct engine *engine;
    struct engine_options options; /* of one call of it; with the team and the stop of the fit */
    struct plan plan; /* with the fit's own Philox key and paths, in antithetic pairs */
};

/* Fits the policy of an exercise whose features are complete, into its group's table.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status policy_from_values(const struct fit_setup *setup, const struct exercise *exercise);

/* Returns how many steps of points this takes, more or less. */
int64_t values_steps(const struct exercise *exercise);

/* Fits the policy of an exercise to paths, into its group's table: backwards from the last date, on
 * which everything that gains is exercised. STATUS_NO_MEMORY, STATUS_INTERRUPTED, and what the
 * engine says. */
enum status policy_from_paths(const struct fit_setup *setup, const struct exercise *exercise,
                              struct message *why);

/* Fits every decision of every program of the plan and writes the policies into the coefficients of
 * its groups; a group that borrows policies takes those of its scenario set's first.
 *
 * The regression of Longstaff and Schwartz (2001), from the last decision backwards: on paths of
 * their own, what a path is still paid without a decision on this date, by the policies found so
 * far, is regressed on the terms of models/programs/policy.h, over the paths that are alive there
 * (and, of a holder, would gain), with controls beside them; then once more over those that the
 * first regression finds close. A run's price is a lower bound of a holder's value, and an upper
 * bound where the issuer decides, since its paths are fresh. The plan's number of paths is not
 * looked at. STATUS_NO_MEMORY, STATUS_ENGINE, STATUS_INTERRUPTED. */
enum status program_policies_fit(const struct fit_setup *setup, struct message *why);

/* Copies the policies of all that borrow, exercises[fitted] .. [n - 1], from the first group of
 * their scenario set, with the unit of their second feature, and moves those of partners.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status borrow_policies(const struct plan *plan, int n, int fitted,
                            const struct exercise *exercises, const struct stop *stop,
                            struct team *team);

#endif
