/* The policies of early exercise, fitted before a plan is run (docs/method.md, 6.5).
 *
 * Where the features of an exercise tell the whole state of its assets, what waiting is worth is
 * found by value functions with hardly any noise (exercise_steps.h): on one asset the policy is
 * their critical levels, on the best or worst of two a weighted regression of them on the terms of
 * models/observables/exercise.h. Elsewhere it is the regression of Longstaff and Schwartz (2001) on
 * paths of their own, in antithetic pairs, of the discounted value of going on with the policy
 * found so far. That value is hedged, which takes away most of the noise (the control variates of
 * N. Rasmussen, Control variates for Monte Carlo valuation of American options, Journal of
 * Computational Finance 9 (2005)).
 *
 * The value a run then finds is a true lower bound, since its paths are fresh: the fit has another
 * Philox key. Every sum has one fixed order, so the policy has the same bits on every machine and
 * with any number of threads.
 *
 * Read on in exercise_dates.h (what is fitted), policy_makers.h (the ways to a policy), and of
 * these in exercise_lanes.h (loops over paths), exercise_steps.h (value functions) and
 * exercise_borrow.c (other scenarios); then in exercise_upper.h (the bound of the check). */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_POLICY_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_POLICY_H

#include "app/pricing/base/piece.h"
#include "kernels/engine.h"

/* The fit's Philox key is the run's with these bits turned. */
#define EXERCISE_KEY 0x9e3779b97f4a7c15u

/* Fits every exercise of the plan and writes the policies into its groups' tables; those of a group
 * that borrows policies are copied from its scenario set's first, with the unit of their second
 * feature. What the memory has of the same groups is taken from there, and what is fitted is kept
 * in it; NULL: all are fitted. The engine is one that shows its paths (`watch`), and the same bits
 * whichever it is; the options' kernel is not looked at. STATUS_NO_MEMORY, STATUS_ENGINE,
 * STATUS_INTERRUPTED. */
enum status exercise_fit(const struct engine *engine, const struct engine_options *options,
                         struct piece_memory *memory, struct plan *plan, struct message *why);

#endif
