/* The keys of the `settings` group. */
#ifndef PRICER_APP_CONFIG_SETTINGS_TABLE_H
#define PRICER_APP_CONFIG_SETTINGS_TABLE_H

#include "app/config/reader.h"

/* Reads into a struct settings. */
extern const struct table settings_table;

#endif
