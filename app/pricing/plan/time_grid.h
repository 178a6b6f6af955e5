/* The dates of a group, what its underlyings do between them, and how time passes for them. */
#ifndef PRICER_APP_PRICING_PLAN_TIME_GRID_H
#define PRICER_APP_PRICING_PLAN_TIME_GRID_H

#include "app/pricing/plan/group_draft.h"

/* ---- time that passes ------------------------------------------------------------------------ */

/* Time that passes before a plan's today: every date of the trades lies nearer, or further away.
 *
 * A date of a trade or of a cash dividend comes nearer by the years that pass, and one that would
 * be past is made to follow today at once (at a thousandth of the years to it), with today's spot:
 * what is left keeps its order. Curves are read at the years that are left, so a curve of before is
 * here one of other dates.
 *
 * Where a curve turns, at p years from whatever today is, a plan may need a date: what is watched
 * at every moment takes drift and variance to be even between two looks. Under n markets from which
 * up to `around` years have passed, or are yet to come, such a plan has the same dates p - around,
 * p and p + around in all of them. Up to one of them, `stay`, dates keep their years, so that p is
 * at p; from the next one on, `after`, they come nearer as the dates of trades do, so that p is
 * where one of the two others was. The step between them alone changes its length. All other dates,
 * cuts of long steps among them, keep their share of the way between their neighbours. */

struct ageing {
    double years; /* that pass; negative: dates are further away; 0: nothing changes */
    /* The last date that is past and the first that is not; 0, HUGE_VAL for none */
    double before, after;
    double stay;   /* the last date that keeps its years; 0 for none */
    double around; /* years on both sides of where curves turn at which a plan has dates, too */
};

/* Ages for trades whose dates are not known: right for all of them, if not for dates between. */
struct ageing ageing_anywhere(double years);

/* Makes the market of some assets, `wanted` [asset], with curves by the dates of before; what does
 * not change is the original's, and other assets have no curves. Free with aged_market_free,
 * whatever is returned. STATUS_NO_MEMORY. */
enum status age_market(const struct ageing *ageing, const struct market *market, const bool *wanted,
                       struct market *aged);
void aged_market_free(struct market *aged);

/* ---- the grid -------------------------------------------------------------------------------- */

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
