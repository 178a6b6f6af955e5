/* Which Greeks a book has: one column for each asset, currency or pair that some trade depends
 * on. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_SENSITIVITIES_H
#define PRICER_APP_PRICING_RISK_GREEKS_SENSITIVITIES_H

#include <stdbool.h>

#include "app/pricing/base/risk.h"
#include "models/market/market.h"
#include "models/base/status.h"
#include "models/payoffs/trade.h"

/* Lists them into risk->sensitivities: those of each asset, of each currency, of the book, and the
 * pairs of each Greek, in the order of greeks.def. `greeks` is a request's. STATUS_NO_MEMORY. */
enum status sensitivities_list(const struct market *market, int n_trades,
                               const struct trade *trades, unsigned greeks, struct risk *risk);

/* Tells whether the price of a trade depends on what the sensitivity moves. */
bool trade_depends(const struct market *market, const struct trade *trade,
                   const struct sensitivity *s);

/* Tells whether it depends on the shock of a scenario. */
bool trade_sees_shock(const struct market *market, const struct trade *trade,
                      const struct shock *shock);

#endif
