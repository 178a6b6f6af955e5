/* The rows of a run: what it was given, and what it found. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/trade_terms.h"
#include "app/database/journal.h"
#include "app/pricing/calibration/model_fit.h"
#include "models/market/delta_quotes.h"
#include "models/payoffs/scripted.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* The rows that a run adds to the tables, within the transaction that is open. An insert is
 * prepared once for each table. The first error stays, and nothing more is added. */
struct run_rows {
    const struct database *database;
    int64_t run;
    struct message *why;
    enum status status;
    struct statement *row; /* that is being put; after an error `none` */
    struct statement none;
    const char *owner; /* of inputs, and where the next one stands in the run */
    int position;
    int n;
    struct run_insert {
        const char *into;
        struct statement statement;
    } inserts[40]; /* [n] there are fewer tables and other statements */
};

/* Returns the statement of `into`, prepared where this is its first row: of a table the insert of a
 * row with all of its columns. */
static struct statement *statement_of(struct run_rows *rows, const char *into)
{
    int i = 0;
    char sql[256];
    int64_t n = 0;
    while (i < rows->n && strcmp(rows->inserts[i].into, into)) i++;
    struct statement *statement = &rows->inserts[i].statement;
    if (i < rows->n) return statement;
    bool is_table = !strchr(into, ' ');
    enum status status =
        is_table ? database_ask(rows->database, "SELECT count(*) FROM pragma_table_info(?)", &n,
                                rows->why, "%s", into)
                 : STATUS_OK;
    int end = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", is_table ? into : "");
    for (int k = 1; k < n; k++) end += snprintf(sql + end, sizeof sql - (size_t)end, ", ?");
    snprintf(sql + end, sizeof sql - (size_t)end, ")");
    *statement = status ? (struct statement){.status = status}
                        : statement_begin(rows->database, is_table ? sql : into, rows->why);
    rows->inserts[rows->n++].into = into;
    return statement;
}

/* Begins a row with its run. `into` is the name of a table, or another statement of SQL, whose ?1
 * is the run and whose own values follow. It stays the caller's until rows_end. */
static void row_begin(struct run_rows *rows, const char *into)
{
    rows->none.status = rows->status;
    rows->row = rows->status ? &rows->none : statement_of(rows, into);
    put(rows->row, "%ld", rows->run);
}

static void row_end(struct run_rows *rows)
{
    statement_run(rows->row);
    if (!rows->status) rows->status = rows->row->status;
}

/* Adds a row in one call: its values behind the run as of put(). */
__attribute__((format(printf, 3, 4))) static void put_row(struct run_rows *rows, const char *into,
                                                          const char *format, ...)
{
    va_list values;
    row_begin(rows, into);
    va_start(values, format);
    put_list(rows->row, format, values);
    va_end(values);
    row_end(rows);
}

/* Ends the statements. STATUS_FILE and one line, STATUS_NO_MEMORY. */
static enum status rows_end(struct run_rows *rows)
{
    for (int i = 0; i < rows->n; i++) statement_end(&rows->inserts[i].statement);
    rows->n = 0;
    return rows->status;
}

/* ---- the market ------------------------------------------------------------------------------ */

static void put_input(struct run_rows *rows, const char *input, double time, double strike,
                      double value)
{
    if (!isfinite(value)) return;
    put_row(rows, "inputs", "%d %s %s %g %g %g", rows->position++, rows->owner, input, time, strike,
            value);
}

/* Adds what accrued to each date, less what another accrues by then, if any, as a rate a year; as a
 * volatility where `root`. */
static void put_term(struct run_rows *rows, const char *input, const struct term_structure *term,
                     const struct term_structure *less, bool root)
{
    for (int i = 0; i < term->n; i++) {
        double accrued = less ? term_accrued(less, term->time[i]) : 0.0;
        double rate = (term->accrued[i] - accrued) / term->time[i];
        put_input(rows, input, term->time[i], NAN, root ? sqrt(rate) : rate);
    }
}

/* Adds the numbers of an asset: of a surface its volatilities, and the quotes that they were made
 * of; the parameters of its model that were given. */
static void put_asset(struct run_rows *rows, const struct market *market, struct asset *asset)
{
    const struct history *history = &asset->history;
    const struct surface *given = quoted_surface(asset), *surface = &asset->surface;
    const struct term_structure *foreign =
        asset->foreign_currency < 0 ? NULL : &market->currencies[asset->foreign_currency].rate;
    rows->owner = asset->name;
    put_input(rows, "spot", NAN, NAN, asset->spot);
    if (!foreign || !term_equal(&asset->yield, foreign))
        put_term(rows, "yield", &asset->yield, foreign, false);
    put_term(rows, "volatility", &asset->variance, NULL, true);
    for (int i = 0, n = given->n_strikes; i < given->n_times * n; i++)
        put_input(rows, "volatility", given->times[i / n], surface_strike(given, i / n, i % n),
                  given->vols[i]);
    for (int i = 0, n = surface->n_strikes; asset->quotes.values && i < surface->n_times * n; i++)
        put_input(rows, delta_quote_names[i % n], surface->times[i / n], NAN,
                  asset->quotes.values[i]);
    for (int i = 0; i < N_PARAMETERS && !asset->fitted.surface.n_times; i++) {
        char input[40];
        if (!model_takes(asset->model, parameter_ranges[i].group)) continue;
        snprintf(input, sizeof input, "%s %s", i < N_HESTON_PARAMETERS ? "heston" : "jumps",
                 parameter_rows[i].name);
        put_input(rows, input, NAN, NAN, *asset_parameter(asset, (enum parameter)i));
    }
    for (int i = 0; i < history->n; i++)
        put_input(rows, "return", (i + 1) * history->interval, NAN, history->returns[i]);
    for (int i = 0; i < asset->n_dividends; i++)
        put_input(rows, "dividend", asset->dividends[i].time, NAN, asset->dividends[i].amount);
}

enum status write_inputs(const struct database *database, int64_t run, const struct market *market,
                         struct message *why)
{
    struct run_rows rows = {.database = database, .run = run, .why = why};
    for (int i = 0; i < market->n_currencies; i++) {
        rows.owner = market->currencies[i].name;
        put_term(&rows, "rate", &market->currencies[i].rate, NULL, false);
    }
    for (int i = 0; i < market->n_assets; i++) put_asset(&rows, market, &market->assets[i]);
    int n = market->correlation ? market->n_assets : 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            char input[NAME_BYTES + 16];
            double correlation = market->correlation[(size_t)i * (size_t)n + (size_t)j];
            snprintf(input, sizeof input, "correlation %s", market->assets[j].name);
            rows.owner = market->assets[i].name;
            if (correlation != 0.0) put_input(&rows, input, NAN, NAN, correlation);
        }
    return rows_end(&rows);
}

/* ---- trades ---------------------------------------------------------------------------------- */

static void put_trade(struct run_rows *rows, const struct results *results, int index)
{
    const struct trade *trade = &results->trades[index];
    struct joined_names names;
    char *terms = NULL;
    enum status status = trade_terms(trade, results->manifest.valuation_date, &terms);
    if (status && !rows->status) rows->status = status;
    join_names(results, index, &names);
    put_row(rows, "trades", "%d %s %s %s %s %s %g %s %s %d", index, trade->id,
            known(trade_type(trade)), known(names.assets), known(names.models),
            known(results_currency(results, index)), trade->quantity, terms, trade->file,
            trade->line);
    free(terms);
}

static void put_price(struct run_rows *rows, const struct results *results, int index)
{
    struct joined_names names;
    struct result_field fields[N_COLUMNS];
    results_row(results, index, &names, fields);
    row_begin(rows, "prices");
    put(rows->row, "%d", index);
    for (int c = 0; c < N_COLUMNS; c++) {
        if (!result_columns[c].in_prices) continue;
        if (fields[c].text) put(rows->row, "%s", known(fields[c].text));
        else put(rows->row, "%g", fields[c].number);
    }
    row_end(rows);
}

static void put_prices(struct run_rows *rows, const struct results *results)
{
    /* The text of a trade's script once, by the digest that its terms have */
    static const char script[] =
        "INSERT OR IGNORE INTO scripts SELECT run, json_extract(terms, '$.script'), ?3"
        " FROM trades WHERE run = ?1 AND trade = ?2";
    for (int i = 0; i < results->n && !rows->status; i++) {
        const struct trade *trade = &results->trades[i];
        put_trade(rows, results, i);
        if (trade->scripted) put_row(rows, script, "%d %s", i, trade->scripted->script->text);
        for (int t = 0; t < trade->n_tags; t++)
            put_row(rows, "tags", "%d %s %s", i, trade->tags[t].name, trade->tags[t].value);
        put_price(rows, results, i);
    }
}

/* ---- risk ------------------------------------------------------------------------------------ */

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

/* Adds a value at risk, and what it is of the whole book's where that is not NULL. */
static void put_tail(struct run_rows *rows, const char *into, int row,
                     const struct value_at_risk *tail, const struct risk_contribution *to_whole)
{
    if (isnan(tail->var)) return;
    row_begin(rows, into);
    put(rows->row, "%d", row);
    put_numbers(rows->row, VALUE_AT_RISK_NUMBERS, &tail->confidence);
    if (to_whole) put_numbers(rows->row, CONTRIBUTION_NUMBERS, &to_whole->component_var);
    row_end(rows);
}

/* Adds the profits and losses [n] of a row of a table: (row, column, value, std_error). */
static void put_pnl_row(struct run_rows *rows, const char *into, int row, int n,
                        const struct pnl *pnl)
{
    for (int i = 0; i < n; i++)
        if (!isnan(pnl[i].value))
            put_row(rows, into, "%d %d %g %g", row, i, pnl[i].value, pnl[i].std_error);
}

/* Adds the names of scenarios or days [n], and the profits and losses [n][trade] under them. */
static void put_pnl(struct run_rows *rows, const char *of_names, const char *of_pnl, int n,
                    char *const *names, const struct pnl *pnl, int n_trades)
{
    for (int i = 0; i < n; i++) put_row(rows, of_names, "%d %s", i, names[i]);
    for (int i = 0; i < n && !rows->status; i++)
        put_pnl_row(rows, of_pnl, i, n_trades, &pnl[(size_t)i * (size_t)n_trades]);
}

static void put_risk(struct run_rows *rows, const struct results *results)
{
    const struct risk *risk = results->risk;
    const struct market *market = results->market;
    for (int i = 0; i < risk->n_sensitivities; i++) {
        const struct sensitivity *s = &risk->sensitivities[i];
        const char *currency = s->currency < 0 ? "" : market->currencies[s->currency].name;
        put_row(rows, "sensitivities", "%d %s %s %s %s %s %g %g", i, s->name,
                greek_rows[s->greek].name, known(s->asset < 0 ? "" : market->assets[s->asset].name),
                sensitivity_other(market, s), known(currency), s->bucket, s->strike);
    }
    put_greeks(rows, risk);
    put_pnl(rows, "scenarios", "scenario_pnl", risk->n_scenarios, risk->scenario_names,
            risk->scenarios, risk->n_trades);
    put_pnl(rows, "days", "day_pnl", risk->n_days, risk->day_names, risk->days, risk->n_trades);
    for (int c = 0; c < risk->n_confidences; c++)
        for (int t = 0; t < risk->n_trades && !rows->status; t++)
            put_tail(rows, "tails", t,
                     &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)t], NULL);
}

/* ---- aggregates ------------------------------------------------------------------------------ */

static void put_aggregate(struct run_rows *rows, const struct results *results, int a)
{
    const struct risk *risk = results->risk;
    const struct book_sums *sums = results->sums;
    const struct aggregate *aggregate = results_aggregate(results, a);
    const struct aggregate_name *name = &sums->aggregation.names[a];
    put_row(rows, "aggregates", "%d %s %s %d %g %g", a, sums->aggregation.ways[name->way],
            name->name, sums->values[a].n, sums->values[a].value, sums->values[a].error);
    for (int s = 0; risk && s < risk->n_sensitivities; s++) {
        struct money_total greek = results_greek(results, s, a);
        if (greek.n)
            put_row(rows, "aggregate_greeks", "%d %d %d %g %g", a, s, greek.n, greek.value,
                    greek.error);
    }
    if (!aggregate) return;
    put_pnl_row(rows, "aggregate_scenarios", a, risk->n_scenarios, aggregate->scenarios);
    put_pnl_row(rows, "aggregate_days", a, risk->n_days, aggregate->days);
    for (int c = 0; c < risk->n_confidences; c++)
        put_tail(rows, "aggregate_tails", a, &aggregate->values_at_risk[c],
                 &aggregate->contributions[c]);
}

enum status write_results(const struct database *database, int64_t run,
                          const struct results *results, int exit_status, struct message *why)
{
    static const char sql[] =
        "UPDATE runs SET status = 'complete', exit_status = ?2, results_digest = ?, engine = ?,"
        " kernel = ?, device = ?, threads = ?, currency = ?, ended = datetime('now'),"
        " load_seconds = ?, plan_seconds = ?, start_seconds = ?, price_seconds = ?,"
        " gpu_busy_seconds = ?, check_seconds = ?, risk_seconds = ? WHERE run = ?1";
    const struct manifest *m = &results->manifest;
    const struct phases *phases = &m->phases;
    const struct market *market = results->market;
    struct run_rows rows = {.database = database, .run = run, .why = why};
    put_prices(&rows, results);
    if (results->risk) put_risk(&rows, results);
    for (int c = 0; c < market->n_currencies; c++) {
        double rate = conversion_rate(market, c, results->currency); /* into the run's */
        if (isfinite(rate)) put_row(&rows, "fx_rates", "%s %g", market->currencies[c].name, rate);
    }
    for (int a = 0; a < results->sums->aggregation.n && !rows.status; a++)
        put_aggregate(&rows, results, a);
    for (int i = 0; i < m->n_routes; i++)
        put_row(&rows, "routes", "%d %s %s %d", i, m->routes[i].route.kernel,
                m->routes[i].route.why, m->routes[i].groups);
    put_row(&rows, sql, "%d %lx %s %s %s %d %s %g %g %g %g %g %g %g", exit_status,
            m->results_digest, m->engine, m->kernel, m->device, m->threads,
            results_total_currency(results), phases->load, phases->plan, phases->start,
            phases->price, phases->gpu_busy, phases->check, results->risk ? phases->risk : NAN);
    return rows_end(&rows);
}
