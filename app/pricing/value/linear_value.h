/* What of a trade needs no path: a forward, a future, a position, money, and what any trade is
 * still owed. Prices, Greeks, scenarios and days of the past all take it from here. */
#ifndef PRICER_APP_PRICING_VALUE_LINEAR_VALUE_H
#define PRICER_APP_PRICING_VALUE_LINEAR_VALUE_H

#include "app/pricing/plan/plan_scenarios.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* The value of one unit, in the trade's currency, `passed` years later (as in plan_settings). With
 * T the expiry, F the mean of the spot at T (cash dividends included), K the strike and D the
 * discount factor of the payment: D (F - K); F - K of what is marked daily; the spot of a position;
 * D times the amount of money. What is owed is added. `*size`, which may be NULL, is what rounding
 * is a fraction of. */
double linear_value(const struct market *market, const struct trade *trade, double passed,
                    double *size);

/* The same of a contrast of scenarios; 0 where no more than rounding is left. */
double linear_contrast(const struct scenario *scenarios, const struct contrast *contrast,
                       const struct trade *trade);

/* Tells whether there is any such part. */
static inline bool has_linear_value(const struct trade *trade)
{
    return !trade_has_paths(trade) || trade->n_owed;
}

#endif
