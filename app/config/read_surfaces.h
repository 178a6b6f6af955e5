/* Volatilities by expiry and strike. */
#ifndef PRICER_APP_CONFIG_READ_SURFACES_H
#define PRICER_APP_CONFIG_READ_SURFACES_H

#include "app/config/reader.h"

/* Returns the strikes of a group { times; strikes; vols }, NULL where `at` is no such group. */
const config_setting_t *surface_strikes(const config_setting_t *at);

/* Fills the surface from { times; strikes; vols = ( [...], ... ) }, one row a time. Complaints go
 * to the reader; after one the surface may be empty. market_free frees it in any case. */
void read_surface(struct reader *reader, const config_setting_t *at, struct surface *surface);

#endif
