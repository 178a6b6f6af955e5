#include "app/output/risk_table.h"

#include <math.h>

enum { LINES = 12, ROOM = 32 };

/* A number as `format` has it; one that there is not, or beyond the range of a double, is not
 * known. */
static const char *shown(char text[ROOM], const char *format, double number)
{
    if (!isfinite(number)) return "unknown";
    snprintf(text, ROOM, format, number);
    return text;
}

/* ---- Greeks ---------------------------------------------------------------------------------- */

/* The sum over trades, in the currency of the totals at today's FX rates. */
static void write_greek(FILE *out, const struct results *results, int s)
{
    const struct risk *risk = results->risk;
    struct money_total total = results_greek(results, s);
    const char *currency = results_total_currency(results);
    int disagree = 0;
    char value[ROOM];
    for (int i = 0; i < results->n; i++)
        disagree += fabs(risk->greeks[(size_t)s * (size_t)risk->n_trades + (size_t)i].z) > 4.0;
    fprintf(out, "  %-28s %14s %s  of %d trade%s", risk->sensitivities[s].name,
            shown(value, "%.6g", total.value), currency, total.n, total.n == 1 ? "" : "s");
    if (total.left_out) fprintf(out, ", without %d that no FX rate leads from", total.left_out);
    if (disagree) fprintf(out, ", %d beyond 4 standard errors of their references", disagree);
    putc('\n', out);
}

static void write_greeks(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    if (!risk->n_sensitivities) return;
    fprintf(out, "Greeks, sums over trades, %s at today's FX rates:\n",
            results_total_currency(results));
    for (int s = 0; s < risk->n_sensitivities && s < LINES; s++) write_greek(out, results, s);
    if (risk->n_sensitivities > LINES)
        fprintf(out, "  ... %d more (--output=FILE.csv writes them by trade)\n",
                risk->n_sensitivities - LINES);
}

/* ---- scenarios and the past ------------------------------------------------------------------ */

static void write_scenarios(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    char value[ROOM], error[ROOM];
    if (!risk->n_scenarios) return;
    fprintf(out, "Profit and loss of the book, %s:\n", results_total_currency(results));
    for (int s = 0; s < risk->n_scenarios && s < LINES; s++) {
        struct pnl pnl = risk->aggregates[0].scenarios[s];
        fprintf(out, "  %-28s %14s  +- %s %s\n", risk->scenario_names[s],
                shown(value, "%.6g", pnl.value), shown(error, "%.2g", pnl.std_error),
                results_total_currency(results));
    }
    if (risk->n_scenarios > LINES)
        fprintf(out, "  ... %d more (--output=FILE.json writes them all)\n",
                risk->n_scenarios - LINES);
}

static void write_values_at_risk(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    char value[ROOM], error[ROOM], low[ROOM], high[ROOM];
    for (int c = 0; c < risk->n_confidences; c++) {
        const struct value_at_risk *value_at_risk = &risk->aggregates[0].values_at_risk[c];
        fprintf(out, "Value at risk %.4g%%: %s +- %s, 95%% interval %s to %s",
                100.0 * value_at_risk->confidence, shown(value, "%.6g", value_at_risk->var),
                shown(error, "%.2g", value_at_risk->var_error),
                shown(low, "%.6g", value_at_risk->var_low),
                shown(high, "%.6g", value_at_risk->var_high));
        fprintf(out, "; expected shortfall %s +- %s (%d days, %s)\n",
                shown(value, "%.6g", value_at_risk->shortfall),
                shown(error, "%.2g", value_at_risk->shortfall_error), risk->n_days,
                results_total_currency(results));
    }
}

void risk_table_write(FILE *out, const struct results *results)
{
    if (!results->risk) return;
    write_greeks(out, results);
    write_scenarios(out, results);
    write_values_at_risk(out, results);
}
