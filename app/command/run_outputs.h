/* What a run leaves behind: files, a page, a table on the terminal, a complete row of the database.
 */
#ifndef PRICER_APP_COMMAND_RUN_OUTPUTS_H
#define PRICER_APP_COMMAND_RUN_OUTPUTS_H

#include "app/command/options.h"
#include "app/database/journal.h"
#include "app/api/pricer.h"
#include "models/base/stop.h"

/* Finds out before the work whether all outputs could be written. STATUS_FILE, STATUS_BAD_INPUT and
 * one line; STATUS_NO_MEMORY. */
enum status check_outputs(const struct options *options, struct message *why);

/* Refuses results in the place of the book, or of what belongs to it. STATUS_BAD_INPUT and one
 * line.
 */
enum status spare_inputs(const struct options *options, const struct pricer_book *book,
                         struct message *why);

/* Refuses a --by that no trade is sorted by. STATUS_BAD_INPUT and one line. */
enum status check_ways(const struct options *options, const struct pricer_book *book,
                       struct message *why);

/* Writes them all. STATUS_FILE and one line, STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status write_outputs(const struct options *options, struct pricer_results *results,
                          const struct stop *stop, struct journal *journal, int exit_status,
                          struct message *why);

/* ---- the database ---------------------------------------------------------------------------- */

/* Opens the journal that the options ask for, where the results then keep their pieces, and leaves
 * it off where they ask for none. Where the run to be resumed is complete, journal->row says so.
 * STATUS_BAD_INPUT, STATUS_FILE and one line; STATUS_NO_MEMORY. */
enum status run_journal_begin(const struct options *options, struct pricer_results *results,
                              struct journal *journal, struct message *why);

/* Says that the run was complete before, and what it came to: its exit status goes to *verdict.
 * STATUS_FILE and one line. */
enum status run_journal_complete(const struct options *options, const struct run_row *row,
                                 int *verdict, struct message *why);

#endif
