#include "app/database/database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/output/output_file.h"

enum {
    PATIENCE = 5000,
    LONG_PATIENCE = 60000
}; /* milliseconds that another program may hold the file */

/* ---- what went wrong ------------------------------------------------------------------------- */

static enum status complain(const struct database *database, int code, struct message *why)
{
    const char *text = database->handle ? sqlite3_errmsg(database->handle) : sqlite3_errstr(code);
    int reason = database->handle ? sqlite3_system_errno(database->handle) : 0;
    if ((code & 0xff) == SQLITE_IOERR && reason) text = strerror(reason); /* as a full disk */
    switch (code & 0xff) {
    case SQLITE_NOMEM: return STATUS_NO_MEMORY;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return say_why(STATUS_FILE, why, "%.300s is held by another program (%s)", database->path,
                       text);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return say_why(STATUS_FILE, why, "%.300s is no database, or a damaged one (%s)",
                       database->path, text);
    }
    return say_why(STATUS_FILE, why, "cannot use database %.300s: %s", database->path, text);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Checks that the file is ours; *empty tells whether it holds nothing yet. */
static enum status recognise(const struct database *database, bool *empty, struct message *why)
{
    int64_t application = 0, version = 0, tables = 0;
    struct statement marks =
        statement_begin(database,
                        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)"
                        " FROM pragma_application_id, pragma_user_version",
                        why);
    if (statement_next(&marks)) {
        application = get_integer(&marks, 0);
        version = get_integer(&marks, 1);
        tables = get_integer(&marks, 2);
    }
    MUST(statement_end(&marks));
    *empty = !application && !version && !tables;
    if (*empty) return STATUS_OK;
    if (application != SCHEMA_APPLICATION)
        return say_why(STATUS_FILE, why,
                       "%.300s is a database, but not one of pricer's: it is left alone",
                       database->path);
    if (version != SCHEMA_VERSION)
        return say_why(STATUS_FILE, why,
                       "%.300s has the tables of another version of pricer: take another file",
                       database->path);
    return STATUS_OK;
}

/* Opens the file that must be there and is ours; *empty as of recognise(). It is opened to be
 * written even where it is only looked at, if it may be: what was being written when a program was
 * killed is undone, by SQLite, only then. */
static enum status open_file(const char *path, struct database *database, bool *empty,
                             struct message *why)
{
    *database = (struct database){.path = path};
    struct stat facts;
    int error = stat(path, &facts) ? errno : S_ISREG(facts.st_mode) ? 0 : EISDIR;
    if (error) {
        const char *reason = error == EISDIR ? "not a regular file" : strerror(error);
        return say_why(STATUS_FILE, why, "cannot open %.300s: %s", path, reason);
    }
    char *name = malloc(strlen(path) + sizeof "./"); /* so that file:x.db is a file, and no URI */
    if (!name) return STATUS_NO_MEMORY;
    sprintf(name, "%s%s", path[0] == '/' ? "" : "./", path);
    int code = sqlite3_open_v2(name, &database->handle, SQLITE_OPEN_READWRITE, NULL);
    free(name);
    if (code) return complain(database, code, why);
    sqlite3_busy_timeout(database->handle, PATIENCE);
    return recognise(database, empty, why);
}

static enum status make_tables(const struct database *database, struct message *why)
{
    char marks[96];
    enum status status = STATUS_OK;
    snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             SCHEMA_APPLICATION, SCHEMA_VERSION);
    TRY(database_do(database, "BEGIN IMMEDIATE", why));
    TRY(database_do(database, schema_sql, why));
    TRY(database_do(database, marks, why));
done:
    return database_end(database, status, why);
}

enum status database_open(const char *path, struct database *database, struct message *why)
{
    bool empty;
    MUST(open_file(path, database, &empty, why));
    MUST(database_do(database, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA", why));
    return empty ? make_tables(database, why) : STATUS_OK;
}

enum status database_create(const char *path, struct database *database, struct message *why)
{
    char *target = NULL;
    *database = (struct database){.path = path};
    MUST(output_file_target(path, &target, why));
    int descriptor = open(target, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
    int error = descriptor < 0 ? errno : 0;
    free(target);
    if (descriptor >= 0) close(descriptor);
    if (!error || error == EEXIST) return database_open(path, database, why);
    return say_why(STATUS_FILE, why, "cannot write %.300s: %s", path, strerror(error));
}

enum status database_read(const char *path, struct database *database, struct message *why)
{
    bool empty;
    MUST(open_file(path, database, &empty, why));
    return empty ? say_why(STATUS_FILE, why, "%.300s holds no run", path) : STATUS_OK;
}

enum status database_check(const struct database *database, struct message *why)
{
    struct statement check = statement_begin(database, "PRAGMA quick_check(1)", why);
    bool damaged = statement_next(&check) && strcmp(get_text(&check, 0), "ok");
    if (damaged)
        snprintf(why->text, sizeof why->text, "%.300s is no database, or a damaged one (%.160s)",
                 database->path, get_text(&check, 0));
    enum status status = statement_end(&check);
    return damaged ? STATUS_FILE : status;
}

enum status database_possible(const char *path, struct message *why)
{
    struct stat facts;
    struct database database = {0};
    enum status status = output_file_possible(path, why);
    if (status || stat(path, &facts)) return status;
    status = database_open(path, &database, why);
    database_close(&database);
    return status;
}

void database_be_patient(const struct database *database)
{
    sqlite3_busy_timeout(database->handle, LONG_PATIENCE);
}

void database_close(struct database *database)
{
    sqlite3_close(database->handle);
    database->handle = NULL;
}

enum status database_do(const struct database *database, const char *sql, struct message *why)
{
    int code = sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
    return code ? complain(database, code, why) : STATUS_OK;
}

enum status database_end(const struct database *database, enum status status, struct message *why)
{
    if (!status) status = database_do(database, "COMMIT", why);
    if (status && database->handle && !sqlite3_get_autocommit(database->handle))
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Keeps the first error of a statement. */
static void note_code(struct statement *statement, int code)
{
    bool good = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
    if (!good && !statement->status)
        statement->status = complain(statement->database, code, statement->why);
}

struct statement statement_begin(const struct database *database, const char *sql,
                                 struct message *why)
{
    struct statement statement = {.database = database, .next = 1, .why = why};
    note_code(&statement, sqlite3_prepare_v2(database->handle, sql, -1, &statement.handle, NULL));
    return statement;
}

static void put_text(struct statement *statement, const char *text)
{
    note_code(statement,
              sqlite3_bind_text(statement->handle, statement->next++, text, -1, SQLITE_TRANSIENT));
}

void put_list(struct statement *statement, const char *format, va_list values)
{
    while ((format = strchr(format, '%'))) {
        bool wide = false;
        while (!strchr("sdgx", *++format)) wide = wide || *format == 'l';
        char digest[17];
        int64_t integer;
        double number;
        switch (*format) {
        case 's': put_text(statement, va_arg(values, const char *)); break;
        case 'd':
            integer = wide ? va_arg(values, int64_t) : va_arg(values, int);
            note_code(statement, sqlite3_bind_int64(statement->handle, statement->next++, integer));
            break;
        case 'x':
            snprintf(digest, sizeof digest, "%016" PRIx64, va_arg(values, uint64_t));
            put_text(statement, digest);
            break;
        case 'g': number = va_arg(values, double); put_numbers(statement, 1, &number);
        }
    }
}

void put(struct statement *statement, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_list(statement, format, values);
    va_end(values);
}

void put_numbers(struct statement *statement, int n, const double *values)
{
    for (int i = 0; i < n; i++)
        note_code(statement, sqlite3_bind_double(statement->handle, statement->next++, values[i]));
}

void put_bytes(struct statement *statement, const void *bytes, size_t n)
{
    note_code(statement, sqlite3_bind_blob64(statement->handle, statement->next++, bytes, n,
                                             SQLITE_TRANSIENT));
}

bool statement_next(struct statement *statement)
{
    int code = statement->status ? SQLITE_DONE : sqlite3_step(statement->handle);
    note_code(statement, code);
    if (code == SQLITE_ROW) return true;
    statement->next = 1;
    if (statement->handle) {
        sqlite3_reset(statement->handle);
        sqlite3_clear_bindings(statement->handle);
    }
    return false;
}

void statement_run(struct statement *statement)
{
    while (statement_next(statement)) continue;
}

int64_t get_integer(const struct statement *statement, int column)
{
    return sqlite3_column_int64(statement->handle, column);
}

double get_number(const struct statement *statement, int column)
{
    bool null = sqlite3_column_type(statement->handle, column) == SQLITE_NULL;
    return null ? NAN : sqlite3_column_double(statement->handle, column);
}

const char *get_text(const struct statement *statement, int column)
{
    return (const char *)sqlite3_column_text(statement->handle, column);
}

const void *get_bytes(const struct statement *statement, int column, size_t *n)
{
    const void *bytes = sqlite3_column_blob(statement->handle, column);
    *n = (size_t)sqlite3_column_bytes(statement->handle, column);
    return bytes;
}

enum status statement_end(struct statement *statement)
{
    enum status status = statement->status;
    sqlite3_finalize(statement->handle);
    *statement = (struct statement){0};
    return status;
}

enum status database_ask(const struct database *database, const char *sql, int64_t *number,
                         struct message *why, const char *format, ...)
{
    struct statement statement = statement_begin(database, sql, why);
    va_list values;
    va_start(values, format);
    put_list(&statement, format, values);
    va_end(values);
    bool there = statement_next(&statement);
    if (number) *number = there ? get_integer(&statement, 0) : 0;
    return statement_end(&statement);
}
