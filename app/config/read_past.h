/* Reads the past that value at risk is taken from: a CSV file of levels, one row a day. */
#ifndef PRICER_APP_CONFIG_READ_PAST_H
#define PRICER_APP_CONFIG_READ_PAST_H

#include "app/config/reader.h"
#include "app/pricing/risk_request.h"

/* Reads the group `historical`: from levels `horizon_days` rows apart come the shocks of
 * request->days. A column is headed by an asset (its spot, moved by the ratio), by
 * `ASSET:volatility` or by `CURRENCY:rate` (moved by the difference); the first is `date`.
 * Complaints go to the reader. */
void read_past(struct reader *reader, const config_setting_t *group, struct risk_request *request);

#endif
