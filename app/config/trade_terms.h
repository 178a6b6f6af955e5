/* The terms of a trade as a text that two nights can compare. */
#ifndef PRICER_APP_CONFIG_TRADE_TERMS_H
#define PRICER_APP_CONFIG_TRADE_TERMS_H

#include "models/base/status.h"
#include "models/payoffs/trade.h"

/* Writes what its product's keys hold as a JSON object, {"option": "call", "strike": 4900,
 * "expiry": 20988}. A date is its day since 1970-01-01 where the book has a valuation date (""
 * where not), so that it stays as it is from night to night; years from today otherwise. Of a
 * schedule, the number of its dates or "continuous". What is 0 and may be left out is left out. The
 * caller frees *text. STATUS_NO_MEMORY. */
enum status trade_terms(const struct trade *trade, const char *valuation_date, char **text);

#endif
