/* Which payoffs of a group are priced on strike strips (kernels/strike strip.h). Used by
 * group_draft.c alone. */
#ifndef PRICER_APP_PRICING_PLAN_STRIKE_STRIPS_H
#define PRICER_APP_PRICING_PLAN_STRIKE_STRIPS_H

#include "kernels/plan.h"
#include "models/base/status.h"

/* Moves the european and digital payoffs of every row that has at least STRIP_PAYOFFS_MIN of them
 * behind the others and lays out their strike strips. The group's payoffs name rows already.
 * STATUS_NO_MEMORY is the only failure. */
enum status make_strike_strips(struct group *group);

void strike_strip_free(struct strike_strip *strip);

#endif
