/* The normal distribution function with the same bits on every machine. */
#ifndef PRICER_MODELS_MATH_NORMAL_CDF_H
#define PRICER_MODELS_MATH_NORMAL_CDF_H

#include "models/math/exact.h"
#include "models/math/path_root.h"

/* Returns P(Z < x) of a standard normal Z: 0 or 1 to the last bit beyond 37, infinities included.
 *
 * The reciprocal is a float's and one step of Newton's method: a division would take a GPU's walk
 * registers that it lacks. With y = |x| and t = (y - 7/2) / (y + 7/2), which takes the half line to
 * [-1, 1), P(Z < -y) = exp(-y^2 / 2) p(t), p of degree 11 fitted so that the greatest absolute
 * error of the product, 2.2e-14, is least (Lawson's weights in 113 bits). Error at most 4.1e-13,
 * nearly all of it path_exp2's; math_exact_test.c holds it against GSL. */
HOST_DEVICE double normal_cdf(double x)
{
    const double half_log2_e = 0.721347520444481703680;
    const double size = x < 0.0 ? -x : x, y = size < 37.0 ? size : 37.0;
    const double below = y + 3.5, near = (double)path_reciprocal((float)below);
    const double t = (y - 3.5) * fma(near, fma(-near, below, 1.0), near);
    double p = -0x1.85b1fb8872293p-18;
    p = fma(p, t, -0x1.48a8230e2eacep-15);
    p = fma(p, t, -0x1.29b4951a36bc8p-14);
    p = fma(p, t, 0x1.1192368d6f0eap-13);
    p = fma(p, t, 0x1.a02d51e483eefp-12);
    p = fma(p, t, -0x1.68cd91b8c5a8p-10);
    p = fma(p, t, -0x1.98dda60953152p-10);
    p = fma(p, t, 0x1.3860c9b4df54ep-6);
    p = fma(p, t, -0x1.f8f3105917bf9p-5);
    p = fma(p, t, 0x1.01c0671bc2098p-3);
    p = fma(p, t, -0x1.7f43192e47e3fp-3);
    p = fma(p, t, 0x1.b396f9ceb1804p-4);
    const double beyond = path_exp2(-half_log2_e * (y * y)) * p;
    return x > 0.0 ? 1.0 - beyond : beyond;
}

#endif
