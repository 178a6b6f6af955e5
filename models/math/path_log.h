/* Logarithms in float arithmetic for the hot path, where a small correction needs few digits.
 *
 * They are built from + * / fma and integers alone and have no branch, so that they vectorise and
 * give the same bits everywhere (see exact.h). Polynomials are minimax (Remez exchange),
 * coefficients rounded to float; errors, rounding included, are measured by
 * validation/tests/models/dynamics_test.c. */
#ifndef PRICER_MODELS_MATH_PATH_LOG_H
#define PRICER_MODELS_MATH_PATH_LOG_H

#include <math.h>

#include "bits.h"

/* Returns ln x of a normal float x > 0: absolute error 2.5e-7 plus half an ulp of the result. */
HOST_DEVICE float path_log(float x)
{
    const uint32_t root_half = 0x3f3504f3u; /* sqrt(1/2) */
    const uint32_t moved = bits_of_float(x) + (0x3f800000u - root_half);
    const float e = (float)((int32_t)(moved >> 23) - 127);
    const float f = float_of_bits((moved & 0x007fffffu) + root_half) - 1.0f;
    float p = -0.103787184f;
    p = fmaf(p, f, 0.163381472f);
    p = fmaf(p, f, -0.172124252f);
    p = fmaf(p, f, 0.198842347f);
    p = fmaf(p, f, -0.249715596f);
    p = fmaf(p, f, 0.333356082f);
    p = fmaf(p, f, -0.500003457f);
    p = fmaf(p, f, 0.99999994f);
    return fmaf(e, 0.693147181f, p * f);
}

/* Returns ln(1 + y) for |y| <= 0.27: relative error 2e-7. */
HOST_DEVICE float path_log1p(float y)
{
    float p = -0.145257145f;
    p = fmaf(p, y, 0.160526678f);
    p = fmaf(p, y, -0.16536738f);
    p = fmaf(p, y, 0.199171722f);
    p = fmaf(p, y, -0.250031173f);
    p = fmaf(p, y, 0.333345592f);
    p = fmaf(p, y, -0.499999791f);
    p = fmaf(p, y, 1.0f);
    return p * y;
}

/* Returns -ln(1 - Phi(z)), Phi the normal distribution function, for -0.85 <= z <= 6.6; other z are
 * moved to the nearer end. Error at most 7e-7 times the larger of 1 and the result. An exponential
 * number out of a normal one. */
HOST_DEVICE float path_exponential(float z)
{
    const float above = z > -0.85f ? z : -0.85f;
    const float t = (above < 6.6f ? above : 6.6f) - 2.875f;
    float p = -1.05168785e-09f;
    p = fmaf(p, t, 1.27983526e-08f);
    p = fmaf(p, t, -2.08466613e-08f);
    p = fmaf(p, t, -2.5108443e-07f);
    p = fmaf(p, t, 1.95804159e-06f);
    p = fmaf(p, t, -1.53530436e-05f);
    p = fmaf(p, t, 0.00012409607f);
    p = fmaf(p, t, -0.000866579881f);
    p = fmaf(p, t, 0.00565858418f);
    p = fmaf(p, t, 0.46268186f);
    p = fmaf(p, t, 3.167171f);
    return fmaf(p, t, 6.20458889f);
}

#endif
