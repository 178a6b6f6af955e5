/* The rows of a run: what it was given and what it found. Each function adds its rows to the
 * transaction that is open. STATUS_FILE and one line, STATUS_NO_MEMORY. */
#ifndef PRICER_APP_DATABASE_WRITE_RUN_H
#define PRICER_APP_DATABASE_WRITE_RUN_H

#include "app/database/database.h"
#include "app/output/results.h"

/* Writes the numbers of the market: inputs. */
enum status write_inputs(const struct database *database, int64_t run, const struct market *market,
                         struct message *why);

/* Writes the trades and their prices. */
enum status write_prices(const struct database *database, int64_t run,
                         const struct results *results, struct message *why);

/* Writes Greeks, scenarios, days of the past, values at risk and aggregates. A number that there is
 * not has no row. */
enum status write_risk(const struct database *database, int64_t run, const struct results *results,
                       struct message *why);

#endif
