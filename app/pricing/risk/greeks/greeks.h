/* The Greeks of a book.
 *
 * greeks_begin() lists the columns (sensitivities.h), puts trades that share their bumps into pools
 * (greek_pools.h), and makes the bump sets of each pool (bumps.h) and of the copies of trades whose
 * Greeks come another way (greek_trades.h). A bump set is a job, or two of them, and
 * a job has three stages (job_pipeline.h):
 *
 *     prepare   shocks the market for each scenario of the set, plans the trades under all of them
 *               at once, and fits the policies of early exercise of that plan (revalue.h)
 *     run       has the plan valued by the engine, or recalled from the store; a trade that the
 *               plan refuses is then valued under the markets of one contrast at a time
 *     finish    takes each contrast as the Greek of its column and adds to the error what the
 *               sample does not show: paths that turn (greek_errors.h), tables that are rough
 *               (greek_errors.h), policies that are fitted; then it frees what the job held
 *
 * Later greek_check.h holds them against those of the references. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_GREEKS_H
#define PRICER_APP_PRICING_RISK_GREEKS_GREEKS_H

#include "models/base/complaints.h"
#include "app/pricing/risk/greeks/job_pipeline.h"
#include "app/pricing/risk/greeks/revalue.h"
#include "app/pricing/base/risk.h"

struct greek_jobs;

/* Lists risk->sensitivities, and the jobs that fill risk->greeks of those that are bumped, but for
 * the references. `valuer` and `risk` must outlive the jobs; free with greeks_end, whatever is
 * returned. STATUS_NO_MEMORY; a job also returns what an engine returns. */
enum status greeks_begin(const struct valuer *valuer, unsigned greeks, struct risk *risk,
                         struct greek_jobs **jobs, struct job_series *series);

/* Adds, when the jobs have ended, a line for each asset with columns that are left out, and for
 * each trade that lacks Greeks because a bump of it cannot be valued. NULL has none. */
void greeks_note(const struct greek_jobs *jobs, struct complaints *notes);
void greeks_end(struct greek_jobs *jobs);

#endif
