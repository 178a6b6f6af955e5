/* The Greeks of a book. */
#ifndef PRICER_APP_RISK_GREEKS_H
#define PRICER_APP_RISK_GREEKS_H

#include "app/risk/ahead.h"
#include "app/risk/revalue.h"
#include "app/risk/risk.h"

struct greek_jobs;

/* Lists risk->sensitivities, and the jobs that fill risk->greeks of those that are bumped, but for the
 * references. `valuer` and `risk` must outlive the jobs; free with greeks_end, whatever is returned.
 * STATUS_NO_MEMORY; a job also returns what an engine returns. */
enum status greeks_begin(const struct valuer *valuer, unsigned greeks, struct risk *risk,
                         struct greek_jobs **jobs, struct series *series);
void greeks_end(struct greek_jobs *jobs);

#endif
