/* What plans and books take in the place of the C library: exp, log, erf and erfc with the
 * same bits on every machine, for the host, and for what a GPU makes of plans.
 *
 * A C library's functions have other last bits from one processor to the next, and from one release
 * to the next. These are built from + - * / and integers alone, not from fma as those of exact.h:
 * there each is an instruction of the paths' builds, here it would be a call. So their bits hold
 * because all C code is compiled with -ffp-contract=off; math_plan_test.c has a digest of
 * them, and their errors against long double. */
#ifndef PRICER_MODELS_MATH_PLAN_FUNCTIONS_H
#define PRICER_MODELS_MATH_PLAN_FUNCTIONS_H

#include "models/math/constants.h"
#include "models/math/host_device.h"

/* Returns e^x. Error at most 0.53 ulp; a subnormal result is rounded twice. */
PLAN_FUNCTION double exact_exp(double x);

/* Returns ln x: -infinity at 0, NaN below. Error at most 0.66 ulp. */
PLAN_FUNCTION double exact_log(double x);

/* Returns 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x. Error at most 1.9 ulp. */
PLAN_FUNCTION double exact_erf(double x);

/* Returns 1 - erf(x), with its own digits where that is small. Error at most 5.5 ulp. */
PLAN_FUNCTION double exact_erfc(double x);

/* The same, with *power = exp(-x^2), which costs nothing more where |x| >= 1/2. */
PLAN_FUNCTION double exact_erfc_with_power(double x, double *power);

/* Returns the probability that a standard normal number is above x. */
PLAN_CODE double exact_normal_tail(double x)
{
    return 0.5 * exact_erfc(x * ROOT_HALF);
}

#endif
