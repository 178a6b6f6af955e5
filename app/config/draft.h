/* A book that is made in memory, value by value. */
#ifndef PRICER_APP_CONFIG_DRAFT_H
#define PRICER_APP_CONFIG_DRAFT_H

#include <libconfig.h>
#include <stdbool.h>

/* Adds to a group or a list copies of all that another one holds, with where it is from. False
 * without memory. */
bool copy_setting(const config_setting_t *from, config_setting_t *to);

#endif
