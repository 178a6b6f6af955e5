/* What the reference reads from a market: spot, discount factors, forwards and variances, by its own
 * interpolation.
 *
 * Everything accrues linearly between the dates of its curve, so that rate, yield and variance per year are
 * constant between consecutive `breaks`, and log spot is a Brownian motion with constant drift and volatility
 * there. */
#ifndef PRICER_VALIDATION_REFERENCE_TERMS_H
#define PRICER_VALIDATION_REFERENCE_TERMS_H

#include "models/market/market.h"
#include "models/payoffs/trade.h"
#include "validation/reference/effort.h"

struct terms {
    const struct term_structure *rate, *yield, *variance;
    double spot;
    struct effort *effort; /* what is left to the reference that reads them */
};

/* The move of log spot between two dates: normal with this mean and variance. */
struct leg {
    double from, to; /* years from today */
    double drift;    /* mean of log(spot(to) / spot(from)) under the risk neutral measure */
    double variance;
};

/* Accrued by a curve from today to t; of one without dates, that model's own variance is not to be had: 0. */
double terms_accrued(const struct term_structure *curve, double t);

double terms_discount(const struct terms *terms, double t); /* value today of 1 at t */
double terms_growth(const struct terms *terms, double t);   /* log(forward(t) / spot) */
double terms_forward(const struct terms *terms, double t);
double terms_variance(const struct terms *terms, double t); /* of log spot, from today to t */
struct leg terms_leg(const struct terms *terms, double from, double to);

/* Dates in (0, expiry) where any of the three curves bends, increasing, and expiry as the last one.
 * The caller frees *times with effort_free. STATUS_NO_MEMORY, STATUS_FAILED: the effort. */
enum status terms_breaks(const struct terms *terms, double expiry, double **times, int *n);

/* Legs from today to expiry as few as possible: the ratio of drift to variance is constant within each. The
 * law of a path on the clock of variance depends on nothing else. The caller frees *legs with effort_free.
 * `*dead` says whether some leg has no variance while others have. As terms_breaks. */
enum status terms_periods(const struct terms *terms, double expiry, struct leg **legs, int *n, bool *dead);

/* The dates of a schedule, increasing, without repetition, at most expiry; a date within 1e-12 of expiry
 * becomes expiry. The caller frees *dates with effort_free. STATUS_BAD_INPUT (and `why`) for a date before
 * today or after expiry; as terms_breaks. */
enum status terms_dates(struct effort *effort, const struct schedule *schedule, double expiry, double **dates,
                        int *n, struct message *why);

/* Legs between consecutive dates, the first from today; a date at time 0 gives none. legs[] holds n. */
int terms_legs(const struct terms *terms, const double *dates, int n, struct leg *legs);

#endif
