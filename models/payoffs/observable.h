/* From what a trade asks of its path to what the engines do at each date: the coefficients of observables.h.
 * Host only. */
#ifndef PRICER_MODELS_PAYOFFS_OBSERVABLE_H
#define PRICER_MODELS_PAYOFFS_OBSERVABLE_H

#include "models/payoffs/observables.h"
#include "models/payoffs/recipe.h"

enum { OBSERVABLE_SLOTS = 3 };

/* One observable of a group, laid out in time. */
struct observable {
    struct request request;
    int on;                           /* enum touch_on of most of its touches; slots are counted by it */
    int n_dates;                      /* touches */
    double *dates;                    /* [n_dates] years, > 0, increasing; owned */
    double initial[OBSERVABLE_SLOTS]; /* state before the first touch */
    int of;        /* index, in the group's list, of the survival observable a payment watches; -1 */
    int slot, row; /* where the plan put it */
};

/* Number of slots of state of a kind of touch, and whether it is drawn between dates from the bridge normals.
 */
int touch_slots(int on);
bool touch_draws(int on);

/* Lays out the observable that `request` asks for. STATUS_FAILED and `why` where it cannot be done for these
 * numbers, STATUS_NO_MEMORY. `dates` is to be freed by the caller. */
enum status observable_lay_out(const struct market *market, int asset, const struct request *request,
                               struct observable *observable, struct message *why);

/* Fills the coefficients and the kind of its i-th touch (not slot, of, pair). STATUS_FAILED as above. */
enum status observable_touch(const struct market *market, int asset, const struct observable *observable,
                             int i, struct touch *touch, struct message *why);

/* Whether two requests are for the same observable. */
bool request_equal(const struct request *a, const struct request *b);

#endif
