/* The journal of a run: what was computed is in the database before the next record is begun, so
 * that a run which was cut off at any moment can be finished without computing it again.
 *
 * Records (app/pricing/base/store.h) are gone when the run is complete, but for references, which
 * later runs of the same program use. */
#ifndef PRICER_APP_DATABASE_JOURNAL_H
#define PRICER_APP_DATABASE_JOURNAL_H

#include <pthread.h>

#include "app/database/runs.h"
#include "app/pricing/base/store.h"

struct stored_piece;

struct journal {
    bool on;
    struct database database;
    struct run_row row;
    pthread_mutex_t lock; /* of all below: recall and keep may be called from any thread */
    int n_records, room;
    struct stored_piece *records; /* [n_records] not yet written */
    double written;               /* when records were written last, of seconds_now() */
};

/* Begins a new run in the database at `path`, which is made where there is none. STATUS_FILE and
 * one line, STATUS_NO_MEMORY. End with journal_close in any case, as the next. */
enum status journal_begin(const char *path, const struct manifest *manifest,
                          const struct market *market, uint64_t identity, struct journal *journal,
                          struct message *why);

/* Goes on with the unfinished run of that identity. Where it is complete, `row` says so and the
 * journal stays off. Where all runs there are complete, and of others, row.run is 0.
 * STATUS_BAD_INPUT and one line where only others are unfinished, or there is no run at all. */
enum status journal_resume(const char *path, uint64_t identity, struct journal *journal,
                           struct message *why);

/* Writes the results, drops the records but for references and marks the run as complete, all in
 * one transaction. */
enum status journal_finish(struct journal *journal, const struct results *results, int exit_status,
                           struct message *why);

void journal_close(struct journal *journal);

/* Returns the journal as pricing sees it (app/pricing/base/store.h), which lives as long as the
 * journal: records are gathered and written in one transaction about every second, and when the
 * store is flushed. Of a journal that is not on the store remembers nothing. */
struct store journal_store(struct journal *journal);

#endif
