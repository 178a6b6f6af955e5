/* Trades as some of their Greeks want them: valued by conditional expectations, or copies whose
 * value is a Greek itself. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_GREEK_TRADES_H
#define PRICER_APP_PRICING_RISK_GREEKS_GREEK_TRADES_H

#include "app/pricing/base/risk.h"
#include "kernels/plan.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Trades that a Greek is made of; what they own is another's. */
struct greek_trades {
    int n, room;
    struct trade *trades; /* [n]; owned */
    struct greek_place {
        int row, column; /* indices into the book, and of the sensitivity; -1: it is for several */
    } * places;          /* [n]; owned */
};

/* Adds a copy of a trade. STATUS_NO_MEMORY. */
enum status greek_trades_add(const struct trade *trade, int row, int column,
                             struct greek_trades *trades);
void greek_trades_free(struct greek_trades *trades);

/* Tells whether the model of an asset of a trade takes a group of numbers. */
bool trade_takes(const struct market *market, const struct trade *trade, int group);

/* Tells whether paths of the trade have steps at a curve's pillars: drift and variance are to be
 * even between two looks of what is watched at every moment, and volatilities of several assets
 * between two dates. */
bool steps_at_pillars_of(const struct trade *trade);

/* Tells whether early exercise of the trade can be on the same paths under two bumps: policies on
 * one asset move with its law. */
bool has_same_exercise(const struct market *market, const struct trade *trade);

/* ---- assets that are one --------------------------------------------------------------------- */

/* Tells whether an asset of a trade and another of it (`other`; -1: any) move alike on all paths.
 */
bool moves_with_another(const struct market *market, const struct trade *trade, int asset,
                        int other);

/* Tells whether a trade is on the best or worst of several assets of which this one and another
 * (`other`; -1: any) are worth the same on all paths, so that a bump of either makes one of them
 * lead on all: gammas and cross gammas of these have no limit, and deltas are the mean of those to
 * both sides. */
bool leads_with_another(const struct market *market, const struct trade *trade, int asset,
                        int other);

/* ---- conditional expectations ---------------------------------------------------------------- */

/* Greeks of barriers on dates and of autocallables by conditional expectation: such a payoff jumps
 * where the path does, but its mean given all of the path but one normal does not
 * (models/observables/margins.h, open_calls.h). That mean has the same expectation, so the trade
 * itself is priced in its place, and small bumps then do. */

/* Returns the date, in years, whose normal the trade's Greeks integrate out; 0 where they do not.
 * Barriers and touches on dates that pay at expiry do, and autocallables without memory, on assets
 * under black_scholes without cash dividends before the expiry, no two of them nearly the same.
 *
 * Of an autocallable it is the first observation. Of a barrier, log2 S gives way by a spread that
 * grows up to that date. The wider it is the smoother is the mean, but no wider than the barrier is
 * far: beyond, paths that come near it early are no smoother for it. */
double conditional_pivot(const struct market *market, const struct trade *trade);

/* ---- likelihood ratios ----------------------------------------------------------------------- */

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
 * without a bump and its bias. Derivatives of m, s, ln D are quotients of the market's numbers.
 * With w the score and Q what is paid in the money, D E[Q w] is known. So a part of Q w is taken
 * off all paths and its mean added, the part that leaves the least variance: deep in the money it
 * leaves the few paths out of it, and at the money it halves the error of a delta. */

/* Tells whether the Greeks of a trade come from here: a digital on one asset under black_scholes
 * without cash dividends, in its own currency. */
bool has_likelihood_ratio(const struct market *market, const struct trade *trade);

/* Copies the trades of the book that have Greeks from here, once for each such column of `risk`,
 * with its score: the Greek is the price of the copy. What has no market a little to the side is
 * left out of its column. Free with greek_trades_free, whatever is returned. STATUS_NO_MEMORY. */
enum status likelihood_copies(const struct market *market, int n_trades, const struct trade *trades,
                              struct risk *risk, struct greek_trades *copies);

/* Returns what a path at the strike of such a copy brings to its Greek; of so many paths, the less
 * where CROSSINGS_ASSUMED (greek_errors.h) are not expected beyond it: how many are is known. */
double score_crossing(const struct market *market, const struct trade *copy, uint64_t paths);

/* ---- slopes at exercise ---------------------------------------------------------------------- */

/* Delta, gamma and cross gamma of early exercise from slopes at exercise.
 *
 * Under today's policy, which is best, a small move of a spot changes the value by what it changes
 * in what is taken, on paths that stay exercised when they were: the decision's own change is of
 * second order (V. Piterbarg, Computing deltas of callable Libor exotics in forward Libor models,
 * Journal of Computational Finance 7 (2004)). Where the price taken goes one for one with today's
 * spots, as that of one asset or of the best or worst of several does, a path that is exercised at
 * tau into asset j has the slope
 *
 *     D_j = sign df(tau) w_j S_j(tau) / S_j(0),   0 in all other spots,
 *
 * whose mean is the delta. So today's market alone has all deltas, and the two markets of asset i
 *
 *     gamma_ij = (D_j(S_i + h) - D_j(S_i - h)) / 2h
 *
 * for all j at once: j = i a gamma, else a cross gamma, which is the mean of gamma_ij and gamma_ji.
 * Copies of the trade, one for each asset, pay the slopes (trade.h: slope_of); they share one
 * exercise, and so the policy and its evaluation. */

/* Tells whether these Greeks of a trade come from here: it has early exercise and is on one asset,
 * or on the best or worst of several, no two of which are one, none under local_vol or historical,
 * nor with a cash dividend before the expiry. */
bool has_slopes_at_exercise(const struct market *market, const struct trade *trade);

/* Copies trades once for each of their assets, whose slope the copy pays. Free with
 * greek_trades_free, whatever is returned. STATUS_NO_MEMORY. */
enum status slope_copies(const struct greek_trades *trades, struct greek_trades *copies);

/* Returns the column of the slope in the spot of an asset, or in that of `moved` as well; -1: there
 * is none. */
int slope_column(const struct risk *risk, int asset, int moved);

/* Returns what a path that is exercised in one market of the contrast alone brings to it. */
double slope_crossing(const struct contrast *contrast, const struct trade *copy);

#endif
