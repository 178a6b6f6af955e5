/* Which payoffs of a group are priced on ladders (kernels/ladder.h). Used by draft.c alone. */
#ifndef PRICER_APP_PLAN_LADDERS_H
#define PRICER_APP_PLAN_LADDERS_H

#include "kernels/plan.h"
#include "models/math/status.h"

/* Moves the european and digital payoffs of every row that has at least LADDER_LEAST of them behind the
 * others and lays out their ladders. The group's payoffs name rows already. STATUS_NO_MEMORY is the only
 * failure. */
enum status lay_ladders(struct group *group);

void ladder_free(struct ladder *ladder);

#endif
