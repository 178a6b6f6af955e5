/* From a market and its trades to a plan: which trades share paths, on which dates, with which observables.
 */
#ifndef PRICER_APP_PLAN_PLAN_H
#define PRICER_APP_PLAN_PLAN_H

#include <stdio.h>

#include "kernels/plan.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Why a trade of the book is in no group; text is empty for trades that are in one. */
struct refusal {
    struct message why;
};

/* Builds the plan. `refusals` [n_trades] says which trades cannot be simulated and why; they do not stop the
 * others. The order of the trades changes no bit: groups are formed in an order of their own. `paths` is
 * rounded up to a multiple of CHUNK_PATHS. Free with plan_free. STATUS_NO_MEMORY is the only failure. */
enum status plan_build(const struct market *market, int n_trades, const struct trade *trades, uint64_t paths,
                       uint64_t seed, struct plan *plan, struct refusal *refusals);
void plan_free(struct plan *plan);

/* Path-steps of the whole plan: paths times the steps of every group; what progress is counted in. */
uint64_t plan_path_steps(const struct plan *plan);

/* Writes the plan for a person to read: groups, dates, observables, cost. */
void plan_print(FILE *out, const struct plan *plan, const struct market *market, const struct trade *trades);

#endif
