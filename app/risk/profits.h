/* Profit and loss under a list of scenarios: each trade's, each asset's and the book's.
 *
 * A trade's is the mean over paths of V(scenario) - V(today). Totals are in the reporting currency, each
 * scenario at its own FX rates: r(s) (V(s) - V) + (r(s) - r) V, with standard errors from the means of the
 * chunks of paths, which hold how trades move together. */
#ifndef PRICER_APP_RISK_PROFITS_H
#define PRICER_APP_RISK_PROFITS_H

#include "app/config/complaints.h"
#include "app/risk/request.h"
#include "app/risk/revalue.h"
#include "app/risk/totals.h"

enum { PROFIT_BLOCKS = 64 };

struct profits {
    int n, n_trades, n_aggregates;
    struct pnl *trades;     /* [scenario][trade]; NaN where not valued */
    struct pnl *aggregates; /* [aggregate][scenario] */
    int n_blocks;           /* parts of the paths, equally large: at most 2 PROFIT_BLOCKS */
    double *blocks;         /* [aggregate][block][scenario]: the totals' P&L on each part */
};

/* Allocates and fills; free with profits_free. Each trade that cannot be valued in a scenario is left out of
 * its totals and told of in `notes`, one line each. STATUS_NO_MEMORY, or what an engine returns. */
enum status profits_make(const struct valuer *valuer, int n, const struct scenario_request *scenarios,
                         const struct totals *totals, int currency, struct profits *profits,
                         struct complaints *notes, struct message *why);
void profits_free(struct profits *profits);

#endif
