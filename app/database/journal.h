/* The journal of a run: what was computed is in the database before the next record is begun, so
 * that a run which was cut off at any moment can be finished without computing it again.
 *
 * Records (app/pricing/base/store.h) are gone when the run is complete, but for references, which
 * later runs of the same program use. */
#ifndef PRICER_APP_DATABASE_JOURNAL_H
#define PRICER_APP_DATABASE_JOURNAL_H

#include <pthread.h>

#include "app/database/database.h"
#include "app/output/results.h"
#include "app/pricing/base/book.h"
#include "app/pricing/base/store.h"

/* A run that is being written. Whoever begins or resumes it becomes its writer; a writer that
 * another one has replaced may write no more. */
struct run_row {
    int64_t run, writer;
    bool complete;
    int exit_status;        /* of a complete one, as its options and verdicts made it */
    char began[24];         /* "2026-11-20 22:15:00", UTC */
    char results[17];       /* digest of the results; empty where it is not complete */
    int counts[N_VERDICTS]; /* of a complete one: trades by verdict */
};

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

/* ---- what a run was given and what it found (write_rows.c) ----------------------------------- */

/* Write, within the transaction that is open, the numbers of the market; and the trades and their
 * prices, Greeks, scenarios, days of the past and values at risk, where a number that there is not
 * has no row, aggregates, and what else is known at the end. STATUS_FILE and one line,
 * STATUS_NO_MEMORY. */
enum status write_inputs(const struct database *database, int64_t run, const struct market *market,
                         struct message *why);
enum status write_results(const struct database *database, int64_t run,
                          const struct results *results, int exit_status, struct message *why);

/* Returns a text to be put, NULL for an empty one: what is not known. */
static inline const char *known(const char *text)
{
    return text[0] ? text : NULL;
}

/* ---- identity -------------------------------------------------------------------------------- */

/* Returns the digest of the bytes of the book's files as they were read, the values put in their
 * place, every setting that decides a number, the plan's digest and the version of pricer. Engines,
 * kernels and threads give the same bits and are no part of it, but for the kernel `baseline`,
 * which is one with its engine. */
uint64_t identity_make(const struct book *book, int n_sets, const char *const *sets,
                       const char *engine, uint64_t plan_digest);

#endif
