#include <math.h>

#include "app/pricing/value/check.h"
#include "app/pricing/risk/greeks/greek_check.h"
#include "app/report/html.h"
#include "app/report/sections.h"
#include "models/payoffs/payoff_definition.h"

bool has_greeks(const struct results *results)
{
    return results->risk && results->risk->n_sensitivities > 0;
}

static const struct greek_value *greek_of(const struct results *results, int sensitivity, int trade)
{
    return risk_greek(results->risk, sensitivity, trade);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The move that the report speaks of, of what a slope is in. */
static double step_of(const struct results *results, const struct sensitivity *s, enum slope slope)
{
    struct shock shock = sensitivity_shock(s, slope, slope_rows[slope].step);
    bool relative = shock.what == SHOCK_SPOT;
    return shock.amount * (relative ? results->market->assets[shock.target].spot : 1.0);
}

double greek_step(const struct results *results, int sensitivity)
{
    const struct sensitivity *s = &results->risk->sensitivities[sensitivity];
    return step_of(results, s, greek_rows[s->greek].first) *
           step_of(results, s, greek_rows[s->greek].second);
}

static int write_total(FILE *out, const struct results *results, int sensitivity)
{
    const struct sensitivity *s = &results->risk->sensitivities[sensitivity];
    struct money_total total = results_greek(results, sensitivity);
    double step = greek_step(results, sensitivity);
    if (!total.n) return total.left_out;
    html_row(out, OF_PAGE, "%s|%s|#%'d|#%e±%e|#%e/%e|per %s", s->name,
             results_total_currency(results), total.n, total.value, total.error, total.value * step,
             total.error * step, greek_rows[s->greek].step);
    return total.left_out;
}

static void write_totals(FILE *out, const struct results *results)
{
    int left_out = 0;
    html_table_begin(
        out, "greek-totals", "Greeks of the book, in one currency at today's FX rates", NULL,
        "Greek|in|#trades|"
        "#sum~derivative of the value: per unit of spot, 1.00 of volatility or rate, a year|"
        "#std error at most~what they come to where the errors of trades that share assets all go "
        "together|"
        "#in money~for the move at the right|for a move of");
    for (int s = 0; s < results->risk->n_sensitivities; s++) {
        int without = write_total(out, results, s);
        if (without > left_out) left_out = without;
    }
    html_table_end(out);
    write_unconverted(out, results, left_out);
}

/* ---- every Greek of every trade -------------------------------------------------------------- */

static void write_row(FILE *out, const struct results *results, int sensitivity, int trade)
{
    const struct greek_value *g = greek_of(results, sensitivity, trade);
    cell_trade(out, results, trade);
    html_row(out, BEGUN, "%s|%s|#%e±%e|#%e/%e|#%'.2f|#%'g|%s",
             results->risk->sensitivities[sensitivity].name, results_currency(results, trade),
             g->value, g->std_error, g->reference, g->std_error, g->z, g->bump, g->method);
}

/* Writes those beyond the limit, or the others. */
static void write_rows(struct html_rows *rows, const struct results *results, bool beyond,
                       double limit)
{
    for (int i = 0; i < results->n; i++)
        for (int s = 0; s < results->risk->n_sensitivities && rows->begun < rows->all; s++) {
            const struct greek_value *g = greek_of(results, s, i);
            if (!isfinite(g->value) || (fabs(g->z) > limit) != beyond) continue;
            html_rows_next(rows, beyond ? "beyond" : "");
            write_row(rows->out, results, s, i);
        }
}

static void write_agreeing(FILE *out, struct greek_counts c)
{
    if (!c.checked) return;
    fputs(c.beyond ? "<p>" : "<p class=\"good\">", out);
    html_print(out,
               "%s Greeks were compared with those of the reference; %s of them beyond %.2f "
               "standard errors.</p>\n",
               number_text(c.checked, 0).text, c.beyond ? number_text(c.beyond, 0).text : "none",
               c.limit);
}

void page_greeks(FILE *out, const struct results *results)
{
    struct greek_counts c = greeks_count(results->risk);
    struct html_rows rows = {out, c.all < REPORT_GREEKS ? c.all : REPORT_GREEKS, NULL,
                             "trade|Greek|in|#value~for the whole quantity|#std error|"
                             "#reference|#z|#bump~by how much the market was moved|by",
                             0};
    write_agreeing(out, c);
    chart_greeks(out, results);
    write_totals(out, results);
    write_vega_matrices(out, results);
    html_rows_begin(&rows, "all-greeks",
                    c.beyond ? "Greeks of every trade, those beyond the limit first"
                             : "Greeks of every trade");
    write_rows(&rows, results, true, c.limit);
    write_rows(&rows, results, false, c.limit);
    html_rows_end(&rows);
    html_left_out(out, rows.begun, c.all, "Greeks");
}
