/* What the error of a Greek is beside that of its sample: few paths that cross, tables that are
 * rough, policies of early exercise that are fitted. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_GREEK_ERRORS_H
#define PRICER_APP_PRICING_RISK_GREEKS_GREEK_ERRORS_H

#include "app/pricing/base/market_shock.h"
#include "app/pricing/base/risk.h"
#include "kernels/plan.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* ---- crossings ------------------------------------------------------------------------------- */

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

/* ---- tables ---------------------------------------------------------------------------------- */

/* How rough the tables of local_vol leave prices, and what differences of prices make of it.
 *
 * Each market of a bump has tables of its own, whose cells hold a spiky density a little better or
 * worse as the market moves. Differences of European prices to Black's formula at the surface's
 * volatility (local_vol_test.c, by quadrature) scatter from spot to spot, on a scale of about
 * 0.005 of it, by
 *     eps = 1e-6 r sqrt(n) S sigma sqrt(T),   n steps,
 *     r^2 the mean of (ln s(k + d) - 2 ln s(k) + ln s(k - d))^2,
 * s the local variance, d a deviation of 0.02 years, the mean over dates up to T and over k by the
 * normal law of k: as errors of single steps that are independent. Measured factors in place of
 * 1e-6, at the money: DAX of 5 July 2002 (r 0.56 to 0.8) 0.4e-6 to 1.7e-6 for T of 0.25 to 1.9
 * years and steps of 0.08 to 0.005; smooth skews and smiles (r 0.09 to 0.23) 0.5e-6 to 1.4e-6.
 *
 * Errors of unlike markets are taken as independent: sum_i w_i V_i has the error sqrt(sum_i w_i^2)
 * eps, sqrt(6) eps / h^2 for a second difference and eps / (sqrt(2) h) for a central first one.
 * Of an option out of the money by d deviations it is exp(-d^2 / 2) of that (measured at 1.5: 0.006
 * for a call, 0.2 for a put). What pays a cash amount or on a notional has it in place of S sigma
 * sqrt(T); of these, and of what is not European, nothing is measured. */

/* Returns r of an asset's surface up to a date; 0 where the model has no tables, or the surface
 * holds arbitrage, so that there are no prices. */
double surface_roughness(const struct market *market, int asset, double years);

/* Returns the standard deviation of one unit's contrast for the Greek `s` that tables bring,
 * `roughness` the largest r of the trade's assets; 0 where the Greek moves no tables. */
double contrast_roughness(const struct market *market, const struct trade *trade, double roughness,
                          double max_step, const struct sensitivity *s,
                          const struct contrast *contrast);

/* ---- policies -------------------------------------------------------------------------------- */

/* Puts into the error of a Greek, of so many paths, what fitted policies of early exercise leave of
 * it. */
void add_policy_error(const struct market *market, uint64_t paths, const struct trade *trade,
                      const struct sensitivity *s, struct greek_value *greek);

#endif
