/* Early exercise on a grid of one price. */
#ifndef PRICER_VALIDATION_REFERENCE_REFERENCE_AMERICAN_H
#define PRICER_VALIDATION_REFERENCE_REFERENCE_AMERICAN_H

#include <math.h>

#include "validation/reference/methods.h"

/* An American or Bermudan option, or one between walls. On a grid of one price that price is a
 * product of powers of spots: a geometric basket, or the spot of one asset times its weight. */
struct grid_option {
    const struct multi_asset *assets;
    const struct trade *trade;
    double power[TRADE_ASSETS_MAX], scale, price; /* of that price, which is today's */
    int n_dates;
    /* [n_dates] of exercise, increasing, 0 included where it is one; none where it is continuous */
    double *dates;
    double end; /* years: expiry, or the last date of exercise */
    /* Walls, logs of the price or infinite, whose touch at any moment ends it, and what that pays
     */
    double wall[2], at_wall;
    double options, cash; /* what it pays at the end: so many options, and money */
};

/* No walls, and one option at the end. */
#define WITHOUT_WALLS .wall = {-INFINITY, INFINITY}, .options = 1.0

/* Prices on one asset, or on a geometric basket of lognormal ones without cash dividends, by finite
 * differences, and chooses the price that the grid is of. */
enum status price_on_a_field(struct grid_option *option, struct reference *out);

/* Returns what values of order two on two grids, the second twice as fine, come to. */
static inline double american_extrapolated(double coarse, double fine)
{
    return fine + (fine - coarse) / 3.0;
}

#endif
