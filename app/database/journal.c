#include "app/database/journal.h"

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
    begin_journal(journal);
    MUST(database_create(path, &journal->database, why));
    MUST(run_begin(&journal->database, manifest, market, identity, &journal->row, why));
    database_be_patient(&journal->database);
    journal->on = true;
    return STATUS_OK;
}

enum status journal_resume(const char *path, uint64_t identity, struct journal *journal,
                           struct message *why)
{
    begin_journal(journal);
    MUST(database_open(path, &journal->database, why));
    MUST(run_find(&journal->database, identity, &journal->row, why));
    if (!journal->row.run || journal->row.complete) return STATUS_OK;
    MUST(database_check(&journal->database, why));
    MUST(run_take(&journal->database, &journal->row, why));
    database_be_patient(&journal->database);
    journal->on = true;
    return STATUS_OK;
}

enum status journal_finish(struct journal *journal, const struct results *results, int exit_status,
                           struct message *why)
{
    enum status status = STATUS_OK;
    const struct database *database = &journal->database;
    struct run_rows rows = {.database = database, .run = journal->row.run, .why = why};
    if (!journal->on) return STATUS_OK;
    TRY(run_transaction(database, &journal->row, why));
    TRY(database_do(database, schema_sql, why)); /* a file from before there were scripts */
    write_results(&rows, results);
    /* What only this run could use goes: its references stay, and those of nine runs before it. */
    row_begin(&rows, "UPDATE sections SET kind = '" KEPT_REFERENCE_PIECE "'"
                     " WHERE run = ?1 AND kind = '" REFERENCE_PIECE "'");
    row_end(&rows);
    row_begin(&rows, "DELETE FROM sections WHERE run = ?1 AND kind <> '" KEPT_REFERENCE_PIECE "'"
                     " OR run <= ?1 - 10 AND kind = '" KEPT_REFERENCE_PIECE "'");
    row_end(&rows);
    write_end(&rows, results, exit_status);
    TRY(rows_end(&rows));
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

/* Returns a copy of a row's content, NULL where it is not what was stored. */
static enum status take_content(const struct statement *row, void **content, size_t *n)
{
    const void *bytes = get_bytes(row, 0, n);
    const char *digest = get_text(row, 1);
    if (!digest || strtoull(digest, NULL, 16) != digest_bytes(DIGEST_BEGIN, bytes, *n))
        return STATUS_OK;
    *content = malloc(*n + 1);
    if (!*content) return STATUS_NO_MEMORY;
    if (*n) memcpy(*content, bytes, *n);
    return STATUS_OK;
}

static enum status recall(void *context, const char *kind, uint64_t digest, void **content,
                          size_t *n, struct message *why)
{
    static const char own[] = "SELECT content, content_digest FROM sections"
                              " WHERE run = ? AND kind = ? AND digest = ?";
    /* of any run of the same program */
    static const char kept[] =
        "SELECT content, content_digest FROM sections JOIN runs USING (run)"
        " WHERE (version, git_commit) = (SELECT version, git_commit FROM runs WHERE run = ?1)"
        " AND kind = '" KEPT_REFERENCE_PIECE "' AND kind = ?2 AND digest = ?3 LIMIT 1";
    struct journal *journal = context;
    bool is_kept = !strcmp(kind, KEPT_REFERENCE_PIECE);
    pthread_mutex_lock(&journal->lock);
    struct statement piece = statement_begin(&journal->database, is_kept ? kept : own, why);
    put(&piece, "%ld %s %lx", journal->row.run, kind, digest);
    enum status status = statement_next(&piece) ? take_content(&piece, content, n) : STATUS_OK;
    enum status read = statement_end(&piece);
    pthread_mutex_unlock(&journal->lock);
    return status ? status : read;
}

/* ---- records to be stored -------------------------------------------------------------------- */

static enum status add_piece(struct journal *journal, const char *kind, uint64_t digest,
                             const void *content, size_t n)
{
    if (grow_array(&journal->records, &journal->room, journal->n_records + 1,
                   sizeof *journal->records))
        return STATUS_NO_MEMORY;
    struct stored_piece record = {.digest = digest, .content = malloc(n + 1), .n = n};
    if (!record.content) return STATUS_NO_MEMORY;
    snprintf(record.kind, sizeof record.kind, "%s", kind);
    if (n) memcpy(record.content, content, n);
    journal->records[journal->n_records++] = record;
    return STATUS_OK;
}

static enum status write_records(struct journal *journal, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(run_transaction(&journal->database, &journal->row, why));
    struct statement insert = statement_begin(
        &journal->database, "INSERT OR REPLACE INTO sections VALUES (?, ?, ?, ?, ?)", why);
    for (int i = 0; i < journal->n_records && !insert.status; i++) {
        const struct stored_piece *record = &journal->records[i];
        put(&insert, "%ld %s %lx", journal->row.run, record->kind, record->digest);
        put_bytes(&insert, record->content, record->n);
        put(&insert, "%lx", digest_bytes(DIGEST_BEGIN, record->content, record->n));
        statement_run(&insert);
    }
    TRY(statement_end(&insert));
done:
    status = database_end(&journal->database, status, why);
    if (!status) forget_records(journal);
    journal->written = seconds_now();
    return status;
}

static enum status keep(void *context, const char *kind, uint64_t digest, const void *content,
                        size_t n, struct message *why)
{
    struct journal *journal = context;
    pthread_mutex_lock(&journal->lock);
    enum status status = add_piece(journal, kind, digest, content, n);
    if (!status && seconds_now() - journal->written > 1.0) status = write_records(journal, why);
    pthread_mutex_unlock(&journal->lock);
    return status;
}

static enum status flush(void *context, struct message *why)
{
    struct journal *journal = context;
    enum status status = STATUS_OK;
    pthread_mutex_lock(&journal->lock);
    if (journal->n_records) status = write_records(journal, why);
    pthread_mutex_unlock(&journal->lock);
    return status;
}

struct store journal_store(struct journal *journal)
{
    if (!journal->on) return (struct store){0};
    return (struct store){.context = journal, .recall = recall, .keep = keep, .flush = flush};
}
