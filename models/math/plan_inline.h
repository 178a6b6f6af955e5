/* What plan_functions.c is made of, for loops that gcc is to vectorise: no branch. */
#ifndef PRICER_MODELS_MATH_PLAN_INLINE_H
#define PRICER_MODELS_MATH_PLAN_INLINE_H

#include "models/math/bits.h"

/* Returns c[0] + c[1] x + ... + c[n - 1] x^(n - 1). */
PLAN_CODE double polynomial(int n, const double *c, double x)
{
    double p = c[n - 1];
#ifndef __CUDACC__
#pragma GCC unroll 11 /* early, so that a loop over this is vectorised */
#endif
    for (int i = n - 2; i >= 0; i--) p = p * x + c[i];
    return p;
}

/* Returns the first 26 bits of x, whose square is a double. */
PLAN_CODE double first_half(double x)
{
    return double_of_bits(bits_of_double(x) & 0xfffffffff8000000u);
}

/* 2^(j / 32) as a sum of two doubles. */
PLAN_TABLE struct {
    double head, tail;
} roots_of_two[32] = {
    {0x1p+0, 0x0p+0},
    {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
    {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
    {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.44e086061892dp+0, 0x1.89b7a04ef80dp-59},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
    {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
    {0x1.9c49182a3f09p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
    {0x1.f50765b6e454p+0, 0x1.9d3e12dd8a18bp-54},
};

/* Returns x, or the end of the range where e^x is neither 0 nor infinite. */
PLAN_CODE double power_clamped(double x)
{
    double above = x < -746.0 ? -746.0 : x;
    return above > 710.0 ? 710.0 : above;
}

/* Returns e^(y + low), low a part of y's last bit, by P. T. P. Tang's tables (ACM Trans. Math.
 * Softw. 15 (1989) 144-157): with n the nearest integer to 32 y / ln 2 and r the rest, |r| < 0.011,
 * e^y = 2^(n / 32) (1 + r + r^2 q(r)), q of degree 4 (relative error 2e-19). The power is applied
 * as two factors, as in exact_exp2. y is clamped, elsewhere: a loop over both is not vectorised. */
PLAN_CODE double power_of_e(double y, double low)
{
    static const double q[] = {0x1p-1, 0x1.555555554dd39p-3, 0x1.555555554b94p-5,
                               0x1.11114f8dad1efp-7, 0x1.6c1718e38243dp-10};
    const double round_shift = 0x1.8p52, ln2_head = 0x1.62e42fefap-6,
                 ln2_tail = 0x1.cf79abc9e3b3ap-45; /* of ln 2 / 32; n times the head is exact */
    double shifted = y * 0x1.71547652b82fep+5 + round_shift, n = shifted - round_shift;
    double r = (y - n * ln2_head) - (n * ln2_tail - low);
    int64_t number = (int64_t)(bits_of_double(shifted) << 13) >> 13; /* n */
    double head = roots_of_two[number & 31].head, tail = roots_of_two[number & 31].tail;
    double value = head + (tail + head * (r + r * r * polynomial(5, q, r)));
    uint64_t whole = (uint64_t)((number >> 5) + 2048), half = whole >> 1;
    return value * double_of_bits((half - 1) << 52) * double_of_bits((whole - half - 1) << 52);
}

/* Returns erf(x) for |x| < 1/2, x + x p(x^2), p of degree 8 (relative error 4e-18). */
PLAN_CODE double erf_near(double x)
{
    static const double p[] = {
        0x1.06eba8214db69p-3,  -0x1.812746b0379b3p-2,  0x1.ce2f21a03d691p-4,
        -0x1.b82ce30f1f17dp-6, 0x1.565bcbf5ebd0cp-8,   -0x1.c02d4ea50b57ep-11,
        0x1.f98d95a2bfa9bp-14, -0x1.f22298738de34p-17, 0x1.8b392caed39dp-20};
    return x + x * polynomial(9, p, x * x);
}

/* Returns erfc(x) for x >= 1/2 from power = exp(-x^2): (x + c) exp(x^2) erfc(x) is a polynomial of
 * degree 20 in t = (x - c) / (x + c), which takes [1/2, 27.3] to [-0.74, 0.79] (M. M. Shepherd and
 * J. G. Laframboise, Math. Comp. 36 (1981) 249-253; relative error 4e-17). Beyond 27.3 erfc is no
 * double but 0. */
PLAN_CODE double erfc_of_power(double x, double power)
{
    static const double even[] = {
        0x1.14c83272cd828p+0,   0x1.4a9d9e1f9385p-1,    0x1.6044a3a2a936bp-3,
        0x1.3841beb3f9ba5p-7,   -0x1.860c01ee2868ep-10, 0x1.3559c703304p-13,
        -0x1.00cd84d094c43p-16, 0x1.0d154b2c77b03p-19,  -0x1.6ed6668f6d571p-22,
        0x1.001ea96dd8ffbp-24,  -0x1.aacc4baf858f4p-28};
    static const double odd[] = {
        -0x1.d3741415543f8p-1, -0x1.802b3d1683997p-2, -0x1.d0488c87d047dp-5, 0x1.d9c7833b85372p-10,
        0x1.4e33e35e93957p-13, -0x1.69de60c4586p-15,  0x1.f25c116535ecbp-18, -0x1.41dd6e7274cf4p-20,
        0x1.87d1b4a70b173p-23, -0x1.5b0debaff3589p-26};
    const double c = 3.25;
    double y = x < 28.0 ? x : 28.0, sum = y + c, t = (y - c) / sum, t2 = t * t;
    return power * (polynomial(11, even, t2) + t * polynomial(10, odd, t2)) / sum;
}

/* e^(y + low) is exp(-x^2), as erfc takes it: from 1/2 on x^2 has a second word. */
struct power_of_square {
    double y, low;
};

PLAN_CODE struct power_of_square power_of_square(double x)
{
    const int far = x >= 0.5;
    double z = x < 28.0 ? x : 28.0, first = first_half(z);
    return (struct power_of_square){power_clamped(far ? -first * first : -x * x),
                                    far ? (first - z) * (z + first) : 0.0};
}

/* Returns erfc(x) for x >= 0. */
PLAN_CODE double erfc_above(double x, double power)
{
    double far = erfc_of_power(x, power), near = 1.0 - erf_near(x);
    return x >= 0.5 ? far : near;
}

#endif
