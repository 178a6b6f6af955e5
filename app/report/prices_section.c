#include <math.h>
#include <string.h>

#include "app/pricing/value/check.h"
#include "app/pricing/value/judge.h"
#include "app/report/html.h"
#include "app/report/sections.h"

/* ---- the table ------------------------------------------------------------------------------- */

/* Draws z on a line from -6 to 6, as a picture of 96 by 12. */
static void write_mark(FILE *out, double z)
{
    if (!isfinite(z)) {
        fputs("<td></td>", out);
        return;
    }
    double at = fmax(-6.0, fmin(6.0, z));
    fprintf(out,
            "<td><svg class=\"mark\" viewBox=\"0 0 96 12\" aria-hidden=\"true\"><path d=\"M0 "
            "6H96M48 1V11\"/>"
            "<circle cx=\"%.1f\" cy=\"6\" r=\"3\"/></svg></td>",
            48.0 + 7.5 * at);
}

static void write_cell(FILE *out, int column, const struct result_field *field)
{
    if (column == COLUMN_status)
        fprintf(out, "<td><span class=\"%s\">%s</span></td>", field->text, field->text);
    else if (result_columns[column].traits & IS_TEXT) html_cell(out, field->text, false);
    else if (field->decimals == AS_GIVEN) html_cell(out, plain_text(field->number).text, true);
    else
        html_cell(out, number_text(field->number, field->number == 0.0 ? 0 : field->decimals).text,
                  true);
    if (column == COLUMN_z) write_mark(out, field->number);
}

static void write_row(FILE *out, const struct results *results, int index, int n,
                      const int *columns)
{
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    results_row(results, index, &names, fields);
    for (int i = 0; i < n; i++) {
        if (columns[i] == COLUMN_trade_id) cell_trade(out, results, index);
        else write_cell(out, columns[i], &fields[columns[i]]);
    }
    fputs("</tr>\n", out);
}

/* Writes the headings of the columns. */
static void make_headings(int n, const int *columns, size_t room, char *headings)
{
    for (int i = 0, at = 0; i < n; i++) {
        const struct result_column *column = &result_columns[columns[i]];
        at +=
            snprintf(headings + at, room - (size_t)at, "%s%s%s%s|%s",
                     column->traits & IS_TEXT ? "" : "#", column->heading, column->title ? "~" : "",
                     column->title ? column->title : "", columns[i] == COLUMN_z ? "-6 to 6|" : "");
    }
}

void page_prices(FILE *out, const struct results *results)
{
    int columns[N_COLUMNS], n = results_shown(results, ON_PAGE, columns);
    char headings[N_COLUMNS * 256] = "";
    make_headings(n, columns, sizeof headings, headings);
    fputs("<div class=\"pair\">\n", out);
    chart_prices(out, results);
    chart_precision(out, results);
    fputs("</div>\n", out);
    struct html_rows rows =
        html_rows_begin(out, "all-prices", "Every trade, in the order of the book", NULL, headings,
                        results->n, REPORT_TRADES);
    for (int i = 0; !ferror(out) && html_rows_next(&rows, ""); i++)
        write_row(out, results, i, n, columns);
    html_rows_end(&rows, "trades");
    if (rows.shown < rows.all)
        fputs("<p class=\"note\"><code>--output=FILE.csv</code> writes them all.</p>\n", out);
}

/* ---- the agreement --------------------------------------------------------------------------- */

struct price_agreement {
    int n, beyond_two;
    double mean, deviation, largest;
};

static struct price_agreement summarise(const struct results *results)
{
    struct price_agreement a = {0};
    struct tally tally = {0.0, 0.0, 0.0};
    for (int i = 0; i < results->n; i++) {
        double z = results->estimates[i].z;
        if (!isfinite(z)) continue;
        tally = tally_add(tally, z);
        a.beyond_two += fabs(z) > 2.0;
        a.largest = fmax(a.largest, fabs(z));
    }
    a.n = (int)tally.n;
    a.mean = tally.mean;
    a.deviation = a.n > 1 ? sqrt(tally.m2 / (a.n - 1)) : NAN;
    return a;
}

static void write_fact(FILE *out, const char *name, double found, double expected,
                       const char *meaning)
{
    html_row(out, OF_PAGE, "%s|#%'.2f|#%'.2f|%s", name, found, expected, meaning);
}

void page_agreement(FILE *out, const struct results *results)
{
    struct price_agreement a = summarise(results);
    if (!a.n) {
        fputs("<p class=\"note\">No trade was compared with a reference.</p>\n", out);
        return;
    }
    fputs(
        "<p>z is the distance of a price from its reference in units of the standard error of "
        "both. Trades "
        "on "
        "common paths err together: the histogram of a small book may lean to one side.</p>\n<div "
        "class=\"pair\">\n",
        out);
    chart_histogram(out, results);
    chart_z(out, results);
    fputs("</div>\n", out);
    html_table_begin(out, "agreement-facts", "Prices against references", NULL,
                     "of z|#found|#expected|of a book without error");
    html_row(out, OF_PAGE, "trades compared|#%'d|#%'.0f|", a.n, NAN);
    write_fact(out, "mean", a.mean, 0.0, "");
    write_fact(out, "standard deviation", a.deviation, 1.0,
               "less where references state bounds of their errors");
    html_row(out, OF_PAGE, "beyond 2|#%'d|#%'.0f|", a.beyond_two, 0.0455 * a.n);
    write_fact(out, "largest", a.largest, NAN, "");
    write_fact(out, "limit", judge_limit(a.n), NAN,
               "crossed once in a thousand runs of such a book");
    html_table_end(out);
}
