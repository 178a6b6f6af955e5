/* Bates (1996), Jumps and stochastic volatility: exchange rate processes implicit in Deutsche mark options,
 * Review of Financial Studies 9: Heston's variance with Merton's jumps.
 *
 * z[0] and z[1] as in heston.h, z[2] gives the number n of jumps as in merton.h. Given the path of the
 * variance, the spot's own normal zs has the variance of heston.h plus n stdev^2, so jump sizes need no
 * normal of their own; the martingale is kept. Biases: those of heston.h and, of several underlyings, that of
 * merton.h.
 *
 * A quanto moves the diffusion alone: zs is moved only in a step without a jump, by so much more that its
 * mean effect is right. */
#ifndef PRICER_MODELS_DYNAMICS_BATES_H
#define PRICER_MODELS_DYNAMICS_BATES_H

#include "models/dynamics/heston.h"
#include "models/dynamics/merton.h"

/* Those of heston.h, HESTON_SPOT_SHIFT being 0, then: */
enum {
    BATES_JUMP_MEAN = HESTON_COEFFICIENTS,                     /* log2 */
    BATES_JUMP_VARIANCE,                                       /* log2 */
    BATES_SPOT_SHIFT,                                          /* added to zs where n = 0 */
    BATES_THRESHOLD,                                           /* the first of JUMP_THRESHOLDS */
    BATES_COEFFICIENTS = BATES_THRESHOLD + JUMP_THRESHOLDS + 1 /* one to be even */
};

HOST_DEVICE void bates_step(const double *c, const float *table, struct path_state *s, const double *z)
{
    (void)table;
    const struct heston_move move = heston_move(c, s, z[0], z[1]);
    const double n = jump_count(c + BATES_THRESHOLD, z[2]);
    const double volatility = exact_sqrt(fma(n, c[BATES_JUMP_VARIANCE], move.variance));
    const double shifted = move.z + (n > 0.0 ? 0.0 : c[BATES_SPOT_SHIFT]);
    s->x = fma(volatility, shifted, fma(n, c[BATES_JUMP_MEAN], s->x + move.drift));
}

#endif
