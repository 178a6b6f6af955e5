/* Two complete runs side by side: the tables that `pricer diff` is read from.
 *
 * The first night's database is `main`, the second's `other`; `temp` holds
 *   nights (night, ...)  one row for each: 1 the earlier, 2 the later;
 *   moves (owner, input, time, strike, before, after)  every number of the market that both have;
 *   both (trade, id, ..., before, after, change, variance, ...)  every trade that both have;
 *   changes (id, currency, before, after, new, gone, amended, delta, ...)  every trade of either;
 *   explained (way, of, currency, ...)  the same, summed over all trades and by their tags;
 *   explanation (trade, delta, gamma, vega, rho, theta, correlation)  the change by the first
 * night's Greeks.
 */
#ifndef PRICER_APP_DATABASE_STORED_RUNS_H
#define PRICER_APP_DATABASE_STORED_RUNS_H

#include "app/database/database.h"
#include "app/output/changes.h"

struct stored_run {
    char *path;  /* owned */
    int64_t run; /* 0: the last complete one */
};

/* Opens both and fills the tables; runs that were 0 are then known. `nights[1].path` NULL: the
 * first file's last two. STATUS_BAD_INPUT and one line where there is no such run, none that is
 * complete, or no such database; STATUS_FILE, STATUS_NO_MEMORY. Close the database in any case. */
enum status stored_runs_open(struct stored_run nights[2], struct database *database,
                             struct message *why);

/* Finds the last complete run before another one of the same database; 0: there is none. */
enum status run_before(const char *path, int64_t run, int64_t *before, struct message *why);

/* ---- what changed ---------------------------------------------------------------------------- */

/* Prints the runs, the moves of the market, prices, terms and verdicts that changed. *differences
 * tells whether any of the last three changed beyond noise. STATUS_FILE and one line,
 * STATUS_NO_MEMORY. */
enum status differences_print(const struct database *database, const struct stored_run nights[2],
                              bool *differences, struct message *why);

/* ---- what the change is made of (explained_changes.c) ---------------------------------------- */

/* Reads the change from one night to the other, for the whole book and by each tag: of two runs as
 * stored_runs_open takes them. The caller frees changes->rows, whatever is returned.
 * STATUS_BAD_INPUT, STATUS_FILE and one line; STATUS_NO_MEMORY. */
enum status changes_between(struct stored_run nights[2], struct changes *changes,
                            struct message *why);

/* Prints it for the whole book and by each tag. STATUS_FILE and one line, STATUS_NO_MEMORY. */
enum status explained_print(const struct database *database, struct message *why);

/* Writes it, and that of each trade, to FILE.csv or FILE.json. STATUS_BAD_INPUT for another name;
 * as above. */
enum status explained_write(const struct database *database, const char *path, struct message *why);

#endif
