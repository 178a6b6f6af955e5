/* Reads what a book asks beside prices: its `risk` group, and the Greeks of its settings. */
#ifndef PRICER_APP_CONFIG_READ_RISK_H
#define PRICER_APP_CONFIG_READ_RISK_H

#include "app/config/reader.h"
#include "app/pricing/risk_request.h"

/* Reads the list `greeks`, of the settings or of `risk`: words of greeks.def. */
void read_greeks(struct reader *reader, const config_setting_t *list, struct risk_request *request);

/* Reads the group `risk`, after the market that it shocks. */
void read_risk(struct reader *reader, const config_setting_t *group, const struct market *market,
               struct risk_request *request);

#endif
