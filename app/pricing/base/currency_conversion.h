/* Money of one currency in another, at the FX rates of a market. */
#ifndef PRICER_APP_PRICING_BASE_CURRENCY_CONVERSION_H
#define PRICER_APP_PRICING_BASE_CURRENCY_CONVERSION_H

#include "models/market/market.h"

/* Returns what one unit of currency `from` is worth in currency `to`, by one FX rate or by two; NaN
 * where the market has none that lead there. The first that lead there in the market's order are
 * taken. */
double conversion_rate(const struct market *market, int from, int to);

#endif
