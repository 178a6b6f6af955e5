/* The other end of the value of a trade whose script decides, by duality.
 *
 * With H_k what the trade pays in all where it is exercised at decision k and not before, H what it
 * pays where it never is, and M a martingale that begins at 0, the holder's value is at most
 *
 *     E[ max(max over the decisions k that are allowed of (H_k - M_k), H - M) ],
 *
 * and the issuer's at least the same of the least (L. C. G. Rogers 2002; exercise_upper.h). M is
 * that of the fitted policy's own value (L. Andersen and M. Broadie 2004): with Q_k the value of
 * going on by the policy from k, and A_k = H_k where the policy exercises, Q_k where it does not,
 *
 *     M_k - M_j = A_k - Q_j   from one allowed decision j to the next one k,
 *
 * A = H behind the last. The sum begins with A_1 - price, so that the bound less the price is
 *
 *     E[ max(H_k - N_k, ..., H - N) ],   N = A_1 + (A_2 - Q_1) + ...,
 *
 * which is 0 on each path where nothing is better than the policy. Q_k is an average over inner
 * paths to the end, whose noise moves the bound outwards only.
 *
 * Where both decide the value is that of a game (Y. Kifer, Game options, Finance and Stochastics 4
 * (2000) 443-463): no more than the holder's best against any policy of the issuer, no less than
 * the issuer's against any of the holder. So each side has its bound, with the decisions of the
 * other by the fitted policy.
 *
 * There is none where a decision reads extremes or survival, or steps are drawn from history (they
 * need more than the state to go on), or where it takes too much work. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_PROGRAM_UPPER_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_PROGRAM_UPPER_H

#include "app/pricing/value/exercise/exercise_steps.h"
#include "models/math/tally.h"
#include "models/payoffs/trade.h"

/* A side of a trade of a plan whose script decides. */
struct decider {
    const struct group *group;
    const struct trade *trade;
    const double *coefficients; /* of its program, the policies fitted */
    bool issuer;                /* the side */
    struct tally *bound;        /* where what it is bounded by goes */
};

/* Tells whether it decides anything, and there is a bound. */
bool program_gap_possible(const struct decider *decider);

/* Finds what the end that the side's best gives is more than the price of one unit: the tally over
 * the paths, whose mean is positive of a holder; n = 0 where it takes too much work. Draws are
 * functions of the seed: the number of threads changes no bit. STATUS_NO_MEMORY,
 * STATUS_INTERRUPTED. */
enum status program_gap(const struct decider *decider, uint64_t seed, const struct stop *stop,
                        struct team *team, struct tally *gap, struct message *why);

#endif
