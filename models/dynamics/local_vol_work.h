/* What makes local_vol's tables step by step: the laws at both ends, and P (local_vol_table.h). */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_WORK_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_WORK_H

#include "models/dynamics/local_vol_lanes.h"
#include "models/dynamics/local_vol_marginal.h"
#include "models/dynamics/local_vol_table.h"

/* The most points of a step's convolution: 8 MB, and some hundredths of a second. An ordinary step
 * takes a few thousand. */
#define MOST_POINTS 1e6

/* What a thread, or the threads of a block each, keeps from step to step: the laws at a step's
 * start and end, on places of their own or the same; and P at the start's places. What was laid for
 * the last step and serves the next is not laid again. */
struct local_vol_work {
    const struct implied_surface *surface;
    double unit_spot; /* Y of a spot of 1: layouts are aligned to it, that they may stay where
                         today's spot moves */
    struct table_room *room; /* where all numbers of places are */
    struct nodes nodes[2];
    struct marginal marginals[2];
    struct marginal *start, *end; /* start: NULL today */
    double origin;                /* Y where P is 0 */
};

/* Begins work on a surface in a room. */
PLAN_FUNCTION void local_vol_work_begin(struct local_vol_work *work,
                                        const struct implied_surface *surface, double unit_spot,
                                        struct table_room *room);

/* Makes the laws at the start and the end of a step. */
PLAN_FUNCTION void local_vol_laws(struct local_vol_work *work, const struct tabled_step *step);

/* Makes P at the start's places, 0 at `origin`, of a step that does not begin today. */
PLAN_FUNCTION void local_vol_transform(struct local_vol_work *work, const struct tabled_step *step);

/* Makes a step's coefficients c and rows as local_vol_tables() does, from ln of the forwards at
 * both ends (local_vol_make.c). On a GPU STATUS_NO_MEMORY where the step's lattice has no room. */
PLAN_FUNCTION enum status local_vol_make(struct local_vol_work *work,
                                         const struct tabled_step *step, double log_from,
                                         double log_to, double *c, float *rows,
                                         struct forward_moves *moves);

/* Returns x, or the end of low to high that it lies beyond. */
PLAN_CODE double clamp(double x, double low, double high)
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
PLAN_CODE double sampled_at(const struct sampled *f, double y)
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
