/* Coefficients that a step uses as floats, two in the place of a double: a GPU takes each from
 * the register that it was loaded into, where a conversion would cost it as much as eight
 * operations. */
#ifndef PRICER_MODELS_DYNAMICS_FLOAT_PAIR_H
#define PRICER_MODELS_DYNAMICS_FLOAT_PAIR_H

#include "models/math/bits.h"

/* Returns the i-th float of the pairs, which begin at `pairs`. */
HOST_DEVICE float float_of_pairs(const double *pairs, int i)
{
    const uint64_t bits = bits_of_double(pairs[i / 2]);
    return float_of_bits((uint32_t)(i % 2 ? bits >> 32 : bits));
}

/* Rounds `value` and puts it in the place of the i-th float. */
HOST_DEVICE void set_float_of_pairs(double *pairs, int i, double value)
{
    const uint64_t bits = bits_of_double(pairs[i / 2]), mine = bits_of_float((float)value);
    pairs[i / 2] = double_of_bits(i % 2 ? (bits & 0xffffffffu) | mine << 32
                                        : (bits & 0xffffffff00000000u) | mine);
}

#endif
