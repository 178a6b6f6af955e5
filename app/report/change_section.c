#include <math.h>
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"

enum { ROWS_MAX = 300, WORST_SCENARIOS = 5 };

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
    html_cell_estimate(out, high, error);
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
    for (int k = 0; k < risk->n_confidences; k++) {
        const struct value_at_risk *tail = &risk->aggregates[0].values_at_risk[k];
        char name[64];
        snprintf(name, sizeof name, "value at risk %.4g %%", 100.0 * tail->confidence);
        write_row(out, name, tail->var, tail->var_error, tail->var_low, tail->var_high);
        snprintf(name, sizeof name, "expected shortfall %.4g %%", 100.0 * tail->confidence);
        write_row(out, name, tail->shortfall, tail->shortfall_error, tail->shortfall_low,
                  tail->shortfall_high);
    }
}

void page_summary(FILE *out, const struct results *results)
{
    const struct heading headings[] = {{results_total_currency(results), false, NULL},
                                       {"", true, NULL},
                                       {"std error", true, "of the value, what it is at most"},
                                       {"95 % from", true, NULL},
                                       {"to", true, NULL}};
    struct money_total worth = results->sums->values[0];
    html_table_begin(out, "summary-numbers", "The book in numbers",
                     sizeof headings / sizeof *headings, headings);
    write_row(out, "value", worth.n ? worth.value : NAN, worth.error, NAN, NAN);
    if (has_past(results)) write_tails(out, results->risk);
    if (has_scenarios(results)) write_worst_scenarios(out, results->risk);
    html_table_end(out);
    write_unconverted(out, results, worth.left_out);
}

/* ---- the change ------------------------------------------------------------------------------ */

static void write_change(FILE *out, const struct change_row *row)
{
    begin_row(out, row->of);
    html_cell_text(out, row->currency);
    html_cell_number(out, row->numbers[CHANGE_TRADES], 0);
    for (int i = CHANGE_BEFORE; i < N_CHANGE_NUMBERS; i++)
        html_cell_estimate(out, row->numbers[i], row->numbers[CHANGE_ERROR]);
    fputs("</tr>\n", out);
}

/* Writes the rows of one way, from `rows` on. */
static void write_way(FILE *out, const struct change_row *rows, int n)
{
    struct heading headings[2 + N_CHANGE_NUMBERS] = {{rows[0].way, false, NULL},
                                                     {"in", false, NULL}};
    char id[64];
    int shown = n < ROWS_MAX ? n : ROWS_MAX;
    for (int i = 0; i < N_CHANGE_NUMBERS; i++)
        headings[2 + i] = (struct heading){change_names[i], true, NULL};
    headings[2 + CHANGE_ERROR].title = "of the change, what it is at most";
    headings[2 + CHANGE_NEW + 1].title = "or expired";
    snprintf(id, sizeof id, "change-%.40s", rows[0].way);
    html_table_begin(out, id, "What the change is made of", 2 + N_CHANGE_NUMBERS, headings);
    for (int i = 0; i < shown; i++) write_change(out, &rows[i]);
    html_table_end(out);
    html_left_out(out, shown, n, "rows");
}

void page_change(FILE *out, const struct changes *changes)
{
    fputs("<p>Since the run that this one is compared with; the parts are the first run's Greeks "
          "times the moves of the market.</p>\n",
          out);
    for (int i = 0, n; i < changes->n; i += n) {
        for (n = 1; i + n < changes->n && !strcmp(changes->rows[i + n].way, changes->rows[i].way);)
            n++;
        write_way(out, &changes->rows[i], n);
    }
}
