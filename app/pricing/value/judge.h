/* Verdicts on prices that have a reference beside them.
 *
 * z = (price - reference) / sqrt(std_error^2 + reference_error^2). One correct price exceeds |z| =
 * 4 once in 16,000 times, so a limit of 4 would fail a correct book of 10,000 trades every other
 * night. The limit is therefore the two-sided quantile of the normal law at which a whole book of
 * correct prices raises one false alarm in a thousand runs (Sidak 1967: each of n independent
 * checks at 1 - (1 - 0.001)^(1/n)): 4.42 for 100 checks, 5.33 for 10,000. It is never below 4. (The
 * limit finds gross errors of single trades; a small bias of all of them shows in the mean of their
 * z only.)
 *
 * The normal law holds for the mean of many payoffs. Where few paths pay (an option far out of the
 * money), the error that the sample shows is itself a chance result; if no path pays it is 0. A
 * price beyond the limit is then held against the error that the reference implies (the score test
 * of Wilson 1927 instead of Wald's), and if that explains the distance, the trade counts as
 * unchecked, with a message: its paths are too few to say anything. So it is where next to all
 * paths pay the same: the floors of a cliquet, the notional of an autocallable. It is trouble all
 * the same, `doubtful`, where what is missing (or too much) is more than 32 of the largest payments
 * with |z| above 5, or more than 256 of them: a spot so volatile that the paths which make its mean
 * are never drawn gives a third of the reference, with an error that looks small.
 *
 * A price from replicates of Sobol points has few of them: its z follows Student's distribution,
 * and what is held against the limit is the normal deviate of the same probability. The same goes
 * for control variates, whose values are chunks of paths; what the reference implies is then taken
 * for their share of the variance.
 *
 * The price of an early exercise is a lower bound, with a second end of the interval: `upper` of
 * the estimate (app/pricing/value/exercise/exercise_upper.h). It agrees where the reference lies
 * between the two ends, each given the limit times its own error beside the reference's; z is still
 * that of the price. The error of the upper end is its standard error and, for exercise at any
 * time, what that is worth more than on the dates that stand for it. An interval wider than
 * `exercise_width` of the price checks nothing: the trade then counts as unchecked, with a message.
 * Where few paths pay, neither end knows its error: a reference outside is held against the error
 * that it implies, as above.
 */
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

/* Gives each price that has a reference its verdict and z, and a message where the two disagree or
 * say nothing of each other; the limit is that of all that have one. `only` [n]: the trades that
 * are judged; NULL: all. `exercise_width`: the widest interval of an early exercise that is a
 * check, as a share of the price. STATUS_NO_MEMORY. */
enum status judge_prices(const struct market *market, int n, const struct trade *trades,
                         const bool *only, double exercise_width, struct estimate *estimates);

#endif
