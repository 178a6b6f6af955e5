/* The Greeks of a book. */
#ifndef PRICER_APP_RISK_GREEKS_H
#define PRICER_APP_RISK_GREEKS_H

#include "app/risk/revalue.h"
#include "app/risk/risk.h"

/* Fills risk->sensitivities and risk->greeks, but for the references. `progress` counts units of trades.
 * STATUS_NO_MEMORY, or what an engine returns. */
enum status greeks_make(const struct valuer *valuer, unsigned greeks, struct risk *risk, struct message *why);

#endif
