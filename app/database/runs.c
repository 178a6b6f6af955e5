#include "app/database/runs.h"

#include <inttypes.h>
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

static enum status put_run(struct statement *statement, const struct manifest *manifest,
                           const struct run_row *row, struct message *why)
{
    put_integer(statement, row->writer);
    put_text(statement, row->identity);
    put_text(statement, PRICER_VERSION);
    put_text(statement, PRICER_COMMIT);
    put_text(statement, manifest->book);
    put_text(statement, manifest->book_name);
    put_text(statement, manifest->valuation_date[0] ? manifest->valuation_date : NULL);
    put_integer(statement, (int64_t)manifest->seed);
    put_integer(statement, (int64_t)manifest->paths);
    put_integer(statement, (int64_t)manifest->path_steps);
    put_digest(statement, manifest->plan_digest);
    put_text(statement, manifest->engine);
    put_integer(statement, manifest->threads);
    return statement_run(statement, why);
}

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
    struct statement statement = {0};
    *row = (struct run_row){.writer = new_writer()};
    snprintf(row->identity, sizeof row->identity, "%016" PRIx64, identity);
    TRY(database_do(database, "BEGIN IMMEDIATE", why));
    TRY(statement_begin(database, sql, &statement, why));
    TRY(put_run(&statement, manifest, row, why));
    row->run = sqlite3_last_insert_rowid(database->handle);
    TRY(write_inputs(database, row->run, market, why));
    TRY(database_do(database, "COMMIT", why));
done:
    statement_end(&statement);
    if (status) database_undo(database);
    return status;
}

/* ---- found again ----------------------------------------------------------------------------- */

static void copy(char *to, size_t room, const char *from)
{
    snprintf(to, room, "%s", from ? from : "");
}

static enum status count_verdicts(const struct database *database, struct run_row *row,
                                  struct message *why)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    bool there = true;
    TRY(statement_begin(database,
                        "SELECT verdict, count(*) FROM prices WHERE run = ? GROUP BY verdict",
                        &statement, why));
    put_integer(&statement, row->run);
    TRY(statement_next(&statement, &there, why));
    while (there) {
        for (int v = 0; v < N_VERDICTS; v++)
            if (!strcmp(get_text(&statement, 0), verdict_name((enum verdict)v)))
                row->counts[v] = (int)get_integer(&statement, 1);
        TRY(statement_next(&statement, &there, why));
    }
done:
    statement_end(&statement);
    return status;
}

/* Says what there is where no run has this identity: an unfinished one, or none at all; runs that
 * are complete are no fault. */
static enum status refuse(const struct database *database, struct message *why)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    bool there, any = false;
    TRY(statement_begin(database, "SELECT 1 FROM runs LIMIT 1", &statement, why));
    TRY(statement_next(&statement, &any, why));
    statement_end(&statement);
    TRY(statement_begin(
        database, "SELECT run, book, began FROM runs WHERE status = 'unfinished' ORDER BY run DESC",
        &statement, why));
    TRY(statement_next(&statement, &there, why));
    if (there)
        snprintf(why->text, sizeof why->text,
                 "--resume: the unfinished run %" PRId64
                 " of %.200s (%.100s, %s UTC) is of another book, other settings or "
                 "another version of pricer",
                 get_integer(&statement, 0), database->path, get_text(&statement, 1),
                 get_text(&statement, 2));
    else if (!any)
        snprintf(why->text, sizeof why->text,
                 "--resume: %.300s has no run at all; --output begins one", database->path);
    if (there || !any) status = STATUS_BAD_INPUT;
done:
    statement_end(&statement);
    return status;
}

enum status run_find(const struct database *database, uint64_t identity, struct run_row *row,
                     struct message *why)
{
    static const char sql[] = "SELECT run, status = 'complete', exit_status, began, results_digest "
                              "FROM runs WHERE identity = ?"
                              " ORDER BY status = 'unfinished' DESC, run DESC LIMIT 1";
    enum status status = STATUS_OK;
    struct statement statement = {0};
    bool there;
    *row = (struct run_row){0};
    snprintf(row->identity, sizeof row->identity, "%016" PRIx64, identity);
    TRY(statement_begin(database, sql, &statement, why));
    put_digest(&statement, identity);
    TRY(statement_next(&statement, &there, why));
    if (!there) {
        status = refuse(database, why);
        goto done;
    }
    row->run = get_integer(&statement, 0);
    row->complete = get_integer(&statement, 1);
    row->exit_status = (int)get_integer(&statement, 2);
    copy(row->began, sizeof row->began, get_text(&statement, 3));
    copy(row->results, sizeof row->results, get_text(&statement, 4));
    TRY(count_verdicts(database, row, why));
done:
    statement_end(&statement);
    return status;
}

enum status run_take(const struct database *database, struct run_row *row, struct message *why)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    row->writer = new_writer();
    TRY(statement_begin(database,
                        "UPDATE runs SET writer = ? WHERE run = ? AND status = 'unfinished'",
                        &statement, why));
    put_integer(&statement, row->writer);
    put_integer(&statement, row->run);
    TRY(statement_run(&statement, why));
done:
    statement_end(&statement);
    return status;
}

/* ---- transactions and the end ---------------------------------------------------------------- */

enum status run_transaction(const struct database *database, const struct run_row *row,
                            struct message *why)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    bool there;
    TRY(database_do(database, "BEGIN IMMEDIATE", why));
    TRY(statement_begin(database,
                        "SELECT 1 FROM runs WHERE run = ? AND writer = ? AND status = 'unfinished'",
                        &statement, why));
    put_integer(&statement, row->run);
    put_integer(&statement, row->writer);
    TRY(statement_next(&statement, &there, why));
    if (!there) {
        snprintf(why->text, sizeof why->text,
                 "run %" PRId64 " of %.300s has been taken over by another program", row->run,
                 database->path);
        status = STATUS_FILE;
    }
done:
    statement_end(&statement);
    if (status) database_undo(database);
    return status;
}

static void put_phases(struct statement *statement, const struct results *results)
{
    const struct phases *phases = &results->manifest.phases;
    put_number(statement, phases->load);
    put_number(statement, phases->plan);
    put_number(statement, phases->start);
    put_number(statement, phases->price);
    put_number(statement, phases->gpu_busy);
    put_number(statement, phases->check);
}

static enum status put_routes(const struct database *database, const struct run_row *row,
                              const struct manifest *manifest, struct message *why)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    TRY(statement_begin(database, "INSERT INTO routes VALUES (?, ?, ?, ?, ?)", &statement, why));
    for (int i = 0; i < manifest->n_routes; i++) {
        put_integer(&statement, row->run);
        put_integer(&statement, i);
        put_text(&statement, manifest->routes[i].route.kernel);
        put_text(&statement, manifest->routes[i].route.why);
        put_integer(&statement, manifest->routes[i].groups);
        TRY(statement_run(&statement, why));
    }
done:
    statement_end(&statement);
    return status;
}

enum status run_end(const struct database *database, const struct run_row *row,
                    const struct results *results, int exit_status, struct message *why)
{
    static const char sql[] = "UPDATE runs SET status = 'complete', exit_status = ?, "
                              "results_digest = ?, engine = ?, kernel = ?,"
                              " device = ?, threads = ?, currency = ?, ended = datetime('now'), "
                              "load_seconds = ?, plan_seconds = ?,"
                              " start_seconds = ?, price_seconds = ?, gpu_busy_seconds = ?, "
                              "check_seconds = ?, risk_seconds = ?"
                              " WHERE run = ?";
    enum status status = STATUS_OK;
    struct statement statement = {0};
    const struct manifest *manifest = &results->manifest;
    const struct risk *risk = results->risk;
    TRY(put_routes(database, row, manifest, why));
    TRY(statement_begin(database, sql, &statement, why));
    put_integer(&statement, exit_status);
    put_digest(&statement, manifest->results_digest);
    put_text(&statement, manifest->engine);
    put_text(&statement, manifest->kernel);
    put_text(&statement, manifest->device);
    put_integer(&statement, manifest->threads);
    put_text(&statement, results_total_currency(results));
    put_phases(&statement, results);
    if (risk) put_number(&statement, risk->seconds);
    else put_text(&statement, NULL);
    put_integer(&statement, row->run);
    TRY(statement_run(&statement, why));
done:
    statement_end(&statement);
    return status;
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
