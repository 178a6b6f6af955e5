/* spread: an option on the weighted difference of two assets, w1 S1 + w2 S2 with w2 < 0; with a
 * strike of 0 an exchange of one for the other. */
#ifndef PRICER_MODELS_PAYOFFS_SPREAD_H
#define PRICER_MODELS_PAYOFFS_SPREAD_H

#include "models/payoffs/basket.h"

HOST_DEVICE double spread_value(const struct payoff *p, double a, double b, double c)
{
    return basket_value(p, a, b, c);
}

#ifndef __CUDACC__
static inline void spread_define(const struct market *market, const struct trade *trade,
                                 struct payoff_definition *definition)
{
    basket_define(market, trade, definition);
}
#endif

#endif
