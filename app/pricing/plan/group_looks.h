/* Looks that come when a path has ended (struct look of kernels/plan.h): what a draft becomes whose
 * paths remember more than a walk carries. Used by group_draft.c and group_layout.c alone. */
#ifndef PRICER_APP_PRICING_PLAN_GROUP_LOOKS_H
#define PRICER_APP_PRICING_PLAN_GROUP_LOOKS_H

#include "app/pricing/plan/group_draft.h"

/* Returns the slots of a kind of observable; what is but written down lives in its row. */
int state_slots(int on);

/* Tells whether an observable can look at a path that has ended: it reads no policy of exercise and
 * keeps its state in slots of its own. */
bool looks_back(const struct observable *o);

/* Tells whether the paths of the draft are looked at when they have ended. */
bool draft_looks_back(const struct group_draft *draft);

/* Tells whether that pays: whether walks that carry what their trades remember would take twice as
 * many steps, or more. A step costs about as much as it saves to leave it in a row. */
bool looking_back_pays(const struct group_draft *draft);

/* Takes the dates of an observable that was added to those that rows are kept for, and to those of
 * the walk that would carry it. STATUS_NO_MEMORY. */
enum status count_look_dates(struct group_draft *draft, const struct observable *o);

/* Returns how many rows the group would have at most whose paths are looked at when they have
 * ended. */
double most_look_rows(const struct group_draft *draft);

/* Numbers the slots of the observables within their chains and makes the chains, which have no
 * looks yet. STATUS_NO_MEMORY. */
enum status make_chains(struct group_draft *draft, struct group *group);

/* Makes the looks of all chains from the n observations in the order of observables; leaves in
 * `placed` and *n, in an array made anew, what the walk has to write into rows. STATUS_NO_MEMORY.
 */
enum status make_looks(const struct group_draft *draft, struct group *group,
                       struct placed_observation **placed, int *n);

/* Compares two observations that are placed, as qsort wants it. */
int compare_placed_observations(const void *a, const void *b);

#endif
