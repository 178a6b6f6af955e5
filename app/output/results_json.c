/* Results as JSON (RFC 8259): the trades with the columns of the CSV as keys, what the risk found,
 * the manifest. */
#include <math.h>

#include "app/output/results.h"
#include "models/base/clock.h"
#include "models/base/json_text.h"

void json_numbers(FILE *out, int count, const char *const *names, const double *numbers)
{
    for (int i = 0; i < count; i++) json_print(out, ", %s: %g", names[i], numbers[i]);
}

/* Writes what parts a list's rows, a line each. */
static void separate(FILE *out, int *n)
{
    fputs((*n)++ ? ",\n" : "\n", out);
}

static void write_trade(FILE *out, const struct results *results, int index)
{
    const struct trade *trade = &results->trades[index];
    struct result_field fields[N_COLUMNS];
    struct joined_names names;
    int n = 0;
    results_row(results, index, &names, fields);
    putc('{', out);
    for (int c = 0; c < N_COLUMNS; c++) {
        json_key(out, result_columns[c].name, &n);
        if (fields[c].text) json_text(out, fields[c].text);
        else json_number(out, fields[c].number);
    }
    for (int c = 0; c < risk_columns(results->risk); c++) {
        char name[RISK_NAME_ROOM];
        double number = risk_column_value(results->risk, c, index);
        risk_column_name(results->risk, c, name);
        if (!isnan(number)) json_print(out, ", %s: %g", name, number);
    }
    for (int i = 0; i < trade->n_tags; i++)
        json_print(out, i ? ", %s: %s" : ", 'tags': {%s: %s", trade->tags[i].name,
                   trade->tags[i].value);
    fputs(trade->n_tags ? "}}" : "}", out);
}

static void write_trade_row(FILE *out, const struct results *results, int index)
{
    separate(out, &(int){index});
    write_trade(out, results, index);
}

static void write_manifest(FILE *out, const struct results *results)
{
    const struct manifest *m = &results->manifest;
    const struct phases *phases = &m->phases;
    int counts[N_VERDICTS];
    results_count(results, counts);
    json_print(out, "{'version': %s, 'git_commit': %s, 'book': %s, 'book_name': %s", PRICER_VERSION,
               PRICER_COMMIT, m->book, m->book_name);
    if (m->valuation_date[0]) json_print(out, ", 'valuation_date': %s", m->valuation_date);
    json_print(out, ", 'seed': %lu, 'paths': %lu, 'path_steps': %lu, 'statuses': ", m->seed,
               m->paths, m->path_steps);
    for (int v = 0; v < N_VERDICTS; v++)
        json_print(out, v ? ", %s: %d" : "{%s: %d", verdict_name((enum verdict)v), counts[v]);
    json_print(out,
               "}, 'plan_digest': %lx, 'results_digest': %lx, 'engine': %s, 'device': %s, "
               "'kernel': %s, 'threads': %d, 'routes': [",
               m->plan_digest, m->results_digest, m->engine, m->device, m->kernel, m->threads);
    for (int i = 0; i < m->n_routes; i++)
        json_print(out,
                   i ? ", {'kernel': %s, 'why': %s, 'groups': %d}"
                     : "{'kernel': %s, 'why': %s, 'groups': %d}",
                   m->routes[i].route.kernel, m->routes[i].route.why, m->routes[i].groups);
    json_print(out,
               "], 'seconds': {'load': %g, 'plan': %g, 'start': %g, 'price': %g, 'gpu_busy': %g, "
               "'check': %g, 'risk': %g, 'output': %g}}",
               phases->load, phases->plan, phases->start, phases->price, phases->gpu_busy,
               phases->check, phases->risk, seconds_now() - phases->output_began);
}

/* ---- risk ------------------------------------------------------------------------------------ */

/* Writes those of a trade, behind n others. */
static void write_greeks_of(FILE *out, const struct results *results, int trade, int *n)
{
    const struct risk *risk = results->risk;
    const struct greek_table *table = &risk->greeks;
    for (size_t k = table->first[trade]; k < table->first[trade + 1]; k++) {
        const struct greek_value *greek = &table->values[k];
        if (isnan(greek->value)) continue;
        separate(out, n);
        json_print(out, "{'trade_id': %s, 'name': %s, 'currency': %s", results->trades[trade].id,
                   risk->sensitivities[table->sensitivity[k]].name,
                   results_currency(results, trade));
        json_numbers(out, GREEK_NUMBERS, greek_numbers, &greek->value);
        json_print(out, ", 'method': %s}", greek->method);
    }
}

static void write_more_greeks(FILE *out, const struct results *results, int trade)
{
    write_greeks_of(out, results, trade, &(int){1});
}

static void write_greeks(FILE *out, const struct results *results)
{
    int n = 0, trade = 0;
    if (!results->risk->greeks.first) return;
    while (trade < results->n && !n) write_greeks_of(out, results, trade++, &n);
    results_write_rows(out, results, trade, results->n, write_more_greeks);
}

static void write_pnl(FILE *out, const struct risk *risk, int n, char *const *names, bool are_days)
{
    for (int s = 0, m = 0; s < n; s++) {
        separate(out, &m);
        json_print(out, "{'name': %s, 'totals': [", names[s]);
        for (int a = 0; a < risk->n_aggregates; a++) {
            const struct aggregate *aggregate = &risk->aggregates[a];
            const struct pnl pnl = are_days ? aggregate->days[s] : aggregate->scenarios[s];
            fputs(a ? ", " : "", out);
            json_print(out, "{'by': %s, 'of': %s, 'value': %g, 'std_error': %g}", aggregate->by,
                       aggregate->name, pnl.value, pnl.std_error);
        }
        fputs("]}", out);
    }
}

/* Writes the numbers of a tail, and what it brings to that of the whole book, if anything, under
 * the names of the columns of the table of risk, which they are the last of. */
static void write_tail(FILE *out, const struct value_at_risk *tail,
                       const struct risk_contribution *to_whole)
{
    const struct table_column *column = result_table_forms[PRICER_TABLE_RISK].columns;
    const double *numbers = &tail->confidence;
    while (column->is_text) column++;
    for (int i = 0; i < VALUE_AT_RISK_NUMBERS; i++, column++)
        json_print(out, ", %s: %g", column->name, numbers[i]);
    for (int i = 0; to_whole && i < CONTRIBUTION_NUMBERS; i++, column++)
        json_print(out, ", %s: %g", column->name, (&to_whole->component_var)[i]);
    putc('}', out);
}

/* Writes the tails of aggregates and of trades. */
static void write_values_at_risk(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    int n = 0;
    for (int a = 0; a < risk->n_aggregates; a++)
        for (int c = 0; c < risk->n_confidences; c++) {
            const struct aggregate *aggregate = &risk->aggregates[a];
            separate(out, &n);
            json_print(out, "{'by': %s, 'total': %s, 'currency': %s", aggregate->by,
                       aggregate->name, results_total_currency(results));
            write_tail(out, &aggregate->values_at_risk[c], &aggregate->contributions[c]);
        }
    for (int i = 0; i < risk->n_trades && !ferror(out); i++)
        for (int c = 0; c < risk->n_confidences; c++) {
            separate(out, &n);
            json_print(out, "{'trade_id': %s, 'currency': %s", results->trades[i].id,
                       results_currency(results, i));
            write_tail(out, &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)i],
                       NULL);
        }
}

static void write_risk(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    json_print(out, "{'currency': %s, 'seconds': %g, 'greeks': [", results_total_currency(results),
               results->manifest.phases.risk);
    write_greeks(out, results);
    json_print(out, "],\n'scenarios': [");
    write_pnl(out, risk, risk->n_scenarios, risk->scenario_names, false);
    json_print(out, "],\n'days': [");
    write_pnl(out, risk, risk->n_days, risk->day_names, true);
    json_print(out, "],\n'tails': [");
    if (risk->n_days) write_values_at_risk(out, results);
    fputs("]}", out);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_sums_of(FILE *out, const struct results *results, int a)
{
    const struct book_sums *sums = results->sums;
    const struct aggregate_name *name = &sums->aggregation.names[a];
    const struct money_total *value = &sums->values[a];
    int n_greeks = 0;
    json_print(out,
               "{'by': %s, 'of': %s, 'currency': %s, 'trades': %d, 'value': %g, 'error_at_most': "
               "%g, 'greeks': [",
               sums->aggregation.ways[name->way], name->name, results_total_currency(results),
               value->n, value->value, value->error);
    for (int s = 0; results->risk && s < results->risk->n_sensitivities; s++) {
        struct money_total greek = results_greek(results, s, a);
        if (!greek.n) continue;
        fputs(n_greeks++ ? ", " : "", out);
        json_print(out, "{'name': %s, 'trades': %d, 'value': %g, 'error_at_most': %g}",
                   results->risk->sensitivities[s].name, greek.n, greek.value, greek.error);
    }
    fputs("]}", out);
}

void json_write(FILE *out, const struct results *results)
{
    int n_sums = 0;
    json_print(out, "{'schema_version': %d,\n'trades': [", JSON_SCHEMA_VERSION);
    results_write_rows(out, results, 0, results->n, write_trade_row);
    json_print(out, "\n],\n'aggregates': [");
    for (int a = 0; a < results->sums->aggregation.n && !ferror(out); a++) {
        separate(out, &n_sums);
        write_sums_of(out, results, a);
    }
    fputs("\n],\n", out);
    if (results->risk) {
        json_print(out, "'risk': ");
        write_risk(out, results);
        fputs(",\n", out);
    }
    json_print(out, "'manifest': ");
    write_manifest(out, results);
    fputs("}\n", out);
}
