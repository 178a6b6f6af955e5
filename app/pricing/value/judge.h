/* Verdicts on prices that have a reference beside them (docs/method.md, 8).
 *
 * z = (price - reference) / sqrt(std_error^2 + reference_error^2). The limit is the two-sided
 * quantile of the normal law at which a whole book of correct prices raises one false alarm in a
 * thousand runs (Sidak 1967: each of n independent checks at 1 - (1 - 0.001)^(1/n)), and no less
 * than 4. A small bias of all trades shows in the mean of their z only.
 *
 * Where few paths pay, the error that the sample shows is itself a chance result. A price beyond
 * the limit is then held against the error that the reference implies (the score test of Wilson
 * 1927 instead of Wald's), and if that explains the distance, the trade counts as unchecked, with a
 * message. So it is where next to all paths pay the same: the floors of a cliquet, the notional of
 * an autocallable. It is trouble all the same, `doubtful`, where what is missing (or too much) is
 * more than 32 of the largest payments with |z| above 5, or more than 256 of them.
 *
 * Of replicates of Sobol points, and of control variates, whose values are chunks of paths, z
 * follows Student's distribution: the normal deviate of the same probability is held against the
 * limit. What the reference implies is taken for the controls' share of the variance.
 *
 * The price of an early exercise is a lower bound, with a second end of the interval: `upper` of
 * the estimate (app/pricing/value/exercise/exercise_upper.h). It agrees where the reference lies
 * between the two ends, each given the limit times its own error beside the reference's; z is still
 * that of the price. The error of the upper end is its standard error and, for exercise at any
 * time, what that is worth more than on the dates that stand for it. An interval wider than
 * `exercise_width` of the price checks nothing: the trade then counts as unchecked, with a message,
 * and is doubtful where the reference is further from the price than that and chance explain. Nor
 * does a reference whose error is more than a tenth of the price and four of the price's own. */
#ifndef PRICER_APP_PRICING_VALUE_JUDGE_H
#define PRICER_APP_PRICING_VALUE_JUDGE_H

#include <stdbool.h>

#include "app/pricing/base/estimate.h"

/* The largest |z| that agrees, for a book of `n` checked trades. */
double judge_limit(int n);

/* The verdict on one price whose reference is filled in: unchecked where too few paths pay; sets z.
 * `least` is the least that one path of one unit pays, -HUGE_VAL where there is none, `largest`
 * about the most above it. */
enum verdict judge_price(const struct trade *trade, double least, double largest, double limit,
                         struct estimate *estimate);

/* Tells whether the price is the mean of so few payments that nothing that is made of its paths can
 * be judged. */
bool judge_few_pay(const struct trade *trade, const struct estimate *estimate);

/* Gives each price that has a reference its verdict and z (NaN of a reference that is no check),
 * and a message where the two disagree or say nothing of each other; the limit is that of all that
 * have one. `only` [n]: the trades that are judged; NULL: all. `exercise_width`: the widest
 * interval of an early exercise that is a check, as a share of the price. STATUS_NO_MEMORY. */
enum status judge_prices(const struct market *market, int n, const struct trade *trades,
                         const bool *only, double exercise_width, struct estimate *estimates);

#endif
