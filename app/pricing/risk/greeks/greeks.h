/* The Greeks of a book. */
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

/* Adds, when the jobs have ended, a line for each trade that lacks Greeks because a bump of it
 * cannot be valued. NULL has none. */
void greeks_note(const struct greek_jobs *jobs, struct complaints *notes);
void greeks_end(struct greek_jobs *jobs);

#endif
