/* Past returns drawn again: the circular block bootstrap (D. N. Politis and J. P. Romano, A
 * circular block-resampling procedure for stationary data, in Exploring the Limits of Bootstrap,
 * Wiley 1992, 263-270) of a table of log returns r[0] .. r[n - 1] of consecutive days, a day being
 * as long as their interval.
 *
 * Day k moves log2 S by volatility(k) * z[index(k)] beside its drift, where z = (r - mean of r) /
 * (standard deviation of r) and volatility(k) = sqrt(variance of the day) / ln 2. At the first day
 * of each block of `block` days the index is drawn uniformly from 0 .. n - 1; the other days of the
 * block have the next ones, 0 following n - 1. So the mean of the past plays no part, its
 * volatility is the asset's, and what is kept of the past is the shape of its returns and how they
 * follow on one another within a block.
 *
 * Days begin today and end on multiples of the interval, whatever else is on the grid. A date
 * within a day cuts it in parts that share the day's return in proportion to their length, so the
 * law of a path on given dates does not depend on the other dates of the grid; a date within
 * HISTORICAL_NEAR days of a day's end is that end.
 *
 * Days of one block are not independent, so the drift makes up for the mean of the whole block so
 * far: with M(t) the mean over the n starts of exp2(moves of the block up to t), the drift from t
 * to t' is growth - log2(M(t') / M(t)), and E S is the forward on every date. What one index is
 * more likely than another, for 32 bits are not divided evenly by n, is below n 2^-32 of its
 * probability: the one bias. */
#ifndef PRICER_MODELS_DYNAMICS_HISTORICAL_H
#define PRICER_MODELS_DYNAMICS_HISTORICAL_H

#include <math.h>
#include <stdint.h>

#include "models/dynamics/path_state.h"

#define HISTORICAL_NEAR 1e-3 /* of a day */

enum { HISTORICAL_RETURNS_MAX = 1 << 24 }; /* an index is exact as a float */

/* Coefficients, in units of log2 of the spot. */
enum {
    HISTORICAL_DRIFT,
    HISTORICAL_VOLATILITY, /* of the day, times the part of it that the step is */
    HISTORICAL_FIRST,      /* where the asset's z begin in the table */
    HISTORICAL_LAST,       /* n - 1 */
    HISTORICAL_TURN,  /* enum historical_turn: how the index follows from that of the step before */
    HISTORICAL_CLOCK, /* variance of the step */
    HISTORICAL_COEFFICIENTS
};

enum historical_turn { HISTORICAL_SAME, HISTORICAL_NEXT, HISTORICAL_START };

/* Returns the index of a step as a number: what stands in the place of its normal. `before` is that
 * of the step before, `word` the step's 32 bits of Philox; `last` = n - 1. A product's high word
 * instead of a remainder: D. Lemire, Fast random integer generation in an interval, ACM TOMACS 29
 * (2019). */
HOST_DEVICE float historical_start(uint32_t word, float last)
{
    return (float)(int32_t)((uint64_t)word * ((uint32_t)(int32_t)last + 1u) >> 32);
}

HOST_DEVICE float historical_next(float before, float last)
{
    return before < last ? before + 1.0f : 0.0f;
}

/* Returns the place of an index in the table. Whatever the index is, a number read from damaged
 * memory or none at all, the place is one of the asset's: it is cut to 0 .. n - 1. */
HOST_DEVICE int historical_index(const double *c, double index)
{
    const double least = index > 0.0 ? index : 0.0;
    return (int)(c[HISTORICAL_FIRST] + (least < c[HISTORICAL_LAST] ? least : c[HISTORICAL_LAST]));
}

HOST_DEVICE float historical_gather(const float *table, int index)
{
#ifdef __CUDA_ARCH__
    return __ldg(table + index);
#else
    return table[index];
#endif
}

HOST_DEVICE double historical_move(const double *c, double x, float z)
{
    return fma(c[HISTORICAL_VOLATILITY], (double)z, x + c[HISTORICAL_DRIFT]);
}

/* z: the index, as a number. The clock takes the variance of the day as if it accrued evenly. */
HOST_DEVICE void historical_step(const double *c, const float *table, struct path_state *s,
                                 const double *z)
{
    s->x = historical_move(c, s->x, historical_gather(table, historical_index(c, z[0])));
    s->clock = s->clock + c[HISTORICAL_CLOCK];
}

/* ---- host only ------------------------------------------------------------------------------- */

/* Returns a date in days, a whole number where it is within HISTORICAL_NEAR of one. */
static inline double historical_days(double time, double interval)
{
    double days = time / interval, nearest = floor(days + 0.5);
    return fabs(days - nearest) <= HISTORICAL_NEAR ? nearest : days;
}

#endif
