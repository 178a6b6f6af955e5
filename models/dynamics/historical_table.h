/* The table of historical's steps, and the drifts that make the spot's mean the forward. Host
 * only. */
#ifndef PRICER_MODELS_DYNAMICS_HISTORICAL_TABLE_H
#define PRICER_MODELS_DYNAMICS_HISTORICAL_TABLE_H

#include <stddef.h>

#include "models/dynamics/coefficients.h"

/* Computes mean and standard deviation (of the n returns, not of a sample) of the past. */
double historical_stdev(const struct history *history, double *mean);

/* Completes the coefficients of all steps of an asset, those of step j at c + j * width, and
 * appends its z to `lookup`. STATUS_FAILED, with `why`, where the returns do not differ or move the
 * spot out of the range of a double; STATUS_NO_MEMORY. The time is that of an exact_exp2() for each
 * return and each step of a block; blocks whose volatilities are those of the block before take no
 * more. */
enum status historical_path(const struct asset *asset, int n_steps, size_t width, double *c,
                            struct lookup *lookup, struct message *why);

#endif
