/* The count, mean and spread of a sample, gathered in pieces.
 *
 * T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms for Computing the Sample Variance: Analysis
 * and Recommendations, The American Statistician 37 (1983) 242-247. A merge rounds, so pieces are
 * merged in one fixed order (by chunk index) wherever the bits of a result matter. Units: mean as
 * the sample, m2 as its square. */
#ifndef PRICER_MODELS_MATH_TALLY_H
#define PRICER_MODELS_MATH_TALLY_H

#include "exact.h"

/* A tally of a sample. */
struct tally {
    double n;    /* how many values */
    double mean; /* their mean; 0 where there are none */
    double m2;   /* sum of squared differences from the mean */
};

/* Returns the tally of one more value (B. P. Welford, Technometrics 4 (1962) 419-420). */
HOST_DEVICE struct tally tally_add(struct tally a, double value)
{
    struct tally sum;
    const double delta = value - a.mean;
    sum.n = a.n + 1.0;
    sum.mean = a.mean + delta / sum.n;
    sum.m2 = fma(delta, value - sum.mean, a.m2);
    return sum;
}

/* Returns the tally of two samples together: with d = mean_b - mean_a and n = n_a + n_b,
 *     mean = mean_a + d n_b / n,   m2 = m2_a + m2_b + d^2 n_a n_b / n.
 * An empty sample leaves the other one as it is, to the bit. */
HOST_DEVICE struct tally tally_merge(struct tally a, struct tally b)
{
    struct tally sum;
    const double n = a.n + b.n;
    const double delta = b.mean - a.mean;
    const double share = b.n / n;
    sum.n = n;
    sum.mean = fma(delta, share, a.mean);
    sum.m2 = fma(delta * delta, a.n * share, a.m2 + b.m2);
    if (a.n == 0.0) sum = b;
    if (b.n == 0.0) sum = a;
    return sum;
}

/* Returns the standard error of the mean, sqrt(m2 / (n (n - 1))); infinity where fewer than two
 * values leave it unknown. */
HOST_DEVICE double tally_standard_error(struct tally a)
{
    if (!(a.n >= 2.0)) return double_of_bits(0x7ff0000000000000u);
    return exact_sqrt(a.m2 / (a.n * (a.n - 1.0)));
}

#endif
