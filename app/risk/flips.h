/* The error of a difference that few paths have.
 *
 * A payoff that jumps, or turns, is the same under two markets on most paths and differs by a lot on the few
 * that cross the jump, or the turn, between them: they flip. The sample's standard error knows of the flips
 * that it saw. Where it saw none it says next to nothing, and the difference is off by what none brought.
 * With m what one flip brings and k flips among n paths, expected to be l, the sample's error is m sqrt(k) /
 * n, and (k - l) / sqrt(k) has no bound. So some more are assumed: FLIPS_ASSUMED, whose sign nobody knows,
 * and error^2 = (m2 + FLIPS_ASSUMED m^2) / n^2. (k - l) / sqrt(k + 9) is beyond 4 with a probability of at
 * most 1e-4 whatever l is, and has a variance of nearly 1 where flips are many. That is the adjustment of A.
 * Agresti and B. A. Coull (Approximate is better than "exact" for interval estimation of binomial
 * proportions, The American Statistician 52 (1998) 119-126), who assume as many as the square of the deviate
 * of their interval. m is an upper bound or nearly so; it weighs nothing among thousands of flips. */
#ifndef PRICER_APP_RISK_FLIPS_H
#define PRICER_APP_RISK_FLIPS_H

#include "app/risk/risk.h"
#include "kernels/plan.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

#define FLIPS_ASSUMED 9.0

/* What a flip brings to a measure of one unit: the larger of a jump, times the least weight of the measure,
 * and of what a path brings to the Greek that ends where the payoff turns. `bump` is that of the Greek. 0
 * where the trade is valued by its conditional expectation, which has neither. */
double flip_of_greek(const struct market *market, const struct trade *trade, const struct sensitivity *of,
                     const struct measure *measure, double bump);

/* The same of profit and loss in a scenario: a jump. */
double flip_of_profit(const struct market *market, const struct trade *trade);

/* The error of a mean of n paths with the flips assumed. */
double flips_error(double std_error, double flip, double n);

#endif
