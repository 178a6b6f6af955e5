/* The policies of decisions that programs make, fitted before a plan is run.
 *
 * The regression of Longstaff and Schwartz (2001), from the last decision backwards: on paths of
 * their own, what a path is still paid without a decision on this date, by the policies found so
 * far, is regressed on the terms of models/programs/policy.h, over the paths that are alive there
 * (and, of a holder, would gain); then once more over those that the first regression finds close.
 * A run's price is a lower bound of a holder's value, and an upper bound where the issuer decides,
 * since its paths are fresh. Every sum has one order, so a policy has the same bits on every
 * machine and with any number of threads. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_PROGRAM_POLICY_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_PROGRAM_POLICY_H

#include "kernels/engine.h"
#include "kernels/plan.h"
#include "kernels/team.h"

/* Fits every decision of every program of the plan and writes the policies into the coefficients of
 * its groups; a group that borrows policies takes those of its scenario set's first. `fitted` is
 * the same plan with the fit's own Philox key, in antithetic pairs; its number of paths is not
 * looked at. STATUS_NO_MEMORY, STATUS_ENGINE, STATUS_INTERRUPTED. */
enum status program_policies_fit(const struct engine *engine, const struct engine_options *options,
                                 const struct plan *fitted, struct team *team, struct message *why);

#endif
