/* Barriers on dates, with one normal of the path left open. Included by observables.h.
 *
 * Given all of a path but Z, the standardised log2 S at one date, the pivot, log2 S at date j is a
 * straight line in Z: of slope c_j = V_j / sqrt(V) up to the pivot and sqrt(V) beyond, with V_j the
 * variance of log2 S to date j and V that to the pivot (a Brownian bridge, then increments). So the
 * path is below a barrier B on all dates where Z is below the least Z + (B - x_j) / c_j: a
 * probability in closed form, and smooth in all that moves the path. Such an expectation given the
 * rest of the path is that of M. Fu and J.-Q. Hu, Conditional Monte Carlo, Kluwer 1997; P.
 * Glasserman and J. Staum, Conditioning on one-step survival for barrier option simulations,
 * Operations Research 49 (2001) 923-937, have one for barriers.
 *
 * margin: a = the least Z, times the sign s, at which the barrier is touched: s = 1 for one above,
 * -1 for one below; b = s Z, once known. c[0] = s B / c_j, c[1] = -s / c_j. At the pivot s Z
 * becomes known: c[2] x + c[3], and until then a is less by it; on other dates both are 0. */
#ifndef PRICER_MODELS_OBSERVABLES_MARGINS_H
#define PRICER_MODELS_OBSERVABLES_MARGINS_H

HOST_DEVICE void observe_margin(const struct observation *t, double x, double z0, double z1,
                                struct memory *m)
{
    double room = m->b + fma(t->c[1], x, t->c[0]);
    m->a = room < m->a ? room : m->a;
    if (t->c[2] == 0.0) return;
    m->b = fma(t->c[2], x, t->c[3]);
    m->a = m->a + m->b;
}

/* rest: a = log2 S at expiry less what it owes to the pivot's Z: the sum of c[0] x + c[1] over both
 * dates. */
HOST_DEVICE void observe_rest(const struct observation *t, double x, double z0, double z1,
                              struct memory *m)
{
    m->a = m->a + fma(t->c[0], x, t->c[1]);
}

#endif
