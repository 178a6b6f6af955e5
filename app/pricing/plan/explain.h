/* A trade's program for a person to read, as FFTW prints a plan. */
#ifndef PRICER_APP_PRICING_PLAN_EXPLAIN_H
#define PRICER_APP_PRICING_PLAN_EXPLAIN_H

#include <stdio.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Writes the script of a trade, what its program reads of a path, its payments and decisions to
 * come, and its instructions. `today` is the day of the valuation, from 1970-01-01; 0: the book
 * gives years. A trade without a program: nothing. Errors of the stream are left to the caller. */
void explain_program(FILE *out, const struct market *market, const struct trade *trade, long today);

#endif
