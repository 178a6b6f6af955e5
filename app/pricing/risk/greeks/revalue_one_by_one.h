/* Values again, contrast by contrast, what one market of a call put out of reach for all of
 * them. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_REVALUE_ONE_BY_ONE_H
#define PRICER_APP_PRICING_RISK_GREEKS_REVALUE_ONE_BY_ONE_H

#include "app/pricing/risk/greeks/revalue.h"

/* Trades that the call `asked` refused are valued under the markets of one contrast at a time, into
 * its findings. A refusal stays with the trade, and what cannot be valued even so has no tally. In
 * an American's call the first market is today's, whose policies the others borrow.
 * STATUS_NO_MEMORY and what revalue_run returns. */
enum status revalue_one_by_one(const struct valuer *valuer, const struct revaluation *asked,
                               struct findings *findings, struct message *why);

#endif
