/* The `settings` group of a book. */
#ifndef PRICER_APP_CONFIG_SETTINGS_TABLE_H
#define PRICER_APP_CONFIG_SETTINGS_TABLE_H

#include "app/config/reader.h"
#include "app/pricing/base/risk_request.h"

/* Its keys, which read into a struct settings. */
extern const struct key_table settings_table;

/* Reads the group, and complains of keys that contradict each other. */
void settings_read(struct reader *reader, const config_setting_t *at, struct settings *settings,
                   struct risk_request *risk);

#endif
