/* What differs between two nights, on standard output. */
#ifndef PRICER_APP_DATABASE_DIFFERENCES_H
#define PRICER_APP_DATABASE_DIFFERENCES_H

#include "app/database/stored_runs.h"

/* Prints the runs, the moves of the market, prices, terms and verdicts that changed. *differences
 * tells whether any of the last three changed beyond noise. STATUS_FILE and one line,
 * STATUS_NO_MEMORY. */
enum status differences_print(const struct database *database, const struct stored_run nights[2],
                              bool *differences, struct message *why);

#endif
