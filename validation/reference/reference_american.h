/* Early exercise, by the number of noises that the price depends on. */
#ifndef PRICER_VALIDATION_REFERENCE_REFERENCE_AMERICAN_H
#define PRICER_VALIDATION_REFERENCE_REFERENCE_AMERICAN_H

#include "validation/reference/gaussian.h"
#include "validation/reference/methods.h"

/* An American or Bermudan option. On a grid of one price that price is a product of powers of
 * spots: a geometric basket, or the spot of one asset times its weight. */
struct american {
    struct multi_asset assets;
    const struct trade *trade;
    double power[TRADE_ASSETS_MAX], scale, price; /* price: today's */
    int n_dates;
    /* [n_dates] of exercise, increasing, 0 included where it is one; none where it is continuous */
    double *dates;
    double end; /* years: expiry, or the last date of exercise */
};

/* Returns, of the log of that price between two dates, the variance where the model has one that is
 * known, jumps left out, and the log of the mean growth. */
double american_variance(const struct american *option, double from, double to);
double american_growth(const struct american *option, double from, double to);

/* Tells whether it may be exercised at t; what a cash dividend at t takes off the price, 0 where
 * there is none. */
bool american_is_date(const struct american *option, double t);
double american_dividend(const struct american *option, double t);

/* Dates between which curves are straight and nothing happens, increasing, the end last.
 * STATUS_NO_MEMORY, STATUS_FAILED: the effort. */
enum status american_stops(const struct american *option, double **stops, int *n);

/* Prices on one asset, or on a geometric basket of lognormal ones without cash dividends, by finite
 * differences. */
enum status american_on_a_field(const struct american *option, struct reference *out);

/* Prices on two assets without cash dividends, by convolutions in the plane of their logs. */
enum status american_on_a_plane(const struct american *option, struct reference *out);

/* Returns what values of order two on two grids, the second twice as fine, come to. */
static inline double american_extrapolated(double coarse, double fine)
{
    return fine + (fine - coarse) / 3.0;
}

#endif
