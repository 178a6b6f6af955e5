/* Floating-point numbers seen as their IEEE 754 bits, and back: no value changes, on the CPU or on
 * the GPU.
 * */
#ifndef PRICER_MODELS_MATH_BITS_H
#define PRICER_MODELS_MATH_BITS_H

#include <stdint.h>
#include <string.h>

#include "host_device.h"

HOST_DEVICE uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

HOST_DEVICE double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

HOST_DEVICE uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

HOST_DEVICE float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
