#include "app/database/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/digest.h"
#include "models/base/clock.h"
#include "models/base/grow.h"

struct stored_piece {
    char kind[RECORD_KIND];
    uint64_t digest;
    void *content;
    size_t n;
};

/* ---- the row of a run ------------------------------------------------------------------------ */

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

/* Finds the run to be resumed: the last unfinished one of this identity, else the last complete one
 * of it; row->run is 0 where all runs are complete, and of others. STATUS_BAD_INPUT and one line
 * where another run is unfinished, or there is none at all. */
static enum status find_run(struct journal *journal, uint64_t identity, struct message *why)
{
    struct run_row *row = &journal->row;
    static const char sql[] = "SELECT run, status = 'complete', exit_status, began, "
                              "coalesce(results_digest, '') FROM runs WHERE identity = ?"
                              " ORDER BY status = 'unfinished' DESC, run DESC LIMIT 1";
    *row = (struct run_row){0};
    struct statement found = statement_begin(&journal->database, sql, why);
    put(&found, "%lx", identity);
    bool there = statement_next(&found);
    if (there) {
        row->run = get_integer(&found, 0);
        row->complete = get_integer(&found, 1);
        row->exit_status = (int)get_integer(&found, 2);
        snprintf(row->began, sizeof row->began, "%s", get_text(&found, 3));
        snprintf(row->results, sizeof row->results, "%s", get_text(&found, 4));
    }
    MUST(statement_end(&found));
    return there ? count_verdicts(&journal->database, row, why) : refuse(&journal->database, why);
}

/* Begins a transaction on the run. STATUS_FILE and one line where another writer has taken it. */
static enum status begin_transaction(const struct journal *journal, struct message *why)
{
    const struct database *database = &journal->database;
    const struct run_row *row = &journal->row;
    enum status status = STATUS_OK;
    int64_t own;
    TRY(database_do(database, "BEGIN IMMEDIATE", why));
    TRY(database_ask(database,
                     "SELECT 1 FROM runs WHERE run = ? AND writer = ? AND status = 'unfinished'",
                     &own, why, "%ld %ld", row->run, row->writer));
    if (!own)
        TRY(say_why(STATUS_FILE, why,
                    "run %" PRId64 " of %.300s has been taken over by another program", row->run,
                    database->path));
done:
    return status ? database_end(database, status, why) : STATUS_OK;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void begin_journal(struct journal *journal)
{
    *journal = (struct journal){.written = seconds_now()};
    pthread_mutex_init(&journal->lock, NULL);
}

enum status journal_begin(const char *path, const struct manifest *manifest,
                          const struct market *market, uint64_t identity, struct journal *journal,
                          struct message *why)
{
    static const char sql[] =
        "INSERT INTO runs (status, writer, identity, version, git_commit, book, book_name, "
        "valuation_date,"
        " seed, paths, path_steps, plan_digest, engine, threads, began)"
        " VALUES ('unfinished', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, datetime('now'))";
    const struct database *database = &journal->database;
    struct run_row *row = &journal->row;
    enum status status = STATUS_OK;
    begin_journal(journal);
    MUST(database_create(path, &journal->database, why));
    sqlite3_randomness(sizeof row->writer, &row->writer); /* no other writer has it */
    TRY(database_do(database, "BEGIN IMMEDIATE", why));
    TRY(database_ask(database, sql, NULL, why, "%ld %lx %s %s %s %s %s %ld %ld %ld %lx %s %d",
                     row->writer, identity, PRICER_VERSION, PRICER_COMMIT, manifest->book,
                     manifest->book_name, known(manifest->valuation_date), (int64_t)manifest->seed,
                     (int64_t)manifest->paths, (int64_t)manifest->path_steps, manifest->plan_digest,
                     manifest->engine, manifest->threads));
    row->run = sqlite3_last_insert_rowid(database->handle);
    TRY(write_inputs(database, row->run, market, why));
done:
    MUST(database_end(database, status, why));
    database_be_patient(database);
    journal->on = true;
    return STATUS_OK;
}

enum status journal_resume(const char *path, uint64_t identity, struct journal *journal,
                           struct message *why)
{
    begin_journal(journal);
    MUST(database_open(path, &journal->database, why));
    MUST(find_run(journal, identity, why));
    if (!journal->row.run || journal->row.complete) return STATUS_OK;
    MUST(database_check(&journal->database, why));
    sqlite3_randomness(sizeof journal->row.writer, &journal->row.writer);
    MUST(database_ask(&journal->database,
                      "UPDATE runs SET writer = ? WHERE run = ? AND status = 'unfinished'", NULL,
                      why, "%ld %ld", journal->row.writer, journal->row.run));
    database_be_patient(&journal->database);
    journal->on = true;
    return STATUS_OK;
}

enum status journal_finish(struct journal *journal, const struct results *results, int exit_status,
                           struct message *why)
{
    enum status status = STATUS_OK;
    const struct database *database = &journal->database;
    int64_t run = journal->row.run;
    if (!journal->on) return STATUS_OK;
    TRY(begin_transaction(journal, why));
    TRY(database_do(database, schema_sql, why)); /* a file from before there were scripts */
    TRY(write_results(database, run, results, exit_status, why));
    /* What only this run could use goes: its references stay, and those of nine runs before it. */
    TRY(database_ask(database,
                     "UPDATE sections SET kind = '" KEPT_REFERENCE_PIECE "'"
                     " WHERE run = ? AND kind = '" REFERENCE_PIECE "'",
                     NULL, why, "%ld", run));
    TRY(database_ask(database,
                     "DELETE FROM sections WHERE run = ?1 AND kind <> '" KEPT_REFERENCE_PIECE "'"
                     " OR run <= ?1 - 10 AND kind = '" KEPT_REFERENCE_PIECE "'",
                     NULL, why, "%ld", run));
done:
    status = database_end(database, status, why);
    journal->on = status != STATUS_OK;
    return status;
}

static void forget_records(struct journal *journal)
{
    for (int i = 0; i < journal->n_records; i++) free(journal->records[i].content);
    journal->n_records = 0;
}

void journal_close(struct journal *journal)
{
    if (!journal->database.path) return;
    database_close(&journal->database);
    forget_records(journal);
    free(journal->records);
    pthread_mutex_destroy(&journal->lock);
    *journal = (struct journal){0};
}

/* ---- records that are stored ----------------------------------------------------------------- */

static int recall(void *context, const char *kind, uint64_t digest, void **content, size_t *n,
                  char *why, size_t room)
{
    static const char own[] = "SELECT content, content_digest FROM sections"
                              " WHERE run = ? AND kind = ? AND digest = ?";
    /* of any run of the same program */
    static const char kept[] =
        "SELECT content, content_digest FROM sections JOIN runs USING (run)"
        " WHERE (version, git_commit) = (SELECT version, git_commit FROM runs WHERE run = ?1)"
        " AND kind = '" KEPT_REFERENCE_PIECE "' AND kind = ?2 AND digest = ?3 LIMIT 1";
    struct journal *journal = context;
    struct message said = {""};
    bool is_kept = !strcmp(kind, KEPT_REFERENCE_PIECE);
    pthread_mutex_lock(&journal->lock);
    struct statement piece = statement_begin(&journal->database, is_kept ? kept : own, &said);
    put(&piece, "%ld %s %lx", journal->row.run, kind, digest);
    enum status status = STATUS_OK;
    if (statement_next(&piece)) {
        const void *bytes = get_bytes(&piece, 0, n);
        const char *digest_of_it = get_text(&piece, 1);
        bool is_whole = digest_of_it &&
                        strtoull(digest_of_it, NULL, 16) == digest_bytes(DIGEST_BEGIN, bytes, *n);
        if (is_whole && !(*content = malloc(*n + 1))) status = STATUS_NO_MEMORY;
        if (*content && *n) memcpy(*content, bytes, *n);
    }
    enum status read = statement_end(&piece);
    pthread_mutex_unlock(&journal->lock);
    if (read) snprintf(why, room, "%s", said.text);
    return status ? status : read;
}

/* ---- records to be stored -------------------------------------------------------------------- */

static enum status write_records(struct journal *journal, char *why, size_t room)
{
    struct message said = {""};
    enum status status = STATUS_OK;
    TRY(begin_transaction(journal, &said));
    struct statement insert = statement_begin(
        &journal->database, "INSERT OR REPLACE INTO sections VALUES (?, ?, ?, ?, ?)", &said);
    for (int i = 0; i < journal->n_records && !insert.status; i++) {
        const struct stored_piece *record = &journal->records[i];
        put(&insert, "%ld %s %lx", journal->row.run, record->kind, record->digest);
        put_bytes(&insert, record->content, record->n);
        put(&insert, "%lx", digest_bytes(DIGEST_BEGIN, record->content, record->n));
        statement_run(&insert);
    }
    TRY(statement_end(&insert));
done:
    status = database_end(&journal->database, status, &said);
    if (!status) forget_records(journal);
    else snprintf(why, room, "%s", said.text);
    journal->written = seconds_now();
    return status;
}

static int keep(void *context, const char *kind, uint64_t digest, const void *content, size_t n,
                char *why, size_t room)
{
    struct journal *journal = context;
    struct stored_piece record = {.digest = digest, .content = malloc(n + 1), .n = n};
    if (!record.content) return STATUS_NO_MEMORY;
    snprintf(record.kind, sizeof record.kind, "%s", kind);
    if (n) memcpy(record.content, content, n);
    pthread_mutex_lock(&journal->lock);
    enum status status = grow_array(&journal->records, &journal->room, journal->n_records + 1,
                                    sizeof *journal->records);
    if (!status) journal->records[journal->n_records++] = record;
    else free(record.content);
    if (!status && seconds_now() - journal->written > 1.0)
        status = write_records(journal, why, room);
    pthread_mutex_unlock(&journal->lock);
    return status;
}

static int flush(void *context, char *why, size_t room)
{
    struct journal *journal = context;
    enum status status = STATUS_OK;
    pthread_mutex_lock(&journal->lock);
    if (journal->n_records) status = write_records(journal, why, room);
    pthread_mutex_unlock(&journal->lock);
    return status;
}

struct store journal_store(struct journal *journal)
{
    if (!journal->on) return (struct store){0};
    return (struct store){.context = journal, .recall = recall, .keep = keep, .flush = flush};
}

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
