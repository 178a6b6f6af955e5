/* What a step of any model takes from the market: growth, variance, and what a quanto makes of
 * them. Host only. */
#ifndef PRICER_MODELS_DYNAMICS_STEP_MEASURE_H
#define PRICER_MODELS_DYNAMICS_STEP_MEASURE_H

#include "models/dynamics/coefficients.h"

/* Returns the total variance that a curve accrues over the step. */
double variance_over(const struct term_structure *variance, const struct time_step *time_step);

/* Returns the integral over the step of the product of two volatilities, each constant between the
 * dates of its curve; of the second alone where there is no first. */
double product_over(const struct term_structure *first, const struct term_structure *second,
                    const struct time_step *time_step);

/* Returns what the rate accrues over the step, less what the yield does. */
double growth_over(const struct market *market, const struct asset *asset,
                   const struct time_step *time_step);

/* How the asset moves under the measure of the step: with the noise of `fx` where fx is not NULL.
 */
struct measure {
    const struct asset *fx;
    double correlation; /* with the worth of the asset's money */
};

/* Makes the measure of the currency that fx leads to from the asset's. Where that is fx's own, and
 * money of the asset is worth fx, growth falls by correlation times both volatilities (Hull,
 * Options, Futures and Other Derivatives, "quantos"); where money of the asset is worth 1 / fx, the
 * correlation is the opposite. STATUS_FAILED, with `why`: fx is no FX rate of the asset's currency,
 * or not black_scholes. */
enum status measure_of(const struct market *market, int index, const struct time_step *time_step,
                       struct measure *measure, struct message *why);

/* Returns STATUS_FAILED, and says why an asset cannot be paid in the currency of fx. */
enum status refuse_quanto(const struct asset *asset, const struct asset *fx, const char *because,
                          struct message *why);

/* Returns what the growth of an asset with deterministic volatility loses over the step. */
double quanto_loss(const struct asset *asset, const struct measure *measure,
                   const struct time_step *time_step);

/* Returns the mean of the spot's own normal over the step. */
double quanto_shift(const struct measure *measure, const struct time_step *time_step);

#endif
