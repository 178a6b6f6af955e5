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
#ifndef PRICER_APP_PRICING_RISK_GREEKS_SLOPES_H
#define PRICER_APP_PRICING_RISK_GREEKS_SLOPES_H

#include "app/pricing/risk/greeks/bumps.h"
#include "app/pricing/base/risk.h"

/* Tells whether these Greeks of a trade come from here: it has early exercise and is on one asset,
 * or on the best or worst of several, none under local_vol or historical, nor with a cash dividend
 * before the expiry. */
bool has_slopes_at_exercise(const struct market *market, const struct trade *trade);

/* Tells whether a Greek is the slope of the value in spots and nothing else. */
bool is_of_spots(enum greek greek);

/* Copies the trades of a pool once for each asset, whose slope the copy pays; `trades` are the
 * pool's own. Free with greek_trades_free, whatever is returned. STATUS_NO_MEMORY. */
enum status slope_copies(const struct trade *trades, const struct greek_pool *pool,
                         struct greek_trades *copies);

/* Returns the asset whose spot a contrast moves; -1: none. */
int slope_moved(const struct bump_set *set, int contrast);

/* Returns the column of the slope in the spot of an asset, or in that of `moved` as well; -1: there
 * is none. */
int slope_column(const struct risk *risk, int asset, int moved);

/* Returns what a path that is exercised in one market of the contrast alone brings to it. */
double slope_crossing(const struct contrast *contrast, const struct trade *copy);

#endif
