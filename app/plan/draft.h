/* A group of trades while it is being filled. Used by plan.c alone. */
#ifndef PRICER_APP_PLAN_DRAFT_H
#define PRICER_APP_PLAN_DRAFT_H

#include "app/plan/passing.h"
#include "app/plan/plan.h"
#include "app/plan/requests.h"
#include "models/payoffs/observable.h"

struct draft {
    const struct plan_settings *settings;
    const struct market *market;
    const struct market *laid;   /* the same, with as many dates of curves as the grid is to have */
    const struct market *seen;   /* the same, or as trades see it by their dates where time has passed */
    int n_assets;                /* 0: nothing yet */
    int assets[UNDERLYINGS_MAX]; /* indices into the market, increasing */
    int quanto;
    int n_observables, room_observables;
    struct observable *observables;
    struct requests requests; /* of the observables */
    int n_slots;
    size_t n_dates, n_touches; /* of all observables */
    double last;               /* years to the last of their dates */
    int n_payoffs, room_payoffs;
    struct payoff *payoffs; /* `seen` are indices of observables */
    int *trades;
};

/* Puts a trade into the draft, which keeps everything it held if the trade does not fit. STATUS_OK with *fits
 * telling whether it went in (slots can be lacking, steps or memory); STATUS_FAILED and `why`: the trade
 * cannot be simulated. */
enum status draft_add(struct draft *draft, const struct trade *trade, int index, bool *fits,
                      struct message *why);

/* How much a draft holds, and back to that: what was put into it later is forgotten. */
struct draft_size {
    int n_observables, n_payoffs;
    double last;
};
struct draft_size draft_size(const struct draft *draft);
void draft_cut(struct draft *draft, struct draft_size size);

/* Turns the draft into a group: one grid of all its dates, slots, rows and touches. STATUS_FAILED and `why`:
 * its assets cannot be walked over these dates, which goes for all its trades; STATUS_NO_MEMORY. */
enum status draft_finish(struct draft *draft, struct group *group, struct message *why);

/* Releases what the draft holds; settings and markets stay. */
void draft_free(struct draft *draft);

#endif
