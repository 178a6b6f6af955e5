#include "models/math/plan_functions.h"

#include <math.h>

#include "models/math/bits.h"

/* Returns c[0] + c[1] x + ... + c[n - 1] x^(n - 1). */
static inline double polynomial(int n, const double *c, double x)
{
    double p = c[n - 1];
    for (int i = n - 2; i >= 0; i--) p = p * x + c[i];
    return p;
}

/* Returns the first 26 bits of x, whose square is a double. */
static inline double first_half(double x)
{
    return double_of_bits(bits_of_double(x) & 0xfffffffff8000000u);
}

/* ---- exp ------------------------------------------------------------------------------------- */

/* 2^(j / 32) as a sum of two doubles. */
static const struct {
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

/* Returns e^(x + low), low a part of x's last bit, by P. T. P. Tang's tables (ACM Trans. Math.
 * Softw. 15 (1989) 144-157): with n the nearest integer to 32 x / ln 2 and r the rest, |r| < 0.011,
 * e^x = 2^(n / 32) (1 + r + r^2 q(r)), q of degree 4 (relative error 2e-19). The power is applied
 * as two factors, as in exact_exp2. */
static inline double power_of_e(double x, double low)
{
    static const double q[] = {0x1p-1, 0x1.555555554dd39p-3, 0x1.555555554b94p-5,
                               0x1.11114f8dad1efp-7, 0x1.6c1718e38243dp-10};
    const double round_shift = 0x1.8p52, ln2_head = 0x1.62e42fefap-6,
                 ln2_tail = 0x1.cf79abc9e3b3ap-45; /* of ln 2 / 32; n times the head is exact */
    double above = x < -746.0 ? -746.0 : x, y = above > 710.0 ? 710.0 : above;
    double shifted = y * 0x1.71547652b82fep+5 + round_shift, n = shifted - round_shift;
    double r = (y - n * ln2_head) - (n * ln2_tail - low);
    int64_t number = (int64_t)(bits_of_double(shifted) << 13) >> 13; /* n */
    double head = roots_of_two[number & 31].head, tail = roots_of_two[number & 31].tail;
    double value = head + (tail + head * (r + r * r * polynomial(5, q, r)));
    uint64_t whole = (uint64_t)((number >> 5) + 2048), half = whole >> 1;
    return value * double_of_bits((half - 1) << 52) * double_of_bits((whole - half - 1) << 52);
}

double exact_exp(double x)
{
    return x == x ? power_of_e(x, 0.0) : x;
}

double exact_expm1(double x)
{
    /* (e^x - 1 - x - x^2 / 2) / x^3, relative error of the whole 3e-19 */
    static const double p[] = {0x1.5555555555559p-3,  0x1.5555555555559p-5,  0x1.111111110f4bdp-7,
                               0x1.6c16c16c147bep-10, 0x1.a01a01b0c7f2ep-13, 0x1.a01a01b05308dp-16,
                               0x1.71ddf5d84a61cp-19, 0x1.27e4c5af484b3p-22, 0x1.af6374c69747ep-26,
                               0x1.1f960a2211553p-29};
    if (!(fabs(x) < 0.35)) return exact_exp(x) - 1.0;
    return x + x * x * (0.5 + x * polynomial(10, p, x));
}

/* ---- log ------------------------------------------------------------------------------------- */

/* x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), s = f / (2 + f), ln(1 + f) = f - f^2 / 2 +
 * s (f^2 / 2 + R(s^2)), R of degree 7 (relative error 5e-18): W. J. Cody and W. Waite, Software
 * Manual for the Elementary Functions (1980), chapter 5. f^2 / 2 and the sum of what is large have
 * a second word. */
double exact_log(double x)
{
    static const double terms[] = {0x1.5555555555558p-1, 0x1.999999999522cp-2, 0x1.2492492e02e62p-2,
                                   0x1.c71c62d17f288p-3, 0x1.7462b9cd23c24p-3, 0x1.39fdc50811b95p-3,
                                   0x1.2b5f2e0303f48p-3};
    const double ln2_head = 0x1.62e42fefa3p-1, ln2_tail = 0x1.3de6af278ece6p-42;
    const uint64_t root_half = 0x3fe6a09e667f3bcdu;
    if (!(x > 0.0) || isinf(x)) return x == 0.0 ? -HUGE_VAL : x < 0.0 ? NAN : x;
    double scaled = x < 0x1p-1022 ? x * 0x1p54 : x;
    uint64_t moved = bits_of_double(scaled) + (0x3ff0000000000000u - root_half);
    double e = (double)((int)(moved >> 52) - 1023 - (x < 0x1p-1022 ? 54 : 0));
    double f = double_of_bits((moved & 0x000fffffffffffffu) + root_half) - 1.0;
    double s = f / (2.0 + f), s2 = s * s, first = first_half(f);
    double half = 0.5 * first * first, half_low = 0.5 * (f - first) * (f + first);
    double near = f - half, near_low = f - near - half;
    double far = e * ln2_head, sum = far + near, sum_low = near - (sum - far);
    double rest = s * (half + half_low + s2 * polynomial(7, terms, s2)) - half_low;
    return sum + (sum_low + (near_low + (rest + e * ln2_tail)));
}

/* ---- erf and erfc ---------------------------------------------------------------------------- */

/* Returns erf(x) for |x| < 1/2, x + x p(x^2), p of degree 8 (relative error 4e-18). */
static double erf_near(double x)
{
    static const double p[] = {
        0x1.06eba8214db69p-3,  -0x1.812746b0379b3p-2,  0x1.ce2f21a03d691p-4,
        -0x1.b82ce30f1f17dp-6, 0x1.565bcbf5ebd0cp-8,   -0x1.c02d4ea50b57ep-11,
        0x1.f98d95a2bfa9bp-14, -0x1.f22298738de34p-17, 0x1.8b392caed39dp-20};
    return x + x * polynomial(9, p, x * x);
}

/* Returns erfc(x) for x >= 1/2 and *power = exp(-x^2): (x + c) exp(x^2) erfc(x) is a polynomial of
 * degree 20 in t = (x - c) / (x + c), which takes [1/2, 27.3] to [-0.74, 0.79] (M. M. Shepherd and
 * J. G. Laframboise, Math. Comp. 36 (1981) 249-253; relative error 4e-17). Beyond 27.3 erfc is no
 * double but 0. x^2 has a second word, which power_of_e takes. */
static double erfc_far(double x, double *power)
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
    double y = x < 28.0 ? x : 28.0, first = first_half(y);
    double sum = y + c, t = (y - c) / sum, t2 = t * t;
    *power = power_of_e(-first * first, (first - y) * (y + first));
    return *power * (polynomial(11, even, t2) + t * polynomial(10, odd, t2)) / sum;
}

double exact_erf(double x)
{
    double power;
    if (!(fabs(x) >= 0.5)) return erf_near(x);
    return copysign(1.0 - erfc_far(fabs(x), &power), x);
}

double exact_erfc(double x)
{
    double power;
    if (!(fabs(x) >= 0.5)) return 1.0 - erf_near(x);
    double far = erfc_far(fabs(x), &power);
    return x < 0.0 ? 2.0 - far : far;
}

double exact_erfc_with_power(double x, double *power)
{
    if (!(fabs(x) >= 0.5)) {
        *power = exact_exp(-x * x);
        return 1.0 - erf_near(x);
    }
    double far = erfc_far(fabs(x), power);
    return x < 0.0 ? 2.0 - far : far;
}
