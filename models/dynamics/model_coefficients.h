/* The coefficients of each model's step, and how long it may be: what coefficients.c has one table
 * of. Those of local_vol stand in local_vol_table.h. Errors as model_step_coefficients() has them.
 * Host only. */
#ifndef PRICER_MODELS_DYNAMICS_MODEL_COEFFICIENTS_H
#define PRICER_MODELS_DYNAMICS_MODEL_COEFFICIENTS_H

#include "models/dynamics/coefficients.h"

typedef enum status coefficients_function(const struct market *market, int asset,
                                          const struct time_step *time_step, double *c,
                                          struct lookup *lookup, struct message *why);

coefficients_function merton_coefficients, heston_coefficients, bates_coefficients,
    historical_coefficients;

/* In years; max_step where the scheme is not exact, or less. */
typedef double longest_function(const struct asset *asset, double max_step);

longest_function merton_longest, heston_longest, bates_longest, historical_longest;

/* A step as long as it may be is one to rounding. */
#define STEP_ROUNDING (1.0 + 1e-9)

/* Jumps of merton and bates: that a step expects no more than JUMPS_A_STEP; */
enum status check_jumps(const struct asset *asset, const struct time_step *time_step,
                        struct message *why);

/* threshold[k - 1] [JUMP_THRESHOLDS]: what a normal exceeds with probability P(N >= k), N of
 * Poisson's law with this mean; */
void jump_thresholds(double mean, double *threshold);

/* what the growth loses to the mean of the jumps; */
double jump_compensation(const struct jumps *jumps, const struct time_step *time_step);

/* the years in which JUMPS_A_STEP are expected. */
double jumps_longest(const struct asset *asset);

#endif
