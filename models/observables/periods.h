/* What a path remembers of the returns from one date to the next. Included by observables.h. */
#ifndef PRICER_MODELS_OBSERVABLES_PERIODS_H
#define PRICER_MODELS_OBSERVABLES_PERIODS_H

/* returns: a = sum of the simple returns of the periods, each held between the floor c[0] and the
 * cap c[1]; b = x at the last reset. c[2] = 1, or 0 where the date only begins the first period. */
HOST_DEVICE void observe_returns(const struct observation *t, double x, double z0, double z1,
                                 struct memory *m)
{
    double gain = path_exp2(x - m->b) - 1.0;
    gain = gain > t->c[0] ? gain : t->c[0];
    gain = gain < t->c[1] ? gain : t->c[1];
    m->a = t->c[2] != 0.0 ? m->a + gain : m->a;
    m->b = x;
}

/* squares: a = sum of the squared returns of log2 S; b = x at the last date. */
HOST_DEVICE void observe_squares(const struct observation *t, double x, double z0, double z1,
                                 struct memory *m)
{
    double rise = x - m->b;
    m->a = fma(rise, rise, m->a);
    m->b = x;
}

#endif
