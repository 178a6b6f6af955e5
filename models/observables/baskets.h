/* Several assets seen at one date, asset after asset: the first observation of a date begins anew,
 * the others add to it. Included by observables.h. */
#ifndef PRICER_MODELS_OBSERVABLES_BASKETS_H
#define PRICER_MODELS_OBSERVABLES_BASKETS_H

/* sum_of: a = sum of w S^u, c[0] = w: money. Here and below c[1] = u is 1 but where two markets
 * that a Greek compares are to see the same price (exercise_borrow.h). */
HOST_DEVICE void observe_sum_of(const struct observation *t, double x, double z0, double z1,
                                struct memory *m)
{
    m->a = t->c[0] * path_exp2(t->c[1] * x);
}

HOST_DEVICE void observe_sum_of_more(const struct observation *t, double x, double z0, double z1,
                                     struct memory *m)
{
    m->a = fma(t->c[0], path_exp2(t->c[1] * x), m->a);
}

/* share_of: as sum_of, of two; b = the share of the first. */
HOST_DEVICE void observe_share_of(const struct observation *t, double x, double z0, double z1,
                                  struct memory *m)
{
    m->a = m->b = t->c[0] * path_exp2(t->c[1] * x);
}

HOST_DEVICE void observe_share_of_more(const struct observation *t, double x, double z0, double z1,
                                       struct memory *m)
{
    m->a = fma(t->c[0], path_exp2(t->c[1] * x), m->a);
    m->b = m->b / m->a;
}

/* log_of: a = sum of u log2 S, c[0] = u = w / (sum of all w). */
HOST_DEVICE void observe_log_of(const struct observation *t, double x, double z0, double z1,
                                struct memory *m)
{
    m->a = t->c[0] * x;
}

HOST_DEVICE void observe_log_of_more(const struct observation *t, double x, double z0, double z1,
                                     struct memory *m)
{
    m->a = fma(t->c[0], x, m->a);
}

/* top_of, bottom_of: a = greatest, least log2 (w S^u), b = the next one; c[0] = log2 w. Where there
 * is but one asset, b is as far away as path_exp2 reaches. */
HOST_DEVICE void observe_top_of(const struct observation *t, double x, double z0, double z1,
                                struct memory *m)
{
    m->a = fma(t->c[1], x, t->c[0]);
    m->b = -1000.0;
}

HOST_DEVICE void observe_top_of_more(const struct observation *t, double x, double z0, double z1,
                                     struct memory *m)
{
    double y = fma(t->c[1], x, t->c[0]), less = y < m->a ? y : m->a;
    m->a = y > m->a ? y : m->a;
    m->b = less > m->b ? less : m->b;
}

HOST_DEVICE void observe_bottom_of(const struct observation *t, double x, double z0, double z1,
                                   struct memory *m)
{
    m->a = fma(t->c[1], x, t->c[0]);
    m->b = 1000.0;
}

HOST_DEVICE void observe_bottom_of_more(const struct observation *t, double x, double z0, double z1,
                                        struct memory *m)
{
    double y = fma(t->c[1], x, t->c[0]), more = y > m->a ? y : m->a;
    m->a = y < m->a ? y : m->a;
    m->b = more < m->b ? more : m->b;
}

/* best_of, worst_of: a = greatest, least log2 (w S), b = c[1] of the asset whose it is. */
HOST_DEVICE void observe_best_of(const struct observation *t, double x, double z0, double z1,
                                 struct memory *m)
{
    m->a = x + t->c[0];
    m->b = t->c[1];
}

HOST_DEVICE void observe_best_of_more(const struct observation *t, double x, double z0, double z1,
                                      struct memory *m)
{
    double y = x + t->c[0];
    m->b = y > m->a ? t->c[1] : m->b;
    m->a = y > m->a ? y : m->a;
}

HOST_DEVICE void observe_worst_of(const struct observation *t, double x, double z0, double z1,
                                  struct memory *m)
{
    observe_best_of(t, x, z0, z1, m);
}

HOST_DEVICE void observe_worst_of_more(const struct observation *t, double x, double z0, double z1,
                                       struct memory *m)
{
    double y = x + t->c[0];
    m->b = y < m->a ? t->c[1] : m->b;
    m->a = y < m->a ? y : m->a;
}

#endif
