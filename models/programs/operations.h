/* The functions that operations.def names, for C and CUDA, with the same bits in both: a number
 * that is none stays none, whatever else comes is a number. No branch, so that loops over them are
 * vectorised. */
#ifndef PRICER_MODELS_PROGRAMS_OPERATIONS_H
#define PRICER_MODELS_PROGRAMS_OPERATIONS_H

#include "models/math/exact.h"
#include "models/math/normal_cdf.h"
#include "models/observables/observables.h"

/* Returns 2^x, x being clipped to [-1000, 1000]. */
HOST_DEVICE double program_exp2(double x)
{
    const double power = bounded_exp2(x);
    return x == x ? power : x;
}

/* Returns log2 x: -infinity at 0, NaN below. */
HOST_DEVICE double program_log2(double x)
{
    return exact_log2(x);
}

/* Returns P(Z < x) of a standard normal Z; error at most 4.1e-13. */
HOST_DEVICE double program_normal_cdf(double x)
{
    const double probability = normal_cdf(x);
    return x == x ? probability : x;
}

#endif
