/* From tallies of unit values to what a desk reads (app/pricing/base/estimate.h). */
#ifndef PRICER_APP_PRICING_VALUE_MAKE_ESTIMATES_H
#define PRICER_APP_PRICING_VALUE_MAKE_ESTIMATES_H

#include "app/pricing/base/estimate.h"
#include "app/pricing/plan/plan_build.h"

/* Fills estimates [n] from tallies [n] and the plan's refusals [n]; what needs no path is added
 * (app/pricing/value/linear_value.h), and has no error. A trade that was refused, or
 * whose price is no finite number, fails and keeps its reason; the others are unchecked.
 * STATUS_NO_MEMORY (of a message). The caller frees with estimates_free, whatever is returned;
 * estimates must begin as zeros. */
enum status estimates_make(const struct market *market, int n, const struct trade *trades,
                           const struct tally *tallies, const struct refusal *refusals,
                           struct estimate *estimates);

/* Gives trades [n] that have expired, and are owed something, their verdict and reason: unless the
 * amount disagrees with its reference. STATUS_NO_MEMORY. */
enum status estimates_expire(int n, const struct trade *trades, struct estimate *estimates);

#endif
