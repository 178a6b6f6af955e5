#include "app/database/stored_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/results.h"
#include "app/pricing/value/check.h"
#include "app/pricing/value/judge.h"
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

enum status run_before(const struct database *database, int64_t run, int64_t *before,
                       struct message *why)
{
    return database_ask(database, "SELECT max(run) FROM runs WHERE status = 'complete' AND run < ?",
                        before, why, "%ld", run);
}

enum status stored_runs_open(struct stored_run nights[2], struct database *database,
                             struct message *why)
{
    bool alone = !nights[1].path;
    struct stored_run both[2] = {nights[0], nights[1]};
    if (alone) both[1] = (struct stored_run){.path = nights[0].path};
    struct database second = {0}; /* which is attached after a look whether it is one of ours */
    enum status status = database_read(both[0].path, database, why);
    if (!status) status = database_read(both[1].path, &second, why);
    if (!status)
        status = database_ask(database, "ATTACH ? AS other", NULL, why, "%s", both[1].path);
    database_close(&second);
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

enum { SHOWN = 100, LINE = 120 }; /* rows of a list, or of a table; characters of a line */

struct diff_writing {
    FILE *out;
    const struct database *database;
    const struct stored_run *nights; /* [2] */
    double limit; /* standard errors of a change that are noise, as between prices and references */
    bool explained;   /* the first night has Greeks */
    bool differences; /* something changed beyond noise */
    struct message *why;
    enum status status; /* the first error, after which nothing more is asked */
};

/* ---- rows ------------------------------------------------------------------------------------ */

typedef void show_row(struct diff_writing *showing, const struct statement *row);

/* Runs a query whose ?1 and ?2 are the runs and ?3 the limit, as far as it has them, and shows each
 * row, unless `show` is NULL. Returns how many there are. */
static int each_row(struct diff_writing *showing, const char *sql, show_row *show)
{
    int n = 0;
    if (showing->status) return 0;
    struct statement row = statement_begin(showing->database, sql, showing->why);
    int wanted = sqlite3_bind_parameter_count(row.handle);
    for (int i = 0; i < wanted && i < 2; i++) put(&row, "%ld", showing->nights[i].run);
    if (wanted > 2) put(&row, "%g", showing->limit);
    for (; statement_next(&row); n++)
        if (n < SHOWN && show) show(showing, &row);
    if (n > SHOWN) fprintf(showing->out, "  ... and %d more\n", n - SHOWN);
    showing->status = statement_end(&row);
    return n;
}

static const char *text_of(const struct statement *row, int column)
{
    const char *text = get_text(row, column);
    return text ? text : "-";
}

/* Shows a row of one column, a line. */
static void show_line(struct diff_writing *showing, const struct statement *row)
{
    fprintf(showing->out, "%s\n", text_of(row, 0));
}

/* ---- the nights, the market ------------------------------------------------------------------ */

static void show_night(struct diff_writing *showing, const struct statement *row)
{
    int night = (int)get_integer(row, 0);
    const struct stored_run *stored = &showing->nights[showing->nights[1].path ? night - 1 : 0];
    fprintf(showing->out,
            "%s: run %" PRId64 " of %s, %s, %s, seed %" PRId64 ", %" PRId64
            " paths, pricer %s, digest %s\n",
            night == 1 ? "before" : "after ", get_integer(row, 1), stored->path, text_of(row, 2),
            text_of(row, 3), get_integer(row, 4), get_integer(row, 5), text_of(row, 6),
            text_of(row, 7));
}

static void show_move(struct diff_writing *showing, const struct statement *row)
{
    int64_t points = get_integer(row, 2), changed = get_integer(row, 3);
    double before = get_number(row, 5), after = get_number(row, 6), time = get_number(row, 7);
    fprintf(showing->out, "  %s %s", text_of(row, 0), text_of(row, 1));
    if (points > 1)
        fprintf(showing->out, ": %" PRId64 " of %" PRId64 " points, %+.6g on average; most",
                changed, points, get_number(row, 4));
    if (points > 1 && isfinite(time)) fprintf(showing->out, " at %.6g y", time);
    fprintf(showing->out, " %.10g -> %.10g", before, after);
    if (before != 0.0)
        fprintf(showing->out, " (%+.3g %%)", 100.0 * (after - before) / fabs(before));
    putc('\n', showing->out);
}

static void show_market(struct diff_writing *showing)
{
    fprintf(showing->out, "\nmarket\n");
    int n = each_row(showing,
                     "SELECT owner, input, count(*), total(after <> before), avg(after - before), "
                     "before, after, time"
                     " FROM (SELECT * FROM moves ORDER BY abs(after - before) DESC)"
                     " GROUP BY owner, input"
                     /* A yield beyond a foreign rate is a difference: its last bits are noise. */
                     " HAVING max(abs(after - before)) > (input = 'yield') * 1e-14"
                     " ORDER BY input <> 'spot', input, owner",
                     show_move);
    n += each_row(
        showing,
        "WITH a AS (SELECT owner, input, count(*) AS n FROM main.inputs WHERE run = ?1 GROUP BY 1, "
        "2),"
        " b AS (SELECT owner, input, count(*) AS n FROM other.inputs WHERE run = ?2 GROUP BY 1, 2)"
        " SELECT printf('  %s %s: %d -> %d points', owner, input, a.n, b.n)"
        " FROM (SELECT owner, input FROM a UNION SELECT owner, input FROM b)"
        " LEFT JOIN a USING (owner, input) LEFT JOIN b USING (owner, input)"
        " WHERE a.n IS NOT b.n AND input NOT LIKE 'correlation %' ORDER BY a.n IS NULL, owner, "
        "input",
        show_line);
    if (!n) fprintf(showing->out, "  nothing changed\n");
}

/* ---- what the change is made of -------------------------------------------------------------- */

/* Shows it of the whole book and by each tag. */
static void show_explained(struct diff_writing *showing)
{
    FILE *out = showing->out;
    struct changes changes;
    struct change_table table;
    char headline[1024];
    if (showing->status) return;
    showing->status = changes_read(showing->database, false, &changes, showing->why);
    int left_out = changes_left_out(&changes);
    change_headline(&changes, headline, sizeof headline);
    fprintf(out, "%s\n", headline);
    for (int kind = TABLE_LINES; kind < TABLE_TRADES; kind++) {
        change_table_make(&changes, kind, SHOWN, &table);
        if (!table.n_rows) continue;
        fprintf(out, "\n%s\n", table.caption);
        const struct text_table text = {table.n_rows, table.n_columns, &table, change_table_fill};
        text_table_write(out, &text, LINE);
        if (table.left_out) fprintf(out, "... and %d more\n", table.left_out);
    }
    if (left_out)
        fprintf(out, "%d %s in no sum of one currency: no FX rate leads there\n", left_out,
                left_out == 1 ? "trade is" : "trades are");
    free(changes.rows);
}

/* ---- prices ---------------------------------------------------------------------------------- */

/* Shows a row of id, currency, before, after, change, variance and, where the first night has
 * Greeks, unexplained. */
static void show_change(struct diff_writing *showing, const struct statement *row)
{
    double error = sqrt(get_number(row, 5)), change = get_number(row, 4);
    int decimals = results_decimals(0.0, error);
    fprintf(showing->out, "  %-16s %-4s %14.*f %14.*f %+14.*f %12.*f", text_of(row, 0),
            text_of(row, 1), decimals, get_number(row, 2), decimals, get_number(row, 3), decimals,
            change, decimals, error);
    if (error > 0.0) fprintf(showing->out, " %9.1f", fabs(change) / error);
    else fprintf(showing->out, " %9s", "-");
    if (showing->explained) fprintf(showing->out, " %+13.*f", decimals, get_number(row, 6));
    putc('\n', showing->out);
}

static void show_prices(struct diff_writing *showing)
{
    fprintf(showing->out, "\nprices that changed by more than %.2f standard errors\n",
            showing->limit);
    fprintf(showing->out, "  %-16s %-4s %14s %14s %14s %12s %9s%s\n", "trade", "", "before",
            "after", "change", "error", "in errors", showing->explained ? "   unexplained" : "");
    int n = each_row(
        showing,
        "SELECT id, both.currency, both.before, both.after, change, both.variance, unexplained"
        " FROM both JOIN changes USING (id)"
        " WHERE ?1 AND ?2 AND change * change > ?3 * ?3 * both.variance"
        " AND abs(change) > 1e-12 * (abs(both.before) + abs(both.after))"
        " ORDER BY both.currency, abs(change) DESC",
        show_change);
    showing->differences |= n > 0;
}

/* ---- trades and verdicts --------------------------------------------------------------------- */

/* A term: days since 1970 (app/config/trade_terms.c) as dates, those of a list that are not in the
 * other one. */
#define DAYS(x, other)                                                                             \
    "CASE WHEN key IN ('expiry', 'pay_date', 'start') AND abs(" #x ") > 1000 THEN"                 \
    " date(" #x " * 86400, 'unixepoch') WHEN key = 'dates_ahead' THEN"                             \
    " (SELECT group_concat(date(value * 86400, 'unixepoch'), ' ') FROM json_each(" #x ")"          \
    "  WHERE value NOT IN (SELECT value FROM json_each(" #other "))) ELSE " #x " END"
#define BOTH_TERMS                                                                                 \
    "SELECT printf('  changed ''%s'': %s %s -> %s', id, key,"                                      \
    " coalesce(" DAYS(a, b) ", '-'), coalesce(" DAYS(b, a) ", '-'))"

static void show_trade(struct diff_writing *showing, const struct statement *row)
{
    double price = get_number(row, 5);
    fprintf(showing->out, "  %s '%s': %s on %s, %s, price ", text_of(row, 0), text_of(row, 1),
            text_of(row, 2), text_of(row, 3), text_of(row, 4));
    if (isfinite(price)) fprintf(showing->out, "%.10g", price);
    else fputs("none", showing->out);
    fprintf(showing->out, " (%s:%" PRId64 ")\n", text_of(row, 6), get_integer(row, 7));
}

/* A list of differences: its title, where one begins, and its rows. */
static const struct diff_list {
    const char *title, *sql;
    show_row *show;
} lists[] = {
    {"trades added, removed or changed",
     "SELECT 'added', id, product, assets, currency, price, file, line FROM other.trades"
     " JOIN other.prices USING (run, trade) WHERE ?1 AND run = ?2"
     " AND id NOT IN (SELECT id FROM both)",
     show_trade},
    {NULL,
     "SELECT 'removed', id, product, assets, currency, price, file, line FROM main.trades"
     " JOIN main.prices USING (run, trade) WHERE run = ?1 AND id NOT IN (SELECT id FROM both)",
     show_trade},
    {NULL,
     BOTH_TERMS
     " FROM (SELECT id, 'quantity' AS key, +quantity_before AS a, +quantity_after AS b FROM both"
     " WHERE quantity_before <> quantity_after"
     " UNION ALL SELECT both.id, a.key, a.value, b.value FROM both, json_each(terms_before) a"
     " LEFT JOIN json_each(terms_after) b ON b.key = a.key WHERE NOT same AND a.value IS NOT "
     "b.value AND a.key <> 'ahead'"
     " UNION ALL SELECT both.id, b.key, NULL, b.value FROM both, json_each(terms_after) b"
     " WHERE NOT same AND b.key <> 'ahead' AND b.key NOT IN (SELECT key FROM "
     "json_each(terms_before))"
     " UNION ALL SELECT id, 'its product, assets, model or currency', NULL, NULL FROM both"
     " WHERE NOT same AND terms_before = terms_after AND quantity_before = quantity_after)",
     show_line},
    {"verdicts that changed",
     "SELECT printf('  ''%s'': %s -> %s%s', id, verdict_before, verdict_after, ': ' || message)"
     " FROM both WHERE verdict_before <> verdict_after",
     show_line},
};

static void show_lists(struct diff_writing *showing)
{
    int n = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct diff_list *list = &lists[i];
        if (list->title) {
            if (i && !n) fprintf(showing->out, "  none\n");
            fprintf(showing->out, "\n%s\n", list->title);
            n = 0;
        }
        int found = each_row(showing, list->sql, list->show);
        showing->differences |= found > 0;
        n += found;
    }
    if (!n) fprintf(showing->out, "  none\n");
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void take_limit(struct diff_writing *showing, const struct statement *row)
{
    showing->explained = get_integer(row, 0);
    showing->limit = judge_limit((int)get_integer(row, 1));
}

enum status differences_print(FILE *out, const struct database *database,
                              const struct stored_run nights[2], bool *differences,
                              struct message *why)
{
    struct diff_writing showing = {.out = out, .database = database, .nights = nights, .why = why};
    each_row(
        &showing,
        "SELECT EXISTS (SELECT 1 FROM main.greeks WHERE run = ?1), (SELECT count(*) FROM both)",
        take_limit);
    each_row(&showing,
             "SELECT night, run, coalesce(valuation_date, began), book, seed, paths, version, "
             "results_digest FROM nights ORDER BY night",
             show_night);
    each_row(&showing,
             "SELECT 'Both draw the same random numbers: a change is less uncertain than its error"
             " says.' FROM nights a, nights b WHERE a.night = 1 AND b.night = 2"
             " AND (a.seed, a.paths) = (b.seed, b.paths)",
             show_line);
    show_explained(&showing);
    showing.differences |= each_row(&showing, "SELECT 1 FROM changes WHERE beyond", NULL) > 0;
    show_prices(&showing);
    show_market(&showing);
    show_lists(&showing);
    fprintf(out, "%s\n", showing.differences ? "the nights differ" : "no difference beyond noise");
    *differences = showing.differences;
    return showing.status;
}
