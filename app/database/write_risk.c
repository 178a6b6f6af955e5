#include <math.h>

#include "app/database/runs.h"

static const char *asset_name(const struct market *market, int asset)
{
    return asset < 0 ? "" : market->assets[asset].name;
}

static void put_sensitivities(struct run_rows *rows, const struct results *results)
{
    const struct market *market = results->market;
    for (int i = 0; i < results->risk->n_sensitivities; i++) {
        const struct sensitivity *s = &results->risk->sensitivities[i];
        const char *currency = s->currency < 0 ? "" : market->currencies[s->currency].name;
        put_row(rows, "sensitivities", "%d %s %s %s %s %s %g %g", i, s->name,
                greek_rows[s->greek].name, known(asset_name(market, s->asset)),
                known(asset_name(market, s->other)), known(currency), s->bucket, s->strike);
    }
}

static void put_greeks(struct run_rows *rows, const struct risk *risk)
{
    const struct greek_table *table = &risk->greeks;
    for (int t = 0; table->first && t < risk->n_trades && !rows->status; t++)
        for (size_t k = table->first[t]; k < table->first[t + 1]; k++) {
            const struct greek_value *greek = &table->values[k];
            if (isnan(greek->value)) continue;
            row_begin(rows, "greeks");
            put(rows->row, "%d %d", t, table->sensitivity[k]);
            put_numbers(rows->row, GREEK_NUMBERS, &greek->value);
            put(rows->row, "%s", greek->method);
            row_end(rows);
        }
}

static void put_values_at_risk(struct run_rows *rows, const struct risk *risk)
{
    for (int c = 0; c < risk->n_confidences; c++)
        for (int t = 0; t < risk->n_trades && !rows->status; t++) {
            const struct value_at_risk *tail =
                &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)t];
            if (isnan(tail->var)) continue;
            row_begin(rows, "tails");
            put(rows->row, "%d", t);
            put_numbers(rows->row, VALUE_AT_RISK_NUMBERS, &tail->confidence);
            row_end(rows);
        }
}

/* Adds the names of scenarios or days [n], and the profits and losses [n][trade] under them. */
static void put_pnl(struct run_rows *rows, const char *const tables[2], int n, char *const *names,
                    const struct pnl *pnl, int n_trades)
{
    for (int i = 0; i < n; i++) put_row(rows, tables[0], "%d %s", i, names[i]);
    for (int i = 0; i < n && !rows->status; i++)
        put_pnl_row(rows, tables[1], i, n_trades, &pnl[(size_t)i * (size_t)n_trades]);
}

void write_risk(struct run_rows *rows, const struct results *results)
{
    static const char *const scenarios[] = {"scenarios", "scenario_pnl"}, *const days[] = {
                                                                              "days", "day_pnl"};
    const struct risk *risk = results->risk;
    put_sensitivities(rows, results);
    put_greeks(rows, risk);
    put_pnl(rows, scenarios, risk->n_scenarios, risk->scenario_names, risk->scenarios,
            risk->n_trades);
    put_pnl(rows, days, risk->n_days, risk->day_names, risk->days, risk->n_trades);
    put_values_at_risk(rows, risk);
}
