/* An autocallable's life with one normal of the path left open. Included by observables.h.
 *
 * Let X be log2 of the assets at the first observation less their means and C its covariance
 * matrix. Z = s 1' C^-1 X with s = 1 / sqrt(1' C^-1 1) is standard normal, and X = s 1 Z + what
 * does not depend on Z: where Z rises by dz every asset rises by s dz, then and on all later dates.
 * The worst stays the worst, so date j reaches a level where Z is at or above Z + (level - worst_j)
 * / s: all that it pays is a difference of normal distribution functions, which does not jump (M.
 * Fu and J.-Q. Hu, Conditional Monte Carlo, Kluwer 1997).
 *
 * open_worst: a = log2 of the worst asset over its initial spot at the last date, over s; b = Z,
 * known from the first date on. c[0] = -log2 of the initial spot over s, c[1] = 1 / s; on the first
 * date c[2] = the asset's weight s C^-1 1 and c[3] = -c[2] times its mean, else both are 0. */
#ifndef PRICER_MODELS_OBSERVABLES_OPEN_AUTOCALL_H
#define PRICER_MODELS_OBSERVABLES_OPEN_AUTOCALL_H

#include "models/math/constants.h"
#include "models/math/normal_cdf.h"

HOST_DEVICE void observe_open_worst(const struct observation *t, double x, double z0, double z1,
                                    struct memory *m)
{
    m->a = fma(t->c[1], x, t->c[0]);
    m->b = m->b + fma(t->c[2], x, t->c[3]);
}

HOST_DEVICE void observe_open_worst_more(const struct observation *t, double x, double z0,
                                         double z1, struct memory *m)
{
    double y = fma(t->c[1], x, t->c[0]);
    m->a = y < m->a ? y : m->a;
    m->b = m->b + fma(t->c[2], x, t->c[3]);
}

/* open_calls: an observation, which reads an open_worst. a = mean of what has been paid so far, its
 * value today, per unit of notional; b = the Z from which on it has been called; c = P(Z < b).
 * Coefficients as those of autocall, but levels over s: c[0] call level, c[1] coupon level; c[2] =
 * coupon and c[3] = 1, both times the discount factor. No coupons are remembered. */
HOST_DEVICE void observe_open_calls(const struct observation *t, double x, double z0, double z1,
                                    struct memory *m)
{
    double shift = m->source_b - m->source_a, call = shift + t->c[0], coupon = shift + t->c[1];
    call = call < m->b ? call : m->b;
    coupon = coupon < m->b ? coupon : m->b;
    double alive = normal_cdf(call);
    m->a = fma(t->c[2], m->c - normal_cdf(coupon), m->a);
    m->a = fma(t->c[3], m->c - alive, m->a);
    m->b = call;
    m->c = alive;
}

/* open_calls_end: expiry, as autocall_end; c[4] = s, c[5] = protection level over s. Below it at Z
 * < z the worst is paid: E[2^(worst + s (Y - Z)); Y < z] = 2^(worst - s Z) exp(d^2 / 2) P(Y < z -
 * d), d = s ln 2. */
HOST_DEVICE void observe_open_calls_end(const struct observation *t, double x, double z0, double z1,
                                        struct memory *m)
{
    observe_open_calls(t, x, z0, z1, m);
    double shift = m->source_b - m->source_a, low = shift + t->c[5];
    double d = t->c[4] * LN2;
    low = low < m->b ? low : m->b;
    double worst = path_exp2(t->c[4] * (0.5 * d - shift));
    m->a = fma(t->c[3], fma(worst, normal_cdf(low - d), m->c - normal_cdf(low)), m->a);
    m->b = -1000.0;
    m->c = 0.0;
}

#endif
