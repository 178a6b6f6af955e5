/* What a run leaves behind: files, a page, a table on the terminal, a complete row of the database.
 */
#ifndef PRICER_APP_COMMAND_RUN_OUTPUTS_H
#define PRICER_APP_COMMAND_RUN_OUTPUTS_H

#include "app/command/options.h"
#include "app/database/journal.h"
#include "app/pricing/pricer.h"
#include "models/base/stop.h"

/* Finds out before the work whether all outputs could be written. STATUS_FILE, STATUS_BAD_INPUT and
 * one line; STATUS_NO_MEMORY. */
enum status check_outputs(const struct options *options, struct message *why);

/* Refuses results in the place of the book, or of what belongs to it. STATUS_BAD_INPUT and one
 * line.
 */
enum status spare_inputs(const struct options *options, const struct pricer_book *book,
                         struct message *why);

/* Writes them all. STATUS_FILE and one line, STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status write_outputs(const struct options *options, struct pricer_results *results,
                          const struct stop *stop, struct journal *journal, int exit_status,
                          struct message *why);

#endif
