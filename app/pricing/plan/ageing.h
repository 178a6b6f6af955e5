/* Time that passes before a plan's today: every date of the trades lies nearer, or further away.
 * Used by plan_build.c, group_draft.c and time_grid.c alone.
 *
 * A date of a trade or of a cash dividend comes nearer by the years that pass, and one that would
 * be past is made to follow today at once (at PAST_DATE of the years to it), with today's spot:
 * what is left keeps its order. Curves are read at the years that are left, so a curve of before is
 * here one of other dates.
 *
 * Where a curve turns, at p years from whatever today is, a plan may need a date: what is watched
 * at every moment takes drift and variance to be even between two looks. Under n markets from which
 * up to `around` years have passed, or are yet to come, such a plan has the same dates p - around,
 * p and p + around in all of them. Up to one of them, `stay`, dates keep their years, so that p is
 * at p; from the next one on, `after`, they come nearer as the dates of trades do, so that p is
 * where one of the two others was. The step between them alone changes its length; time_grid.c
 * chooses it. All other dates, cuts of long steps among them, keep their share of the way between
 * their neighbours. */
#ifndef PRICER_APP_PRICING_PLAN_AGEING_H
#define PRICER_APP_PRICING_PLAN_AGEING_H

#include <stdbool.h>

#include "models/market/market.h"
#include "models/base/status.h"

#define PAST_DATE 1e-3

struct ageing {
    double years; /* that pass; negative: dates are further away; 0: nothing changes */
    /* The last date that is past and the first that is not; 0, HUGE_VAL for none */
    double before, after;
    double stay;   /* the last date that keeps its years; 0 for none */
    double around; /* years on both sides of where curves turn at which a plan has dates, too */
};

/* Ages for trades whose dates are not known: right for all of them, if not for dates between. */
struct ageing ageing_anywhere(double years);

/* Takes one of the dates into account; an ageing begins as {years, 0.0, HUGE_VAL}. */
void ageing_add_date(struct ageing *ageing, double date);

/* Returns years from the new today to a date. */
double years_left(const struct ageing *ageing, double date);

/* Makes the market of some assets, `wanted` [asset], with curves by the dates of before; what does
 * not change is the original's, and other assets have no curves. Free with aged_market_free,
 * whatever is returned. STATUS_NO_MEMORY. */
enum status age_market(const struct ageing *ageing, const struct market *market, const bool *wanted,
                       struct market *aged);
void aged_market_free(struct market *aged);

#endif
