/* References that all ranks of a run make, each some: the leader's check, and what the others do
 * for it. */
#ifndef PRICER_APP_PRICING_VALUE_RANKED_CHECK_H
#define PRICER_APP_PRICING_VALUE_RANKED_CHECK_H

#include "app/pricing/value/stored_check.h"
#include "kernels/ranks.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* The references of some trades. */
struct ranked_check {
    const struct ranks *ranks;
    const struct market *market;
    const struct trade *trades;
    const struct stop *stop;
    int threads;
    void *context;
    uint64_t (*seed)(void *context, int trade);
    /* Takes a reference, or why there is none, which took so many seconds: the leader's */
    enum status (*take)(void *context, int trade, enum status status,
                        const struct known_reference *reference, const struct message *why,
                        double seconds, struct message *failure);
};

/* Makes the references of n trades by all ranks; a follower makes what the leader asks for.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED and what `take` returns. */
enum status ranked_check_share(const struct ranked_check *check, int n, const int *which,
                               struct message *why);

#endif
