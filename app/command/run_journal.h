/* A run and its database: begun there, or found there to be finished. */
#ifndef PRICER_APP_COMMAND_RUN_JOURNAL_H
#define PRICER_APP_COMMAND_RUN_JOURNAL_H

#include "app/database/journal.h"
#include "app/command/options.h"
#include "app/pricing/pricer.h"

/* Opens the journal that the options ask for, and leaves it off where they ask for none. Where the
 * run to be resumed is complete, journal->row says so. STATUS_BAD_INPUT, STATUS_FILE and one line;
 * STATUS_NO_MEMORY. */
enum status run_journal_begin(const struct options *options, struct pricer_results *results,
                              struct journal *journal, struct message *why);

/* The journal as the library's store; it may be opened later. */
struct pricer_store run_journal_store(struct journal *journal);

/* Says that the run was complete before, and what it came to: its exit status goes to *verdict.
 * STATUS_FILE and one line. */
enum status run_journal_complete(const struct options *options, const struct run_row *row,
                                 int *verdict, struct message *why);

#endif
