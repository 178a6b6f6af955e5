/* How a trade is priced, for a person to read, as FFTW prints a plan. */
#ifndef PRICER_APP_PRICING_PLAN_EXPLAIN_H
#define PRICER_APP_PRICING_PLAN_EXPLAIN_H

#include <stdio.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* `today` is the day of the valuation, from 1970-01-01; 0: the book gives years. Errors of the
 * stream are left to the caller. */

/* Writes the script of a trade, and what its program reads, pays and decides on the dates to come,
 * the first `dates` of them. A trade without a script: nothing. */
void explain_script(FILE *out, const struct market *market, const struct trade *trade, long today,
                    int dates);

/* Writes the type of a trade and what it observes of a path; of a script that, with all dates, and
 * the instructions of its program. */
void explain_trade(FILE *out, const struct market *market, const struct trade *trade, long today);

#endif
