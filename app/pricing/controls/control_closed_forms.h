/* What controls are worth, in closed form: our own formulas in our own arithmetic, so that a price
 * never depends on the reference that judges it. */
#ifndef PRICER_APP_PRICING_CONTROLS_CONTROL_CLOSED_FORMS_H
#define PRICER_APP_PRICING_CONTROLS_CONTROL_CLOSED_FORMS_H

#include <stdbool.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Finds the value of one unit, discounted: of a European under black_scholes or merton, and under
 * black_scholes of an Asian on the geometric average and of a geometric basket; without cash
 * dividends, in any currency. Right to 1e-12 of what the trade turns on. Returns false where there
 * is no such formula. */
bool control_closed_form(const struct market *market, const struct trade *trade, double *value);

#endif
