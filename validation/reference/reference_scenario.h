/* The market and the trade elsewhere: what a reference makes of a scenario, by its own hand. */
#ifndef PRICER_VALIDATION_REFERENCE_REFERENCE_SCENARIO_H
#define PRICER_VALIDATION_REFERENCE_REFERENCE_SCENARIO_H

#include "validation/reference/reference.h"

/* Makes `moved` of today's market: shocks one after the other, and cash dividends nearer by the
 * years that pass. Names, strikes of surfaces and returns of the past are shared. STATUS_FAILED
 * (and `why`) where there is no such market, STATUS_NO_MEMORY. Free with scenario_market_free,
 * whatever is returned. */
enum status scenario_market(const struct market *today, const struct reference_scenario *scenario,
                            struct market *moved, struct message *why);
void scenario_market_free(struct market *moved);

/* Takes the years that pass off what is to come of a trade, but for its schedules, which
 * schedule_dates() reads. */
void age_trade(double years, struct trade *trade);

#endif
