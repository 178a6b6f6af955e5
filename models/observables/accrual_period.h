/* What accrues between two dates on which an observable looks at its asset. Host only. */
#ifndef PRICER_MODELS_OBSERVABLES_ACCRUAL_PERIOD_H
#define PRICER_MODELS_OBSERVABLES_ACCRUAL_PERIOD_H

#include <stdbool.h>

#include "models/payoffs/payoff_definition.h"

/* An accrual period: drift and variance of log2 S between two dates. */
struct accrual_period {
    double years;
    double rate;     /* of the currency that is paid, accrued */
    double drift;    /* of ln S, under the measure of that currency (black_scholes) */
    double variance; /* of ln S (black_scholes; 0 for other models) */
    double discount; /* factor from today to the end of the period */
};

/* Returns the period of a functional's asset. With a quanto (the FX rate X, money paid for one unit
 * of the asset's) the drift loses the covariance of ln S and ln X: correlation times sqrt(variance
 * of ln S variance of ln X), exact where both accrue evenly over the period. */
struct accrual_period accrual_between(const struct market *market,
                                      const struct functional *functional, double from, double to);

/* Returns its variance alone. */
double accrued_variance(const struct market *market, const struct functional *functional,
                        double from, double to);

/* Exponents p >= q of the martingale exp(-r t) S^p of a period (see observe_pay_at_hit), or p +- i
 * q where `wave`. */
struct roots {
    double p, q;
    bool wave;
};

/* Radians of a wave between two barriers from which on it is steep: nearly half of its length. */
#define HALF_WAVE 3.0

struct roots accrual_roots(const struct accrual_period *period);

/* Tells whether the observable goes on to `end` beyond the dates of its schedule. */
bool has_end(const struct functional *functional);

/* Dates of a functional, increasing and > 0, in an array that the caller frees: those of its
 * schedule (with `end` for returns, calls and rests); for continuous monitoring those on which a
 * barrier or an extreme must be looked at, so that
 *  - under black_scholes rate, yield and variance accrue evenly between two of them: the pillars of
 * the curves and `end`;
 *  - under other models no two are further apart than `max_step` years, under historical than a
 * day;
 *  - a cash dividend falls between two of its own, BEFORE_DIVIDEND years apart;
 * and for exercise at any time even ones, and two around each dividend on a date. STATUS_FAILED and
 * `why` where there are more than DATES_MOST, or EXERCISES_MOST of exercise, whose fit keeps all
 * its paths on every date; STATUS_NO_MEMORY. */
enum { DATES_MOST = 1 << 20, EXERCISES_MOST = 1 << 13 };
enum status functional_dates(const struct market *market, const struct functional *functional,
                             double max_step, double **dates, int *n_dates, struct message *why);

/* Returns years from one of the even dates that stand for exercise at any time to the next. */
double exercise_spacing(double end);

/* Years between the look before a dividend and the look at it: half a minute. */
#define BEFORE_DIVIDEND 1e-6

/* The date of exercise that stands for today: three tenths of a second, in which the best of
 * several equal spots moves by some 1e-5 of itself. */
#define FIRST_EXERCISE 1e-8 /* years */

/* Dates closer than this, in years (30 milliseconds), are one. */
#define SAME_LOOK 1e-9

/* Tells whether a cash dividend of the functional's asset is paid at `time`. */
bool dividend_at(const struct market *market, const struct functional *functional, double time);

/* Tells whether the model of the functional's asset makes its variance along the path. */
bool clocked(const struct market *market, const struct functional *functional);

/* Tells whether the functional is for two barriers. */
bool is_strip(const struct functional *functional);

#endif
