/* From what a trade asks of its path to what the engines do at each date: the coefficients of observables.h.
 * Host only. */
#ifndef PRICER_MODELS_PAYOFFS_OBSERVABLE_H
#define PRICER_MODELS_PAYOFFS_OBSERVABLE_H

#include "models/payoffs/observables.h"
#include "models/payoffs/recipe.h"

enum { OBSERVABLE_SLOTS = 4 };

/* One observable of a group, laid out in time. */
struct observable {
    struct request request;
    int on; /* enum touch_on of most of its touches; slots are counted by it */
    int n_dates;
    double *dates;                    /* [n_dates] years, > 0, increasing; owned */
    int n_parts;                      /* touches of a date: one, or as many as a basket has assets */
    double initial[OBSERVABLE_SLOTS]; /* state before the first touch */
    int of;      /* index, in the group's list, of the observable that it reads (READS_OF: request.of); -1 */
    int n_table; /* floats of the group's table that are its own: the policy of an exercise; else 0 */
    int slot, row; /* where the plan put it */
    int table;     /* where the plan put the first of the n_table; observable_touch() counts from it */
};

/* Number of slots of state of a kind of touch, and whether it is drawn between dates from the bridge normals.
 */
int touch_slots(int on);
bool touch_draws(int on);

/* Lays out the observable that `request` asks for. `max_step`: years between the dates on which a barrier
 * watched continuously is looked at where the model's variance is not known beforehand. STATUS_FAILED and
 * `why` where it cannot be done for these numbers, STATUS_NO_MEMORY. `dates` is to be freed by the caller. */
enum status observable_lay_out(const struct market *market, const struct request *request, double max_step,
                               struct observable *observable, struct message *why);

/* Fills the coefficients and the kind of a part of its i-th date, and in `*asset` the index into the market
 * of the asset that it looks at (the touch's slot, of, pair and underlying are the plan's work).
 * STATUS_FAILED as above. */
enum status observable_touch(const struct market *market, const struct observable *observable, int i,
                             int part, struct touch *touch, int *asset, struct message *why);

/* Whether two requests are for the same observable (`of` and the trade itself aside: what it reads is the
 * same where all else is). */
bool request_equal(const struct request *a, const struct request *b);

#endif
