/* How far bumps of a spot may go beside levels that a trade looks at soon: what it pays turns
 * there, and until the date of the look the spot moves little. A bump that goes with the spread at
 * the expiry would be several deviations wide there, and see little of a digital that is fixed
 * tomorrow. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_TURNS_H
#define PRICER_APP_PRICING_RISK_GREEKS_TURNS_H

#include "models/market/market.h"
#include "models/base/status.h"
#include "models/payoffs/trade.h"

/* The widest bumps, over the spot and its volatility a year, at 2^20 paths; HUGE_VAL: of any width.
 * `watched` is the distance of the nearest level that a script watches at every moment, over the
 * spot; a comparison of a script looks at a sum of so many squares, as a realised variance; 0: at
 * none. */
struct turns {
    double delta, gamma, watched;
    int squares;
};

/* Finds them for a trade; `years` stand for its expiry, and `widest` has the bumps that it would
 * have without. STATUS_NO_MEMORY. */
enum status turns_find(const struct market *market, const struct trade *trade, double years,
                       struct turns widest, struct turns *turns);

#endif
