/* Early exercise, by the number of noises that the price depends on. */
#ifndef PRICER_VALIDATION_REFERENCE_AMERICAN_H
#define PRICER_VALIDATION_REFERENCE_AMERICAN_H

#include "validation/reference/multi_asset.h"

/* An American or Bermudan option on assets that are jointly lognormal between cash dividends. */
struct american {
    struct multi_asset assets;
    const struct trade *trade;
    int n_dates;
    double *dates; /* [n_dates] of exercise, increasing, 0 included where it is one; none where it is
                      continuous */
    double end;    /* years: expiry, or the last date of exercise */
};

/* Gain of exercise at a basket's value. */
double american_gain(const struct trade *trade, double basket);

/* One asset, or a geometric basket without cash dividends, by finite differences. */
enum status american_on_a_line(const struct american *option, struct reference *out, struct message *why);

/* Two assets without cash dividends, by convolutions in the plane of their logs. */
enum status american_on_a_plane(const struct american *option, struct reference *out, struct message *why);

#endif
