/* Profit and loss under a list of scenarios: each trade's and each aggregate's.
 *
 * A trade's is the mean over paths of V(scenario) - V(today). Totals are in the reporting currency,
 * each scenario at its own FX rates: r(s) (V(s) - V) + (r(s) - r) V, with standard errors from the
 * means of the chunks of paths, which hold how trades move together, widened where chunks are few.
 * That of a total of one trade is the trade's own. */
#ifndef PRICER_APP_PRICING_RISK_PNL_SCENARIO_PNL_H
#define PRICER_APP_PRICING_RISK_PNL_SCENARIO_PNL_H

#include "models/base/complaints.h"
#include "app/pricing/base/aggregation.h"
#include "app/pricing/risk/greeks/job_pipeline.h"
#include "app/pricing/base/settings.h"
#include "app/pricing/risk/greeks/revalue.h"
#include "app/pricing/base/risk.h"
#include "models/market/market.h"
#include "models/base/status.h"

enum { PNL_BLOCKS = 64 };

/* The P&L of all scenarios. */
struct scenario_pnl {
    int n, n_trades, n_aggregates;
    struct pnl *trades;     /* [scenario][trade]; NaN where not valued */
    struct pnl *aggregates; /* [aggregate][scenario] */
    int *lone;              /* [aggregate] the only trade that it counts; < 0: several, or none */
    int n_blocks;           /* parts of the paths, equally large: at most 2 PNL_BLOCKS */
    double *blocks;         /* [aggregate][block][scenario]: the totals' P&L on each part */
    /* Each trade that cannot be valued in a scenario and is left out of its totals; one line for
     * all of them where it cannot be valued today */
    struct complaints notes;
    struct pnl_jobs *jobs; /* that make it */
};

/* The scenarios and trades that P&L is asked for. */
struct pnl_request {
    int n;
    const struct scenario_request *scenarios; /* [n] */
    const struct aggregation *aggregation;    /* whose cells are the totals of plans */
    int currency;                             /* the reporting currency */
    /* [trade] cannot be valued today, as has been said: one line for all requests of a run */
    bool *lost_today;
};

/* Begins the P&L and lists the jobs that fill it. All but `asked` itself must outlive the jobs;
 * free with scenario_pnl_free, whatever is returned. STATUS_NO_MEMORY; a job also returns what an
 * engine returns. */
enum status pnl_begin(const struct valuer *valuer, const struct pnl_request *asked,
                      struct scenario_pnl *pnl_table, struct job_series *series);
void scenario_pnl_free(struct scenario_pnl *pnl_table);

#endif
