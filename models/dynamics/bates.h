/* Bates (1996), Jumps and stochastic volatility: exchange rate processes implicit in Deutsche mark
 * options, Review of Financial Studies 9: Heston's variance with Merton's jumps.
 *
 * z[0] and z[1] as in heston.h, z[2] gives the number of jumps and z[3] their sizes as in merton.h.
 * The martingale is kept; the only bias is that of heston.h. */
#ifndef PRICER_MODELS_DYNAMICS_BATES_H
#define PRICER_MODELS_DYNAMICS_BATES_H

#include "models/dynamics/heston.h"
#include "models/dynamics/merton.h"

/* Those of heston.h, then: */
enum {
    BATES_JUMP_MEAN = HESTON_COEFFICIENTS, /* log2 */
    BATES_JUMP_VARIANCE,                   /* log2 */
    BATES_THRESHOLD,                       /* the first of JUMP_THRESHOLDS */
    BATES_COEFFICIENTS = BATES_THRESHOLD + JUMP_THRESHOLDS
};

/* Returns what the jumps of a step add to log2 S after heston_step. */
HOST_DEVICE double bates_jumps(const double *c, const double *z)
{
    return jumps_of(c + BATES_THRESHOLD, c[BATES_JUMP_MEAN], c[BATES_JUMP_VARIANCE], z[2], z[3]);
}

HOST_DEVICE void bates_step(const double *c, const float *table, struct path_state *s,
                            const double *z)
{
    heston_step(c, table, s, z);
    s->x = s->x + bates_jumps(c, z);
}

#endif
