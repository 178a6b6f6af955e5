#include "app/output/results_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/output/risk_table.h"

/* ---- cells ----------------------------------------------------------------------------------- */

/* What the table shows, in its order: columns of columns.def; those of controls where a trade has
 * any. */
static const struct table_column {
    const char *heading;
    int column;
    enum { AS_TEXT, AS_MONEY, AS_RATIO, AS_DEVIATE } as;
    bool of_controls;
} shown[] = {{"id", COLUMN_trade_id, AS_TEXT, false},
             {"type", COLUMN_type, AS_TEXT, false},
             {"assets", COLUMN_assets, AS_TEXT, false},
             {"price", COLUMN_price, AS_MONEY, false},
             {"std error", COLUMN_std_error, AS_MONEY, false},
             {"ratio", COLUMN_variance_ratio, AS_RATIO, true},
             {"control", COLUMN_control, AS_TEXT, true},
             {"reference", COLUMN_reference, AS_MONEY, false},
             {"z", COLUMN_z, AS_DEVIATE, false},
             {"status", COLUMN_status, AS_TEXT, false}};

enum { N_CELLS = sizeof shown / sizeof *shown, LAST_CELL = N_CELLS - 1 };

struct table_row {
    char text[N_CELLS][NAME_BYTES + 32];
};

static void number_cell(char *text, size_t room, int decimals, double number)
{
    if (!isfinite(number)) snprintf(text, room, "-");
    else if (fabs(number) >= 1e15) snprintf(text, room, "%.6e", number);
    else snprintf(text, room, "%.*f", decimals, number);
}

static void fill_cells(const struct results *results, int index, struct table_row *cells)
{
    const struct estimate *estimate = &results->estimates[index];
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    results_row(results, index, &names, fields);
    const int decimals[] = {[AS_MONEY] = results_decimals(estimate->price, estimate->std_error),
                            [AS_RATIO] = estimate->variance_ratio < 100.0,
                            [AS_DEVIATE] = 2};
    for (int c = 0; c < N_CELLS; c++) {
        const struct result_field *field = &fields[shown[c].column];
        const char *text = field->text ? field->text : "-";
        char *cell = cells->text[c];
        size_t room = sizeof cells->text[c];
        if (shown[c].as != AS_TEXT) number_cell(cell, room, decimals[shown[c].as], field->number);
        else snprintf(cell, room, "%.*s", text_bytes(text, NAME_CHARACTERS), text);
    }
}

/* Characters of a text, not its bytes. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* ---- which rows ------------------------------------------------------------------------------ */

static bool in_trouble(const struct results *results, int index)
{
    return estimate_is_trouble(&results->estimates[index]);
}

/* The first rows, and further down those in trouble, up to a number; `troubles` counts the latter.
 */
static bool is_shown(const struct results *results, int index, int *troubles)
{
    if (index < TABLE_ROWS) return true;
    return in_trouble(results, index) && (*troubles)++ < TABLE_TROUBLES;
}

/* Widths of the columns; those of controls are -1, not there, where no trade has any. */
static void widen_columns(const struct results *results, int *widths)
{
    struct table_row cells;
    int troubles = 0;
    bool controls = results_have_controls(results);
    for (int c = 0; c < N_CELLS; c++)
        widths[c] = shown[c].of_controls && !controls ? -1 : (int)strlen(shown[c].heading);
    for (int i = 0; i < results->n; i++) {
        if (!is_shown(results, i, &troubles)) continue;
        fill_cells(results, i, &cells);
        for (int c = 0; c < N_CELLS; c++) {
            int width = width_of(cells.text[c]);
            if (widths[c] >= 0) widths[c] = width > widths[c] ? width : widths[c];
        }
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void write_line(FILE *out, const struct table_row *cells, const int *widths,
                       const char *status_colour)
{
    for (int c = 0; c < LAST_CELL; c++) {
        int blanks = widths[c] - width_of(cells->text[c]);
        if (widths[c] < 0) continue;
        if (shown[c].as != AS_TEXT) fprintf(out, "%*s%s  ", blanks, "", cells->text[c]);
        else fprintf(out, "%s%*s  ", cells->text[c], blanks, "");
    }
    fprintf(out, "%s%s%s\n", status_colour, cells->text[LAST_CELL],
            status_colour[0] ? "\033[0m" : "");
}

static void write_rows(FILE *out, const struct results *results, bool colour)
{
    static const char *const colours[N_VERDICTS] = {"\033[32m", "\033[31m", "\033[33m",
                                                    "\033[31m", "\033[33m", "\033[31m"};
    struct table_row cells;
    int widths[N_CELLS], troubles = 0, left_out = 0;
    widen_columns(results, widths);
    for (int c = 0; c < N_CELLS; c++)
        snprintf(cells.text[c], sizeof *cells.text, "%s", shown[c].heading);
    write_line(out, &cells, widths, "");
    troubles = 0;
    for (int i = 0; i < results->n && !ferror(out); i++) {
        if (!is_shown(results, i, &troubles)) {
            left_out++;
            continue;
        }
        if (left_out && i >= TABLE_ROWS && troubles == 1) fprintf(out, "...\n");
        fill_cells(results, i, &cells);
        write_line(out, &cells, widths, colour ? colours[results->estimates[i].verdict] : "");
    }
    if (left_out)
        fprintf(out, "... %d more trades (--output=FILE.csv writes them all)\n", left_out);
}

/* One line for each trade in trouble, with its place in the book and the reason. */
static void write_troubles(FILE *out, const struct results *results)
{
    int written = 0, left_out = 0;
    for (int i = 0; i < results->n; i++) {
        const struct trade *trade = &results->trades[i];
        const char *message = results->estimates[i].message;
        if (!in_trouble(results, i)) continue;
        if (written++ >= TABLE_TROUBLES) {
            left_out++;
            continue;
        }
        if (results->estimates[i].verdict == VERDICT_REFUSED)
            fprintf(out, "refused: %s\n", message);
        else
            fprintf(out, "%s:%d: trade '%s' %s: %s\n", trade->file ? trade->file : "book",
                    trade->line, trade->id, verdict_name(results->estimates[i].verdict),
                    message ? message : "");
    }
    if (left_out) fprintf(out, "... and %d more in trouble\n", left_out);
}

/* One line for each trade whose price is one end of an interval. */
static void write_intervals(FILE *out, const struct results *results)
{
    int troubles = 0;
    for (int i = 0; i < results->n; i++) {
        const struct estimate *estimate = &results->estimates[i];
        if (!isfinite(estimate->upper) || !estimate->message || in_trouble(results, i)) continue;
        if (is_shown(results, i, &troubles))
            fprintf(out, "trade '%s': %s\n", results->trades[i].id, estimate->message);
    }
}

static void write_totals(FILE *out, const struct results *results)
{
    const struct manifest *m = &results->manifest;
    int counts[N_VERDICTS];
    results_count(results, counts);
    fprintf(out, "%d trade%s:", results->n, results->n == 1 ? "" : "s");
    for (int v = 0, n = 0; v < N_VERDICTS; v++)
        if (counts[v])
            fprintf(out, "%s %d %s", n++ ? "," : "", counts[v], verdict_name((enum verdict)v));
    fprintf(out, "; %" PRIu64 " paths; ", m->paths);
    if (m->phases.gpu_busy > 0.0) fprintf(out, "%.3g s starting, ", m->phases.start);
    fprintf(out, "%.3g s pricing, %.3g s checking", m->phases.price, m->phases.check);
    if (m->phases.check > m->phases.price && m->phases.check_sample > 0.0)
        fprintf(out, " (about %.2g s with --check=sample)", m->phases.check_sample);
    fprintf(out, "; %s %s; digest %016" PRIx64 "\n", m->engine, m->kernel, m->results_digest);
}

void table_write(FILE *out, const struct results *results, bool colour)
{
    write_rows(out, results, colour);
    write_intervals(out, results);
    write_troubles(out, results);
    risk_table_write(out, results);
    write_totals(out, results);
}
