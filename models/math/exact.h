/* Elementary functions with the same bits on every machine: exp2, log2, sine and cosine of pi x,
 * square root.
 *
 * They are built from + - * / fma sqrt in round-to-nearest and from integer operations alone, each
 * of which IEEE 754 defines to the last bit. So a C compiler with -ffp-contract=off and nvcc with
 * -fmad=false give the same bits at every vector width; never compile this file with -ffast-math.
 * There is no branch: gcc vectorises a simple loop over any of them at -O3 -fno-math-errno
 * -fno-trapping-math.
 *
 * Polynomials are minimax in relative error (Remez exchange in 60 digits), their coefficients then
 * rounded to double. Method: W. J. Cody and W. Waite, Software Manual for the Elementary Functions,
 * Prentice-Hall 1980; J.-M. Muller, Elementary Functions, 3rd ed., Birkhauser 2016, chapters 3, 4
 * and 11. Errors below are measured by math_exact_test against long double. No
 * product is added to anything but by fma, so that even a compiler that contracts changes nothing.
 */
#ifndef PRICER_MODELS_MATH_EXACT_H
#define PRICER_MODELS_MATH_EXACT_H

#include <math.h>

#include "bits.h"
#include "constants.h"

/* Returns the square root to the nearest double, which IEEE 754 defines. Negative numbers give
 * NaN. */
HOST_DEVICE double exact_sqrt(double x)
{
#ifdef __CUDA_ARCH__
    return __dsqrt_rn(x);
#else
    return sqrt(x);
#endif
}

/* The coefficients of q below, that of the highest power first. */
DEVICE_CONSTANT double path_exp2_terms[8] = {
    0x1.663495c3a8ec9p-20, 0x1.00ee075d9934ap-16, 0x1.4306c109ad496p-13, 0x1.5d87297558358p-10,
    0x1.3b2ab7f3b9d6bp-7,  0x1.c6b08defc2c2ap-5,  0x1.ebfbdff7c5a3bp-3,  0x1.62e42fef7a788p-1};

/* Returns 2^x for the hot path, where x is finite and |x| <= 1000; other x give a wrong number,
 * never a trap.
 *
 * x = n + f with n the nearest integer and |f| <= 1/2, 2^x = 2^n (1 + f q(f)), q of degree 7.
 * Adding 1.5 * 2^52 leaves n in the low bits of the sum, and 2^n is applied by adding n to the
 * exponent. Cost: 3 additions, 8 fma, a shift and an integer addition. Relative error at
 * most 1.08e-12, of mean -1.7e-14 over f, so that an average over paths is right to a few 1e-14;
 * exact at every integer x; as the relative error is the same at f = 1/2 and f = -1/2, there is no
 * step where n changes. (Degree 8 of q would bring 1.5e-14 for a fifteenth operation a path-step;
 * docs/ladder.md has what that costs.) With PRICER_LIBRARY_FUNCTIONS defined it is the library's
 * exp instead (for the kernel `baseline`). */
HOST_DEVICE double path_exp2(double x)
{
#ifdef PRICER_LIBRARY_FUNCTIONS
    return exp(x * LN2);
#else
    const double round_shift = 0x1.8p52;
    const double shifted = x + round_shift;
    const double f = x - (shifted - round_shift);
    double p = path_exp2_terms[0];
#ifndef __CUDACC__
#pragma GCC unroll 8 /* early, so that a loop over three of these is vectorised, too */
#endif
    for (int i = 1; i < 8; i++) p = fma(p, f, path_exp2_terms[i]);
    p = fma(p, f, 1.0);
    return double_of_bits(bits_of_double(p) + (bits_of_double(shifted) << 52));
#endif
}

/* Returns 2^x for every x: NaN for NaN, infinity from 1024, subnormal below -1022 and 0 from -1075
 * down.
 *
 * As path_exp2, with q of degree 10 (relative error 3.4e-18) and 2^n applied as two factors, so
 * that a subnormal result is rounded once. Error at most 0.95 ulp; exact at every integer x. */
HOST_DEVICE double exact_exp2(double x)
{
    const double round_shift = 0x1.8p52;
    const double above = x < -1080.0 ? -1080.0 : x;
    const double y = above > 1030.0 ? 1030.0 : above;
    const double shifted = y + round_shift;
    const double f = y - (shifted - round_shift);
    double p = 0x1.e79bab1a0c76bp-32;
    p = fma(p, f, 0x1.e61b4fb44c964p-28);
    p = fma(p, f, 0x1.b5267ce8a8b58p-24);
    p = fma(p, f, 0x1.62bfc79d3b5f1p-20);
    p = fma(p, f, 0x1.ffcbfba97c26dp-17);
    p = fma(p, f, 0x1.4309130ed8d3ep-13);
    p = fma(p, f, 0x1.5d87fe78cd6e2p-10);
    p = fma(p, f, 0x1.3b2ab6fba011ap-7);
    p = fma(p, f, 0x1.c6b08d7049fe8p-5);
    p = fma(p, f, 0x1.ebfbdff82c5a4p-3);
    p = fma(p, f, 0x1.62e42fefa39efp-1);
    p = fma(p, f, 1.0);
    /* The nearest integer to y, plus 2048 */
    const uint64_t n = (bits_of_double(shifted) + 2048) & 0xfff;
    const uint64_t half = n >> 1;
    const double scale = double_of_bits((half - 1) << 52);
    const double rest = double_of_bits((n - half - 1) << 52);
    const double result = (p * scale) * rest;
    return x == x ? result : double_of_bits(0x7ff8000000000000u);
}

/* Returns the logarithm of x to the base 2: -infinity at 0, NaN below 0 and for NaN, infinity at
 * infinity, subnormals as they are.
 *
 * x = 2^e m with sqrt(1/2) <= m < sqrt(2), s = (m - 1) / (m + 1), log2 m = (2 / log 2) s + s^3
 * P(s^2), P of degree 6 (relative error 1.3e-18). s and its product with 2 / log 2 carry a second
 * word, so the relative error is as small near x = 1 as elsewhere. Error at most 0.60 ulp; exact at
 * every power of two. */
HOST_DEVICE double exact_log2(double x)
{
    const int tiny = x < 0x1p-1022;
    const double y = tiny ? x * 0x1p54 : x;
    const double exponent_offset = tiny ? 0x1p52 + 1023.0 + 54.0 : 0x1p52 + 1023.0;
    const uint64_t root_half = 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
    const uint64_t moved = bits_of_double(y) + (0x3ff0000000000000u - root_half);
    const double e = double_of_bits((moved >> 52) | 0x4330000000000000u) - exponent_offset;
    const double m = double_of_bits((moved & 0x000fffffffffffffu) + root_half);

    const double top = m - 1.0; /* exact */
    const double bottom = m + 1.0;
    const double bottom_low = m - (bottom - 1.0); /* bottom + bottom_low = m + 1 exactly */
    const double inverse = 1.0 / bottom;
    const double s = top * inverse;
    const double s_low = fma(-s, bottom_low, fma(-s, bottom, top)) * inverse;
    const double s2 = s * s;
    double p = 0x1.b52d195601c33p-3;
    p = fma(p, s2, 0x1.c4795f2688fa3p-3);
    p = fma(p, s2, 0x1.0ca12038bf1a8p-2);
    p = fma(p, s2, 0x1.484afced728fep-2);
    p = fma(p, s2, 0x1.a61762d21872bp-2);
    p = fma(p, s2, 0x1.2776c50ee7285p-1);
    p = fma(p, s2, 0x1.ec709dc3a0456p-1);

    const double scale = 0x1.71547652b82fep+1; /* 2 / log 2 = scale + scale_low */
    const double scale_low = 0x1.777d0ffda0d24p-55;
    const double high = s * scale;
    const double low = fma(s, scale, -high) + fma(s_low, scale, fma(s, scale_low, (s * s2) * p));
    const double sum = e + high;
    const double sum_low = high - (sum - e);
    double result = sum + (sum_low + low);
    result = x == 0.0 ? double_of_bits(0xfff0000000000000u) : result;
    result = x > 0x1.fffffffffffffp1023 ? x : result;
    return x >= 0.0 ? result : double_of_bits(0x7ff8000000000000u);
}

/* Computes sin(pi x) and cos(pi x) for every finite x; NaN for infinities and NaN. Signs of zero as
 * IEEE 754-2019 section 9.2.1 has them: sin(pi n) has the sign of n, cos(pi (n + 1/2)) = +0.
 *
 * The reduction x = q / 2 + r, |r| <= 1/4, is exact. sin(pi r) = pi r + r^3 S(r^2) with pi in two
 * words, cos(pi r) = 1 + r^2 C(r^2); S of degree 5, C of degree 6 (relative errors 3.4e-18
 * and 3.3e-20). Error at most 1.00 ulp. */
HOST_DEVICE void exact_sincospi(double x, double *sine, double *cosine)
{
    const uint64_t sign = bits_of_double(x) & 0x8000000000000000u;
    const double size = double_of_bits(bits_of_double(x) ^ sign);
    /* From 2^53 on every double is an even integer */
    const double small = size < 0x1p53 ? size : 0.0;
    const double turns = (small * 0.5 + 0x1p52) - 0x1p52;
    const double y = small - (turns + turns); /* in [-1, 1], exact */
    const double round_shift = 0x1.8p52;
    const double shifted = (y + y) + round_shift;
    const uint64_t quarter = bits_of_double(shifted);
    const double r = fma(shifted - round_shift, -0.5, y);
    const double r2 = r * r;

    double p = 0x1.e403cffb4db5ap-12;
    p = fma(p, r2, -0x1.e300a65874bbbp-8);
    p = fma(p, r2, 0x1.5078301b6042cp-4);
    p = fma(p, r2, -0x1.32d2cce3332b9p-1);
    p = fma(p, r2, 0x1.466bc67758d84p+1);
    p = fma(p, r2, -0x1.4abbce625be47p+2);
    const double pi = 0x1.921fb54442d18p+1; /* the number is pi + pi_low */
    const double pi_low = 0x1.1a62633145c07p-53;
    const double high = r * pi;
    const double s = high + fma(r2 * r, p, fma(r, pi_low, fma(r, pi, -high)));

    double c = -0x1.b26fe75b33c00p-14;
    c = fma(c, r2, 0x1.f9cc6acc095d4p-10);
    c = fma(c, r2, -0x1.a6d1ecb73a918p-6);
    c = fma(c, r2, 0x1.e1f50683b4248p-3);
    c = fma(c, r2, -0x1.55d3c7e3c95bcp+0);
    c = fma(c, r2, 0x1.03c1f081b5ab0p+2);
    c = fma(c, r2, -0x1.3bd3cc9be45dep+2);
    c = fma(c, r2, 1.0);

    const int swapped = (quarter & 1) != 0;
    const uint64_t sine_bits = bits_of_double(swapped ? c : s) ^ ((quarter & 2) << 62);
    const uint64_t cosine_bits = bits_of_double(swapped ? s : c) ^ (((quarter + 1) & 2) << 62);
    const double positive_sine = double_of_bits(sine_bits) + 0.0; /* turns -0 into +0 */
    const double nan = double_of_bits(0x7ff8000000000000u);
    const int finite = size <= 0x1.fffffffffffffp1023;
    *sine = finite ? double_of_bits(bits_of_double(positive_sine) ^ sign) : nan;
    *cosine = finite ? double_of_bits(cosine_bits) + 0.0 : nan;
}

#endif
