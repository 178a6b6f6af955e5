#include "app/database/stored_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "app/pricing/value/check.h"
#include "app/pricing/value/judge.h"

enum { SHOWN = 100 }; /* rows of a list */

struct diff_writing {
    FILE *out;
    const struct database *database;
    const struct stored_run *nights; /* [2] */
    double limit; /* standard errors of a change that are noise, as between prices and references */
    bool explained;   /* the first night has Greeks */
    bool differences; /* something changed beyond noise */
    int listed;       /* rows of the list that is being shown */
    struct message *why;
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* Runs a query whose ?1 and ?2 are the runs and ?3 the limit, as far as it has them, and shows each
 * row; *n counts them. */
static enum status each_row(struct diff_writing *showing, const char *sql,
                            void (*show)(struct diff_writing *, const struct statement *), int *n)
{
    struct statement row = statement_begin(showing->database, sql, showing->why);
    int wanted = sqlite3_bind_parameter_count(row.handle);
    for (int i = 0; i < wanted && i < 2; i++) put(&row, "%ld", showing->nights[i].run);
    if (wanted > 2) put(&row, "%g", showing->limit);
    for (*n = 0; statement_next(&row); ++*n)
        if (*n < SHOWN) show(showing, &row);
    if (*n > SHOWN) fprintf(showing->out, "  ... and %d more\n", *n - SHOWN);
    return statement_end(&row);
}

/* Does the same for rows that are differences. */
static enum status each_difference(struct diff_writing *showing, const char *sql,
                                   void (*show)(struct diff_writing *, const struct statement *))
{
    int n = 0;
    enum status status = each_row(showing, sql, show, &n);
    if (n) showing->differences = true;
    showing->listed += n;
    return status;
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

static void show_common_numbers(struct diff_writing *showing, const struct statement *row)
{
    (void)row;
    fprintf(showing->out,
            "Both draw the same random numbers: a change is less uncertain than its error says.\n");
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

static void show_resized(struct diff_writing *showing, const struct statement *row)
{
    fprintf(showing->out, "  %s %s: %" PRId64 " -> %" PRId64 " points\n", text_of(row, 0),
            text_of(row, 1), get_integer(row, 2), get_integer(row, 3));
}

static enum status show_market(struct diff_writing *showing)
{
    enum status status = STATUS_OK;
    int moved = 0, resized = 0;
    fprintf(showing->out, "\nmarket\n");
    TRY(each_row(showing,
                 "SELECT owner, input, count(*), total(after <> before), avg(after - before), "
                 "before, after, time"
                 " FROM (SELECT * FROM moves ORDER BY abs(after - before) DESC)"
                 " GROUP BY owner, input HAVING max(abs(after - before)) > 0"
                 " ORDER BY input <> 'spot', input, owner",
                 show_move, &moved));
    TRY(each_row(
        showing,
        "WITH a AS (SELECT owner, input, count(*) AS n FROM main.inputs WHERE run = ?1 GROUP BY 1, "
        "2),"
        " b AS (SELECT owner, input, count(*) AS n FROM other.inputs WHERE run = ?2 GROUP BY 1, 2)"
        " SELECT owner, input, a.n, coalesce(b.n, 0) FROM a LEFT JOIN b USING (owner, input)"
        " WHERE a.n IS NOT b.n AND input NOT LIKE 'correlation %'"
        " UNION ALL SELECT owner, input, 0, b.n FROM b WHERE (owner, input) NOT IN"
        " (SELECT owner, input FROM a) AND input NOT LIKE 'correlation %'",
        show_resized, &resized));
    if (!moved && !resized) fprintf(showing->out, "  nothing changed\n");
done:
    return status;
}

/* ---- prices ---------------------------------------------------------------------------------- */

/* Returns the decimals that show a number to the second digit of its error. */
static int decimals_of(double error)
{
    if (!(error > 0.0)) return 6;
    double decimals = 1.0 - floor(log10(error));
    return (int)fmin(fmax(decimals, 0.0), 9.0);
}

/* Shows a row of id, currency, before, after, change, variance and, where the first night has
 * Greeks, unexplained. */
static void show_change(struct diff_writing *showing, const struct statement *row)
{
    double error = sqrt(get_number(row, 5)), change = get_number(row, 4);
    int decimals = decimals_of(error);
    fprintf(showing->out, "  %-16s %-4s %14.*f %14.*f %+14.*f %12.*f", text_of(row, 0),
            text_of(row, 1), decimals, get_number(row, 2), decimals, get_number(row, 3), decimals,
            change, decimals, error);
    if (error > 0.0) fprintf(showing->out, " %9.1f", fabs(change) / error);
    else fprintf(showing->out, " %9s", "-");
    if (showing->explained) fprintf(showing->out, " %+13.*f", decimals, get_number(row, 6));
    putc('\n', showing->out);
}

static enum status show_prices(struct diff_writing *showing)
{
    fprintf(showing->out, "\nprices that changed by more than %.2f standard errors\n",
            showing->limit);
    fprintf(showing->out, "  %-16s %-4s %14s %14s %14s %12s %9s%s\n", "trade", "", "before",
            "after", "change", "error", "in errors", showing->explained ? "   unexplained" : "");
    return each_difference(
        showing,
        "SELECT id, both.currency, both.before, both.after, change, both.variance, unexplained"
        " FROM both JOIN changes USING (id)"
        " WHERE ?1 AND ?2 AND change * change > ?3 * ?3 * both.variance"
        " AND abs(change) > 1e-12 * (abs(both.before) + abs(both.after))"
        " ORDER BY both.currency, abs(change) DESC",
        show_change);
}

/* ---- trades and verdicts --------------------------------------------------------------------- */

static void show_trade(struct diff_writing *showing, const struct statement *row)
{
    char price[32] = "none";
    if (isfinite(get_number(row, 5))) snprintf(price, sizeof price, "%.10g", get_number(row, 5));
    fprintf(showing->out, "  %s '%s': %s on %s, %s, price %s (%s:%" PRId64 ")\n", text_of(row, 0),
            text_of(row, 1), text_of(row, 2), text_of(row, 3), text_of(row, 4), price,
            text_of(row, 6), get_integer(row, 7));
}

static void show_term(struct diff_writing *showing, const struct statement *row)
{
    fprintf(showing->out, "  changed '%s': %s %s -> %s\n", text_of(row, 0), text_of(row, 1),
            text_of(row, 2), text_of(row, 3));
}

static void show_verdict(struct diff_writing *showing, const struct statement *row)
{
    const char *message = get_text(row, 3);
    fprintf(showing->out, "  '%s': %s -> %s%s%s\n", text_of(row, 0), text_of(row, 1),
            text_of(row, 2), message ? ": " : "", message ? message : "");
}

static void begin_list(struct diff_writing *showing, const char *title)
{
    fprintf(showing->out, "\n%s\n", title);
    showing->listed = 0;
}

static void end_list(const struct diff_writing *showing)
{
    if (!showing->listed) fprintf(showing->out, "  none\n");
}

static enum status show_terms(struct diff_writing *showing)
{
    enum status status = STATUS_OK;
    begin_list(showing, "trades added, removed or changed");
    TRY(each_difference(
        showing,
        "SELECT 'added', id, product, assets, currency, price, file, line FROM other.trades"
        " JOIN other.prices USING (run, trade) WHERE ?1 AND run = ?2"
        " AND id NOT IN (SELECT id FROM both)",
        show_trade));
    TRY(each_difference(
        showing,
        "SELECT 'removed', id, product, assets, currency, price, file, line FROM main.trades"
        " JOIN main.prices USING (run, trade) WHERE run = ?1 AND id NOT IN (SELECT id FROM both)",
        show_trade));
    TRY(each_difference(
        showing,
        /* Dates are stored as days since 1970 (app/config/trade_terms.c). */
        "SELECT id, key, CASE WHEN key IN ('expiry', 'start') AND abs(a) > 1000"
        " THEN date(a * 86400, 'unixepoch') ELSE a END, CASE WHEN key IN ('expiry', 'start') AND "
        "abs(b) > "
        "1000"
        " THEN date(b * 86400, 'unixepoch') ELSE b END FROM ("
        "SELECT id, 'quantity' AS key, +quantity_before AS a, +quantity_after AS b FROM both"
        " WHERE quantity_before <> quantity_after"
        " UNION ALL SELECT both.id, a.key, a.value, b.value FROM both, json_each(terms_before) a"
        " LEFT JOIN json_each(terms_after) b ON b.key = a.key WHERE NOT same AND a.value IS NOT "
        "b.value AND a.key <> 'ahead'"
        " UNION ALL SELECT both.id, b.key, NULL, b.value FROM both, json_each(terms_after) b"
        " WHERE NOT same AND b.key <> 'ahead' AND b.key NOT IN (SELECT key FROM "
        "json_each(terms_before))"
        " UNION ALL SELECT id, 'its product, assets, model or currency', NULL, NULL FROM both"
        " WHERE NOT same AND terms_before = terms_after AND quantity_before = quantity_after)",
        show_term));
    end_list(showing);
done:
    return status;
}

static enum status show_verdicts(struct diff_writing *showing)
{
    enum status status = STATUS_OK;
    begin_list(showing, "verdicts that changed");
    TRY(each_difference(showing,
                        "SELECT id, verdict_before, verdict_after, message FROM both"
                        " WHERE verdict_before <> verdict_after",
                        show_verdict));
    end_list(showing);
done:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void show_nothing(struct diff_writing *showing, const struct statement *row)
{
    (void)showing;
    (void)row;
}

static void note_greeks(struct diff_writing *showing, const struct statement *row)
{
    (void)row;
    showing->explained = true;
}

static void take_limit(struct diff_writing *showing, const struct statement *row)
{
    showing->limit = judge_limit((int)get_integer(row, 0));
}

static enum status show_all(struct diff_writing *showing)
{
    enum status status = STATUS_OK;
    int n;
    TRY(each_row(showing, "SELECT 1 FROM main.greeks WHERE run = ?1 LIMIT 1", note_greeks, &n));
    TRY(each_row(showing, "SELECT count(*) FROM both", take_limit, &n));
    TRY(each_row(showing,
                 "SELECT night, run, coalesce(valuation_date, began), book, seed, paths, version, "
                 "results_digest"
                 " FROM nights ORDER BY night",
                 show_night, &n));
    TRY(each_row(showing,
                 "SELECT 1 FROM nights a, nights b WHERE a.night = 1 AND b.night = 2"
                 " AND (a.seed, a.paths) = (b.seed, b.paths)",
                 show_common_numbers, &n));
    TRY(explained_print(showing->out, showing->database, showing->why));
    TRY(each_difference(showing, "SELECT 1 FROM changes WHERE beyond", show_nothing));
    TRY(show_prices(showing));
    TRY(show_market(showing));
    TRY(show_terms(showing));
    TRY(show_verdicts(showing));
    fprintf(showing->out, "%s\n",
            showing->differences ? "the nights differ" : "no difference beyond noise");
done:
    return status;
}

enum status differences_print(FILE *out, const struct database *database,
                              const struct stored_run nights[2], bool *differences,
                              struct message *why)
{
    struct diff_writing showing = {.out = out, .database = database, .nights = nights, .why = why};
    enum status status = show_all(&showing);
    *differences = showing.differences;
    return status;
}
