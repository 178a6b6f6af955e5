/* The cash dividends of an asset. */
#ifndef PRICER_APP_CONFIG_READ_DIVIDENDS_H
#define PRICER_APP_CONFIG_READ_DIVIDENDS_H

#include "app/config/reader.h"

/* Fills the asset's dividends from a list ( { time; amount; }, ... ) whose times increase; an empty
 * list has none. Complaints go to the reader; market_free frees the dividends in any case. */
void read_dividends(struct reader *reader, const config_setting_t *list, struct asset *asset);

#endif
