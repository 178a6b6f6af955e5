#include "app/pricing/base/currency_conversion.h"

#include <math.h>

/* Returns the rate by one FX rate; NaN where there is none. */
static double direct_rate(const struct market *market, int from, int to)
{
    if (from == to) return 1.0;
    for (int a = 0; a < market->n_assets; a++) {
        const struct asset *fx = &market->assets[a];
        if (fx->foreign_currency < 0) continue;
        if (fx->foreign_currency == from && fx->currency == to) return fx->spot;
        if (fx->foreign_currency == to && fx->currency == from) return 1.0 / fx->spot;
    }
    return NAN;
}

double conversion_rate(const struct market *market, int from, int to)
{
    double rate = direct_rate(market, from, to);
    for (int by = 0; by < market->n_currencies && isnan(rate); by++)
        rate = direct_rate(market, from, by) * direct_rate(market, by, to);
    return rate;
}
