/* One standard normal number from 32 random bits, the same bits of it on every machine.
 *
 * With k the 32 bits and t = (k + 1/2) 2^-32, the number is z(t), the inverse of the normal
 * distribution function. By symmetry it is enough to know z below t = 1/2: there h = min(k, ~k) and
 * f = h + 1/2 in float, rounded to nearest. The exponent and the three top mantissa bits of f
 * choose one of 8 segments in each of 33 binades; in a segment z is a cubic in v = f - (start of
 * the segment), evaluated in float by fma, and the top bit of k gives the sign. (Tables of cubics
 * on binades of the tail: D.-U. Lee, R. C. C. Cheung, J. D. Villasenor and W. Luk, Inversion-Based
 * Hardware Gaussian Random Number Generator: A Case Study of Function Evaluation via Hierarchical
 * Segmentation, FPT 2006.)
 *
 * Absolute error at most 4.6e-7 against z(t), tails out to 6.338 sigma. It is monotone in k over
 * all 2^32 inputs and odd: normal_from_bits(~k) == -normal_from_bits(k) to the bit, k = 0 being the
 * most negative; so it serves antithetic paths and Sobol points too. Users widen the float to
 * double, which is exact.
 *
 * v is an and and a subtraction, both exact: cheaper than converting the low bits to a number
 * (conversions run slower than additions on GPUs), one operation fewer on AVX2 than putting them
 * under the exponent of 1, and a cubic from the segment's start (not from 1) keeps the last fma's
 * rounding as the only one that matters: hence monotone. */
#ifndef PRICER_MODELS_MATH_NORMAL_H
#define PRICER_MODELS_MATH_NORMAL_H

#include <math.h>

#include "bits.h"
#include "normal_table.h"

/* The cell of the table in which a word lies: its row times four, and the argument of the row's
 * cubic. */
struct normal_cell {
    int32_t row4;
    float v;
};

HOST_DEVICE struct normal_cell normal_cell(uint32_t k)
{
    struct normal_cell cell;
    const uint32_t h = k ^ (uint32_t)((int32_t)k >> 31); /* min(k, ~k); >> copies the sign */
    const float f = (float)(int32_t)h + 0.5f;            /* in [1/2, 2^31] */
    const uint32_t bits = bits_of_float(f);
    cell.v = f - float_of_bits(bits & 0xfff00000u);
    cell.row4 = (int32_t)((bits >> 18) & 0x3ffcu) - 4 * NORMAL_FIRST_ROW;
    return cell;
}

/* Returns the row's cubic at v, with the sign of word k. */
HOST_DEVICE float normal_cubic_at(uint32_t k, float v, float c0, float c1, float c2, float c3)
{
    const float z = fmaf(fmaf(fmaf(c3, v, c2), v, c1), v, c0);
    return float_of_bits(bits_of_float(z) ^ (k & 0x80000000u));
}

/* Returns the normal of 32 bits. TABLE holds NORMAL_CUBIC_INITIALISER: normal_cubic in C, or a copy
 * of it in a GPU's shared, constant or global memory, which must be aligned to 16 bytes there, for
 * a row is fetched as one float4. */
HOST_DEVICE float normal_from_bits(uint32_t k, const float (*table)[4])
{
    const struct normal_cell at = normal_cell(k);
#ifdef __CUDA_ARCH__
    const float4 c = *reinterpret_cast<const float4 *>(&table[0][0] + at.row4);
    return normal_cubic_at(k, at.v, c.x, c.y, c.z, c.w);
#else
    const float *flat = &table[0][0]; /* gcc gathers from int offsets in floats, not in rows */
    return normal_cubic_at(k, at.v, flat[at.row4], flat[at.row4 + 1], flat[at.row4 + 2],
                           flat[at.row4 + 3]);
#endif
}

#endif
