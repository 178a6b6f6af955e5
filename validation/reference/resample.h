/* Past returns drawn again in blocks (the model historical), by the reference's own reading of what
 * that means: models/dynamics/historical.h says what the law is.
 *
 * The k-th day from today, k = 0, 1, ..., lasts from k to k + 1 times the interval of the returns.
 * Of each block of days the first return is drawn by GSL, uniformly from all; the next days have
 * the next ones, the first of the past after the last. A day's move is its volatility times the
 * standardised return, spread evenly over the day, less what makes the mean over all first returns
 * of the exponential of the block's moves so far equal to 1. */
#ifndef PRICER_VALIDATION_REFERENCE_RESAMPLE_H
#define PRICER_VALIDATION_REFERENCE_RESAMPLE_H

#include <gsl/gsl_rng.h>

#include "validation/reference/asset_curves.h"

struct resample {
    int n, block;
    double day;    /* years */
    double *score; /* [n] standardised returns */
    /* [n] log moves of the present block up to where resample_part() has come, by first return */
    double *moved;
    double lost; /* log of the mean of their exponentials */
};

/* A step within one day. */
struct part_of_day {
    bool begins;     /* a block */
    int in_block;    /* days of the block before this one */
    double scale;    /* of the standardised return */
    double loss;     /* what the move loses to make up for the mean */
    double variance; /* of a Brownian motion of the day's volatility */
};

/* Makes the resampling. STATUS_FAILED (and `why`) where the returns do not differ,
 * STATUS_NO_MEMORY. Free with resample_free. */
enum status resample_make(struct effort *effort, const struct history *history,
                          struct resample **resample, struct message *why);
void resample_free(struct resample *resample);

/* Returns the step between two dates of one day. Steps must be asked for one after the other from
 * today on. */
struct part_of_day resample_part(struct resample *resample, const struct asset_curves *curves,
                                 double from, double to);

/* Returns the move of log spot beside its growth; `first` is the path's first return of the
 * block. */
double resample_move(const struct resample *resample, const struct part_of_day *part,
                     unsigned long *first, gsl_rng *rng);

#endif
