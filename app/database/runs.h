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

/* Fills what is known at the end into the run, within the transaction. */
enum status run_end(const struct database *database, const struct run_row *row,
                    const struct results *results, int exit_status, struct message *why);

/* ---- what a run was given and what it found -------------------------------------------------- */

/* Each function adds its rows to the transaction that is open. STATUS_FILE and one line,
 * STATUS_NO_MEMORY. */

/* Writes the numbers of the market: inputs. */
enum status write_inputs(const struct database *database, int64_t run, const struct market *market,
                         struct message *why);

/* Writes the trades and their prices. */
enum status write_prices(const struct database *database, int64_t run,
                         const struct results *results, struct message *why);

/* Writes Greeks, scenarios, days of the past, and values at risk. A number that there is
 * not has no row. */
enum status write_risk(const struct database *database, int64_t run, const struct results *results,
                       struct message *why);

/* Writes aggregates: what their trades come to, and what the risk has of them. */
enum status write_aggregates(const struct database *database, int64_t run,
                             const struct results *results, struct message *why);

/* Adds the profits and losses [n] of a row of a table: (run, row, column, value, std_error). */
enum status put_pnl_row(struct statement *statement, int64_t run, int row, int n,
                        const struct pnl *pnl, struct message *why);

/* ---- identity -------------------------------------------------------------------------------- */

/* Returns the digest of the bytes of the book's files as they were read, the values put in their
 * place, every setting that decides a number, the plan's digest and the version of pricer. Engines,
 * kernels and threads give the same bits and are no part of it, but for the kernel `baseline`,
 * which is one with its engine. */
uint64_t identity_make(const struct book *book, int n_sets, const char *const *sets,
                       const char *engine, uint64_t plan_digest);

#endif
