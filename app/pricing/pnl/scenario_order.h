/* The order in which scenarios are cut into plans. */
#ifndef PRICER_APP_PRICING_PNL_SCENARIO_ORDER_H
#define PRICER_APP_PRICING_PNL_SCENARIO_ORDER_H

#include "app/pricing/risk_request.h"

/* Fills order [n] with the numbers of the scenarios: those whose shocks differ by spots alone
 * follow each other, so that they share plans, and an engine may walk what no spot changes once for
 * all of them. Scenarios change places only with those beside each other that shock the same by
 * other amounts, as those of a grid do: each plan has the trades that it would have in the book's
 * order. */
void scenario_order(int n, const struct scenario_request *requests, int *order);

#endif
