/* The rows of the table `runs`: how a run begins, is found again and ends. */
#ifndef PRICER_APP_DATABASE_RUNS_H
#define PRICER_APP_DATABASE_RUNS_H

#include <stdint.h>

#include "app/database/database.h"
#include "app/output/results.h"
#include "app/pricing/base/book.h"

/* A run that is being written. Whoever begins or resumes it becomes its writer; a writer that
 * another one has replaced may write no more. */
struct run_row {
    int64_t run, writer;
    bool complete;
    int exit_status;        /* of a complete one, as its options and verdicts made it */
    char began[24];         /* "2026-11-20 22:15:00", UTC */
    char identity[17];      /* digest of what was to be computed, as run_begin was given it */
    char results[17];       /* digest of the results; empty where it is not complete */
    int counts[N_VERDICTS]; /* of a complete one: trades by verdict */
};

/* Adds an unfinished run with all of the manifest that is known before the work, and the market, in
 * a transaction of its own. */
enum status run_begin(const struct database *database, const struct manifest *manifest,
                      const struct market *market, uint64_t identity, struct run_row *row,
                      struct message *why);

/* Finds the run to be resumed: the last unfinished one of this identity, else the last complete one
 * of it; row->run is 0 where all runs are complete, and of others. STATUS_BAD_INPUT and one line
 * where another run is unfinished, or there is none at all. */
enum status run_find(const struct database *database, uint64_t identity, struct run_row *row,
                     struct message *why);

/* Makes the caller its writer. */
enum status run_take(const struct database *database, struct run_row *row, struct message *why);

/* Begins a transaction on the run. STATUS_FILE and one line where another writer has taken it. */
enum status run_transaction(const struct database *database, const struct run_row *row,
                            struct message *why);

/* ---- what a run was given and what it found -------------------------------------------------- */

/* The rows that a run adds to the tables, within the transaction that is open. An insert is
 * prepared once for each table. The first error stays, and nothing more is added. */
struct run_rows {
    const struct database *database;
    int64_t run;
    struct message *why;
    enum status status;
    struct statement *row; /* that is being put; after an error `none` */
    struct statement none;
    int n;
    struct run_insert {
        const char *into;
        struct statement statement;
    } inserts[40]; /* [n] there are fewer tables and other statements */
};

/* Begins a row with its run. `into` is the name of a table, or another statement of SQL, whose ?1
 * is the run and whose own values follow. It stays the caller's until rows_end. */
void row_begin(struct run_rows *rows, const char *into);
void row_end(struct run_rows *rows);

/* Adds a row in one call: its values behind the run as of put(). */
__attribute__((format(printf, 3, 4))) void put_row(struct run_rows *rows, const char *into,
                                                   const char *format, ...);

/* Ends the statements. STATUS_FILE and one line, STATUS_NO_MEMORY. */
enum status rows_end(struct run_rows *rows);

/* Returns a text to be put, NULL for an empty one: what is not known. */
const char *known(const char *text);

/* Write the numbers of the market: inputs; and the trades and their prices, Greeks, scenarios, days
 * of the past and values at risk, where a number that there is not has no row, and aggregates. */
void write_inputs(struct run_rows *rows, const struct market *market);
void write_results(struct run_rows *rows, const struct results *results);

/* Fills what is known at the end into the run. */
void write_end(struct run_rows *rows, const struct results *results, int exit_status);

/* ---- identity -------------------------------------------------------------------------------- */

/* Returns the digest of the bytes of the book's files as they were read, the values put in their
 * place, every setting that decides a number, the plan's digest and the version of pricer. Engines,
 * kernels and threads give the same bits and are no part of it, but for the kernel `baseline`,
 * which is one with its engine. */
uint64_t identity_make(const struct book *book, int n_sets, const char *const *sets,
                       const char *engine, uint64_t plan_digest);

#endif
