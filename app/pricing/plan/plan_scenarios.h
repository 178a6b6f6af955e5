/* One plan for the same trades under several markets: scenarios, which share the normals of every
 * path. And a plan some of whose trades have moved. */
#ifndef PRICER_APP_PRICING_PLAN_PLAN_SCENARIOS_H
#define PRICER_APP_PRICING_PLAN_PLAN_SCENARIOS_H

#include "app/pricing/plan/plan_build.h"

struct scenario_list {
    int n; /* at most MARKETS_MAX */
    const struct scenario *scenarios;
};

/* Contrasts and totals of a plan (kernels/plan.h). */
struct contrast_list {
    int n_contrasts;
    const struct contrast *contrasts;
    int n_totals;
    const int *totals;              /* [trade]; may be NULL where there are none */
    const double *quantities;       /* [trade]; the same */
    struct scenario_list scenarios; /* whose values are contrasted */
};

/* Makes the same plan with contrasts, and always of Philox paths without pairs: tallies are
 * [contrast][trade]. What `wanted` points to is copied. A trade that cannot be simulated under one
 * of the scenarios is in none of them, and `refusals` says why. */
enum status plan_contrasts(const struct contrast_list *wanted, int n_trades,
                           const struct trade *trades, const struct plan_settings *settings,
                           struct plan *plan, struct refusal *refusals);

/* Puts the groups of `part`, a plan of the trades that `moved` [n_trades] tells, in the place of
 * the groups of `plan` that these trades are in: plan is then what plan_build makes of all trades.
 * `part` is empty afterwards. Trades on the same assets are moved together. STATUS_NO_MEMORY: both
 * are as they were. */
enum status plan_splice(struct plan *plan, const bool *moved, struct plan *part);

/* Fills `groups`, with room for all of the plan's, with those of trades that moved, and returns how
 * many they are. They stay the plan's. */
int plan_moved_groups(const struct plan *plan, const bool *moved, struct group *groups);

#endif
