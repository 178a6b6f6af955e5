/* Dupire's local volatility (B. Dupire, Pricing with a smile, Risk 7 (1994) 18-20), a step at a
 * time.
 *
 *     u = P(x) + z,   x' = Q(u)
 *
 * with x = log2 S, z standard normal, and P and Q increasing functions of the step alone. P is
 * Lamperti's transform of the step's local volatility, in which the noise is additive, after half a
 * step of drift; Q takes u back, through the other half, such that the law of x' is the one that
 * the surface of implied volatilities says. How they are made, with papers:
 * models/dynamics/local_vol_table.h. European prices have no bias on dates of the grid but the
 * parabolas'; joint laws of several dates have one of second order in the step where the surface is
 * smooth.
 *
 * Each function is linear plus a correction, a parabola on each of its cells, which are equal: one
 * row of the table, 8 bytes, is a cell's parabola about its middle in units of the cell. The first
 * and the last row of a function are constants and serve everything beyond. Corrections are float
 * arithmetic, and so are places on the table. A row's slope has a relative error of 2^-10, which is
 * opposite on the two sides of the cell's middle: a path is wrong by 1e-5 of a step's deviation and
 * less, and not by the same at every step. Where there are no corrections (a flat surface) it is
 * black_scholes's to 1e-6 of the spot. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_H

#include <math.h>

#include "models/dynamics/float_pair.h"
#include "models/dynamics/path_state.h"
#include "models/math/bits.h"
#include "models/math/path_root.h"

/* Rows of a step: those of P, then those of Q. */
enum {
    LOCAL_VOL_P_ROWS = 194,
    LOCAL_VOL_Q_ROWS = 386,
    LOCAL_VOL_ROWS = LOCAL_VOL_P_ROWS + LOCAL_VOL_Q_ROWS
};

/* Coefficients of a step. With y = p + z, p the correction of P, x' is a line of x and y, to which
 * Q's correction is added. Places are parts of a function's rows, 0 the first and 1 the last: that
 * of x on P's is a line of x, that of u on Q's a line of it and y. */
enum {
    LOCAL_VOL_P_POSITION, /* slope and start of the place of x */
    LOCAL_VOL_LINE = 2,   /* of x', where y = 0 and without the correction of Q */
    LOCAL_VOL_PAIRS = 4,
    LOCAL_VOL_FIRST = 8, /* the step's first row, less LOCAL_VOL_ROW_ZERO, plus LOCAL_VOL_ROUND */
    LOCAL_VOL_COEFFICIENTS = 10
};
enum local_vol_float {
    LOCAL_VOL_Q_POSITION, /* slope of the place of u, of y */
    LOCAL_VOL_Q_SLOPE,    /* of Q's line */
    /* Slope and start of the place of u, where y = 0, as a line of the place of x */
    LOCAL_VOL_Q_STILL,
    LOCAL_VOL_P_CELLS = 4, /* cells of P that x passes per unit */
    LOCAL_VOL_P_SLOPE,     /* of P's line */
    LOCAL_VOL_Q_CELLS      /* cells of Q that u passes per unit */
};

HOST_DEVICE float local_vol_float(const double *c, int which)
{
    return float_of_pairs(c + LOCAL_VOL_PAIRS, which);
}

/* Added to a number: the nearest integer to it is in the low bits of the sum. */
#define LOCAL_VOL_ROUND 0x1.8p52

/* Returns the step's first row, less LOCAL_VOL_ROW_ZERO. */
HOST_DEVICE int local_vol_first(const double *c)
{
    return (int)(int32_t)(uint32_t)bits_of_double(c[LOCAL_VOL_FIRST]);
}

/* Which of n rows a place is on, counted from LOCAL_VOL_ROW_ZERO, and where in its cell. Anything
 * below 0 is there, NaN too. The count is the bits of 1.5 * 2^23 plus the row: who looks the row up
 * starts so much below the table, once for all paths. */
enum { LOCAL_VOL_ROW_ZERO = 0x4b400000 };

struct local_vol_cell {
    int row;
    float t;
};

HOST_DEVICE struct local_vol_cell local_vol_cell(float position, int n)
{
    const float round = 0x1.8p23f, rows = (float)(n - 1);
#ifdef __CUDA_ARCH__
    const float inside = __saturatef(position);
#else
    const float above = position > 0.0f ? position : 0.0f, inside = above < 1.0f ? above : 1.0f;
#endif
    const float rounded = fmaf(inside, rows, round);
    struct local_vol_cell at = {(int)bits_of_float(rounded), fmaf(inside, rows, round - rounded)};
    return at;
}

/* A row: the value in the middle of the cell, and the slope and the curve, half the second
 * derivative, in one number. The number is the slope; its last 14 bits, which are the first of a
 * float and all there is of the curve, are noise to it. */
enum { LOCAL_VOL_CURVE_BITS = 14 };

struct local_vol_row {
    float middle, slope_and_curve;
};

HOST_DEVICE float local_vol_curve(float slope_and_curve)
{
    return float_of_bits(bits_of_float(slope_and_curve) << (32 - LOCAL_VOL_CURVE_BITS));
}

struct local_vol_correction {
    float value;
    float slope; /* per cell */
};

HOST_DEVICE struct local_vol_correction local_vol_correction(struct local_vol_row row, float t)
{
    const float curve = local_vol_curve(row.slope_and_curve);
    const float rise = fmaf(curve, t, row.slope_and_curve);
    struct local_vol_correction correction = {fmaf(rise, t, row.middle), fmaf(curve, t, rise)};
    return correction;
}

HOST_DEVICE struct local_vol_row local_vol_row(const float *table, int row)
{
#ifdef __CUDA_ARCH__
    const float2 pair = __ldg(reinterpret_cast<const float2 *>(table) + row);
    struct local_vol_row found = {pair.x, pair.y};
#else
    struct local_vol_row found = {table[2 * row], table[2 * row + 1]};
#endif
    return found;
}

/* Returns the place of x on P's rows; that of u on Q's. */
HOST_DEVICE float local_vol_p_position(const double *c, double x)
{
    return (float)fma(x, c[LOCAL_VOL_P_POSITION], c[LOCAL_VOL_P_POSITION + 1]);
}

HOST_DEVICE float local_vol_q_position(const double *c, float p_position, float y)
{
    const float still = fmaf(p_position, local_vol_float(c, LOCAL_VOL_Q_STILL),
                             local_vol_float(c, LOCAL_VOL_Q_STILL + 1));
    return fmaf(y, local_vol_float(c, LOCAL_VOL_Q_POSITION), still);
}

/* Moves the path to the end of its step.
 *
 * The clock takes the product of the deviations dx / dP at the step's start and dx' / dz at its
 * end. Its mean is the variance that the law says to 0.9 % on the DAX of 5 July 2002 and 1.2 % on
 * an equity skew with steps of 0.02 years, 1.5 % and 2.6 % with 0.08. What is left in barriers
 * watched by Brownian bridges, for volatility moves within a step: probability to touch 80 % / 115
 * % of the spot within one year with steps an eighth as long on the same paths, less that, in units
 * of 1e-4, standard errors 2 to 5. Steps of 0.02: DAX -66 of 4026 / +16 of 6246, skew -28 of 2860 /
 * +8 of 4342. Steps of 0.08: DAX -145 / +91, skew -78 / +47. */
HOST_DEVICE void local_vol_end(const double *c, struct path_state *s, float y,
                               struct local_vol_correction p, struct local_vol_correction q)
{
    const float start =
        fmaf(p.slope, local_vol_float(c, LOCAL_VOL_P_CELLS), local_vol_float(c, LOCAL_VOL_P_SLOPE));
    const float end =
        fmaf(q.slope, local_vol_float(c, LOCAL_VOL_Q_CELLS), local_vol_float(c, LOCAL_VOL_Q_SLOPE));
    s->x = fma(s->x, c[LOCAL_VOL_LINE], c[LOCAL_VOL_LINE + 1]) +
           (double)fmaf(y, local_vol_float(c, LOCAL_VOL_Q_SLOPE), q.value);
    s->clock += (double)(path_reciprocal(start) * end);
}

HOST_DEVICE void local_vol_step(const double *c, const float *table, struct path_state *s,
                                const double *z)
{
    const int first = local_vol_first(c);
    const float position = local_vol_p_position(c, s->x);
    const struct local_vol_cell start = local_vol_cell(position, LOCAL_VOL_P_ROWS);
    const struct local_vol_correction p =
        local_vol_correction(local_vol_row(table, first + start.row), start.t);
    const float y = p.value + (float)z[0];
    const struct local_vol_cell end =
        local_vol_cell(local_vol_q_position(c, position, y), LOCAL_VOL_Q_ROWS);
    const struct local_vol_correction q =
        local_vol_correction(local_vol_row(table, first + LOCAL_VOL_P_ROWS + end.row), end.t);
    local_vol_end(c, s, y, p, q);
}

#endif
