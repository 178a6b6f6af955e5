/* Where a payoff jumps: by how much what one unit pays can change where its path moves by next to
 * nothing.
 *
 * Two rules need it. Sobol points count the paths beyond a jump in whole points
 * (kernels/replicates.h), and a difference of two markets sees a jump only on the few paths that
 * cross it (app/pricing/risk/greeks/greek_errors.h). */
#ifndef PRICER_MODELS_PAYOFFS_JUMP_H
#define PRICER_MODELS_PAYOFFS_JUMP_H

#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Returns money per unit: the sum of the jumps that one path may meet on a date, as if all that
 * is paid were paid today or at expiry, whichever is worth more. 0 where the payoff is
 * continuous in the path, which a level monitored at every moment is (the bridge between two
 * looks carries a probability), and 0 for early exercise, which gives up next to nothing where
 * it is a close call. */
double payoff_jump(const struct market *market, const struct trade *trade);

#endif
