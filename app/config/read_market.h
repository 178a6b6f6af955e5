/* The `market` group of a book. */
#ifndef PRICER_APP_CONFIG_READ_MARKET_H
#define PRICER_APP_CONFIG_READ_MARKET_H

#include "app/config/reader.h"

/* Reads currencies, assets and correlations, and leaves their names with the reader for the trades
 * to be read. Complaints go to the reader; the caller frees `market` with market_free in any case,
 * and the reader's names. */
void read_market(struct reader *reader, const config_setting_t *group, struct market *market);

#endif
