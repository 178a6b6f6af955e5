/* An upper bound on the value of an early exercise, by duality.
 *
 * L. C. G. Rogers, Monte Carlo valuation of American options, Mathematical Finance 12 (2002)
 * 271-286, and M. B. Haugh and L. Kogan, Pricing American options: a duality approach, Operations
 * Research 52 (2004) 258-270: with h_k the discounted gain of exercise on date k, every martingale
 * M with M_0 = 0 gives
 *
 *     value <= E[ max over the dates k of (h_k - M_k) ],
 *
 * with equality where M is the martingale part of the value itself. L. Andersen and M. Broadie,
 * Primal-dual simulation algorithm for pricing multidimensional American options, Management
 * Science 50 (2004) 1222-1234, build M from an estimate V of the value:
 *
 *     M_k - M_(k-1) = V_k(X_k) - E[V_k(X_k) | X_(k-1)].
 *
 * The conditional expectation is an average over inner paths from X_(k-1) to the next date alone
 * (D. Belomestny, C. Bender and J. Schoenmakers, True upper bounds for Bermudan products via
 * non-nested Monte Carlo, Mathematical Finance 19 (2009) 53-71). V is that of exercise_steps.h,
 * with its own paths, not the policy of prices. The averages have the right mean given the path,
 * and errors independent of it, so M is a martingale with them. Inner paths of one asset that jumps
 * are in two strata, without a jump and with one.
 *
 * Bias: upwards only, from V and the averages; below 0.02 % of the value for puts on one asset and
 * calls on the best of two. Both ends of the interval have the bias of the plan's steps. Where the
 * features are not the whole state (arithmetic baskets, best and worst of more than two) the bound
 * is wider, never wrong.
 *
 * UPPER_STEPS asset-steps of inner paths limit the number of paths. Sums have one order, and draws
 * are functions of seed, path and step: the number of threads changes no bit. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_UPPER_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_UPPER_H

#include "app/pricing/base/store.h"
#include "kernels/plan.h"
#include "kernels/ranks.h"
#include "kernels/team.h"
#include "models/base/status.h"
#include "models/math/tally.h"
#include "models/payoffs/trade.h"

enum { UPPER_MOST_PATHS = 4096, UPPER_LEAST_PATHS = 512, UPPER_STEPS = 1 << 25 };

/* What to bound. */
struct upper_options {
    const struct trade *trades; /* [plan->n_trades] */
    const bool *wanted;         /* [plan->n_trades]; NULL: every trade with early exercise */
    int threads;                /* 0: one a core */
    const struct stop *stop;    /* may be NULL; ends the work with STATUS_INTERRUPTED */
    const struct store *store;  /* of bounds that were made before; may be NULL */
    const struct ranks *ranks;  /* who else bounds them, once a run; NULL: nobody. A follower bounds
                                 * what the leader asks for */
};

/* Finds the bound on one unit of each wanted trade with early exercise, as the tally of max(h - M)
 * over the paths; of one whose script decides what the other end is more than its price
 * (program_upper.c), and where both sides decide in `lowers` what the lower end is. n = 0 for the
 * other trades, and where a step is drawn from history, which needs more than the state to go on.
 * Scenarios beyond the first are left alone. uppers, lowers [plan->n_trades]. STATUS_NO_MEMORY,
 * STATUS_INTERRUPTED; STATUS_FILE and one line, of the store. */
enum status exercise_upper(const struct plan *plan, const struct upper_options *options,
                           struct tally *uppers, struct tally *lowers, struct message *why);

/* ---- of scripts (program_upper.c) ------------------------------------------------------------ */

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
