#include "models/math/plan_functions.h"

#include <math.h>

#include "models/math/bits.h"
#include "models/math/plan_inline.h"

PLAN_FUNCTION double exact_exp(double x)
{
    return x == x ? power_of_e(power_clamped(x), 0.0) : x;
}

/* x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), s = f / (2 + f), ln(1 + f) = f - f^2 / 2 +
 * s (f^2 / 2 + R(s^2)), R of degree 7 (relative error 5e-18): W. J. Cody and W. Waite, Software
 * Manual for the Elementary Functions (1980), chapter 5. f^2 / 2 and the sum of what is large have
 * a second word. */
PLAN_FUNCTION double exact_log(double x)
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

/* Returns erfc(x) for x >= 1/2, and *power = exp(-x^2). */
PLAN_CODE double erfc_far(double x, double *power)
{
    struct power_of_square square = power_of_square(x);
    *power = power_of_e(square.y, square.low);
    return erfc_of_power(x, *power);
}

PLAN_FUNCTION double exact_erf(double x)
{
    double power;
    if (!(fabs(x) >= 0.5)) return erf_near(x);
    return copysign(1.0 - erfc_far(fabs(x), &power), x);
}

PLAN_FUNCTION double exact_erfc(double x)
{
    double power;
    if (!(fabs(x) >= 0.5)) return 1.0 - erf_near(x);
    double far = erfc_far(fabs(x), &power);
    return x < 0.0 ? 2.0 - far : far;
}

PLAN_FUNCTION double exact_erfc_with_power(double x, double *power)
{
    if (!(fabs(x) >= 0.5)) {
        *power = exact_exp(-x * x);
        return 1.0 - erf_near(x);
    }
    double far = erfc_far(fabs(x), power);
    return x < 0.0 ? 2.0 - far : far;
}
