/* A trade that is a script. */
#ifndef PRICER_APP_CONFIG_SCRIPT_TRADE_H
#define PRICER_APP_CONFIG_SCRIPT_TRADE_H

#include "app/config/read_scripts.h"
#include "app/config/read_trades.h"

/* Reads the keys of a script: those of any trade into the reading, as of a built-in product. */
void read_script_keys(struct trade_reading *reading);

/* Makes the program of the trade, whose keys and assets have been read: gives the script its
 * numbers, its dates and the closes of those that have passed. What they have fixed and is still on
 * its way is owed; where the script has stopped, or its expiry has passed, nothing else is left. */
void bind_script(struct trade_reading *reading);

#endif
