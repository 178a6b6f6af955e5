#include "app/output/risk_table.h"

#include <math.h>

enum { LINES = 12 };

/* ---- Greeks -------------------------------------------------------------------------------------------- */

/* The sum over trades, in the reporting currency or not: Greeks of one asset are in one currency. */
static void write_greek(FILE *out, const struct results *results, int s)
{
    const struct risk *risk = results->risk;
    int n = 0, disagree = 0;
    double sum = 0.0;
    for (int i = 0; i < results->n; i++) {
        const struct greek_value *greek = &risk->greeks[(size_t)s * (size_t)risk->n_trades + (size_t)i];
        if (isnan(greek->value)) continue;
        n++;
        sum += greek->value;
        disagree += fabs(greek->z) > 4.0;
    }
    fprintf(out, "  %-28s %14.6g  of %d trade%s", risk->sensitivities[s].name, sum, n, n == 1 ? "" : "s");
    if (disagree) fprintf(out, ", %d beyond 4 standard errors of their references", disagree);
    putc('\n', out);
}

static void write_greeks(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    if (!risk->n_sensitivities) return;
    fprintf(out, "Greeks, sums over trades:\n");
    for (int s = 0; s < risk->n_sensitivities && s < LINES; s++) write_greek(out, results, s);
    if (risk->n_sensitivities > LINES)
        fprintf(out, "  ... %d more (--output=FILE.csv writes them by trade)\n",
                risk->n_sensitivities - LINES);
}

/* ---- scenarios and the past ---------------------------------------------------------------------------- */

static void write_scenarios(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    if (!risk->n_scenarios) return;
    fprintf(out, "Profit and loss of the book, %s:\n", results->market->currencies[risk->currency].name);
    for (int s = 0; s < risk->n_scenarios && s < LINES; s++) {
        struct pnl pnl = risk->aggregates[0].scenarios[s];
        fprintf(out, "  %-28s %14.6g  +- %.2g\n", risk->scenario_names[s], pnl.value, pnl.std_error);
    }
    if (risk->n_scenarios > LINES)
        fprintf(out, "  ... %d more (--output=FILE.json writes them all)\n", risk->n_scenarios - LINES);
}

static void write_end(FILE *out, double end)
{
    if (isfinite(end)) fprintf(out, "%.6g", end);
    else fprintf(out, "unknown");
}

static void write_tails(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    for (int c = 0; c < risk->n_confidences; c++) {
        const struct tail *tail = &risk->aggregates[0].tails[c];
        fprintf(out, "Value at risk %.4g%%: %.6g +- %.2g, 95%% interval ", 100.0 * tail->confidence,
                tail->var, tail->var_error);
        write_end(out, tail->var_low);
        fputs(" to ", out);
        write_end(out, tail->var_high);
        fprintf(out, "; expected shortfall %.6g +- %.2g (%d days, %s)\n", tail->shortfall,
                tail->shortfall_error, risk->n_days, results->market->currencies[risk->currency].name);
    }
}

void risk_table_write(FILE *out, const struct results *results)
{
    if (!results->risk) return;
    write_greeks(out, results);
    write_scenarios(out, results);
    write_tails(out, results);
}
