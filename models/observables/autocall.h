/* An autocallable's life. It reads a bottom_of on the same dates: source_a = log2 of the worst
 * asset over its initial spot. Included by observables.h.
 *
 * a = value today of what has been paid, per unit of notional; b = 1 while it lives, 0 once called;
 * c = coupons missed since the last one paid. Coefficients: c[0] call level, c[1] coupon level,
 * both log2; c[2] = coupon and c[3] = 1, both times the discount factor to the date; c[4] = 1 where
 * a coupon also pays the missed ones, else 0. */
#ifndef PRICER_MODELS_OBSERVABLES_AUTOCALL_H
#define PRICER_MODELS_OBSERVABLES_AUTOCALL_H

/* autocall: an observation. */
HOST_DEVICE void observe_autocall(const struct observation *t, double x, double z0, double z1,
                                  struct memory *m)
{
    double due = t->c[2] * fma(t->c[4], m->c, 1.0);
    double paid = m->source_a >= t->c[1] ? due : 0.0;
    paid = m->source_a >= t->c[0] ? paid + t->c[3] : paid;
    m->a = fma(m->b, paid, m->a);
    m->b = m->source_a >= t->c[0] ? 0.0 : m->b;
    m->c = m->source_a >= t->c[1] ? 0.0 : m->c + 1.0;
}

/* autocall_end: expiry, which is an observation too where its levels are finite; then what has
 * not been called pays its notional, or the worst asset where it is below the protection, c[5]
 * in log2. */
HOST_DEVICE void observe_autocall_end(const struct observation *t, double x, double z0, double z1,
                                      struct memory *m)
{
    observe_autocall(t, x, z0, z1, m);
    double paid = m->source_a < t->c[5] ? t->c[3] * path_exp2(m->source_a) : t->c[3];
    m->a = fma(m->b, paid, m->a);
    m->b = 0.0;
}

#endif
