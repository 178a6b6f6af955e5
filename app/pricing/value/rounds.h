/* Accuracy on request: a plan is run, and then, in rounds, the groups of those trades whose
 * standard error is above a target. Every round takes as many new paths as all before it, so each
 * trade gets less than twice what it needs; a replicate of Sobol points goes on with its next
 * points under the same scramble. A trade that is at its target keeps what it has, and so its bits
 * do not depend on how many rounds others take. */
#ifndef PRICER_APP_PRICING_VALUE_ROUNDS_H
#define PRICER_APP_PRICING_VALUE_ROUNDS_H

#include "app/pricing/base/estimate.h"
#include "kernels/replicates.h"

/* Nothing stops below STOP_PATHS: of a skewed payoff a small sample that lacks its rare large
 * payments has both a low mean and a small error, and to stop at such errors is to choose such
 * samples. (A call 40 % out of the money, a target that 3000 paths reach, 1500 seeds: (price -
 * truth) / error had a mean of -0.2 and a variance of 1.29 where a round of 1024 paths could be the
 * last, and has -0.03 and 1.02: rounds_test.) */
enum { STOP_PATHS = 16384 };

/* What a trade had come to after a round: mean and standard error of one unit. */
struct round_price {
    int trade;
    double paths, mean, std_error;
};

/* The rounds of the trades of a plan, in the order in which they were run. Begin with {0}. */
struct round_log {
    int n, room;
    struct round_price *list; /* [n] owned */
};
void round_log_free(struct round_log *log);

/* The accuracy that is asked for. */
struct accuracy {
    double target;         /* standard error of one unit; 0: one round */
    uint64_t max_paths;    /* of a trade */
    struct round_log *log; /* that rounds are added to where there is a target; NULL: none */
    /* Returns what a trade has come to by its paths of all rounds, n = 0: it needs no other; NULL:
     * it is the sample of these */
    struct tally (*sample)(void *context, int trade, struct tally paths);
    void *context;
};

/* Prices the plan, which has one scenario: tallies [trade], the sample of each, and paths [trade],
 * what it took. Trades that no group holds are left alone. Errors are those of the pricer. */
enum status rounds_price(const struct plan_pricer *pricer, const struct plan *plan,
                         const struct accuracy *accuracy, struct tally *tallies, double *paths,
                         struct message *why);

/* Adds a line to the message of a trade whose standard error is still above the target.
 * STATUS_NO_MEMORY. */
enum status rounds_say(const struct accuracy *accuracy, struct estimate *estimate);

#endif
