/* Greeks of barriers on dates and of autocallables by conditional expectation: such a payoff jumps
 * where the path does, but its mean given all of the path but one normal does not
 * (models/observables/margins.h, open_calls.h). That mean has the same expectation, so the trade
 * itself is priced in its place, and small bumps then do. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_CONDITIONAL_H
#define PRICER_APP_PRICING_RISK_GREEKS_CONDITIONAL_H

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Returns the date, in years, whose normal the trade's Greeks integrate out; 0 where they do not.
 * Barriers and touches on dates that pay at expiry do, and autocallables without memory, on assets
 * under black_scholes without cash dividends before the expiry, no two of them nearly the same.
 *
 * Of an autocallable it is the first observation. Of a barrier, log2 S gives way by a spread that
 * grows up to that date. The wider it is the smoother is the mean, but no wider than the barrier is
 * far: beyond, paths that come near it early are no smoother for it. */
double conditional_pivot(const struct market *market, const struct trade *trade);

#endif
