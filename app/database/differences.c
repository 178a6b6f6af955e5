#include "app/database/stored_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/results.h"
#include "app/pricing/value/check.h"
#include "app/pricing/value/judge.h"

enum { SHOWN = 100, LINE = 120 }; /* rows of a list, or of a table; characters of a line */
#define SHOWN_TRADE "  %s '%s': %s on %s, %s, price %.10g (%s:%d)\n"

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

/* Prints the columns of a row as printf does its values: %s a text, "-" where there is none, %d a
 * whole number, %g a number, "none" where there is none. */
static void print_row(FILE *out, const char *format, const struct statement *row)
{
    for (int column = 0; *format; column++) {
        char one[16];
        int n = (int)strcspn(format, "%");
        fwrite(format, 1, (size_t)n, out);
        format += n;
        if (!*format) return;
        n = (int)strcspn(format, "sdg") + 1;
        snprintf(one, sizeof one, "%.*s", n, format);
        format += n;
        double number = get_number(row, column);
        const char *text = get_text(row, column);
        if (one[n - 1] == 's') fprintf(out, one, text ? text : "-");
        else if (one[n - 1] == 'd') fprintf(out, "%" PRId64, get_integer(row, column));
        else if (isfinite(number)) fprintf(out, one, number);
        else fputs("none", out);
    }
}

typedef void show_row(struct diff_writing *showing, const struct statement *row);

/* Runs a query whose ?1 and ?2 are the runs and ?3 the limit, as far as it has them, and shows each
 * row by a format, or where that is NULL by a function, if any. Returns how many there are. */
static int each_row(struct diff_writing *showing, const char *sql, const char *format,
                    show_row *show)
{
    int n = 0;
    if (showing->status) return 0;
    struct statement row = statement_begin(showing->database, sql, showing->why);
    int wanted = sqlite3_bind_parameter_count(row.handle);
    for (int i = 0; i < wanted && i < 2; i++) put(&row, "%ld", showing->nights[i].run);
    if (wanted > 2) put(&row, "%g", showing->limit);
    for (; statement_next(&row); n++) {
        if (n < SHOWN && format) print_row(showing->out, format, &row);
        else if (n < SHOWN && show) show(showing, &row);
    }
    if (n > SHOWN) fprintf(showing->out, "  ... and %d more\n", n - SHOWN);
    showing->status = statement_end(&row);
    return n;
}

static const char *text_of(const struct statement *row, int column)
{
    const char *text = get_text(row, column);
    return text ? text : "-";
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
                     " GROUP BY owner, input HAVING max(abs(after - before)) > 0"
                     " ORDER BY input <> 'spot', input, owner",
                     NULL, show_move);
    n += each_row(
        showing,
        "WITH a AS (SELECT owner, input, count(*) AS n FROM main.inputs WHERE run = ?1 GROUP BY 1, "
        "2),"
        " b AS (SELECT owner, input, count(*) AS n FROM other.inputs WHERE run = ?2 GROUP BY 1, 2)"
        " SELECT owner, input, a.n, coalesce(b.n, 0) FROM a LEFT JOIN b USING (owner, input)"
        " WHERE a.n IS NOT b.n AND input NOT LIKE 'correlation %'"
        " UNION ALL SELECT owner, input, 0, b.n FROM b WHERE (owner, input) NOT IN"
        " (SELECT owner, input FROM a) AND input NOT LIKE 'correlation %'",
        "  %s %s: %d -> %d points\n", NULL);
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
        NULL, show_change);
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
#define BOTH_TERMS "SELECT id, key, " DAYS(a, b) ", " DAYS(b, a)

/* A list of differences: its title, where one begins, and its rows. */
static const struct diff_list {
    const char *title, *sql, *format;
} lists[] = {
    {"trades added, removed or changed",
     "SELECT 'added', id, product, assets, currency, price, file, line FROM other.trades"
     " JOIN other.prices USING (run, trade) WHERE ?1 AND run = ?2"
     " AND id NOT IN (SELECT id FROM both)",
     SHOWN_TRADE},
    {NULL,
     "SELECT 'removed', id, product, assets, currency, price, file, line FROM main.trades"
     " JOIN main.prices USING (run, trade) WHERE run = ?1 AND id NOT IN (SELECT id FROM both)",
     SHOWN_TRADE},
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
     "  changed '%s': %s %s -> %s\n"},
    {"verdicts that changed",
     "SELECT id, verdict_before, verdict_after, coalesce(': ' || message, '') FROM both"
     " WHERE verdict_before <> verdict_after",
     "  '%s': %s -> %s%s\n"},
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
        int found = each_row(showing, list->sql, list->format, NULL);
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
        NULL, take_limit);
    each_row(&showing,
             "SELECT night, run, coalesce(valuation_date, began), book, seed, paths, version, "
             "results_digest FROM nights ORDER BY night",
             NULL, show_night);
    each_row(&showing,
             "SELECT 1 FROM nights a, nights b WHERE a.night = 1 AND b.night = 2"
             " AND (a.seed, a.paths) = (b.seed, b.paths)",
             "Both draw the same random numbers: a change is less uncertain than its error says.\n",
             NULL);
    show_explained(&showing);
    showing.differences |= each_row(&showing, "SELECT 1 FROM changes WHERE beyond", NULL, NULL) > 0;
    show_prices(&showing);
    show_market(&showing);
    show_lists(&showing);
    fprintf(out, "%s\n", showing.differences ? "the nights differ" : "no difference beyond noise");
    *differences = showing.differences;
    return showing.status;
}
