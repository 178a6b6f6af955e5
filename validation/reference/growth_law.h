/* The law of a product of growths of a spot, under Black-Scholes, Merton, Heston and Bates, as its
 * characteristic function, and options on it by Fourier inversion.
 *
 * A path is cut into intervals from today on. The growth of an interval is taken over its forward,
 * so its expectation is 1 and rates and yields play no part. The law is that of Y = product of
 * growth^weight, under the measure that has the product of growth^tilt as its density (tilt 0 or
 * 1): a spot has weight 1 throughout; a forward start has tilt 1 up to its start and weight 1 from
 * there, E[S(start) f(Y)] = F(start) E*[f(Y)]; a geometric average has falling weights. */
#ifndef PRICER_VALIDATION_REFERENCE_GROWTH_LAW_H
#define PRICER_VALIDATION_REFERENCE_GROWTH_LAW_H

#include <complex.h>

#include "validation/reference/methods.h"

struct growth_interval {
    double years, variance; /* of the part whose variance is known: Black-Scholes, Merton */
    double weight, tilt;
};

/* The law of a product of growths of a spot. */
struct growth_law {
    const struct heston *heston; /* NULL for none */
    const struct jumps *jumps;   /* NULL for none */
    int n;
    /* [n] in the order of time; the caller's, who keeps them alive */
    const struct growth_interval *intervals;
    double log_mean; /* ln E* Y: the law below is that of X = Y / E* Y */
    struct effort *effort;
};

/* Makes the law, under one of those models. */
struct growth_law growth_law_of(const struct problem *problem,
                                const struct growth_interval *intervals, int n);

/* Returns an interval of the path. */
struct growth_interval growth_interval_between(const struct problem *problem, double from,
                                               double to, double weight, double tilt);

/* Returns E* exp(i u ln X). Defined where E* X^(-Im u) is finite; -1 <= Im u <= 0 always is. */
double complex growth_law_characteristic(const struct growth_law *law, double complex u);

/* Returns E* max(X - k, 0) or E* max(k - X, 0); k <= 0 makes the call a forward. */
struct bounded_value growth_law_option(const struct growth_law *law, enum option option, double k);

/* Returns the probability that the option is exercised; or, `weighted`, E* of X over those
 * paths. */
struct bounded_value growth_law_exercise(const struct growth_law *law, enum option option, double k,
                                         bool weighted);

#endif
