/* One plan for the same trades under several markets: scenarios, which share the normals of every path. */
#ifndef PRICER_APP_PLAN_SCENARIOS_H
#define PRICER_APP_PLAN_SCENARIOS_H

#include "app/plan/plan.h"

/* Builds the plan of n scenarios (at most SCENARIOS_MAX), the trades under each of `markets`: tallies are
 * [scenario][trade]. Groups that are alike in all but numbers follow each other, to be walked side by side;
 * where a scenario's groups have another shape (a pillar more, a rate that turns a payment's formula) all of
 * its groups stand apart, and share the normals all the same. `refusals` [n_trades] are those of the first
 * market. Free with plan_free. STATUS_NO_MEMORY. */
enum status plan_scenarios(int n, const struct market *const *markets, int n_trades,
                           const struct trade *trades, const struct plan_settings *settings,
                           struct plan *plan, struct refusal *refusals);

#endif
