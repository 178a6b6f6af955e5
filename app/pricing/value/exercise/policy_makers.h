/* The ways to the policies of one exercise (exercise_policy.h): from value functions, from paths,
 * and from another scenario; and to those of the decisions that programs make. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_POLICY_MAKERS_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_POLICY_MAKERS_H

#include "app/pricing/value/exercise/exercise_steps.h"
#include "kernels/engine.h"
#include "app/pricing/base/piece.h"
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

/* ---- critical levels (policy_from_values.c) ---------------------------------------------------
 */

enum { LEVELS_MOST = 3, LEVEL_TERMS = 4 };

/* Where the coefficients of a level are in a policy: of 1, g, g^2, g^3. */
static const int level_terms[LEVEL_TERMS] = {0, 4, 7, 9};

/* Makes the policy p [EXERCISE_TERMS] of the date t, given the value of going on from it. Of one
 * feature up to three levels are kept to the last bit of a float; of two the level is a cubic in
 * the second, fitted with most of the weight where the states are near it. */
void levels_policy(const struct observation *t, const struct value_function *function,
                   const struct date_states *states, float *p);

/* Makes the policy of levels of gain, increasing, from each of which on one exercises where one did
 * not, or the other way round: y - (y - level) (y - level) ... for a last level from which on one
 * exercises, with the other sign else. `sign` is 1 for a call, -1 for a put. */
void policy_of_levels(double sign, int n, const double *levels, float *p);

/* Tells whether a policy decides path by path, and not for all. */
static inline bool policy_decides(const float *p)
{
    return p[0] != EXERCISE_NEVER && p[0] != 0.0f;
}

/* Reads up to two levels back, and returns how many; 0 where the policy decides for all alike, -1
 * where it is of other levels. */
int levels_of_policy(double sign, const float *p, double *levels);

/* ---- other ways ------------------------------------------------------------------------------ */

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
