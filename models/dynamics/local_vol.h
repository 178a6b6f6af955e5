/* Dupire's local volatility (B. Dupire, Pricing with a smile, Risk 7 (1994) 18-20), a step at a time.
 *
 *     u = P(x) + z,   x' = Q(u)
 *
 * with x = log2 S, z standard normal, and P and Q increasing functions of the step alone. P is Lamperti's
 * transform of the step's local volatility, in which the noise is additive, after half a step of drift; Q
 * takes u back, through the other half, such that the law of x' is the one that the surface of implied
 * volatilities says. How they are made, with papers: models/dynamics/local_vol_table.h. European prices have
 * no bias on dates of the grid but the cubics'; joint laws of several dates have one of second order in the
 * step.
 *
 * Each function is linear plus a correction, a cubic on each of its cells, which are equal: one row of the
 * table, 16 bytes, is a cell's cubic about its middle in units of the cell. The first and the last row of a
 * function are constants and serve everything beyond. Corrections are float arithmetic: where there are none
 * (a flat surface) a path is black_scholes's to 1e-6 of the spot. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_H

#include <math.h>

#include "models/dynamics/path_state.h"
#include "models/math/bits.h"

/* Added to a number: the nearest integer to it is in the low bits of the sum. */
#define LOCAL_VOL_ROUND 0x1.8p52

HOST_DEVICE int local_vol_low_bits(double rounded)
{
    return (int)(int32_t)(uint32_t)bits_of_double(rounded);
}

struct local_vol_cubic {
    float value;
    float slope; /* per cell */
};

/* The correction at a place on the table: its row, and the fraction that is left is where in the cell. */
HOST_DEVICE struct local_vol_cubic local_vol_correction(double place, int first, int last, const float *table)
{
    const double rounded = place + LOCAL_VOL_ROUND;
    const float t = (float)(place - (rounded - LOCAL_VOL_ROUND));
    const int nearest = local_vol_low_bits(rounded);
    const int above = nearest > first ? nearest : first;
    const int row4 = 4 * (above < last ? above : last);
#ifdef __CUDA_ARCH__
    const float4 row = __ldg(reinterpret_cast<const float4 *>(table + row4));
    const float a0 = row.x, a1 = row.y, a2 = row.z, a3 = row.w;
#else
    const float a0 = table[row4], a1 = table[row4 + 1], a2 = table[row4 + 2], a3 = table[row4 + 3];
#endif
    struct local_vol_cubic cubic;
    const float p2 = fmaf(a3, t, a2);
    const float p1 = fmaf(p2, t, a1);
    cubic.value = fmaf(p1, t, a0);
    cubic.slope = fmaf(fmaf(a3, t, p2), t, p1);
    return cubic;
}

/* The clock takes the product of the deviations dx / dP at the step's start and dx' / dz at its end. Its mean
 * is the variance that the law says to 0.1 % on the DAX of 5 July 2002 and 0.7 % on a smooth equity skew with
 * steps of 0.02 years, 0.1 % and 2.4 % with 0.08 (the square of the end's alone: 7, 2, 11 and 4 % too much).
 * What is left in barriers watched by Brownian bridges, for volatility moves within a step: probability to
 * touch 80 % / 115 % of the spot within one year less that with steps an eighth as long on the same paths, in
 * units of 1e-4, standard errors 3 to 7. Steps of 0.02: DAX -38 of 4030 / +31 of 6240 (the end's alone: +28 /
 * +90), skew -21 of 2870 / +13 of 4330. Steps of 0.08: DAX -127 / +150 (-9 / +381), skew -69 / +53.
 *
 * c: 0, 1 slope and start of the place of x on the table; 2, 3 of P's linear part; 4, 5 of the place of u; 6,
 * 7 of Q's linear part; 8, 9 first and last row of P, plus LOCAL_VOL_ROUND; Q's follow, 10 is the last; 11 is
 * 0. */
HOST_DEVICE void local_vol_step(const double *c, const float *table, struct path_state *s, const double *z)
{
    const int first = local_vol_low_bits(c[8]), middle = local_vol_low_bits(c[9]);
    const int last = local_vol_low_bits(c[10]);
    const struct local_vol_cubic p = local_vol_correction(fma(s->x, c[0], c[1]), first, middle, table);
    const double u = fma(s->x, c[2], c[3]) + (double)p.value + z[0];
    const struct local_vol_cubic q = local_vol_correction(fma(u, c[4], c[5]), middle + 1, last, table);
    const float start = 1.0f / (float)fma((double)p.slope, c[0], c[2]);
    const double end = fma((double)q.slope, c[4], c[6]);
    s->x = fma(u, c[6], c[7]) + (double)q.value;
    s->clock = fma((double)start, end, s->clock);
}

#endif
