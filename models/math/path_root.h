/* Square root and reciprocal for the hot path, of numbers that need no care: a GPU takes 18 and 9
 * instructions for the general ones, with a branch for the exceptions, and 13 and 3 for these,
 * without. To the nearest number and so the same bits everywhere; on other
 * arguments wrong numbers, never a trap.
 *
 * The GPU's own starting values are right to 20 bits and more. One step of third order, y (1 + e /
 * 2 + 3 e^2 / 8) with e = 1 - x y^2, leaves the reciprocal root y wrong by less than 2^-58; s = x y
 * is then a root to an ulp, and s + (x - s^2) y / 2, with the residual exact by fma, is the nearest
 * (P. W. Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, IBM
 * J. Res. Dev. 34(1), 1990). No test compares them number by number; gpu_bits_test compares the
 * paths that are made with them. */
#ifndef PRICER_MODELS_MATH_PATH_ROOT_H
#define PRICER_MODELS_MATH_PATH_ROOT_H

#include <math.h>

#include "models/math/bits.h"

/* Returns the square root of x, 2^-900 < x < 2^900; 0 for x from there down and for NaN. */
HOST_DEVICE double path_sqrt(double x)
{
#ifdef __CUDA_ARCH__
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(x, -(y * y), 1.0);
    y = fma(fma(e, 0.375, 0.5), e * y, y);
    const double s = x * y;
    const double half = __hiloint2double(__double2hiint(y) - 0x100000, __double2loint(y));
    const double root = fma(fma(s, -s, x), half, s);
    return x > 0x1p-900 ? root : 0.0;
#else
    return sqrt(x > 0x1p-900 ? x : 0.0);
#endif
}

/* Returns the square root of x, 2^-100 < x < 2^100; 2^-50 for x from there down and for NaN. */
HOST_DEVICE float path_root(float x)
{
    const float above = x > 0x1p-100f ? x : 0x1p-100f;
#ifdef __CUDA_ARCH__
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(above));
    const float s = above * y;
    return fmaf(fmaf(s, -s, above), 0.5f * y, s);
#else
    return sqrtf(above);
#endif
}

/* Returns 1 / x, 2^-100 < |x| < 2^100. */
HOST_DEVICE float path_reciprocal(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fmaf(y, -fmaf(x, y, -1.0f), y);
#else
    return 1.0f / x;
#endif
}

#endif
