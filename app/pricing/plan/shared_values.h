/* What several programs of a group compute alike is computed once: one program makes such values
 * and writes each to a row of its own, and the others read that. So a hundred strikes on one
 * schedule take its average once. No bit changes: each value is still made by the same operations.
 *
 * Programs that make shared values read none, so that a GPU runs all of them at once: what two of
 * them have in common is made twice. Where programs are parts of each other the longest makes all
 * that it has. */
#ifndef PRICER_APP_PRICING_PLAN_SHARED_VALUES_H
#define PRICER_APP_PRICING_PLAN_SHARED_VALUES_H

#include "kernels/plan.h"

/* Puts programs that make shared values before those of the group, which are cut down to what they
 * have of their own. Depends on no market, so that groups under other markets stay alike.
 * STATUS_NO_MEMORY: the group can still be freed. */
enum status share_values(struct group *group);

#endif
