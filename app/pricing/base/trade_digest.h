/* The name of all that a price of one trade by any way depends on: its terms, and what it reads of
 * the market. */
#ifndef PRICER_APP_PRICING_BASE_TRADE_DIGEST_H
#define PRICER_APP_PRICING_BASE_TRADE_DIGEST_H

#include <stdint.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Digests the terms of a trade, and of the market its assets, the rates of their currencies and of
 * what it is paid in, and the correlations between them. Neither its id and quantity nor where it
 * stands in the book are in it. */
uint64_t digest_trade(uint64_t digest, const struct market *market, const struct trade *trade);

#endif
