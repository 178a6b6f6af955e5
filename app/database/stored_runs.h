/* Two complete runs side by side: the tables that `pricer diff` is read from
 * (compared_tables.c).
 *
 * The first night's database is `main`, the second's `other`; `temp` holds
 *   nights (night, ...)  one row for each: 1 the earlier, 2 the later;
 *   elapsed (years)  from the earlier to the later;
 *   moves (owner, input, time, strike, before, after)  every number of the market that both have;
 *   both (trade, id, ..., before, after, change, variance, ...)  every trade that both have;
 *   changes (id, currency, before, after, new, gone, ...)  every trade of either;
 *   parts (trade, id, part, factor, value)  what a Greek explains of a change, by what moved;
 *   explanation (trade, delta, second_order, ...)  the same by trade;
 *   placed (way, of, id, converted, unit, rate)  the sums that a trade is in: of those in its
 * currency, and of all in the second night's currency, at its FX rates;
 *   explained (way, of, converted, currency, ...)  the changes, summed;
 *   explained_factors (way, of, factor, converted, currency, ...)  the parts, summed.
 */
#ifndef PRICER_APP_DATABASE_STORED_RUNS_H
#define PRICER_APP_DATABASE_STORED_RUNS_H

#include <stdio.h>

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

/* Finds out which run it is, which must be complete. STATUS_BAD_INPUT and one line,
 * STATUS_NO_MEMORY. */
enum status stored_run_find(struct stored_run *night, struct message *why);

/* Finds the last complete run before another one of the same database; 0: there is none. */
enum status run_before(const struct database *database, int64_t run, int64_t *before,
                       struct message *why);

/* Statements that make the tables, NULL behind the last; ?1 and ?2 are the runs. */
extern const char *const compared_tables[];

/* ---- what changed ---------------------------------------------------------------------------- */

/* Prints the runs, the moves of the market, prices, what their change is made of, terms and
 * verdicts that changed. *differences tells whether any price, term or verdict changed beyond
 * noise. STATUS_FILE and one line, STATUS_NO_MEMORY. */
enum status differences_print(FILE *out, const struct database *database,
                              const struct stored_run nights[2], bool *differences,
                              struct message *why);

/* ---- what the change is made of -------------------------------------------------------------- */

/* Reads it from the tables, for the whole book, by each tag and by what moved; with `trades` also
 * that of each trade. The caller frees changes->rows, whatever is returned. STATUS_FILE and one
 * line; STATUS_NO_MEMORY. */
enum status changes_read(const struct database *database, bool trades, struct changes *changes,
                         struct message *why);

/* Does the same without trades, of two runs as stored_runs_open takes them. STATUS_BAD_INPUT, too.
 */
enum status changes_between(struct stored_run nights[2], struct changes *changes,
                            struct message *why);

#endif
