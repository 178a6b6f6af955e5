/* Past returns of an asset with model = "historical". */
#ifndef PRICER_APP_CONFIG_READ_HISTORY_H
#define PRICER_APP_CONFIG_READ_HISTORY_H

#include "app/config/reader.h"

/* Reads the group { returns; interval; block }, and where the asset has no volatility of its own
 * gives it that of the past. Complaints go to the reader; after one the history may be empty. */
void read_history(struct reader *reader, const config_setting_t *at, struct asset *asset);

#endif
