#include <math.h>
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"

/* The summary is to fit a sheet: its currencies, confidences and scenarios are few. */
enum { ROWS_MAX = 300, WORST_SCENARIOS = 5, CURRENCIES_SHOWN = 2, TAILS_SHOWN = 2 };

/* ---- the summary ----------------------------------------------------------------------------- */

static void begin_row(FILE *out, const char *name)
{
    fputs("<tr>", out);
    html_cell_name(out, name);
}

/* Writes a number, its error and its interval. */
static void write_row(FILE *out, const char *name, double value, double error, double low,
                      double high)
{
    begin_row(out, name);
    html_cell_estimate(out, value, error);
    html_cell_estimate(out, error, error);
    html_cell_estimate(out, low, error);
    if (isinf(high)) html_cell_text(out, "no upper end");
    else html_cell_estimate(out, high, error);
    fputs("</tr>\n", out);
}

static void write_worst_scenarios(FILE *out, const struct risk *risk)
{
    struct ranking ranking = {0};
    for (int s = 0; s < risk->n_scenarios; s++)
        rank_trade(&ranking, s, -risk->aggregates[0].scenarios[s].value);
    for (int i = 0; i < ranking.n && i < WORST_SCENARIOS; i++) {
        struct pnl pnl = risk->aggregates[0].scenarios[ranking.ones[i]];
        char name[NAME_BYTES + 32];
        snprintf(name, sizeof name, "scenario %.*s",
                 text_bytes(risk->scenario_names[ranking.ones[i]], NAME_CHARACTERS),
                 risk->scenario_names[ranking.ones[i]]);
        write_row(out, name, pnl.value, pnl.std_error, NAN, NAN);
    }
}

static void write_tails(FILE *out, const struct risk *risk)
{
    for (int k = 0; k < risk->n_confidences && k < TAILS_SHOWN; k++) {
        const struct value_at_risk *tail = &risk->aggregates[0].values_at_risk[k];
        char name[64];
        snprintf(name, sizeof name, "value at risk %.4g %%", 100.0 * tail->confidence);
        write_row(out, name, tail->var, tail->var_error, tail->var_low, tail->var_high);
        snprintf(name, sizeof name, "expected shortfall %.4g %%", 100.0 * tail->confidence);
        write_row(out, name, tail->shortfall, tail->shortfall_error, tail->shortfall_low,
                  tail->shortfall_high);
    }
}

/* Writes the change of all trades in a currency, and what of it is not explained. */
static void write_change_of(FILE *out, const struct change_row *row)
{
    const double *numbers = row->numbers;
    char name[NAME_BYTES + 48];
    snprintf(name, sizeof name, "change in %s", row->currency);
    write_row(out, name, numbers[CHANGE_CHANGE], numbers[CHANGE_ERROR], NAN, NAN);
    snprintf(name, sizeof name, "of it unexplained, in %s", row->currency);
    write_row(out, name, numbers[CHANGE_UNEXPLAINED], numbers[CHANGE_UNEXPLAINED_ERROR], NAN, NAN);
}

static void write_changes(FILE *out, const struct changes *changes)
{
    int n = changes->n ? changes_in_block(changes, 0) : 0;
    for (int i = 0; i < n && i < CURRENCIES_SHOWN; i++) write_change_of(out, &changes->rows[i]);
}

void page_summary(FILE *out, const struct results *results, const struct changes *changes)
{
    const struct heading headings[] = {{results_total_currency(results), false, NULL},
                                       {"amount", true, NULL},
                                       {"std error", true, "of the value, what it is at most"},
                                       {"95 % from", true, NULL},
                                       {"to", true, NULL}};
    struct money_total worth = results->sums->values[0];
    html_table_begin(out, "summary-numbers", "The book in numbers",
                     sizeof headings / sizeof *headings, headings);
    write_row(out, "value", worth.n ? worth.value : NAN, worth.error, NAN, NAN);
    if (changes) write_changes(out, changes);
    if (has_past(results)) write_tails(out, results->risk);
    if (has_scenarios(results)) write_worst_scenarios(out, results->risk);
    html_table_end(out);
    write_unconverted(out, results, worth.left_out);
    write_first_troubles(out, results);
}

/* ---- the change ------------------------------------------------------------------------------ */

/* Says what a row is of. */
static void write_place(FILE *out, const struct change_row *row, bool factors)
{
    html_cell_name(out, row->of);
    if (factors) html_cell_text(out, row->factor);
    html_cell_text(out, row->currency);
}

/* Tells whether any of n rows has something to say of a number. */
static bool any_number(const struct change_row *rows, int n, int number)
{
    for (int i = 0; i < n; i++)
        if (isfinite(rows[i].numbers[number]) && rows[i].numbers[number] != 0.0) return true;
    return false;
}

static void write_number(FILE *out, const struct change_row *row, int number)
{
    if (number == CHANGE_TRADES) html_cell_number(out, row->numbers[number], 0);
    else html_cell_estimate(out, row->numbers[number], row->numbers[CHANGE_ERROR]);
}

/* Writes the rows of a block, with the numbers that any of them has. */
static void write_block(FILE *out, const struct change_row *rows, int n, const char *id,
                        const char *caption)
{
    struct heading headings[3 + N_CHANGE_NUMBERS] = {{rows[0].way, false, NULL}};
    static const char *const titles[N_CHANGE_NUMBERS] = {
        [CHANGE_GROSS] = "the trades' changes without their signs",
        [CHANGE_ERROR] = "of the change, what it is at most",
        [CHANGE_NEW + 1] = "or expired",
        [CHANGE_GREEKS + 1] = "of spots, volatilities and rates: by gammas, or by how the Greeks "
                              "changed"};
    bool factors = rows[0].factor[0];
    int shown = n < ROWS_MAX ? n : ROWS_MAX, columns[N_CHANGE_NUMBERS], n_columns = 0, h = 1;
    if (factors) headings[h++] = (struct heading){"moved", false, NULL};
    headings[h++] = (struct heading){"in", false, NULL};
    for (int i = 0; i < N_CHANGE_NUMBERS; i++) {
        if (!any_number(rows, n, i)) continue;
        columns[n_columns++] = i;
        headings[h++] = (struct heading){change_names[i], true, titles[i]};
    }
    html_table_begin(out, id, caption, h, headings);
    for (int i = 0; i < shown; i++) {
        fputs("<tr>", out);
        write_place(out, &rows[i], factors);
        for (int c = 0; c < n_columns; c++) write_number(out, &rows[i], columns[c]);
        fputs("</tr>\n", out);
    }
    html_table_end(out);
    html_left_out(out, shown, n, "rows");
}

static bool is_trades(const struct change_row *row)
{
    return !strcmp(row->way, "trade");
}

void page_change(FILE *out, const struct changes *changes)
{
    int left_out = changes_left_out(changes);
    fputs(
        "<p>Since the run that this one is compared with; the parts are the first run's Greeks "
        "times the moves of the market. In one currency all is at the FX rates of this run.</p>\n",
        out);
    if (changes->n && changes->rows[0].converted) chart_change(out, &changes->rows[0]);
    for (int i = 0, n; i < changes->n; i += n) {
        const struct change_row *first = &changes->rows[i];
        char id[64];
        n = changes_in_block(changes, i);
        if (is_trades(first) || (!first->converted && !changes_are_mixed(changes))) continue;
        snprintf(id, sizeof id, "change-%s%s%.32s", first->factor[0] ? "factors-" : "",
                 first->converted ? "" : "currencies-", first->way);
        write_block(out, first, n, id,
                    first->factor[0] ? "What moved" : "What the change is made of");
    }
    if (!left_out) return;
    fputs("<p class=\"note\">", out);
    html_number(out, left_out, 0);
    fputs(left_out == 1 ? " trade is" : " trades are", out);
    fputs(" in no sum of one currency: no FX rate leads there.</p>\n", out);
}

void page_changed_trades(FILE *out, const struct changes *changes)
{
    int first = 0;
    while (first < changes->n && !is_trades(&changes->rows[first])) first++;
    if (first == changes->n) fputs("<p>There are none.</p>\n", out);
    else
        write_block(out, &changes->rows[first], changes->n - first, "changed-trades",
                    "The trades that changed most, in their currencies");
}
