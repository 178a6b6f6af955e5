/* An asset paid one for one in another currency: under the measure of that currency its drift falls
 * by the covariance of its log with that of the FX rate (Haug 2007, section 5.5.1; Reiner 1992). */
#ifndef PRICER_VALIDATION_REFERENCE_QUANTO_H
#define PRICER_VALIDATION_REFERENCE_QUANTO_H

#include "models/market/market.h"
#include "models/payoffs/trade.h"
#include "validation/reference/effort.h"

/* Finds the yield which, beside the rate of the currency that is paid, gives the asset's drift
 * there: R_paid - R_own + Q + correlation * integral of sigma_asset sigma_fx. Everything accrues
 * linearly between the dates of the curves, so it is such a curve itself, exactly. Of an asset
 * without a Black variance the covariance is left out, for stepper.h to put in. Free with
 * term_free. STATUS_FAILED (and `why`) where the FX rate has no Black variance or a currency does
 * not fit; STATUS_NO_MEMORY. */
enum status quanto_yield(const struct market *market, const struct trade *trade,
                         struct effort *effort, struct term_structure *yield, struct message *why);

#endif
