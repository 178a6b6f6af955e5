/* Results as comma-separated values (RFC 4180, lines ended by a line feed): one wide file with a
 * row for each trade, or a folder of long ones with a row for each number. */
#include <math.h>
#include <string.h>

#include "app/output/results_file.h"

void csv_text(FILE *out, const char *text)
{
    const char *guard = text[0] && strchr("=+-@\t\r", text[0]) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        fprintf(out, "%s%s", guard, text);
        return;
    }
    fprintf(out, "\"%s", guard);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void csv_number(FILE *out, double number)
{
    if (isfinite(number)) fprintf(out, "%.17g", number);
}

/* ---- a row a trade --------------------------------------------------------------------------- */

static void write_header(FILE *out, const struct results *results, int n_risk)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int c = 0; c < N_COLUMNS; c++) fprintf(out, "%s%s", c ? "," : "", result_columns[c].name);
    for (int c = 0; c < n_risk; c++) {
        char name[RISK_NAME_ROOM];
        risk_column_name(results->risk, c, name);
        putc(',', out);
        csv_text(out, name);
    }
    for (int t = 0; t < aggregation->n_tags; t++) fprintf(out, ",tag.%s", aggregation->tags[t]);
    putc('\n', out);
}

static void write_trade(FILE *out, const struct results *results, int trade, int n_risk)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    results_row(results, trade, &names, fields);
    for (int c = 0; c < N_COLUMNS; c++) {
        if (c) putc(',', out);
        if (fields[c].text) csv_text(out, fields[c].text);
        else csv_number(out, fields[c].number);
    }
    for (int c = 0; c < n_risk; c++) {
        putc(',', out);
        csv_number(out, risk_column_value(results->risk, c, trade));
    }
    for (int t = 0; t < aggregation->n_tags; t++) {
        const char *value = trade_tag(&results->trades[trade], aggregation->tags[t]);
        putc(',', out);
        if (value) csv_text(out, value);
    }
    putc('\n', out);
}

static void write_trades(FILE *out, const struct results *results, int n_risk)
{
    write_header(out, results, n_risk);
    for (int i = 0; i < results->n && !ferror(out); i++) write_trade(out, results, i, n_risk);
}

void csv_write(FILE *out, const struct results *results)
{
    write_trades(out, results, risk_columns(results->risk));
}

/* ---- a row a number -------------------------------------------------------------------------- */

static void write_prices(FILE *out, const struct results *results)
{
    write_trades(out, results, 0);
}

static void next_text(FILE *out, const char *text)
{
    putc(',', out);
    csv_text(out, text);
}

static void next_number(FILE *out, double number)
{
    putc(',', out);
    csv_number(out, number);
}

/* Writes what a Greek is a derivative by: its asset or currency, the other asset, the bucket. */
static void write_factors(FILE *out, const struct results *results, const struct sensitivity *s)
{
    const struct market *market = results->market;
    next_text(out, s->asset >= 0      ? market->assets[s->asset].name
                   : s->currency >= 0 ? market->currencies[s->currency].name
                                      : "");
    next_text(out, s->other >= 0 ? market->assets[s->other].name : "");
    next_number(out, s->bucket);
}

static void write_greek(FILE *out, const struct results *results, int trade, int sensitivity)
{
    const struct risk *risk = results->risk;
    const struct sensitivity *s = &risk->sensitivities[sensitivity];
    const struct greek_value *greek = risk_greek(risk, sensitivity, trade);
    if (isnan(greek->value)) return;
    csv_text(out, results->trades[trade].id);
    next_text(out, greek_rows[s->greek].name);
    write_factors(out, results, s);
    next_number(out, greek->value);
    next_number(out, greek->std_error);
    fprintf(out, ",per %s", slope_unit(greek_rows[s->greek].first));
    if (greek_rows[s->greek].second)
        fprintf(out, " per %s", slope_unit(greek_rows[s->greek].second));
    next_text(out, results_currency(results, trade));
    next_text(out, greek->method);
    next_number(out, greek->reference);
    next_number(out, greek->reference_error);
    next_number(out, greek->z);
    next_number(out, greek->bump);
    putc('\n', out);
}

static void write_greeks(FILE *out, const struct results *results)
{
    fputs("trade_id,greek,factor,other,bucket,value,std_error,unit,currency,method,reference,"
          "reference_error,z,bump\n",
          out);
    for (int i = 0; results->risk && i < results->n && !ferror(out); i++)
        for (int s = 0; s < results->risk->n_sensitivities; s++) write_greek(out, results, i, s);
}

static void write_pnl(FILE *out, const char *const first[4], struct pnl pnl, const char *currency)
{
    if (isnan(pnl.value)) return;
    fputs(first[0], out);
    for (int i = 1; i < 4; i++) next_text(out, first[i]);
    next_number(out, pnl.value);
    next_number(out, pnl.std_error);
    next_text(out, currency);
    putc('\n', out);
}

/* Writes one scenario, or one day of the past: every aggregate, then every trade. */
static void write_market(FILE *out, const struct results *results, int i, bool is_day)
{
    const struct risk *risk = results->risk;
    const char *kind = is_day ? "day" : "scenario";
    const char *name = is_day ? risk->day_names[i] : risk->scenario_names[i];
    const struct pnl *trades =
        (is_day ? risk->days : risk->scenarios) + (size_t)i * (size_t)risk->n_trades;
    for (int a = 0; a < risk->n_aggregates; a++) {
        const struct aggregate *aggregate = &risk->aggregates[a];
        write_pnl(out, (const char *const[]){kind, name, aggregate->by, aggregate->name},
                  is_day ? aggregate->days[i] : aggregate->scenarios[i],
                  results_total_currency(results));
    }
    for (int t = 0; t < risk->n_trades && !ferror(out); t++)
        write_pnl(out, (const char *const[]){kind, name, "trade", results->trades[t].id}, trades[t],
                  results_currency(results, t));
}

static void write_pnls(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    fputs("kind,name,by,of,value,std_error,currency\n", out);
    for (int s = 0; risk && s < risk->n_scenarios; s++) write_market(out, results, s, false);
    for (int d = 0; risk && d < risk->n_days; d++) write_market(out, results, d, true);
}

static void write_tail(FILE *out, const char *by, const char *of, const char *currency,
                       const struct value_at_risk *tail, const struct risk_contribution *to_whole)
{
    if (isnan(tail->var)) return;
    csv_text(out, by);
    next_text(out, of);
    next_text(out, currency);
    for (int i = 0; i < VALUE_AT_RISK_NUMBERS; i++)
        next_number(out, number_at(tail, value_at_risk_numbers[i].offset));
    for (int i = 0; i < CONTRIBUTION_NUMBERS; i++)
        next_number(out, to_whole ? number_at(to_whole, contribution_numbers[i].offset) : NAN);
    putc('\n', out);
}

static void write_tails(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    fputs("by,of,currency", out);
    for (int i = 0; i < VALUE_AT_RISK_NUMBERS; i++)
        fprintf(out, ",%s", value_at_risk_numbers[i].name);
    for (int i = 0; i < CONTRIBUTION_NUMBERS; i++)
        fprintf(out, ",%s", contribution_numbers[i].name);
    putc('\n', out);
    if (!risk || !risk->n_days) return;
    for (int c = 0; c < risk->n_confidences && !ferror(out); c++) {
        for (int a = 0; a < risk->n_aggregates; a++)
            write_tail(out, risk->aggregates[a].by, risk->aggregates[a].name,
                       results_total_currency(results), &risk->aggregates[a].values_at_risk[c],
                       &risk->aggregates[a].contributions[c]);
        for (int t = 0; t < risk->n_trades; t++)
            write_tail(out, "trade", results->trades[t].id, results_currency(results, t),
                       &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)t], NULL);
    }
}

static void write_total(FILE *out, const struct results *results, int a, const char *number,
                        const struct money_total *total)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    if (!total->n) return;
    csv_text(out, aggregation->ways[aggregation->names[a].way]);
    next_text(out, aggregation->names[a].name);
    next_text(out, number);
    fprintf(out, ",%d", total->n);
    next_number(out, total->value);
    next_number(out, total->error);
    next_text(out, results_total_currency(results));
    putc('\n', out);
}

static void write_totals(FILE *out, const struct results *results)
{
    const struct book_sums *sums = results->sums;
    int n = sums->aggregation.n, n_greeks = results->risk ? results->risk->n_sensitivities : 0;
    fputs("by,of,number,trades,value,error_at_most,currency\n", out);
    for (int a = 0; a < n && !ferror(out); a++) {
        write_total(out, results, a, "value", &sums->values[a]);
        for (int s = 0; s < n_greeks; s++)
            write_total(out, results, a, results->risk->sensitivities[s].name,
                        &sums->greeks[(size_t)s * (size_t)n + (size_t)a]);
    }
}

const struct long_file long_files[N_LONG_FILES] = {{"prices.csv", write_prices},
                                                   {"greeks.csv", write_greeks},
                                                   {"pnl.csv", write_pnls},
                                                   {"risk.csv", write_tails},
                                                   {"totals.csv", write_totals}};
