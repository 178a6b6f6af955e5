#include "app/database/stored_runs.h"

#include <inttypes.h>
#include <string.h>

/* ---- the runs -------------------------------------------------------------------------------- */

static enum status find_run(const struct database *database, const char *schema, const char *path,
                            int64_t skip, int64_t *run, struct message *why)
{
    char sql[256];
    snprintf(
        sql, sizeof sql,
        "SELECT run FROM %s.runs WHERE status = 'complete' AND run = coalesce(nullif(?, 0), run)"
        " ORDER BY run DESC LIMIT 1 OFFSET ?",
        schema);
    struct statement found = statement_begin(database, sql, why);
    put(&found, "%ld %ld", *run, skip);
    int64_t there = statement_next(&found) ? get_integer(&found, 0) : 0;
    enum status status = statement_end(&found);
    if (status) return status;
    if (!there && *run)
        return say_why(STATUS_BAD_INPUT, why, "%.300s has no complete run %" PRId64, path, *run);
    if (!there)
        return say_why(STATUS_BAD_INPUT, why, "%.300s has %s complete run", path,
                       skip ? "no two, only one or no," : "no");
    *run = there;
    return STATUS_OK;
}

/* ---- the databases --------------------------------------------------------------------------- */

/* Opens the first, and the second beside it, after a look whether it is one of ours. */
static enum status open_both(const struct stored_run nights[2], struct database *database,
                             struct message *why)
{
    struct database second = {0};
    enum status status = STATUS_OK;
    TRY(database_read(nights[0].path, database, why));
    TRY(database_read(nights[1].path, &second, why));
    struct statement attach = statement_begin(database, "ATTACH ? AS other", why);
    put(&attach, "%s", nights[1].path);
    statement_run(&attach);
    TRY(statement_end(&attach));
done:
    database_close(&second);
    return status;
}

static enum status fill_tables(const struct stored_run nights[2], const struct database *database,
                               struct message *why)
{
    enum status status = STATUS_OK;
    for (int i = 0; compared_tables[i] && !status; i++) {
        struct statement fill = statement_begin(database, compared_tables[i], why);
        for (int n = sqlite3_bind_parameter_count(fill.handle), k = 0; k < n; k++)
            put(&fill, "%ld", nights[k].run);
        statement_run(&fill);
        status = statement_end(&fill);
    }
    return status;
}

enum status stored_run_find(struct stored_run *night, struct message *why)
{
    enum status status = STATUS_OK;
    struct database database = {0};
    TRY(database_read(night->path, &database, why));
    TRY(find_run(&database, "main", night->path, 0, &night->run, why));
done:
    database_close(&database);
    return status == STATUS_FILE ? STATUS_BAD_INPUT : status;
}

enum status run_before(const char *path, int64_t run, int64_t *before, struct message *why)
{
    enum status status = STATUS_OK;
    struct database database = {0};
    TRY(database_read(path, &database, why));
    struct statement last = statement_begin(
        &database, "SELECT max(run) FROM runs WHERE status = 'complete' AND run < ?", why);
    put(&last, "%ld", run);
    *before = statement_next(&last) ? get_integer(&last, 0) : 0;
    TRY(statement_end(&last));
done:
    database_close(&database);
    return status;
}

enum status stored_runs_open(struct stored_run nights[2], struct database *database,
                             struct message *why)
{
    enum status status = STATUS_OK;
    bool alone = !nights[1].path;
    struct stored_run both[2] = {nights[0], nights[1]};
    if (alone) both[1] = (struct stored_run){.path = nights[0].path};
    status = open_both(both, database, why);
    if (status == STATUS_FILE) status = STATUS_BAD_INPUT;
    TRY(status);
    TRY(find_run(database, "other", both[1].path, 0, &both[1].run, why));
    TRY(find_run(database, "main", both[0].path, alone && !both[0].run, &both[0].run, why));
    TRY(fill_tables(both, database, why));
    nights[0].run = both[0].run;
    nights[1].run = both[1].run;
done:
    return status;
}
