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

/* In years; max_step where the scheme is not exact, or less, on the way to a date. */
typedef double longest_function(const struct asset *asset, double date, double max_step);

longest_function merton_longest, heston_longest, bates_longest, historical_longest;

/* A step as long as it may be is one to rounding. */
#define STEP_ROUNDING (1.0 + 1e-9)

/* Writes drift and volatility of a step whose variance is known; the growth loses `loss` beside
 * what a quanto takes. */
enum status diffusion_coefficients(const struct market *market, int index,
                                   const struct time_step *time_step, double loss, double *c,
                                   struct message *why);

/* Completes the coefficients of all steps of an asset under historical, those of step j at c + j *
 * width, and appends its z to `lookup`: the drifts then make the spot's mean the forward.
 * STATUS_FAILED, with `why`, where the returns do not differ or move the spot out of the range of a
 * double; STATUS_NO_MEMORY. The time is that of an exact_exp2() for each return and each step of a
 * block; blocks whose volatilities are those of the block before take no more. */
enum status historical_path(const struct asset *asset, int n_steps, size_t width, double *c,
                            struct lookup *lookup, struct message *why);

#endif
