/* When moments of the spot cease to be finite under a stochastic variance. Host only. */
#ifndef PRICER_MODELS_DYNAMICS_HESTON_MOMENTS_H
#define PRICER_MODELS_DYNAMICS_HESTON_MOMENTS_H

#include "models/market/market.h"

/* Returns years from today from which on E[S^2] is infinite, and with it the variance of every
 * payoff that grows like the spot; HUGE_VAL where that never comes. Jumps of Bates's law change
 * nothing, nor does the growth.
 *
 * E[S^2] is exp(B(t) v0 + ...) with B' = 1 + (2 rho xi - kappa) B + xi^2 B^2 / 2, B(0) = 0, and
 * ends where B does: at the integral of dB / (1 + (2 rho xi - kappa) B + xi^2 B^2 / 2) from 0 to
 * infinity, if no B in between makes that 0 (L. Andersen and V. Piterbarg, Moment explosions in
 * stochastic volatility models, Finance and Stochastics 11 (2007) 29-50, proposition 3.1). */
double heston_square_ends(const struct heston *heston);

#endif
