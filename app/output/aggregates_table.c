#include "app/output/results_table.h"

#include <math.h>
#include <string.h>

#include "app/output/text_table.h"

enum { SHOWN_MAX = 12 }; /* Greeks, scenarios */

/* The number of a column, and the error that it is rounded to. */
struct shown_number {
    const char *heading;
    double number, error;
};

/* A table of aggregates: a row for each, a column for its name, then numbers. */
struct aggregates_table {
    const struct results *results;
    const char *way;
    int n_rows, rows[TABLE_ROWS + 1]; /* aggregates; the whole book last */
    int n_numbers, confidence;
    struct shown_number (*number)(const struct aggregates_table *table, int aggregate, int column);
};

/* Returns a number, or its error, which has the column behind it. */
static struct shown_number one_of(const char *heading, double number, double error, bool is_error)
{
    return (struct shown_number){is_error ? "+-" : heading, is_error ? error : number, error};
}

static void fill_cell(const void *context, int row, int column, struct text_cell *cell)
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

static void write_table(FILE *out, const struct aggregates_table *table, int width)
{
    const struct text_table text = {table->n_rows, 1 + table->n_numbers, table, fill_cell};
    text_table_write(out, &text, width);
}

/* Returns how many of n numbers are shown. */
static int shown_of(int n)
{
    return n < SHOWN_MAX ? n : SHOWN_MAX;
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

static void write_sums(FILE *out, struct aggregates_table *table, int width)
{
    const struct risk *risk = table->results->risk;
    int n = risk ? risk->n_sensitivities : 0, shown = shown_of(n);
    fprintf(out, "By %s, %s at today's FX rates; errors are at most what stands here:\n",
            table->way, results_total_currency(table->results));
    table->n_numbers = 3 + 2 * shown;
    table->number = sum_of;
    write_table(out, table, width);
    if (shown < n) fprintf(out, "... %d more Greeks (--output=FILE.json has them)\n", n - shown);
}

/* ---- profit and loss ------------------------------------------------------------------------- */

static struct shown_number pnl_of(const struct aggregates_table *table, int a, int column)
{
    int scenario = column / 2;
    const struct aggregate *aggregate = results_aggregate(table->results, a);
    const struct pnl pnl = aggregate ? aggregate->scenarios[scenario] : (struct pnl){NAN, NAN};
    return one_of(table->results->risk->scenario_names[scenario], pnl.value, pnl.std_error,
                  column % 2);
}

static void write_scenarios(FILE *out, struct aggregates_table *table, int width)
{
    int n = table->results->risk->n_scenarios, shown = shown_of(n);
    if (!n) return;
    fprintf(out, "Profit and loss by %s, %s:\n", table->way,
            results_total_currency(table->results));
    table->n_numbers = 2 * shown;
    table->number = pnl_of;
    write_table(out, table, width);
    if (shown < n) fprintf(out, "... %d more scenarios (--output=FILE.json has them)\n", n - shown);
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

static void write_tails(FILE *out, struct aggregates_table *table, int width)
{
    const struct risk *risk = table->results->risk;
    table->n_numbers = 14;
    table->number = tail_of;
    for (int c = 0; c < risk->n_confidences; c++) {
        table->confidence = c;
        fprintf(out, "Value at risk %.4g%% by %s, %s, with its 95%% interval (%d days):\n",
                100.0 * risk->aggregates[0].values_at_risk[c].confidence, table->way,
                results_total_currency(table->results), risk->n_days);
        write_table(out, table, width);
    }
}

void aggregates_table_write(FILE *out, const struct results *results, const char *way, int width)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    struct aggregates_table table = {.results = results, .way = way};
    int n = 0;
    for (int a = 1; a < aggregation->n; a++) {
        if (strcmp(aggregation->ways[aggregation->names[a].way], way)) continue;
        if (n++ < TABLE_ROWS) table.rows[table.n_rows++] = a;
    }
    if (!n) return;
    table.rows[table.n_rows++] = 0;
    write_sums(out, &table, width);
    if (results->risk && results->risk->n_aggregates) {
        write_scenarios(out, &table, width);
        write_tails(out, &table, width);
    }
    if (n > TABLE_ROWS)
        fprintf(out, "... %d more by %s (--output=FILE.json has them)\n", n - TABLE_ROWS, way);
}
