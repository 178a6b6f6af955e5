/* Profit and loss under a list of scenarios: each trade's, each asset's and the book's.
 *
 * A trade's is the mean over paths of V(scenario) - V(today). Totals are in the reporting currency, each
 * scenario at its own FX rates: r(s) (V(s) - V) + (r(s) - r) V, with standard errors from the means of the
 * chunks of paths, which hold how trades move together. */
#ifndef PRICER_APP_RISK_PROFITS_H
#define PRICER_APP_RISK_PROFITS_H

#include "app/config/complaints.h"
#include "app/risk/ahead.h"
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
    struct complaints
        notes; /* each trade that cannot be valued in a scenario and is left out of its totals */
};

/* What is asked for. */
struct profits_asked {
    int n;
    const struct scenario_request *scenarios; /* [n] */
    const struct totals *totals;
    int n_aggregates, currency; /* the reporting currency */
};

struct profit_jobs;

/* Allocates `profits` and lists the jobs that fill them. All but `asked` itself must outlive the jobs; free
 * with profits_end, and the profits with profits_free, whatever is returned. STATUS_NO_MEMORY; a job also
 * returns what an engine returns. */
enum status profits_begin(const struct valuer *valuer, const struct profits_asked *asked,
                          struct profits *profits, struct profit_jobs **jobs, struct series *series);
void profits_end(struct profit_jobs *jobs);
void profits_free(struct profits *profits);

#endif
