#include "app/database/stored_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

/* The numbers of a row behind its names, and of one that tells of a factor. */
#define SUMS                                                                                       \
    " trades, before, after, gross, fx_translation, cash, new, gone, amended, model, delta, "      \
    "second_order, vega, rho, yield, theta, correlation, expired, unexplained, error_before, "     \
    "error_after, error_explained, variance, beyond "
#define PARTS                                                                                      \
    " trades, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, delta, second_order, vega, "   \
    "rho, yield, theta, correlation, NULL, NULL, 0.0, 0.0, error, NULL, NULL "
#define IN_BLOCKS " ORDER BY converted DESC, way <> 'total', way, currency, of = '(none)', of"

static const char *const sums_sql[] = {
    "SELECT way, of, '', converted, currency," SUMS "FROM explained" IN_BLOCKS,
    "SELECT way, of, factor, converted, currency," PARTS "FROM explained_factors" IN_BLOCKS
    ", factor = 'time', factor",
    NULL};
static const char trades_sql[] =
    "SELECT 'trade', id, '', 0, currency," SUMS
    "FROM (SELECT *, 1 AS trades, abs(after - before) AS gross FROM changes WHERE beyond OR ?1)"
    " LEFT JOIN (SELECT id, currency, rate FROM placed WHERE converted AND way = 'total')"
    " USING (id, currency) ORDER BY gross * rate DESC, gross DESC, id";

enum { FIRST_NUMBER = 5 }; /* column of the first of SUMS */

static void take_row(const struct statement *row, struct change_row *to)
{
    static const int places[] = {CHANGE_TRADES, CHANGE_BEFORE, CHANGE_AFTER, CHANGE_GROSS};
    enum { N_PLACES = sizeof places / sizeof *places };
    double *numbers = to->numbers, parts = 0.0;
    int column = FIRST_NUMBER;
    snprintf(to->way, sizeof to->way, "%s", get_text(row, 0));
    snprintf(to->name, sizeof to->name, "%s", get_text(row, 1));
    snprintf(to->factor, sizeof to->factor, "%s", get_text(row, 2));
    to->converted = get_integer(row, 3);
    snprintf(to->currency, sizeof to->currency, "%s", get_text(row, 4));
    for (int i = 0; i < N_PLACES; i++) numbers[places[i]] = get_number(row, column++);
    numbers[CHANGE_MARKET] = 0.0;
    for (int i = CHANGE_FX_TRANSLATION; i <= CHANGE_UNEXPLAINED; i++) {
        double part = numbers[i] = get_number(row, column++);
        if (isnan(part)) continue;
        parts += part;
        if (i >= CHANGE_DELTA) numbers[CHANGE_MARKET] += part;
    }
    bool factor = to->factor[0];
    double noise = hypot(get_number(row, column), get_number(row, column + 1));
    double of_parts = get_number(row, column + 2);
    numbers[CHANGE_CHANGE] = factor ? parts : numbers[CHANGE_AFTER] - numbers[CHANGE_BEFORE];
    numbers[CHANGE_ERROR] = factor ? of_parts : noise;
    numbers[CHANGE_UNEXPLAINED_ERROR] = factor ? NAN : noise + of_parts;
    numbers[CHANGE_INDEPENDENT] = sqrt(get_number(row, column + 3));
    numbers[CHANGE_BEYOND] = get_number(row, column + 4);
    if (factor) numbers[CHANGE_MARKET] = NAN;
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
