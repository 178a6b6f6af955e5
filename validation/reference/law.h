/* The law of the growth of a spot between two dates under Black-Scholes, Merton, Heston and Bates, as its
 * characteristic function, and options on it by Fourier inversion.
 *
 * The growth is taken over its forward: X = S(to) / S(from) / (F(to) / F(from)), so E X = 1. Rates and yields
 * play no part. Where `from` > 0 the expectation is that under the measure of the asset up to `from`, which
 * is the one that a payment in units of S(from) needs: E[S(from) f(X)] = F(from) E*[f(X)]. At from = 0 the
 * two are one. */
#ifndef PRICER_VALIDATION_REFERENCE_LAW_H
#define PRICER_VALIDATION_REFERENCE_LAW_H

#include <complex.h>

#include "validation/reference/methods.h"

struct law {
    double variance;             /* of the part whose variance is known: Black-Scholes, Merton */
    const struct heston *heston; /* NULL for none */
    const struct jumps *jumps;   /* NULL for none */
    double from, to;             /* years */
};

/* STATUS_FAILED (and `why`) for a model that has none (local_vol). */
enum status law_between(const struct problem *problem, double from, double to, struct law *law,
                        struct message *why);

/* E exp(i u ln X). Defined where E X^(-Im u) is finite; -1 <= Im u <= 0 always is. */
double complex law_characteristic(const struct law *law, double complex u);

/* E ln X; <= 0. */
double law_mean_log(const struct law *law);

/* A price and a bound on its error, as GSL estimates it. */
struct estimate {
    double value, error;
};

/* E max(X - k, 0) or E max(k - X, 0), k > 0. */
struct estimate law_option(const struct law *law, enum option option, double k);

/* Probability that the option is exercised; or, `weighted`, E of X over those paths. */
struct estimate law_exercise(const struct law *law, enum option option, double k, bool weighted);

#endif
