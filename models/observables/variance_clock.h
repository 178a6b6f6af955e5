/* Extremes and barriers monitored continuously where the variance between two looks is the path's
 * own (heston, bates, local_vol, merton): the path is looked at eight times in `max_step` years,
 * or more often (accrual_period.c), and between two looks it is taken for a Brownian bridge whose
 * variance is V = the clock now minus the clock at the last look. Included by observables.h.
 *
 * Bias: inside a look the variance is taken to pass evenly, and a jump as part of the bridge
 * instead of at its moment; both are of the order of max_step. A drop by a cash dividend has a look
 * just before it and one at it. */
#ifndef PRICER_MODELS_OBSERVABLES_VARIANCE_CLOCK_H
#define PRICER_MODELS_OBSERVABLES_VARIANCE_CLOCK_H

/* Variance of log2 S that is taken where none has passed: 0 / 0 has no meaning. */
#define LEAST_CLOCK 1e-30

/* Returns the variance of log2 S since the clock showed `last`. */
HOST_DEVICE double since(double clock, double last)
{
    double passed = clock - last;
    return passed > LEAST_CLOCK ? passed : LEAST_CLOCK;
}

/* clock_high, clock_low: as bridge_high and bridge_low; c = clock at the last observation. */
HOST_DEVICE void observe_clock_high(const struct observation *t, double x, double z0, double z1,
                                    struct memory *m)
{
    double apart = bridge_excursion(since(m->clock, m->c), x - m->b, z0, z1);
    double top = 0.5 * (m->b + x + apart);
    m->a = top > m->a ? top : m->a;
    m->b = x;
    m->c = m->clock;
}

HOST_DEVICE void observe_clock_low(const struct observation *t, double x, double z0, double z1,
                                   struct memory *m)
{
    double apart = bridge_excursion(since(m->clock, m->c), x - m->b, z0, z1);
    double bottom = 0.5 * (m->b + x - apart);
    m->a = bottom < m->a ? bottom : m->a;
    m->b = x;
    m->c = m->clock;
}

/* Returns how far beyond a look and the one before, in log2 S, a barrier is that takes nothing of
 * the probability between them: it would take less than 2^-57, which leaves the last bit as it is.
 * 20 variances and no more are enough; a float knows them to more than what is added. */
HOST_DEVICE float clock_reach(double passed)
{
    return sqrtf((float)(21.0 * passed)) + 1e-12f;
}

#define TWO_OVER_LN2 2.88539008177792681472

/* clock_barrier: as barrier, c[0] its level; d = clock at the last observation. */
HOST_DEVICE void observe_clock_barrier(const struct observation *t, double x, double z0, double z1,
                                       struct memory *m)
{
    double both = (m->c - t->c[0]) * (x - t->c[0]);
    double hit = clipped_exp2(-(TWO_OVER_LN2 * both) / since(m->clock, m->d));
    double alive = m->a * (1.0 - hit);
    m->b = m->a - alive;
    m->a = alive;
    m->c = x;
    m->d = m->clock;
}

/* clock_strip: as strip, lower barrier c[0], width w = c[2]; d = clock at the last observation. V
 * is cut at 2.5 w^2, where 4e-5 of the bridges survive, and the series after four terms, the next
 * being under exp(-2 (4 w)^2 / V): the probability of surviving a look is wrong by 5e-5 at most. */
enum { CLOCK_STRIP_TERMS = 4 };

HOST_DEVICE double clock_strip_scale(const struct observation *t, const struct memory *m)
{
    double w = t->c[2], passed = since(m->clock, m->d), most = 2.5 * (w * w);
    return -TWO_OVER_LN2 / (passed < most ? passed : most);
}

HOST_DEVICE void observe_clock_strip(const struct observation *t, double x, double z0, double z1,
                                     struct memory *m)
{
    double w = t->c[2], scale = clock_strip_scale(t, m);
    double survive = strip_survival(scale, m->c - t->c[0], x - t->c[0], w, CLOCK_STRIP_TERMS);
    double alive = m->a * survive;
    m->b = m->a - alive;
    m->a = alive;
    m->c = x;
    m->d = m->clock;
}

#endif
