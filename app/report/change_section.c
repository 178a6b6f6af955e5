#include <math.h>
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"

/* The summary is to fit a sheet: its currencies, confidences and scenarios are few. */
enum { ROWS_MAX = 300, WORST_SCENARIOS = 5, CURRENCIES_SHOWN = 2, TAILS_SHOWN = 2 };

/* ---- the summary ----------------------------------------------------------------------------- */

static void write_row(FILE *out, const char *name, double value, double error, double low,
                      double high)
{
    if (isinf(high))
        html_row(out, OF_PAGE, "%s|#%e±%e|#%e/%e|no upper end", name, value, error, low, error);
    else
        html_row(out, OF_PAGE, "%s|#%e±%e|#%e/%e|#%e/%e", name, value, error, low, error, high,
                 error);
}

static void write_worst_scenarios(FILE *out, const struct risk *risk)
{
    struct ranking ranking = {0};
    for (int s = 0; s < risk->n_scenarios; s++)
        rank_item(&ranking, s, -risk->aggregates[0].scenarios[s].value);
    for (int i = 0; i < ranking.n && i < WORST_SCENARIOS; i++) {
        struct pnl pnl = risk->aggregates[0].scenarios[ranking.items[i]];
        char name[NAME_BYTES + 32];
        snprintf(name, sizeof name, "scenario %.*s",
                 text_bytes(risk->scenario_names[ranking.items[i]], NAME_CHARACTERS),
                 risk->scenario_names[ranking.items[i]]);
        write_row(out, name, pnl.value, pnl.std_error, NAN, NAN);
    }
}

/* Writes the change of all trades in each currency, and what of it is not explained. */
static void write_changes(FILE *out, const struct changes *changes)
{
    int n = changes->n ? changes_in_block(changes, 0) : 0;
    for (int i = 0; i < n && i < CURRENCIES_SHOWN; i++) {
        const struct change_row *row = &changes->rows[i];
        char name[NAME_BYTES + 48];
        snprintf(name, sizeof name, "the market did, in %s", row->currency);
        write_row(out, name, row->numbers[CHANGE_MARKET], row->numbers[CHANGE_ERROR], NAN, NAN);
        snprintf(name, sizeof name, "of it unexplained, in %s", row->currency);
        write_row(out, name, row->numbers[CHANGE_UNEXPLAINED],
                  row->numbers[CHANGE_UNEXPLAINED_ERROR], NAN, NAN);
    }
}

void page_summary(FILE *out, const struct results *results, const struct changes *changes)
{
    struct money_total worth = results->sums->values[0];
    html_table_begin(out, "summary-numbers", "The book in numbers", results_total_currency(results),
                     "#amount|#std error~of the value, what it is at most|#95 % from|#to");
    write_row(out, "value", worth.n ? worth.value : NAN, worth.error, NAN, NAN);
    if (changes) write_changes(out, changes);
    for (int k = 0; has_past(results) && k < results->risk->n_confidences && k < TAILS_SHOWN; k++) {
        const struct value_at_risk *tail = &results->risk->aggregates[0].values_at_risk[k];
        char name[64];
        snprintf(name, sizeof name, "value at risk %.4g %%", 100.0 * tail->confidence);
        write_row(out, name, tail->var, tail->var_error, tail->var_low, tail->var_high);
        snprintf(name, sizeof name, "expected shortfall %.4g %%", 100.0 * tail->confidence);
        write_row(out, name, tail->shortfall, tail->shortfall_error, tail->shortfall_low,
                  tail->shortfall_high);
    }
    if (has_scenarios(results)) write_worst_scenarios(out, results->risk);
    html_table_end(out);
    write_unconverted(out, results, worth.left_out);
    write_first_troubles(out, results, changes);
}

/* ---- the change ------------------------------------------------------------------------------ */

enum { N_PARTS = CHANGE_UNEXPLAINED - CHANGE_FX_TRANSLATION + 1 };

void chart_change(FILE *out, const struct change_row *row)
{
    const char *names[N_PARTS + 1];
    double ends[N_PARTS + 1] = {0.0}, change = row->numbers[CHANGE_CHANGE];
    double error = row->numbers[CHANGE_ERROR];
    struct svg_range range = SVG_NOTHING;
    struct svg svg;
    int n = 0;
    for (int i = CHANGE_FX_TRANSLATION; i <= CHANGE_UNEXPLAINED; i++) {
        double part = row->numbers[i];
        if (!isfinite(part) || part == 0.0) continue;
        names[n] = change_names[i];
        ends[n + 1] = ends[n] + part;
        svg_include(&range, ends[++n]);
    }
    if (!n || !isfinite(change)) return;
    names[n] = change_names[CHANGE_CHANGE];
    svg_include(&range, 0.0);
    svg_include_error(&range, change, error);
    html_figure(out, "chart-change", "What the change is made of",
                "Each part begins where the one above it ends; the line at the change is its "
                "standard error at most.");
    svg_begin_bars(&svg, out, SVG_HALF, "The parts of the change", n + 1, names, range);
    svg_axis_x(&svg, row->currency);
    for (int i = 0; i < n; i++) {
        double end = ends[i + 1];
        svg_tip(&svg, "%s\n%e/%e %s", names[i], end - ends[i], error, row->currency);
        svg_row_bar(&svg, i, ends[i], end, NAN, NULL);
        svg_line(&svg, end, i + 0.84, end, i + 1.16, "muted thin");
    }
    svg_tip(&svg, "change\n%e/%e ± %e/%e %s", change, error, error, error, row->currency);
    svg_row_bar(&svg, n, 0.0, change, error, "accent");
    svg_rule_x(&svg, 0.0, "ink thin");
    svg_figure_end(&svg);
}

static void write_table(FILE *out, const struct changes *changes, int kind)
{
    struct change_table table;
    change_table_make(changes, kind, ROWS_MAX, &table);
    if (!table.n_rows) return;
    html_headings(out, table.id, table.caption);
    for (int r = -1; r < table.n_rows; r++) {
        if (r >= 0) fputs("<tr>", out);
        for (int c = 0; c < table.n_columns; c++) {
            struct text_cell cell = {.text = ""};
            change_table_fill(&table, r, c, &cell);
            if (r < 0) html_heading(out, cell.text, !cell.is_text, NULL);
            else if (!c) html_cell_name(out, cell.text);
            else html_cell(out, cell.text, !cell.is_text);
        }
        if (r < 0) html_headings_end(out);
        else fputs("</tr>\n", out);
    }
    html_table_end(out);
    html_left_out(out, table.n_rows, table.n_rows + table.left_out, "rows");
}

void page_change(FILE *out, const struct changes *changes)
{
    char headline[1024];
    int left_out = changes_left_out(changes);
    change_headline(changes, headline, sizeof headline);
    html_print(out, "<p>%s</p>\n", headline);
    if (changes->n && changes->rows[0].converted) chart_change(out, &changes->rows[0]);
    for (int kind = TABLE_LINES; kind < TABLE_TRADES; kind++) write_table(out, changes, kind);
    fputs("<p class=\"note\">Since the run that this one is compared with: each line begins where "
          "the one above it ends. What the market did is the Greeks times its moves, and what "
          "they leave; money is rounded to what its error bears.</p>\n",
          out);
    if (!left_out) return;
    html_print(out,
               "<p class=\"note\">%'d %s in no sum of one currency: no FX rate leads there.</p>\n",
               left_out, left_out == 1 ? "trade is" : "trades are");
}

/* ---- the page of `pricer diff --output=FILE.html` -------------------------------------------- */

/* Writes the first line of a text as a paragraph; returns where the next begins. */
static const char *write_line(FILE *out, const char *text)
{
    char line[1024];
    size_t n = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, text);
    html_print(out, "<p>%s</p>\n", line);
    return text + n + (text[n] == '\n');
}

void report_changes(FILE *out, const struct changes *changes, const char *text)
{
    page_begin(out, "What changed");
    fputs("<body>\n<header>\n<h1>What changed</h1>\n", out);
    const char *rest = write_line(out, text);
    write_line(out, rest);
    fputs("<nav aria-label=\"Sections\"><a href=\"#change\">Change</a> <a href=\"#trades\">Trades"
          "</a> <a href=\"#text\">Text</a></nav>\n</header>\n<main>\n"
          "<section id=\"change\">\n<h2>Change</h2>\n",
          out);
    page_change(out, changes);
    fputs("</section>\n<section id=\"trades\">\n<h2>Trades</h2>\n", out);
    write_table(out, changes, TABLE_TRADES);
    fputs("</section>\n<section id=\"text\">\n<h2>The market, terms and verdicts</h2>\n", out);
    html_lines(out, text);
    fputs("</section>\n</main>\n", out);
    page_end(out);
}
