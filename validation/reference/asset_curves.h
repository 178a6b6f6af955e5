/* What the reference reads from a market: spot, discount factors, forwards and variances, by its
 * own interpolation.
 *
 * Everything accrues linearly between the dates of its curve, so that rate, yield and variance per
 * year are constant between consecutive `breaks`, and log spot is a Brownian motion with constant
 * drift and volatility there. */
#ifndef PRICER_VALIDATION_REFERENCE_ASSET_CURVES_H
#define PRICER_VALIDATION_REFERENCE_ASSET_CURVES_H

#include "models/market/market.h"
#include "models/payoffs/trade.h"
#include "validation/reference/effort.h"

/* The curves of one asset as the reference reads them. */
struct asset_curves {
    const struct term_structure *rate, *yield, *variance;
    double spot;
    struct effort *effort; /* what is left to the reference that reads them */
    double lag;            /* years from what fixes a payment to the payment */
};

/* The move of log spot between two dates: normal with this mean and variance. */
struct log_increment {
    double from, to; /* years from today */
    double drift;    /* mean of log(spot(to) / spot(from)) under the risk neutral measure */
    double variance;
};

/* Returns the amount accrued by a curve from today to t; of one without dates, that model's own
 * variance is not to be had: 0. */
double curve_accrued(const struct term_structure *curve, double t);

/* Returns what a payment that t fixes is worth, in units of one that today fixes: both are made
 * `lag` years later. */
double asset_discount(const struct asset_curves *curves, double t);
double lagged_discount(const struct term_structure *rate, double lag, double t);

double asset_growth(const struct asset_curves *curves, double t); /* log(forward(t) / spot) */
double asset_forward(const struct asset_curves *curves, double t);
double asset_variance(const struct asset_curves *curves,
                      double t); /* of log spot, from today to t */

/* Returns the spot that a cash dividend leaves: of one larger than the spot, a millionth. */
double spot_after_dividend(double spot, double amount);
struct log_increment asset_increment(const struct asset_curves *curves, double from, double to);

/* Sorts dates and leaves one of those that fall together. Returns how many are left. */
int dates_sort(double *dates, size_t count, double expiry);

/* Finds the dates in (0, expiry) that lie `lag` before one where a curve bends. Returns how
 * many. */
size_t curve_dates(const struct term_structure *curve, double lag, double expiry, double *dates);

/* Dates in (0, expiry) where any of the three curves bends, increasing, and expiry as the last one.
 * The caller frees *times with effort_free. STATUS_NO_MEMORY, STATUS_FAILED: the effort. */
enum status asset_breaks(const struct asset_curves *curves, double expiry, double **times, int *n);

/* Increments from today to expiry as few as possible: the ratio of drift to variance is constant
 * within each. The law of a path on the clock of variance depends on nothing else. The caller frees
 * *increments with effort_free.
 * `*dead` says whether some increment has no variance while others have. As asset_breaks. */
enum status asset_periods(const struct asset_curves *curves, double expiry,
                          struct log_increment **increments, int *n, bool *dead);

/* The dates of a schedule, increasing, without repetition, at most expiry; a date within 1e-12 of
 * expiry becomes expiry. The caller frees *dates with effort_free. STATUS_BAD_INPUT (and `why`) for
 * a date before today or after expiry; as asset_breaks. */
enum status schedule_dates(struct effort *effort, const struct schedule *schedule, double expiry,
                           double **dates, int *n, struct message *why);

/* Increments between consecutive dates, the first from today; a date at time 0 gives none.
 * increments[] holds n. */
int asset_increments(const struct asset_curves *curves, const double *dates, int n,
                     struct log_increment *increments);

#endif
