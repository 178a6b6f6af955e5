/* What is different in two markets of the same book, and which trades live on it. */
#ifndef PRICER_APP_API_MARKET_MOVES_H
#define PRICER_APP_API_MARKET_MOVES_H

#include "models/base/status.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Marks in `moved` [n_trades] the trades whose price may be another in the market `now`: an asset
 * of theirs, the exchange rate of their quanto, a rate or a correlation of these is. What was
 * marked stays so. STATUS_NO_MEMORY. */
enum status moved_trades_mark(const struct market *before, const struct market *now, int n_trades,
                              const struct trade *trades, bool *moved);

#endif
