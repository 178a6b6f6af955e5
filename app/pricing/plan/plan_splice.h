/* Groups of a plan, put in the place of those that they have become. */
#ifndef PRICER_APP_PRICING_PLAN_PLAN_SPLICE_H
#define PRICER_APP_PRICING_PLAN_PLAN_SPLICE_H

#include "app/pricing/plan/plan_build.h"

/* Puts the groups of `part`, a plan of the trades that `moved` [n_trades] tells, in the place of
 * the groups of `plan` that these trades are in: plan is then what plan_build makes of all trades.
 * `part` is empty afterwards. Trades on the same assets are moved together. STATUS_NO_MEMORY: both
 * are as they were. */
enum status plan_splice(struct plan *plan, const bool *moved, struct plan *part);

/* Fills `groups`, with room for all of the plan's, with those of trades that moved, and returns how
 * many they are. They stay the plan's. */
int plan_moved_groups(const struct plan *plan, const bool *moved, struct group *groups);

#endif
