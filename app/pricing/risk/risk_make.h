/* All that a book asks beside prices: Greeks, scenarios, value at risk. */
#ifndef PRICER_APP_PRICING_RISK_RISK_MAKE_H
#define PRICER_APP_PRICING_RISK_RISK_MAKE_H

#include "models/base/complaints.h"
#include "app/pricing/base/settings.h"
#include "app/pricing/risk/greeks/revalue.h"
#include "app/pricing/base/risk.h"

/* Tells whether anything is asked for. */
bool risk_is_asked(const struct risk_request *request);

/* Fills `risk`; free with risk_free. Greeks take the paths of `valuer`, scenarios and the past
 * those of the request. Trades that cannot be valued somewhere, and days of the past that there is
 * no market for, are told of in `notes`. STATUS_NO_MEMORY, or what an engine returns, with its
 * line. */
enum status risk_make(const struct valuer *valuer, const struct risk_request *request,
                      struct risk *risk, struct complaints *notes, struct message *why);

#endif
