/* Black and Scholes (1973) with rates, yields and volatilities that depend on time.
 *
 * x = log2 S moves over a step of the grid by an exact Gaussian increment:
 *     x' = x + drift + volatility * z,
 *     drift = (R - Q - V/2) / ln 2,   volatility = sqrt(V) / ln 2,
 * where R, Q and V are what the rate, the yield and the variance accrue over the step. No
 * discretisation bias. */
#ifndef PRICER_MODELS_DYNAMICS_BLACK_SCHOLES_H
#define PRICER_MODELS_DYNAMICS_BLACK_SCHOLES_H

#include <math.h>

#include "models/dynamics/path_state.h"

/* Coefficients of one step, in units of log2 of the spot: loaded by the kernels as one double2. */
struct gaussian_step {
    double drift;
    double volatility;
};

enum { BLACK_SCHOLES_COEFFICIENTS = 2 };

HOST_DEVICE double black_scholes_move(double x, double drift, double volatility, double z)
{
    return fma(volatility, z, x + drift);
}

/* c: 0 drift, 1 volatility. */
HOST_DEVICE void black_scholes_step(const double *c, const float *table, struct path_state *s,
                                    const double *z)
{
    (void)table;
    s->x = black_scholes_move(s->x, c[0], c[1], z[0]);
}

#endif
