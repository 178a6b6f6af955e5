#include "app/output/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/output/text_table.h"
#include "app/pricing/risk/greeks/greek_check.h"

enum {
    TABLE_ROWS = 100,    /* trades shown of a large book, besides those that failed or disagree */
    TABLE_TROUBLES = 100 /* and of these */
};

/* ---- aggregates ------------------------------------------------------------------------------ */

enum { SHOWN_MAX = 12 }; /* Greeks, scenarios; lines of either */

/* The number of a column, and the error that it is rounded to. */
struct shown_number {
    const char *heading;
    double number, error;
};

struct aggregates_table;
typedef struct shown_number give_number(const struct aggregates_table *table, int aggregate,
                                        int column);

/* A table of aggregates: a row for each, a column for its name, then numbers. */
struct aggregates_table {
    const struct results *results;
    const char *way;
    int n_rows, rows[TABLE_ROWS + 1]; /* aggregates; the whole book last */
    int width, confidence;
    give_number *number;
};

/* Returns a number, or its error, which has the column behind it. */
static struct shown_number one_of(const char *heading, double number, double error, bool is_error)
{
    return (struct shown_number){is_error ? "+-" : heading, is_error ? error : number, error};
}

static void fill_sum(const void *context, int row, int column, struct text_cell *cell)
{
    const struct aggregates_table *table = context;
    int aggregate = row < 0 ? 0 : table->rows[row];
    const char *name = table->results->sums->aggregation.names[aggregate].name;
    struct shown_number shown = {table->way, NAN, NAN};
    if (column) shown = table->number(table, aggregate, column - 1);
    cell->is_text = !column;
    if (row < 0) snprintf(cell->text, CELL_ROOM, "%s", shown.heading);
    else if (!column) snprintf(cell->text, CELL_ROOM, "%s", name);
    else number_cell(cell->text, shown.number, results_decimals(shown.number, shown.error));
}

/* Writes a table of numbers that `number` gives: the first `before`, and two of each of n, of which
 * some are left out where they are many. */
static void write_table(FILE *out, struct aggregates_table *table, int before, int n,
                        const char *what, give_number *number)
{
    int shown = n < SHOWN_MAX ? n : SHOWN_MAX;
    table->number = number;
    const struct text_table text = {table->n_rows, 1 + before + 2 * shown, table, fill_sum};
    text_table_write(out, &text, table->width);
    if (shown < n) fprintf(out, "... %d more %s (--output=FILE.json has them)\n", n - shown, what);
}

/* ---- values and Greeks ----------------------------------------------------------------------- */

static struct shown_number sum_of(const struct aggregates_table *table, int a, int column)
{
    struct money_total total = table->results->sums->values[a];
    int greek = (column - 3) / 2;
    const char *heading = "value";
    if (!column) return (struct shown_number){"trades", total.n, 10.0};
    if (column > 2) {
        total = results_greek(table->results, greek, a);
        heading = table->results->risk->sensitivities[greek].name;
    }
    return one_of(heading, total.value, total.error, column % 2 == 0);
}

static void write_sums(FILE *out, struct aggregates_table *table)
{
    const struct risk *risk = table->results->risk;
    fprintf(out, "By %s, %s at today's FX rates; errors are at most what stands here:\n",
            table->way, results_total_currency(table->results));
    write_table(out, table, 3, risk ? risk->n_sensitivities : 0, "Greeks", sum_of);
}

static struct shown_number pnl_of(const struct aggregates_table *table, int a, int column)
{
    int scenario = column / 2;
    const struct aggregate *aggregate = results_aggregate(table->results, a);
    const struct pnl pnl = aggregate ? aggregate->scenarios[scenario] : (struct pnl){NAN, NAN};
    return one_of(table->results->risk->scenario_names[scenario], pnl.value, pnl.std_error,
                  column % 2);
}

static void write_pnl(FILE *out, struct aggregates_table *table)
{
    int n = table->results->risk->n_scenarios;
    if (!n) return;
    fprintf(out, "Profit and loss by %s, %s:\n", table->way,
            results_total_currency(table->results));
    write_table(out, table, 0, n, "scenarios", pnl_of);
}

/* ---- value at risk --------------------------------------------------------------------------- */

static struct shown_number tail_of(const struct aggregates_table *table, int a, int column)
{
    const struct aggregate *known = results_aggregate(table->results, a),
                           *aggregate = known ? known : &table->results->risk->aggregates[0];
    const struct value_at_risk *tail = &aggregate->values_at_risk[table->confidence];
    const struct risk_contribution *c = &aggregate->contributions[table->confidence];
    const struct shown_number numbers[] = {
        {"VaR", tail->var, tail->var_error},
        {"component", c->component_var, c->component_var_error},
        {"incremental", c->incremental_var, c->incremental_var_error},
        {"shortfall", tail->shortfall, tail->shortfall_error},
        {"its component", c->component_shortfall, c->component_shortfall_error},
        {"its incremental", c->incremental_shortfall, c->incremental_shortfall_error}};
    int at = column < 2 ? column : column - 2;
    struct shown_number shown =
        one_of(numbers[at / 2].heading, numbers[at / 2].number, numbers[at / 2].error, at % 2);
    if (column == 2) shown = (struct shown_number){"from", tail->var_low, tail->var_error};
    if (column == 3) shown = (struct shown_number){"to", tail->var_high, tail->var_error};
    if (!known) shown.number = NAN;
    return shown;
}

static void write_tails(FILE *out, struct aggregates_table *table)
{
    const struct risk *risk = table->results->risk;
    for (int c = 0; c < risk->n_confidences; c++) {
        table->confidence = c;
        fprintf(out, "Value at risk %.4g%% by %s, %s, with its 95%% interval (%d days):\n",
                100.0 * risk->aggregates[0].values_at_risk[c].confidence, table->way,
                results_total_currency(table->results), risk->n_days);
        write_table(out, table, 14, 0, "", tail_of);
    }
}

/* Writes values and Greeks, P&L of scenarios, and value at risk with what each part brings to it,
 * of the aggregates of one way ("asset", or a tag) and of the whole book; nothing where there is no
 * such way. */
static void aggregates_table_write(FILE *out, const struct results *results, const char *way,
                                   int width)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    struct aggregates_table table = {.results = results, .way = way, .width = width};
    int n = 0;
    for (int a = 1; a < aggregation->n; a++) {
        if (strcmp(aggregation->ways[aggregation->names[a].way], way)) continue;
        if (n++ < TABLE_ROWS) table.rows[table.n_rows++] = a;
    }
    if (!n) return;
    table.rows[table.n_rows++] = 0;
    write_sums(out, &table);
    if (results->risk && results->risk->n_aggregates) {
        write_pnl(out, &table);
        write_tails(out, &table);
    }
    if (n > TABLE_ROWS)
        fprintf(out, "... %d more by %s (--output=FILE.json has them)\n", n - TABLE_ROWS, way);
}

/* Tells whether a row is shown: the first ones, and further down those in trouble, up to a number;
 * `troubles` counts the latter. */
static bool is_shown(const struct results *results, int index, int *troubles)
{
    if (index < TABLE_ROWS) return true;
    return estimate_is_trouble(&results->estimates[index]) && (*troubles)++ < TABLE_TROUBLES;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The rows and columns that the table shows. */
struct shown_rows {
    const struct results *results;
    bool colour;
    int n_columns, columns[N_COLUMNS];
    int n_rows, rows[TABLE_ROWS + TABLE_TROUBLES + 1]; /* -1: "..." */
};

static void fill_cell(const void *context, int row, int column, struct text_cell *cell)
{
    static const char *const colours[N_VERDICTS] = {"\033[32m", "\033[31m", "\033[33m",
                                                    "\033[31m", "\033[33m", "\033[31m"};
    const struct shown_rows *shown = context;
    int c = shown->columns[column];
    const struct result_column *shown_column = &result_columns[c];
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    cell->is_text = shown_column->traits & IS_TEXT;
    cell->yields = shown_column->traits & YIELDS;
    if (row < 0 || shown->rows[row] < 0) {
        snprintf(cell->text, CELL_ROOM, "%s",
                 row < 0  ? shown_column->heading
                 : column ? ""
                          : "...");
        return;
    }
    results_row(shown->results, shown->rows[row], &names, fields);
    const char *given = fields[c].text ? fields[c].text : "-";
    if (shown->colour && c == COLUMN_status)
        cell->colour = colours[shown->results->estimates[shown->rows[row]].verdict];
    if (cell->is_text)
        snprintf(cell->text, CELL_ROOM, "%.*s", text_bytes(given, NAME_CHARACTERS), given);
    else number_cell(cell->text, fields[c].number, fields[c].decimals);
}

static void write_rows(FILE *out, const struct results *results, bool colour, int width)
{
    struct shown_rows shown = {.results = results, .colour = colour};
    shown.n_columns = results_shown(results, ON_TERMINAL, shown.columns);
    for (int i = 0, troubles = 0; i < results->n; i++) {
        if (!is_shown(results, i, &troubles)) continue;
        bool skips = shown.n_rows == TABLE_ROWS && i > TABLE_ROWS;
        if (skips) shown.rows[shown.n_rows++] = -1;
        shown.rows[shown.n_rows++] = i;
    }
    const struct text_table table = {shown.n_rows, shown.n_columns, &shown, fill_cell};
    text_table_write(out, &table, width);
    int left_out = results->n;
    for (int r = 0; r < shown.n_rows; r++) left_out -= shown.rows[r] >= 0;
    if (left_out)
        fprintf(out, "... %d more trades (--output=FILE.csv writes them all)\n", left_out);
}

void troubles_write(FILE *out, const struct results *results, bool refused)
{
    int written = 0, left_out = 0;
    for (int i = 0; i < results->n; i++) {
        const struct trade *trade = &results->trades[i];
        const char *message = results->estimates[i].message;
        bool is_refused = results->estimates[i].verdict == VERDICT_REFUSED;
        if (!estimate_is_trouble(&results->estimates[i]) || (is_refused && !refused)) continue;
        if (written++ >= TABLE_TROUBLES) {
            left_out++;
            continue;
        }
        if (is_refused) fprintf(out, "refused: %s\n", message);
        else
            fprintf(out, "%s:%d: trade '%s' %s: %s\n", trade->file ? trade->file : "book",
                    trade->line, trade->id, verdict_name(results->estimates[i].verdict),
                    message ? message : "");
    }
    if (left_out) fprintf(out, "... and %d more in trouble\n", left_out);
}

/* Writes one line for each trade whose price is one end of an interval, that no path pays, or whose
 * error is above what is asked. */
static void write_messages(FILE *out, const struct results *results)
{
    int troubles = 0;
    for (int i = 0; i < results->n; i++) {
        const struct estimate *estimate = &results->estimates[i];
        bool says =
            isfinite(estimate->upper) || estimate_is_unseen(estimate) || estimate->short_of_target;
        if (!says || !estimate->message || estimate_is_trouble(estimate)) continue;
        if (is_shown(results, i, &troubles))
            fprintf(out, "trade '%s': %s\n", results->trades[i].id, estimate->message);
    }
}

static void write_totals(FILE *out, const struct results *results)
{
    const struct manifest *m = &results->manifest;
    int counts[N_VERDICTS], n_stored = 0;
    double most = (double)m->paths; /* of a trade */
    results_count(results, counts);
    fprintf(out, "%d trade%s:", results->n, results->n == 1 ? "" : "s");
    for (int v = 0, n = 0; v < N_VERDICTS; v++)
        if (counts[v])
            fprintf(out, "%s %d %s", n++ ? "," : "", counts[v], verdict_name((enum verdict)v));
    if (results->notes && results->notes->n)
        fprintf(out, ", %d note%s", results->notes->n, results->notes->n == 1 ? "" : "s");
    if (results->risk && results->risk->n_sensitivities) {
        struct greek_counts greeks = greeks_count(results->risk);
        fprintf(out, "; %d Greek%s: %d checked", greeks.all, greeks.all == 1 ? "" : "s",
                greeks.checked);
    }
    for (int i = 0; i < results->n; i++) most = fmax(most, results->estimates[i].paths);
    fprintf(out, "; %s%.0f paths; ", most > (double)m->paths ? "up to " : "", most);
    if (m->phases.gpu_busy > 0.0) fprintf(out, "%.3g s starting, ", m->phases.start);
    fprintf(out, "%.3g s pricing, %.3g s checking", m->phases.price, m->phases.check);
    for (int i = 0; i < results->n; i++)
        n_stored += strstr(results->estimates[i].reference_method, REFERENCE_KEPT) != NULL;
    if (n_stored)
        fprintf(out, " with %d reference%s of earlier runs", n_stored, n_stored == 1 ? "" : "s");
    if (m->phases.check > m->phases.price && m->phases.check_sample > 0.0)
        fprintf(out, " (about %.2g s with --check=sample)", m->phases.check_sample);
    fprintf(out, "; %s %s; digest %016" PRIx64 "\n", m->engine, m->kernel, m->results_digest);
}

/* ---- risk: totals, scenarios, value at risk -------------------------------------------------- */

/* A number as `format` has it; one that there is not, or beyond the range of a double, is
 * "unknown". */
static struct known_text {
    char text[32];
} known(const char *format, double number)
{
    struct known_text known = {"unknown"};
    if (isfinite(number)) snprintf(known.text, sizeof known.text, format, number);
    return known;
}

static void write_greeks(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const char *currency = results_total_currency(results);
    if (!risk->n_sensitivities) return;
    fprintf(out, "Greeks, sums over trades, %s at today's FX rates:\n", currency);
    for (int s = 0; s < risk->n_sensitivities && s < SHOWN_MAX; s++) {
        struct money_total total = results_greek(results, s, 0);
        int disagree = 0;
        for (int i = 0; i < results->n; i++) disagree += fabs(risk_greek(risk, s, i)->z) > 4.0;
        fprintf(out, "  %-28s %14s %s  of %d trade%s", risk->sensitivities[s].name,
                known("%.6g", total.value).text, currency, total.n, total.n == 1 ? "" : "s");
        if (total.left_out) fprintf(out, ", without %d that no FX rate leads from", total.left_out);
        if (disagree) fprintf(out, ", %d beyond 4 standard errors of their references", disagree);
        putc('\n', out);
    }
    if (risk->n_sensitivities > SHOWN_MAX)
        fprintf(out, "  ... %d more (--output=FILE.csv writes them by trade)\n",
                risk->n_sensitivities - SHOWN_MAX);
}

static void write_scenarios(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    if (!risk->n_scenarios) return;
    fprintf(out, "Profit and loss of the book, %s:\n", results_total_currency(results));
    for (int s = 0; s < risk->n_scenarios && s < SHOWN_MAX; s++) {
        struct pnl pnl = risk->aggregates[0].scenarios[s];
        fprintf(out, "  %-28s %14s  +- %s %s\n", risk->scenario_names[s],
                known("%.6g", pnl.value).text, known("%.2g", pnl.std_error).text,
                results_total_currency(results));
    }
    if (risk->n_scenarios > SHOWN_MAX)
        fprintf(out, "  ... %d more (--output=FILE.json writes them all)\n",
                risk->n_scenarios - SHOWN_MAX);
}

static void write_loss(FILE *out, double loss, double error, double low, double high)
{
    fprintf(out, "%s +- %s, 95%% interval %s %s%s", known("%.6g", loss).text,
            known("%.2g", error).text, known("%.6g", low).text,
            isinf(high) ? "up, no upper end" : "to ", isinf(high) ? "" : known("%.6g", high).text);
}

static void write_values_at_risk(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    for (int c = 0; c < risk->n_confidences; c++) {
        const struct value_at_risk *v = &risk->aggregates[0].values_at_risk[c];
        fprintf(out, "Value at risk %.4g%%: ", 100.0 * v->confidence);
        write_loss(out, v->var, v->var_error, v->var_low, v->var_high);
        fputs("; expected shortfall ", out);
        write_loss(out, v->shortfall, v->shortfall_error, v->shortfall_low, v->shortfall_high);
        fprintf(out, " (%d days, %s)\n", risk->n_days, results_total_currency(results));
    }
}

void table_write(FILE *out, const struct results *results, const struct table_look *look)
{
    write_rows(out, results, look->colour, look->width);
    write_messages(out, results);
    troubles_write(out, results, true);
    int n = results->notes ? results->notes->n : 0;
    for (int i = 0; i < n && i < TABLE_TROUBLES; i++)
        fprintf(out, "%s\n", results->notes->list[i].line);
    if (n > TABLE_TROUBLES) fprintf(out, "... and %d more notes\n", n - TABLE_TROUBLES);
    if (results->risk) {
        write_greeks(out, results);
        write_scenarios(out, results);
        write_values_at_risk(out, results);
    }
    for (int i = 0; i < look->n_ways; i++)
        aggregates_table_write(out, results, look->ways[i], look->width);
    write_totals(out, results);
}
