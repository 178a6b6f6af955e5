/* Options and integrals of the normal density, and the rules of quadrature and the solver that the
 * references share. */
#ifndef PRICER_VALIDATION_REFERENCE_GAUSSIAN_H
#define PRICER_VALIDATION_REFERENCE_GAUSSIAN_H

#include <stdbool.h>
#include <stddef.h>

#include <gsl/gsl_integration.h>

#include "models/base/status.h"
#include "models/payoffs/trade.h"

/* The normal law is cut at this many deviations: beyond lies less than 2e-17 of its mass. */
#define GAUSSIAN_CUT 8.5

/* Returns what an option pays at this price. */
double option_payoff(enum option option, double price, double strike);

double normal_cdf(double x);
double normal_log_cdf(double x);

/* Returns exp(exponent) * (Phi(b) - Phi(a)), a <= b, without overflow where the difference is tiny
 * and the factor huge. */
double normal_between(double exponent, double a, double b);

/* Returns the undiscounted price of an option on a lognormal with this mean and variance of its log
 * (Black 1976); a strike at or below zero makes the call a forward and the put worthless. */
double black(enum option option, double forward, double strike, double variance);

/* Returns the probability that the option of black() is exercised: S > strike for a call, S <
 * strike for a put. */
double black_exercise(enum option option, double forward, double strike, double variance);

/* A number and a bound on its error; NaN where the effort, or memory, was not enough. */
struct bounded_value {
    double value, error;
};

/* Integrates by Gauss and Kronrod's rule of this key, in so many intervals at most, to the greater
 * of an absolute and a relative error; what it says of rounding is in the bound. STATUS_NO_MEMORY.
 */
enum status adaptive_integral(gsl_function function, double from, double to, int rule,
                              size_t intervals, double absolute, double relative,
                              struct bounded_value *integral);

/* Solves a symmetric system [n][n] of positive eigenvalues, which is written over, in place of its
 * right side. Whether it is one. */
bool solve_positive(size_t n, double *system, double *right);

/* Finds the nodes [n] and weights of Gauss and Legendre's rule between 0 and 1. STATUS_NO_MEMORY.
 */
enum status legendre_rule(size_t n, double *nodes, double *weights);

#endif
