/* A results database: one SQLite file, and the statements that write and read it.
 *
 * Nothing is in the file but what a whole transaction put there. Two programs may use the file at
 * once; one waits a few seconds for the other. Numbers are stored as they are, to the bit; NaN
 * becomes NULL. */
#ifndef PRICER_APP_DATABASE_DATABASE_H
#define PRICER_APP_DATABASE_DATABASE_H

#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/base/status.h"

struct database {
    sqlite3 *handle;  /* NULL where it is not open */
    const char *path; /* as given; not owned */
};

/* Opens a file of ours to be written, and makes it where there is none, readable by its owner
 * alone. STATUS_FILE and one line, also for a file that is not ours, is of another layout, or
 * damaged; STATUS_NO_MEMORY. Close it in any case. */
enum status database_create(const char *path, struct database *database, struct message *why);

/* Opens a file of ours that is there. */
enum status database_open(const char *path, struct database *database, struct message *why);

/* Opens it only to look at it: nothing is written, and no file is left beside it. */
enum status database_read(const char *path, struct database *database, struct message *why);

/* Reads all of the file, by SQLite's quick_check. STATUS_FILE and one line where it is damaged. */
enum status database_check(const struct database *database, struct message *why);

/* Tells whether a run could write there, tried before the work: a file of ours, or a place where
 * one can be made. Makes nothing. */
enum status database_possible(const char *path, struct message *why);

/* Gives another program a minute to let go of the file, instead of five seconds. */
void database_be_patient(const struct database *database);

void database_close(struct database *database);

/* Runs SQL without results: "BEGIN IMMEDIATE", "COMMIT", ... */
enum status database_do(const struct database *database, const char *sql, struct message *why);

/* Ends the transaction that is open, if any: commits it, or where `status` is an error goes back to
 * the state before it. Returns the first error. */
enum status database_end(const struct database *database, enum status status, struct message *why);

/* ---- statements: prepared once, run for many rows -------------------------------------------- */

/* The first error of a statement stays in it, with its line in `why`; then nothing more is run. */
struct statement {
    const struct database *database;
    sqlite3_stmt *handle;
    int next; /* index of the value to be put next */
    enum status status;
    struct message *why;
};

struct statement statement_begin(const struct database *database, const char *sql,
                                 struct message *why);

/* Puts the next values of a statement as printf takes them: %s a text (NULL: as such; copied), %d
 * and %ld whole numbers, %g a number, %lx a digest, as 16 hexadecimal digits. What else stands in
 * the format is for its reader. */
__attribute__((format(printf, 2, 3))) void put(struct statement *statement, const char *format,
                                               ...);
void put_list(struct statement *statement, const char *format, va_list values);
void put_numbers(struct statement *statement, int n, const double *values);
void put_bytes(struct statement *statement, const void *bytes, size_t n); /* copied */

/* Runs a statement that returns no rows, and makes it ready for the next values. */
void statement_run(struct statement *statement);

/* Takes the next row. Returns whether there is one; after the last, the statement is ready again.
 */
bool statement_next(struct statement *statement);

/* Ends the statement, begun or {0}. Returns its first error: STATUS_FILE and one line,
 * STATUS_NO_MEMORY. */
enum status statement_end(struct statement *statement);

/* Runs a statement once with values as of put(); *number (NULL: not wanted) is the first column of
 * its first row, 0 where there is none. STATUS_FILE and one line, STATUS_NO_MEMORY. */
__attribute__((format(printf, 5, 6))) enum status database_ask(const struct database *database,
                                                               const char *sql, int64_t *number,
                                                               struct message *why,
                                                               const char *format, ...);

/* Columns of the row: NaN and NULL where there is no value; texts and bytes live until the next
 * call. */
int64_t get_integer(const struct statement *statement, int column);
double get_number(const struct statement *statement, int column);
const char *get_text(const struct statement *statement, int column);
const void *get_bytes(const struct statement *statement, int column, size_t *n);

/* ---- the tables ------------------------------------------------------------------------------ */

/* In the header of the file (SQLite's application_id and user_version): whose it is, and of which
 * layout. */
enum { SCHEMA_APPLICATION = 0x50524943, SCHEMA_VERSION = 8 };

/* SQL that makes all tables in an empty file; does nothing where they are there. */
extern const char schema_sql[];

#endif
