#include "app/output/results_table.h"

#include <math.h>
#include <string.h>

#include "app/output/text_table.h"

enum { SHOWN_MAX = 12 }; /* Greeks, scenarios */

/* A table of aggregates: its columns are of three kinds, told apart by who fills the cells. */
struct aggregates_table {
    const struct results *results;
    const char *way;
    int n_rows, rows[TABLE_ROWS + 1]; /* aggregates; the whole book last */
    int confidence;
};

/* A number and its error. */
struct shown_number {
    const char *heading;
    double value, error;
};

static void show(const struct shown_number *number, int row, bool is_error, char text[CELL_ROOM])
{
    int decimals = results_decimals(number->value, number->error);
    if (row < 0) snprintf(text, CELL_ROOM, "%s", is_error ? "+-" : number->heading);
    else if (is_error)
        number_cell(text, number->error, results_decimals(number->error, number->error));
    else number_cell(text, number->value, decimals);
}

/* Writes the name of the row's aggregate; tells whether this was the column for it. */
static bool show_name(const struct aggregates_table *table, int row, int column,
                      char text[CELL_ROOM])
{
    const struct aggregation *aggregation = &table->results->sums->aggregation;
    if (column) return false;
    snprintf(text, CELL_ROOM, "%s",
             row < 0 ? table->way : aggregation->names[table->rows[row]].name);
    return true;
}

static bool first_is_text(const void *context, int column)
{
    (void)context;
    return !column;
}

/* ---- values and Greeks ----------------------------------------------------------------------- */

static void sum_cell(const void *context, int row, int column, char text[CELL_ROOM])
{
    const struct aggregates_table *table = context;
    const struct book_sums *sums = table->results->sums;
    int of = row < 0 ? 0 : table->rows[row], greek = (column - 4) / 2;
    if (show_name(table, row, column, text)) return;
    if (column == 1) {
        if (row < 0) snprintf(text, CELL_ROOM, "trades");
        else snprintf(text, CELL_ROOM, "%d", sums->values[of].n);
        return;
    }
    const struct money_total *total =
        column < 4 ? &sums->values[of]
                   : &sums->greeks[(size_t)greek * (size_t)sums->aggregation.n + (size_t)of];
    const struct shown_number number = {
        column < 4 ? "value" : table->results->risk->sensitivities[greek].name,
        total->n ? total->value : NAN, total->n ? total->error : NAN};
    show(&number, row, column % 2, text);
}

static void write_sums(FILE *out, const struct aggregates_table *table, int width)
{
    const struct risk *risk = table->results->risk;
    int n = risk ? risk->n_sensitivities : 0, shown = n < SHOWN_MAX ? n : SHOWN_MAX;
    const struct text_table text = {table->n_rows, 4 + 2 * shown, table, sum_cell,
                                    first_is_text, NULL,          NULL};
    fprintf(out, "By %s, %s at today's FX rates; errors are at most what stands here:\n",
            table->way, results_total_currency(table->results));
    text_table_write(out, &text, width);
    if (shown < n) fprintf(out, "... %d more Greeks (--output=FILE.json has them)\n", n - shown);
}

/* ---- profit and loss ------------------------------------------------------------------------- */

static void scenario_cell(const void *context, int row, int column, char text[CELL_ROOM])
{
    const struct aggregates_table *table = context;
    const struct risk *risk = table->results->risk;
    int s = (column - 1) / 2;
    if (show_name(table, row, column, text)) return;
    const struct aggregate *aggregate =
        row < 0 ? NULL : results_aggregate(table->results, table->rows[row]);
    const struct pnl pnl = aggregate ? aggregate->scenarios[s] : (struct pnl){NAN, NAN};
    show(&(struct shown_number){risk->scenario_names[s], pnl.value, pnl.std_error}, row,
         column % 2 == 0, text);
}

static void write_scenarios(FILE *out, const struct aggregates_table *table, int width)
{
    const struct risk *risk = table->results->risk;
    int n = risk->n_scenarios, shown = n < SHOWN_MAX ? n : SHOWN_MAX;
    const struct text_table text = {table->n_rows, 1 + 2 * shown, table, scenario_cell,
                                    first_is_text, NULL,          NULL};
    if (!n) return;
    fprintf(out, "Profit and loss by %s, %s:\n", table->way,
            results_total_currency(table->results));
    text_table_write(out, &text, width);
    if (shown < n) fprintf(out, "... %d more scenarios (--output=FILE.json has them)\n", n - shown);
}

/* ---- value at risk --------------------------------------------------------------------------- */

static void tail_cell(const void *context, int row, int column, char text[CELL_ROOM])
{
    const struct aggregates_table *table = context;
    static const struct value_at_risk no_tail = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    static const struct risk_contribution nothing = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (show_name(table, row, column, text)) return;
    const struct aggregate *aggregate =
        row < 0 ? NULL : results_aggregate(table->results, table->rows[row]);
    const struct value_at_risk *tail =
        aggregate ? &aggregate->values_at_risk[table->confidence] : &no_tail;
    const struct risk_contribution *c =
        aggregate ? &aggregate->contributions[table->confidence] : &nothing;
    const struct shown_number numbers[] = {
        {"VaR", tail->var, tail->var_error},
        {"from", tail->var_low, tail->var_error},
        {"to", tail->var_high, tail->var_error},
        {"component", c->component_var, c->component_var_error},
        {"incremental", c->incremental_var, c->incremental_var_error},
        {"shortfall", tail->shortfall, tail->shortfall_error},
        {"its component", c->component_shortfall, c->component_shortfall_error},
        {"its incremental", c->incremental_shortfall, c->incremental_shortfall_error}};
    static const struct {
        int number;
        bool error;
    } columns[] = {{0, false}, {0, true},  {1, false}, {2, false}, {3, false},
                   {3, true},  {4, false}, {4, true},  {5, false}, {5, true},
                   {6, false}, {6, true},  {7, false}, {7, true}};
    show(&numbers[columns[column - 1].number], row, columns[column - 1].error, text);
}

static void write_tails(FILE *out, struct aggregates_table *table, int width)
{
    const struct risk *risk = table->results->risk;
    const struct text_table text = {table->n_rows, 15, table, tail_cell, first_is_text, NULL, NULL};
    for (int c = 0; c < risk->n_confidences; c++) {
        table->confidence = c;
        fprintf(out, "Value at risk %.4g%% by %s, %s, with its 95%% interval (%d days):\n",
                100.0 * risk->aggregates[0].values_at_risk[c].confidence, table->way,
                results_total_currency(table->results), risk->n_days);
        text_table_write(out, &text, width);
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
