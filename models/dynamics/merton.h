/* R. C. Merton, Option pricing when underlying stock returns are discontinuous, Journal of
 * Financial Economics 3, 1976: Black and Scholes with normal jumps of ln S at Poisson times.
 *
 * Over a step, with V the variance that the diffusion accrues and n the number of jumps,
 *
 *     ln S' = ln S + R - Q - V/2 - lambda (exp(mean + stdev^2/2) - 1) dt
 *             + sqrt(V) z0 + n mean + sqrt(n) stdev z2,
 *
 * which is the exact law: no discretisation bias. n is the number of k with z1 > threshold k,
 * threshold k = the normal quantile of P(N < k), k = 1..8. Steps are so short that the jumps
 * expected of one, lambda dt, are at most JUMPS_A_STEP, where P(N > 8) < 1e-11; z1 has the
 * resolution of its 32 bits. Jumps have a normal of their own, so that the correlation with another
 * underlying is that of the diffusions alone. */
#ifndef PRICER_MODELS_DYNAMICS_MERTON_H
#define PRICER_MODELS_DYNAMICS_MERTON_H

#include "models/dynamics/path_state.h"
#include "models/math/path_root.h"

#define JUMPS_A_STEP 0.25 /* most jumps expected of one step */

enum { JUMP_THRESHOLDS = 8 };

/* Jumps of a step: the thresholds (increasing, HUGE_VAL where there is none) that z exceeds. */
HOST_DEVICE double jump_count(const double *threshold, double z)
{
    double n = z > threshold[0] ? 1.0 : 0.0;
    n = z > threshold[1] ? 2.0 : n;
    n = z > threshold[2] ? 3.0 : n;
    n = z > threshold[3] ? 4.0 : n;
    n = z > threshold[4] ? 5.0 : n;
    n = z > threshold[5] ? 6.0 : n;
    n = z > threshold[6] ? 7.0 : n;
    return z > threshold[7] ? 8.0 : n;
}

/* Coefficients, in units of log2 of the spot. */
enum {
    MERTON_DRIFT,
    MERTON_VOLATILITY,    /* of the diffusion, over the step */
    MERTON_JUMP_MEAN,     /* of one jump */
    MERTON_JUMP_VARIANCE, /* of one jump */
    MERTON_THRESHOLD,     /* the first of JUMP_THRESHOLDS */
    MERTON_COEFFICIENTS = MERTON_THRESHOLD + JUMP_THRESHOLDS
};

/* Returns what the jumps of a step add to log2 of the spot: count and size are normals. Most steps
 * have none: 0 is added. */
HOST_DEVICE double jumps_of(const double *threshold, double mean, double variance, double count,
                            double size)
{
    if (LEAVES_OUT && !(count > threshold[0])) return 0.0;
    const double n = jump_count(threshold, count);
    return fma(path_sqrt(n * variance), size, n * mean);
}

HOST_DEVICE void merton_step(const double *c, const float *table, struct path_state *s,
                             const double *z)
{
    (void)table;
    const double jumps =
        jumps_of(c + MERTON_THRESHOLD, c[MERTON_JUMP_MEAN], c[MERTON_JUMP_VARIANCE], z[1], z[2]);
    s->x = fma(c[MERTON_VOLATILITY], z[0], s->x + c[MERTON_DRIFT]) + jumps;
    s->clock = fma(c[MERTON_VOLATILITY], c[MERTON_VOLATILITY], s->clock);
}

#endif
