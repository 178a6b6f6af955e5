/* Pieces that threads of a team share until one of them fails. */
#ifndef PRICER_APP_PRICING_BASE_TEAM_TRY_H
#define PRICER_APP_PRICING_BASE_TEAM_TRY_H

#include "kernels/team.h"
#include "models/base/status.h"

/* Does piece i; returns what went wrong, if anything, and may say it. */
typedef enum status try_piece(void *context, int i, struct message *why);

/* Does pieces 0 .. n - 1 as team_loop does, `at_once` of them under way at most, but none after the
 * first failure, which it returns with what that says. */
enum status team_try(struct team *team, int n, int at_once, try_piece *piece, void *context,
                     struct message *why);

#endif
