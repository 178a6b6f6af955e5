/* Every price beside an independent one: runs the references in parallel and judges where the two
 * disagree.
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
 * unchecked, with a message: its paths are too few to say anything. It is trouble all the same,
 * `doubtful`, where what is missing (or too much) is more than 32 of the largest payments with |z|
 * above 5, or more than 256 of them: a spot so volatile that the paths which make its mean are
 * never drawn gives a third of the reference, with an error that looks small.
 *
 * A price from replicates of Sobol points has few of them: its z follows Student's distribution,
 * and what is held against the limit is the normal deviate of the same probability. The same goes
 * for control variates, whose values are chunks of paths; what the reference implies is then taken
 * for their share of the variance.
 *
 * The price of an early exercise is a lower bound, with a second end of the interval: `upper` of
 * the estimate (app/pricing/exercise/exercise_upper.h). It agrees where the reference lies between
 * the two ends, each given the limit times its own error beside the reference's; z is still that of
 * the price. The error of the upper end is its standard error and, for exercise at any time, what
 * that is worth more than on the dates that stand for it. An interval wider than `exercise_width`
 * of the price checks nothing: the trade then counts as unchecked, with a message. */
#ifndef PRICER_APP_PRICING_CHECK_H
#define PRICER_APP_PRICING_CHECK_H

#include <stdbool.h>

#include "app/pricing/settings.h"
#include "app/pricing/estimate.h"
#include "app/pricing/store.h"
#include "kernels/plan.h"
#include "kernels/ranks.h"

struct check_options {
    /* That the trades were priced by, for upper bounds; NULL: none are made */
    const struct plan *plan;
    /* a sample is a tenth, drawn by seed and id, and each product at least once */
    enum check_mode mode;
    const bool *only; /* [n] the trades to be checked and judged, of those; NULL: all */
    uint64_t seed;    /* of the sample, and of references by Monte Carlo */
    /* Widest interval of an early exercise that is a check, as a share of the price */
    double exercise_width;
    int threads;               /* at least 1 */
    const struct store *store; /* what is kept there is not computed again; may be NULL */
    /* May be NULL; calls do not overlap */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *progress_context;
    const struct stop *stop;   /* may be NULL; ends the check with STATUS_INTERRUPTED */
    const struct ranks *ranks; /* who else checks; NULL: nobody. A follower checks what the leader
                                * asks for, and knows nothing of it */
    double *seconds; /* [trade] of a thread, to which what its check took is added; may be NULL */
};

/* To be called once, before any thread: reference_begin(). */
void check_begin(void);

/* Gives each priced trade with early exercise that is to be checked its upper bound, and each that
 * is to be checked its reference, z, and verdict; where the reference fails, a message. Neither the
 * number of threads nor the order of the trades changes a bit. STATUS_NO_MEMORY,
 * STATUS_INTERRUPTED; STATUS_FILE and one line, of the store. */
enum status check_book(const struct market *market, int n, const struct trade *trades,
                       const struct check_options *options, struct estimate *estimates,
                       struct message *why);

/* The share of the seconds [n] that a check of a sample would have taken. STATUS_NO_MEMORY. */
enum status check_sample_share(int n, const struct trade *trades, uint64_t seed,
                               const struct estimate *estimates, const double *seconds,
                               double *share);

/* The largest |z| that agrees, for a book of `n` checked trades. */
double check_limit(int n);

/* The normal deviate that is as likely as the estimate's z: z itself but for replicates. (D. L.
 * Wallace, Bounds on normal approximations to Student's and the chi-square distributions, Annals of
 * Mathematical Statistics 30 (1959) 1121-1130.) */
double check_deviate(const struct estimate *estimate);

/* The verdict on one price whose reference is filled in; sets z. `largest` is about the most that
 * one path of one unit pays. *rare tells whether too few paths pay. */
enum verdict check_judge(const struct trade *trade, double largest, double limit,
                         struct estimate *estimate, bool *rare);

#endif
