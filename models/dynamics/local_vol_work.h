/* What makes local_vol's tables step by step: the laws at both ends, and P (local_vol_table.h). */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_WORK_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_WORK_H

#include "models/dynamics/local_vol_marginal.h"
#include "models/dynamics/local_vol_table.h"

/* What a thread keeps from step to step: the laws at a step's start and end, on places of their own
 * or the same; and P at the start's places. What was laid for the last step and serves the next is
 * not laid again. */
struct local_vol_work {
    const struct implied_surface *surface;
    double unit_spot; /* Y of a spot of 1: layouts are aligned to it, that they may stay where
                         today's spot moves */
    struct nodes nodes[2];
    struct marginal marginals[2];
    struct marginal *start, *end;            /* start: NULL today */
    double deviation[NODES], inverse[NODES]; /* G, 1 / G */
    double phi[NODES];
    double p[NODES]; /* P */
    double origin;   /* Y where P is 0 */
};

/* Makes the laws at the start and the end of a step. */
void local_vol_laws(struct local_vol_work *work, const struct tabled_step *step);

/* Makes P at the start's places, 0 at `origin`, of a step that does not begin today. */
void local_vol_transform(struct local_vol_work *work, const struct tabled_step *step);

/* Returns x, or the end of low to high that it lies beyond. */
static inline double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* A function known at four equal distances or more. */
struct sampled {
    int n;
    double low, per; /* how many of them a unit */
    const double *value;
};

/* Interpolates by the cubic through the four nearest. */
static inline double sampled_at(const struct sampled *f, double y)
{
    double place = (y - f->low) * f->per;
    int i = (int)place; /* bounds of integers leave no branch */
    i = i > 1 ? i : 1, i = i < f->n - 3 ? i : f->n - 3;
    double t = clamp(place - i, -1.0, 2.0), before = t + 1.0, after = t - 1.0, last = t - 2.0;
    const double *v = f->value;
    double inner = after * last, outer = before * t;
    return 0.5 * (v[i] * before * inner - v[i + 1] * outer * last) +
           (1.0 / 6.0) * (v[i + 2] * outer * after - v[i - 1] * t * inner);
}

#endif
