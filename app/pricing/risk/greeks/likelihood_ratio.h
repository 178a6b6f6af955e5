/* Greeks of digitals by the likelihood ratio: the payoff stays as it is and the law of the spot is
 * differentiated (M. Broadie and P. Glasserman, Estimating security price derivatives using
 * simulation, Management Science 42 (1996) 269-285).
 *
 * Where ln S(T) is normal with mean m and standard deviation s, and z = (ln S - m) / s, the value
 * V = D E[P] has
 *
 *     dV = D E[P (z dm/s + (z^2 - 1) ds/s + d ln D)],
 *     d2V/dS0^2 = D E[P (z^2 - s z - 1)] / (S0 s)^2,
 *
 * without a bump and its bias. Derivatives of m, s, ln D are quotients of the market's numbers. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_LIKELIHOOD_RATIO_H
#define PRICER_APP_PRICING_RISK_GREEKS_LIKELIHOOD_RATIO_H

#include "app/pricing/base/risk.h"
#include "app/pricing/risk/greeks/greek_pools.h"

/* Tells whether the Greeks of a trade come from here: a digital on one asset under black_scholes
 * without cash dividends, in its own currency. */
bool has_likelihood_ratio(const struct market *market, const struct trade *trade);

/* Copies the trades of the book that have Greeks from here, once for each such column of `risk`,
 * with its score: the Greek is the price of the copy. What has no market a little to the side is
 * left out of its column. Free with greek_trades_free, whatever is returned. STATUS_NO_MEMORY. */
enum status likelihood_copies(const struct market *market, int n_trades, const struct trade *trades,
                              struct risk *risk, struct greek_trades *copies);

#endif
