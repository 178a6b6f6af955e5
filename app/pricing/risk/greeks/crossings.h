/* The error of a difference that few paths have.
 *
 * A payoff that jumps, or turns, is the same under two markets on most paths and differs by a lot
 * on the few that cross the jump, or the turn, between them: the crossings. The sample's standard
 * error knows of the crossings that it saw. Where it saw none it says next to nothing, and the
 * difference is off by what none brought. With m what one crossing brings and k crossings among n
 * paths, expected to be l, the sample's error is m sqrt(k) / n, and (k - l) / sqrt(k) has no bound.
 * So some more are assumed: CROSSINGS_ASSUMED, whose sign nobody knows, and error^2 = (m2 +
 * CROSSINGS_ASSUMED m^2) / n^2. (k - l) / sqrt(k + 9) is beyond 4 with a probability of at most
 * 1e-4 whatever l is, and has a variance of nearly 1 where crossings are many. That is the
 * adjustment of A. Agresti and B. A. Coull (Approximate is better than "exact" for interval
 * estimation of binomial proportions, The American Statistician 52 (1998) 119-126), who assume as
 * many as the square of the deviate of their interval. m is an upper bound or nearly so; it weighs
 * nothing among thousands of crossings. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_CROSSINGS_H
#define PRICER_APP_PRICING_RISK_GREEKS_CROSSINGS_H

#include "app/pricing/base/market_shock.h"
#include "app/pricing/base/risk.h"
#include "kernels/plan.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

#define CROSSINGS_ASSUMED 9.0

/* Returns what a crossing brings to a contrast of one unit: the larger of a jump, times the least
 * weight of the contrast, and of what a path brings to the Greek that ends where the payoff turns.
 * `bump` is that of the Greek,
 * `first_date` the years to the first date of its paths: time that passes shortens that step alone,
 * and the shorter it is, the more a path brings to theta. 0 where the trade is valued by its
 * conditional expectation, which has neither. */
double greek_crossing(const struct market *market, const struct trade *trade,
                      const struct sensitivity *sensitivity, const struct contrast *contrast,
                      double bump, double first_date);

/* Does the same for the P&L under n shocks: the larger of a jump, and of what they move on a path
 * on which the payoff has just turned. */
double pnl_crossing(const struct market *market, const struct trade *trade, int n,
                    const struct shock *shocks);

/* Returns the error of a mean of n paths with the crossings assumed. */
double error_with_crossings(double std_error, double crossing, double n);

#endif
