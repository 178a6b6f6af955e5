#include "app/database/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/pricing/base/digest.h"

/* Returns a number that no other writer has. */
static int64_t new_writer(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mixed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return (int64_t)((mixed ^ ((uint64_t)getpid() << 40)) >> 1);
}

/* ---- the beginning --------------------------------------------------------------------------- */

enum status run_begin(const struct database *database, const struct manifest *manifest,
                      const struct market *market, uint64_t identity, struct run_row *row,
                      struct message *why)
{
    static const char sql[] =
        "INSERT INTO runs (status, writer, identity, version, git_commit, book, book_name, "
        "valuation_date,"
        " seed, paths, path_steps, plan_digest, engine, threads, began)"
        " VALUES ('unfinished', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, datetime('now'))";
    enum status status = STATUS_OK;
    struct statement begin = {0};
    struct run_rows rows = {.database = database, .why = why};
    *row = (struct run_row){.writer = new_writer()};
    snprintf(row->identity, sizeof row->identity, "%016" PRIx64, identity);
    TRY(database_do(database, "BEGIN IMMEDIATE", why));
    begin = statement_begin(database, sql, why);
    put(&begin, "%ld %s %s %s %s %s %s %ld %ld %ld %lx %s %d", row->writer, row->identity,
        PRICER_VERSION, PRICER_COMMIT, manifest->book, manifest->book_name,
        known(manifest->valuation_date), (int64_t)manifest->seed, (int64_t)manifest->paths,
        (int64_t)manifest->path_steps, manifest->plan_digest, manifest->engine, manifest->threads);
    statement_run(&begin);
    TRY(statement_end(&begin));
    rows.run = row->run = sqlite3_last_insert_rowid(database->handle);
    write_inputs(&rows, market);
    TRY(rows_end(&rows));
done:
    return database_end(database, status, why);
}

/* ---- found again ----------------------------------------------------------------------------- */

static enum status count_verdicts(const struct database *database, struct run_row *row,
                                  struct message *why)
{
    struct statement counts = statement_begin(
        database, "SELECT verdict, count(*) FROM prices WHERE run = ? GROUP BY verdict", why);
    put(&counts, "%ld", row->run);
    while (statement_next(&counts))
        for (int v = 0; v < N_VERDICTS; v++)
            if (!strcmp(get_text(&counts, 0), verdict_name((enum verdict)v)))
                row->counts[v] = (int)get_integer(&counts, 1);
    return statement_end(&counts);
}

/* Says what there is where no run has this identity: an unfinished one, or none at all; runs that
 * are complete are no fault. */
static enum status refuse(const struct database *database, struct message *why)
{
    struct statement last =
        statement_begin(database,
                        "SELECT run, book, began, status = 'unfinished' FROM runs"
                        " ORDER BY status = 'unfinished' DESC, run DESC",
                        why);
    enum status found = STATUS_OK;
    if (!statement_next(&last))
        found = say_why(STATUS_BAD_INPUT, why,
                        "--resume: %.300s has no run at all; --output begins one", database->path);
    else if (get_integer(&last, 3))
        found =
            say_why(STATUS_BAD_INPUT, why,
                    "--resume: the unfinished run %" PRId64
                    " of %.200s (%.100s, %s UTC) is of another book, other settings or "
                    "another version of pricer",
                    get_integer(&last, 0), database->path, get_text(&last, 1), get_text(&last, 2));
    enum status status = statement_end(&last);
    return status ? status : found;
}

enum status run_find(const struct database *database, uint64_t identity, struct run_row *row,
                     struct message *why)
{
    static const char sql[] = "SELECT run, status = 'complete', exit_status, began, "
                              "coalesce(results_digest, '') FROM runs WHERE identity = ?"
                              " ORDER BY status = 'unfinished' DESC, run DESC LIMIT 1";
    *row = (struct run_row){0};
    snprintf(row->identity, sizeof row->identity, "%016" PRIx64, identity);
    struct statement found = statement_begin(database, sql, why);
    put(&found, "%s", row->identity);
    bool there = statement_next(&found);
    if (there) {
        row->run = get_integer(&found, 0);
        row->complete = get_integer(&found, 1);
        row->exit_status = (int)get_integer(&found, 2);
        snprintf(row->began, sizeof row->began, "%s", get_text(&found, 3));
        snprintf(row->results, sizeof row->results, "%s", get_text(&found, 4));
    }
    enum status status = statement_end(&found);
    if (status) return status;
    return there ? count_verdicts(database, row, why) : refuse(database, why);
}

enum status run_take(const struct database *database, struct run_row *row, struct message *why)
{
    struct statement take = statement_begin(
        database, "UPDATE runs SET writer = ? WHERE run = ? AND status = 'unfinished'", why);
    row->writer = new_writer();
    put(&take, "%ld %ld", row->writer, row->run);
    statement_run(&take);
    return statement_end(&take);
}

/* ---- transactions and the end ---------------------------------------------------------------- */

enum status run_transaction(const struct database *database, const struct run_row *row,
                            struct message *why)
{
    enum status status = STATUS_OK;
    TRY(database_do(database, "BEGIN IMMEDIATE", why));
    struct statement own = statement_begin(
        database, "SELECT 1 FROM runs WHERE run = ? AND writer = ? AND status = 'unfinished'", why);
    put(&own, "%ld %ld", row->run, row->writer);
    bool there = statement_next(&own);
    TRY(statement_end(&own));
    if (!there)
        TRY(say_why(STATUS_FILE, why,
                    "run %" PRId64 " of %.300s has been taken over by another program", row->run,
                    database->path));
done:
    return status ? database_end(database, status, why) : STATUS_OK;
}

void write_end(struct run_rows *rows, const struct results *results, int exit_status)
{
    static const char sql[] =
        "UPDATE runs SET status = 'complete', exit_status = ?2, results_digest = ?, engine = ?,"
        " kernel = ?, device = ?, threads = ?, currency = ?, ended = datetime('now'),"
        " load_seconds = ?, plan_seconds = ?, start_seconds = ?, price_seconds = ?,"
        " gpu_busy_seconds = ?, check_seconds = ?, risk_seconds = ? WHERE run = ?1";
    const struct manifest *m = &results->manifest;
    const struct phases *phases = &m->phases;
    for (int i = 0; i < m->n_routes; i++)
        put_row(rows, "routes", "%d %s %s %d", i, m->routes[i].route.kernel, m->routes[i].route.why,
                m->routes[i].groups);
    put_row(rows, sql, "%d %lx %s %s %s %d %s %g %g %g %g %g %g %g", exit_status, m->results_digest,
            m->engine, m->kernel, m->device, m->threads, results_total_currency(results),
            phases->load, phases->plan, phases->start, phases->price, phases->gpu_busy,
            phases->check, results->risk ? results->risk->seconds : NAN);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Begins the insert of a row of a table with all of its columns. */
static struct statement begin_insert(const struct run_rows *rows, const char *table)
{
    char sql[256];
    struct statement columns =
        statement_begin(rows->database, "SELECT count(*) FROM pragma_table_info(?)", rows->why);
    put(&columns, "%s", table);
    int n = statement_next(&columns) ? (int)get_integer(&columns, 0) : 0;
    enum status status = statement_end(&columns);
    int end = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", table);
    for (int i = 1; i < n; i++) end += snprintf(sql + end, sizeof sql - (size_t)end, ", ?");
    snprintf(sql + end, sizeof sql - (size_t)end, ")");
    if (status) return (struct statement){.status = status};
    return statement_begin(rows->database, sql, rows->why);
}

/* Returns the statement of `into`, prepared where this is its first row. */
static struct statement *statement_of(struct run_rows *rows, const char *into)
{
    int i = 0;
    while (i < rows->n && strcmp(rows->inserts[i].into, into)) i++;
    struct statement *statement = &rows->inserts[i].statement;
    if (i < rows->n) return statement;
    bool sql = strchr(into, ' ');
    *statement = sql ? statement_begin(rows->database, into, rows->why) : begin_insert(rows, into);
    rows->inserts[rows->n++].into = into;
    return statement;
}

void row_begin(struct run_rows *rows, const char *into)
{
    rows->none.status = rows->status;
    rows->row = rows->status ? &rows->none : statement_of(rows, into);
    put(rows->row, "%ld", rows->run);
}

void row_end(struct run_rows *rows)
{
    statement_run(rows->row);
    if (!rows->status) rows->status = rows->row->status;
}

void put_row(struct run_rows *rows, const char *into, const char *format, ...)
{
    va_list values;
    row_begin(rows, into);
    va_start(values, format);
    put_list(rows->row, format, values);
    va_end(values);
    row_end(rows);
}

enum status rows_end(struct run_rows *rows)
{
    for (int i = 0; i < rows->n; i++) statement_end(&rows->inserts[i].statement);
    rows->n = 0;
    return rows->status;
}

const char *known(const char *text)
{
    return text[0] ? text : NULL;
}

/* ---- identity -------------------------------------------------------------------------------- */

uint64_t identity_make(const struct book *book, int n_sets, const char *const *sets,
                       const char *engine, uint64_t plan_digest)
{
    const struct settings *settings = &book->settings;
    char arithmetic[64];
    uint64_t digest = digest_text(digest_text(DIGEST_BEGIN, PRICER_VERSION), PRICER_COMMIT);
    digest = digest_integer(digest, book->digest);
    for (int i = 0; i < n_sets; i++) digest = digest_text(digest, sets[i]);
    arithmetic_name(engine, settings->kernel, sizeof arithmetic, arithmetic);
    digest = digest_text(digest, arithmetic);
    digest = digest_integer(digest, (uint64_t)settings->paths);
    digest = digest_integer(digest, settings->seed);
    digest = digest_number(digest, settings->max_step);
    digest = digest_integer(digest, (uint64_t)settings->max_paths);
    digest = digest_integer(digest, (uint64_t)settings->check);
    return digest_integer(digest, plan_digest);
}
