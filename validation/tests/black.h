/* Black's formula by the C library, for tests to hold prices against. */
#ifndef PRICER_VALIDATION_TESTS_BLACK_H
#define PRICER_VALIDATION_TESTS_BLACK_H

#include <math.h>

/* Returns the probability that a normal number is below x. */
static inline double normal_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* Returns what a call, `side` 1, or a put, -1, is worth at its expiry, of the standard deviation of
 * the logarithm. */
static inline double black_option(double side, double forward, double strike, double deviation)
{
    double d = log(forward / strike) / deviation + 0.5 * deviation;
    return side *
           (forward * normal_below(side * d) - strike * normal_below(side * (d - deviation)));
}

/* Returns the volatility of such a value, by bisection. */
static inline double bisected_volatility(double side, double forward, double strike, double t,
                                         double value)
{
    double low = 1e-4, high = 5.0;
    for (int i = 0; i < 80; i++) {
        double middle = 0.5 * (low + high);
        if (black_option(side, forward, strike, middle * sqrt(t)) > value) high = middle;
        else low = middle;
    }
    return 0.5 * (low + high);
}

#endif
