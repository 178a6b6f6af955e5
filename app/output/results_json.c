/* Results as JSON (RFC 8259): the trades with the columns of the CSV as keys, what the risk found,
 * the manifest. */
#include <inttypes.h>
#include <math.h>

#include "app/output/results_file.h"
#include "models/base/clock.h"
#include "models/base/json_text.h"

static void digest_member(FILE *out, const char *name, uint64_t digest, int *n)
{
    json_key(out, name, n);
    fprintf(out, "\"%016" PRIx64 "\"", digest);
}

static void write_tags(FILE *out, const struct trade *trade, int *n)
{
    if (!trade->n_tags) return;
    json_key(out, "tags", n);
    putc('{', out);
    for (int i = 0, m = 0; i < trade->n_tags; i++)
        json_text_member(out, trade->tags[i].name, trade->tags[i].value, &m);
    putc('}', out);
}

static void write_trade(FILE *out, const struct results *results, int index)
{
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    int n = 0;
    results_row(results, index, &names, fields);
    putc('{', out);
    for (int c = 0; c < N_COLUMNS; c++) {
        if (fields[c].text) json_text_member(out, result_columns[c].name, fields[c].text, &n);
        else json_number_member(out, result_columns[c].name, fields[c].number, &n);
    }
    for (int c = 0; c < risk_columns(results->risk); c++) {
        char name[RISK_NAME_ROOM];
        double number = risk_column_value(results->risk, c, index);
        risk_column_name(results->risk, c, name);
        if (!isnan(number)) json_number_member(out, name, number, &n);
    }
    write_tags(out, &results->trades[index], &n);
    putc('}', out);
}

static void write_seconds(FILE *out, const struct phases *phases)
{
    int n = 0;
    fputs("{", out);
    json_number_member(out, "load", phases->load, &n);
    json_number_member(out, "plan", phases->plan, &n);
    json_number_member(out, "start", phases->start, &n);
    json_number_member(out, "price", phases->price, &n);
    json_number_member(out, "gpu_busy", phases->gpu_busy, &n);
    json_number_member(out, "check", phases->check, &n);
    json_number_member(out, "risk", phases->risk, &n);
    json_number_member(out, "output", seconds_now() - phases->output_began, &n);
    fputs("}", out);
}

/* Writes how many trades have which status. */
static void write_counts(FILE *out, const struct results *results)
{
    int counts[N_VERDICTS], n = 0;
    results_count(results, counts);
    putc('{', out);
    for (int v = 0; v < N_VERDICTS; v++)
        json_count_member(out, verdict_name((enum verdict)v), (uint64_t)counts[v], &n);
    putc('}', out);
}

/* Writes by which path kernels how many groups of the plan were simulated, and why. */
static void write_routes(FILE *out, const struct manifest *manifest)
{
    putc('[', out);
    for (int i = 0; i < manifest->n_routes; i++) {
        int n = 0;
        fputs(i ? ", {" : "{", out);
        json_text_member(out, "kernel", manifest->routes[i].route.kernel, &n);
        json_text_member(out, "why", manifest->routes[i].route.why, &n);
        json_count_member(out, "groups", (uint64_t)manifest->routes[i].groups, &n);
        putc('}', out);
    }
    putc(']', out);
}

static void write_manifest(FILE *out, const struct results *results)
{
    const struct manifest *manifest = &results->manifest;
    int n = 0;
    putc('{', out);
    json_text_member(out, "version", PRICER_VERSION, &n);
    json_text_member(out, "git_commit", PRICER_COMMIT, &n);
    json_text_member(out, "book", manifest->book, &n);
    json_text_member(out, "book_name", manifest->book_name, &n);
    if (manifest->valuation_date[0])
        json_text_member(out, "valuation_date", manifest->valuation_date, &n);
    json_count_member(out, "seed", manifest->seed, &n);
    json_count_member(out, "paths", manifest->paths, &n);
    json_count_member(out, "path_steps", manifest->path_steps, &n);
    json_key(out, "statuses", &n);
    write_counts(out, results);
    digest_member(out, "plan_digest", manifest->plan_digest, &n);
    digest_member(out, "results_digest", manifest->results_digest, &n);
    json_text_member(out, "engine", manifest->engine, &n);
    json_text_member(out, "device", manifest->device, &n);
    json_text_member(out, "kernel", manifest->kernel, &n);
    json_count_member(out, "threads", (uint64_t)manifest->threads, &n);
    json_key(out, "routes", &n);
    write_routes(out, manifest);
    json_key(out, "seconds", &n);
    write_seconds(out, &manifest->phases);
    putc('}', out);
}

/* ---- risk ------------------------------------------------------------------------------------ */

static void separate(FILE *out, int *n)
{
    fputs((*n)++ ? ",\n" : "\n", out);
}

static void write_numbers(FILE *out, const double *numbers, int count, const char *const *names,
                          int *n)
{
    for (int i = 0; i < count; i++) json_number_member(out, names[i], numbers[i], n);
}

static void write_greek(FILE *out, const char *trade, const char *currency, const char *name,
                        const struct greek_value *greek)
{
    int n = 0;
    putc('{', out);
    json_text_member(out, "trade_id", trade, &n);
    json_text_member(out, "name", name, &n);
    json_text_member(out, "currency", currency, &n);
    write_numbers(out, &greek->value, GREEK_NUMBERS, greek_numbers, &n);
    json_text_member(out, "method", greek->method, &n);
    putc('}', out);
}

static void write_greeks(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const struct greek_table *table = &risk->greeks;
    int n = 0;
    for (int i = 0; table->first && i < results->n && !ferror(out); i++)
        for (size_t k = table->first[i]; k < table->first[i + 1]; k++) {
            if (isnan(table->values[k].value)) continue;
            separate(out, &n);
            write_greek(out, results->trades[i].id, results_currency(results, i),
                        risk->sensitivities[table->sensitivity[k]].name, &table->values[k]);
        }
}

/* Writes what each aggregate has made or lost in a scenario, or on a day. */
static void write_aggregates(FILE *out, const struct risk *risk, char *const *names, int s,
                             bool of_days)
{
    int n = 0;
    putc('{', out);
    json_text_member(out, "name", names[s], &n);
    json_key(out, "totals", &n);
    putc('[', out);
    for (int a = 0; a < risk->n_aggregates; a++) {
        const struct aggregate *aggregate = &risk->aggregates[a];
        const struct pnl pnl = of_days ? aggregate->days[s] : aggregate->scenarios[s];
        int m = 0;
        fputs(a ? ", {" : "{", out);
        json_text_member(out, "by", aggregate->by, &m);
        json_text_member(out, "of", aggregate->name, &m);
        json_number_member(out, "value", pnl.value, &m);
        json_number_member(out, "std_error", pnl.std_error, &m);
        putc('}', out);
    }
    fputs("]}", out);
}

/* Writes the tail of an aggregate, and what it brings to that of the whole book. */
static void write_tail_of_aggregate(FILE *out, const struct results *results,
                                    const struct aggregate *aggregate, int c)
{
    int n = 0;
    putc('{', out);
    json_text_member(out, "by", aggregate->by, &n);
    json_text_member(out, "total", aggregate->name, &n);
    json_text_member(out, "currency", results_total_currency(results), &n);
    write_numbers(out, &aggregate->values_at_risk[c].confidence, VALUE_AT_RISK_NUMBERS,
                  value_at_risk_numbers, &n);
    write_numbers(out, &aggregate->contributions[c].component_var, CONTRIBUTION_NUMBERS,
                  contribution_numbers, &n);
    putc('}', out);
}

static void write_tail_of_trade(FILE *out, const struct results *results, int trade, int c)
{
    const struct risk *risk = results->risk;
    int n = 0;
    putc('{', out);
    json_text_member(out, "trade_id", results->trades[trade].id, &n);
    json_text_member(out, "currency", results_currency(results, trade), &n);
    write_numbers(
        out, &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)trade].confidence,
        VALUE_AT_RISK_NUMBERS, value_at_risk_numbers, &n);
    putc('}', out);
}

static void write_values_at_risk(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    int n = 0;
    for (int a = 0; a < risk->n_aggregates; a++)
        for (int c = 0; c < risk->n_confidences; c++) {
            separate(out, &n);
            write_tail_of_aggregate(out, results, &risk->aggregates[a], c);
        }
    for (int i = 0; i < risk->n_trades && !ferror(out); i++)
        for (int c = 0; c < risk->n_confidences; c++) {
            separate(out, &n);
            write_tail_of_trade(out, results, i, c);
        }
}

static void write_risk(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    int n = 0;
    putc('{', out);
    json_text_member(out, "currency", results_total_currency(results), &n);
    json_number_member(out, "seconds", risk->seconds, &n);
    fputs(", \"greeks\": [", out);
    write_greeks(out, results);
    fputs("],\n\"scenarios\": [", out);
    for (int s = 0, m = 0; s < risk->n_scenarios; s++) {
        separate(out, &m);
        write_aggregates(out, risk, risk->scenario_names, s, false);
    }
    fputs("],\n\"days\": [", out);
    for (int d = 0, m = 0; d < risk->n_days; d++) {
        separate(out, &m);
        write_aggregates(out, risk, risk->day_names, d, true);
    }
    fputs("],\n\"tails\": [", out);
    if (risk->n_days) write_values_at_risk(out, results);
    fputs("]}", out);
}

/* ---- aggregates ------------------------------------------------------------------------------ */

static void write_sum(FILE *out, const struct money_total *total, int *n)
{
    json_count_member(out, "trades", (uint64_t)total->n, n);
    json_number_member(out, "value", total->value, n);
    json_number_member(out, "error_at_most", total->error, n);
}

/* Writes what the trades of an aggregate come to. */
static void write_sums_of(FILE *out, const struct results *results, int a)
{
    const struct book_sums *sums = results->sums;
    const struct aggregate_name *name = &sums->aggregation.names[a];
    int n = 0, n_greeks = 0;
    putc('{', out);
    json_text_member(out, "by", sums->aggregation.ways[name->way], &n);
    json_text_member(out, "of", name->name, &n);
    json_text_member(out, "currency", results_total_currency(results), &n);
    write_sum(out, &sums->values[a], &n);
    json_key(out, "greeks", &n);
    putc('[', out);
    for (int s = 0; results->risk && s < results->risk->n_sensitivities; s++) {
        const struct money_total *greek =
            &sums->greeks[(size_t)s * (size_t)sums->aggregation.n + (size_t)a];
        int m = 0;
        if (!greek->n) continue;
        fputs(n_greeks++ ? ", {" : "{", out);
        json_text_member(out, "name", results->risk->sensitivities[s].name, &m);
        write_sum(out, greek, &m);
        putc('}', out);
    }
    fputs("]}", out);
}

static void write_sums(FILE *out, const struct results *results)
{
    int n = 0;
    for (int a = 0; a < results->sums->aggregation.n && !ferror(out); a++) {
        separate(out, &n);
        write_sums_of(out, results, a);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

void json_write(FILE *out, const struct results *results)
{
    fprintf(out, "{\"schema_version\": %d,\n\"trades\": [", JSON_SCHEMA_VERSION);
    for (int i = 0; i < results->n && !ferror(out); i++) {
        fputs(i ? ",\n" : "\n", out);
        write_trade(out, results, i);
    }
    fputs("\n],\n\"aggregates\": [", out);
    write_sums(out, results);
    fputs("\n],\n", out);
    if (results->risk) {
        fputs("\"risk\": ", out);
        write_risk(out, results);
        fputs(",\n", out);
    }
    fputs("\"manifest\": ", out);
    write_manifest(out, results);
    fputs("}\n", out);
}
