/* A group of trades while it is being filled. Used by plan.c alone. */
#ifndef PRICER_APP_PLAN_DRAFT_H
#define PRICER_APP_PLAN_DRAFT_H

#include "kernels/plan.h"
#include "models/payoffs/observable.h"

struct draft {
    int asset;
    int n_observables, room_observables;
    struct observable *observables;
    int n_slots;
    int n_payoffs, room_payoffs;
    struct payoff *payoffs; /* `seen` are indices of observables */
    int *trades;
};

/* Puts a trade into the draft, which keeps everything it held if the trade does not fit. STATUS_OK with *fits
 * telling whether it went in (only slots can be lacking); STATUS_FAILED and `why`: the trade cannot be
 * simulated. */
enum status draft_add(struct draft *draft, const struct market *market, const struct trade *trade, int index,
                      bool *fits, struct message *why);

/* Turns the draft into a group: one grid of all its dates, slots, rows and touches. STATUS_FAILED cannot
 * happen for trades that draft_add has taken; STATUS_NO_MEMORY can. The draft is left empty. */
enum status draft_finish(struct draft *draft, const struct market *market, struct group *group);

void draft_free(struct draft *draft);

#endif
