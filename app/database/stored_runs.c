#include "app/database/stored_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"

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
    int64_t there;
    MUST(database_ask(database, sql, &there, why, "%ld %ld", *run, skip));
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
    TRY(database_ask(database, "ATTACH ? AS other", NULL, why, "%s", nights[1].path));
done:
    database_close(&second);
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
    TRY(database_ask(&database, "SELECT max(run) FROM runs WHERE status = 'complete' AND run < ?",
                     before, why, "%ld", run));
done:
    database_close(&database);
    return status;
}

enum status stored_runs_open(struct stored_run nights[2], struct database *database,
                             struct message *why)
{
    bool alone = !nights[1].path;
    struct stored_run both[2] = {nights[0], nights[1]};
    if (alone) both[1] = (struct stored_run){.path = nights[0].path};
    enum status status = open_both(both, database, why);
    MUST(status == STATUS_FILE ? STATUS_BAD_INPUT : status);
    MUST(find_run(database, "other", both[1].path, 0, &both[1].run, why));
    MUST(find_run(database, "main", both[0].path, alone && !both[0].run, &both[0].run, why));
    for (int i = 0; compared_tables[i]; i++) {
        struct statement fill = statement_begin(database, compared_tables[i], why);
        for (int n = sqlite3_bind_parameter_count(fill.handle), k = 0; k < n; k++)
            put(&fill, "%ld", both[k].run);
        statement_run(&fill);
        MUST(statement_end(&fill));
    }
    nights[0].run = both[0].run;
    nights[1].run = both[1].run;
    return STATUS_OK;
}

/* ---- what the change is made of -------------------------------------------------------------- */

/* What each row has in common with those of its block. */
#define NAMES "SELECT way, of, converted, currency, *"
#define IN_BLOCKS " ORDER BY converted DESC, way <> 'total', way, currency, of = '(none)', of"

static const char *const sums_sql[] = {
    NAMES ", '' AS factor FROM explained" IN_BLOCKS,
    NAMES " FROM explained_factors" IN_BLOCKS ", factor = 'time', factor", NULL};
static const char trades_sql[] =
    "SELECT 'trade' AS way, id AS of, 0 AS converted, currency, *, '' AS factor"
    " FROM (SELECT *, 1 AS trades, abs(after - before) AS gross FROM changes WHERE beyond OR ?1)"
    " LEFT JOIN (SELECT id, currency, rate FROM placed WHERE converted AND way = 'total')"
    " USING (id, currency) ORDER BY gross * rate DESC, gross DESC, id";

/* Returns the column of a name; -1 where the query has none. */
static int column_of(const struct statement *row, const char *name)
{
    int column = sqlite3_column_count(row->handle) - 1;
    while (column >= 0 && strcmp(sqlite3_column_name(row->handle, column), name)) column--;
    return column;
}

/* Returns the number in the column of a name; NaN where there is none. */
static double named(const struct statement *row, const char *name)
{
    int column = column_of(row, name);
    return column < 0 ? NAN : get_number(row, column);
}

static void take_name(const struct statement *row, const char *column, char name[NAME_BYTES + 1])
{
    snprintf(name, NAME_BYTES + 1, "%s", get_text(row, column_of(row, column)));
}

static void take_row(const struct statement *row, struct change_row *to)
{
    double *numbers = to->numbers, parts = 0.0, market = 0.0;
    take_name(row, "way", to->way);
    take_name(row, "of", to->name);
    take_name(row, "currency", to->currency);
    snprintf(to->factor, sizeof to->factor, "%s", get_text(row, column_of(row, "factor")));
    to->converted = get_integer(row, 2);
    for (int i = 0; i < N_CHANGE_NUMBERS; i++) numbers[i] = named(row, change_names[i]);
    for (int i = CHANGE_FX_TRANSLATION; i <= CHANGE_UNEXPLAINED; i++) {
        if (isnan(numbers[i])) continue;
        parts += numbers[i];
        if (i >= CHANGE_DELTA) market += numbers[i];
    }
    numbers[CHANGE_INDEPENDENT] = sqrt(named(row, "variance"));
    if (to->factor[0]) { /* whose error is that of the parts */
        numbers[CHANGE_CHANGE] = parts;
        return;
    }
    numbers[CHANGE_CHANGE] = numbers[CHANGE_AFTER] - numbers[CHANGE_BEFORE];
    numbers[CHANGE_MARKET] = market;
    numbers[CHANGE_ERROR] = hypot(named(row, "error_before"), named(row, "error_after"));
    numbers[CHANGE_UNEXPLAINED_ERROR] = numbers[CHANGE_ERROR] + named(row, "error_explained");
}

static enum status read_rows(const struct database *database, const char *sql, bool all,
                             struct changes *rows, struct message *why)
{
    enum status status = STATUS_OK;
    struct statement row = statement_begin(database, sql, why);
    if (sqlite3_bind_parameter_count(row.handle)) put(&row, "%d", all);
    while (!status && statement_next(&row)) {
        status = grow_array(&rows->rows, &rows->room, rows->n + 1, sizeof *rows->rows);
        if (!status) take_row(&row, &rows->rows[rows->n++]);
    }
    enum status read = statement_end(&row);
    return status ? status : read;
}

enum status changes_read(const struct database *database, bool trades, struct changes *changes,
                         struct message *why)
{
    *changes = (struct changes){0};
    for (int i = 0; sums_sql[i]; i++) MUST(read_rows(database, sums_sql[i], false, changes, why));
    return read_rows(database, trades_sql, trades, changes, why);
}

enum status changes_between(struct stored_run nights[2], struct changes *changes,
                            struct message *why)
{
    struct database database = {0};
    *changes = (struct changes){0};
    enum status status = stored_runs_open(nights, &database, why);
    if (!status) status = changes_read(&database, false, changes, why);
    database_close(&database);
    return status;
}
