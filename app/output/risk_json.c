#include "app/output/risk_json.h"

#include <math.h>

#include "models/base/json_text.h"

static void separate(FILE *out, int *n)
{
    fputs((*n)++ ? ",\n" : "\n", out);
}

static void named_number(FILE *out, const char *name, double number)
{
    fprintf(out, ", \"%s\": ", name);
    json_number(out, number);
}

static void named_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    json_text(out, text);
}

static void pnl_members(FILE *out, struct pnl pnl)
{
    named_number(out, "value", pnl.value);
    named_number(out, "std_error", pnl.std_error);
}

/* ---- Greeks ---------------------------------------------------------------------------------- */

static void write_greek(FILE *out, const char *trade, const char *currency, const char *name,
                        const struct greek_value *greek)
{
    fputs("{\"trade_id\": ", out);
    json_text(out, trade);
    fputs(", \"name\": ", out);
    json_text(out, name);
    named_text(out, "currency", currency);
    named_number(out, "value", greek->value);
    named_number(out, "std_error", greek->std_error);
    named_number(out, "reference", greek->reference);
    named_number(out, "reference_error", greek->reference_error);
    named_number(out, "z", greek->z);
    named_number(out, "bump", greek->bump);
    fputs(", \"method\": ", out);
    json_text(out, greek->method);
    putc('}', out);
}

static void write_greeks(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    int n = 0;
    for (int i = 0; i < results->n && !ferror(out); i++)
        for (int s = 0; s < risk->n_sensitivities; s++) {
            const struct greek_value *greek =
                &risk->greeks[(size_t)s * (size_t)risk->n_trades + (size_t)i];
            if (isnan(greek->value)) continue;
            separate(out, &n);
            write_greek(out, results->trades[i].id, results_currency(results, i),
                        risk->sensitivities[s].name, greek);
        }
}

/* ---- scenarios and days ---------------------------------------------------------------------- */

static void write_aggregates(FILE *out, const struct risk *risk, char *const *names, int s,
                             int of_days)
{
    fputs("{\"name\": ", out);
    json_text(out, names[s]);
    fputs(", \"totals\": [", out);
    for (int a = 0; a < risk->n_aggregates; a++) {
        const struct aggregate *aggregate = &risk->aggregates[a];
        fputs(a ? ", {\"of\": " : "{\"of\": ", out);
        json_text(out, aggregate->name);
        pnl_members(out, of_days ? aggregate->days[s] : aggregate->scenarios[s]);
        putc('}', out);
    }
    fputs("]}", out);
}

static void write_value_at_risk(FILE *out, const char *kind, const char *owner,
                                const char *currency, const struct value_at_risk *value_at_risk)
{
    fprintf(out, "{\"%s\": ", kind);
    json_text(out, owner);
    named_text(out, "currency", currency);
    named_number(out, "confidence", value_at_risk->confidence);
    named_number(out, "var", value_at_risk->var);
    named_number(out, "var_error", value_at_risk->var_error);
    named_number(out, "var_low", value_at_risk->var_low);
    named_number(out, "var_high", value_at_risk->var_high);
    named_number(out, "shortfall", value_at_risk->shortfall);
    named_number(out, "shortfall_error", value_at_risk->shortfall_error);
    named_number(out, "shortfall_low", value_at_risk->shortfall_low);
    named_number(out, "shortfall_high", value_at_risk->shortfall_high);
    putc('}', out);
}

static void write_values_at_risk(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    int n = 0;
    for (int a = 0; a < risk->n_aggregates; a++)
        for (int c = 0; c < risk->n_confidences; c++) {
            separate(out, &n);
            write_value_at_risk(out, "total", risk->aggregates[a].name,
                                results_total_currency(results),
                                &risk->aggregates[a].values_at_risk[c]);
        }
    for (int i = 0; i < risk->n_trades && !ferror(out); i++)
        for (int c = 0; c < risk->n_confidences; c++) {
            separate(out, &n);
            write_value_at_risk(
                out, "trade_id", results->trades[i].id, results_currency(results, i),
                &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)i]);
        }
}

void risk_json_write(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    fputs("{\"currency\": ", out);
    json_text(out, results_total_currency(results));
    named_number(out, "seconds", risk->seconds);
    fputs(", \"greeks\": [", out);
    write_greeks(out, results);
    fputs("],\n\"scenarios\": [", out);
    for (int s = 0, n = 0; s < risk->n_scenarios; s++) {
        separate(out, &n);
        write_aggregates(out, risk, risk->scenario_names, s, 0);
    }
    fputs("],\n\"days\": [", out);
    for (int d = 0, n = 0; d < risk->n_days; d++) {
        separate(out, &n);
        write_aggregates(out, risk, risk->day_names, d, 1);
    }
    fputs("],\n\"tails\": [", out);
    if (risk->n_days) write_values_at_risk(out, results);
    fputs("]}", out);
}
