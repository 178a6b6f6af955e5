/* The dates of a group and what its underlyings do between them. Used by group_draft.c
 * and plan_build.c alone. */
#ifndef PRICER_APP_PRICING_PLAN_TIME_GRID_H
#define PRICER_APP_PRICING_PLAN_TIME_GRID_H

#include "app/pricing/plan/group_draft.h"

/* Dates closer than this, in years (30 milliseconds), are one date of the grid. */
#define SAME_DATE 1e-9

/* Returns how time passes for the dates of the draft. */
struct ageing group_ageing(const struct group_draft *draft, double years);

/* Lays out the grid: every date of every observable, the ex-dates before the last of them, and as
 * many more that no step is longer than its models can take. STATUS_NO_MEMORY. */
enum status make_grid_dates(const struct group_draft *draft, struct group *group);

/* Lays out underlyings, correlation, the coefficients of every step and the cash dividends; the
 * draft keeps the steps of which tables are to be made. STATUS_FAILED and `why` where a model
 * cannot take a step, STATUS_NO_MEMORY. */
enum status make_grid_steps(struct group_draft *draft, struct group *group, struct message *why);

/* Returns the steps that a grid has at most beside those that end on the observables' dates, and
 * its longest step (HUGE_VAL: any). Both are doubles: what a book asks for may be more than an
 * integer holds. */
double most_extra_steps(const struct group_draft *draft, double *longest);

/* Returns the step of the grid that ends on a date, which is none of the first `from`. */
int step_of(const struct group *group, int from, double date);

#endif
