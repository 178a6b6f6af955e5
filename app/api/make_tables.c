/* The tables of results, from what a run has found. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/api/result_table.h"
#include "models/payoffs/payoff_definition.h"

/* ---- trades ---------------------------------------------------------------------------------- */

/* The first columns of the prices are the book's, whatever its trades are worth. */
enum { BOOK_COLUMNS = COLUMN_quantity + 1 };

/* Puts the columns of the prices from `first` to before `end`. */
static void put_prices(const struct results *results, int first, int end,
                       struct result_table *table)
{
    struct joined_names names;
    struct result_field fields[N_COLUMNS];
    for (int t = 0; t < results->n; t++) {
        results_row(results, t, first < BOOK_COLUMNS ? &names : NULL, fields);
        result_row_begin(table);
        for (int c = first; c < end; c++) {
            if (c == COLUMN_engine || c == COLUMN_kernel) continue; /* of the whole run */
            if (result_columns[c].traits & IS_TEXT) result_text(table, fields[c].text);
            else result_number(table, fields[c].number);
        }
    }
}

/* Makes the prices, whose columns of the book are made once a run and lent. */
static enum status make_price_table(struct pricer_results *run, struct result_table *table)
{
    const struct results *results = &run->shown.results;
    if (!run->shown.book_columns) {
        struct result_table *made = result_table_begin(PRICER_TABLE_PRICES);
        if (made) made->n_columns = BOOK_COLUMNS;
        if (made) put_prices(results, 0, BOOK_COLUMNS, made);
        if (!made || made->status) {
            result_table_let_go(made);
            return STATUS_NO_MEMORY;
        }
        run->shown.book_columns = made;
    }
    result_table_borrow(table, run->shown.book_columns);
    put_prices(results, BOOK_COLUMNS, N_COLUMNS, table);
    return STATUS_OK;
}

static void make_tags(const struct results *results, struct result_table *table)
{
    for (int t = 0; t < results->n; t++)
        for (int i = 0; i < results->trades[t].n_tags; i++)
            result_row(table, "%s%s%s", results->trades[t].id, results->trades[t].tags[i].name,
                       results->trades[t].tags[i].value);
}

/* ---- risk ------------------------------------------------------------------------------------ */

static void put_greek(const struct results *results, int s, int t, struct result_table *table)
{
    const struct market *market = results->market;
    const struct sensitivity *sensitivity = &results->risk->sensitivities[s];
    const struct greek_row *row = &greek_rows[sensitivity->greek];
    const struct greek_value *greek = risk_greek(results->risk, s, t);
    const char *factor = sensitivity->asset >= 0 ? market->assets[sensitivity->asset].name
                         : sensitivity->currency >= 0
                             ? market->currencies[sensitivity->currency].name
                             : NULL;
    char unit[64];
    if (isnan(greek->value)) return;
    snprintf(unit, sizeof unit, "per %s%s%s", slope_rows[row->first].unit,
             row->second != SLOPE_NOTHING ? " per " : "", slope_rows[row->second].unit);
    result_row(table, "%s%s%s%s%g%g%g%s%s%s%g%g%g%g%g", results->trades[t].id, row->name, factor,
               sensitivity_other(market, sensitivity), sensitivity->bucket, greek->value,
               greek->std_error, unit, results_currency(results, t), greek->method,
               greek->reference, greek->reference_error, greek->z, greek->bump,
               sensitivity->strike);
}

static void make_greeks(const struct results *results, struct result_table *table)
{
    for (int t = 0; results->risk && t < results->n && !table->status; t++)
        for (int s = 0; s < results->risk->n_sensitivities; s++) put_greek(results, s, t, table);
}

/* Puts one scenario, or one day of the past: every aggregate, then every trade. */
static void put_shock(const struct results *results, int i, bool is_day, struct result_table *table)
{
    const struct risk *risk = results->risk;
    const char *kind = is_day ? "day" : "scenario",
               *name = is_day ? risk->day_names[i] : risk->scenario_names[i];
    const struct pnl *trades =
        (is_day ? risk->days : risk->scenarios) + (size_t)i * (size_t)risk->n_trades;
    for (int a = 0; a < risk->n_aggregates; a++) {
        const struct aggregate *aggregate = &risk->aggregates[a];
        struct pnl pnl = is_day ? aggregate->days[i] : aggregate->scenarios[i];
        if (!isnan(pnl.value))
            result_row(table, "%s%s%s%s%g%g%s", kind, name, aggregate->by, aggregate->name,
                       pnl.value, pnl.std_error, results_total_currency(results));
    }
    for (int t = 0; t < risk->n_trades && !table->status; t++)
        if (!isnan(trades[t].value))
            result_row(table, "%s%s%s%s%g%g%s", kind, name, "trade", results->trades[t].id,
                       trades[t].value, trades[t].std_error, results_currency(results, t));
}

static void make_pnl(const struct results *results, struct result_table *table)
{
    const struct risk *risk = results->risk;
    for (int s = 0; risk && s < risk->n_scenarios; s++) put_shock(results, s, false, table);
    for (int d = 0; risk && d < risk->n_days; d++) put_shock(results, d, true, table);
}

/* Puts the numbers of a tail, and what it brings to that of the whole book, if anything. */
static void put_tail(struct result_table *table, const struct value_at_risk *tail,
                     const struct risk_contribution *to_whole)
{
    const double *numbers = &tail->confidence, *parts = to_whole ? &to_whole->component_var : NULL;
    for (int i = 0; i < VALUE_AT_RISK_NUMBERS; i++) result_number(table, numbers[i]);
    for (int i = 0; i < CONTRIBUTION_NUMBERS; i++) result_number(table, parts ? parts[i] : NAN);
}

static void make_risk(const struct results *results, struct result_table *table)
{
    const struct risk *risk = results->risk;
    for (int c = 0; risk && risk->n_days && c < risk->n_confidences; c++) {
        for (int a = 0; a < risk->n_aggregates; a++) {
            const struct aggregate *aggregate = &risk->aggregates[a];
            if (isnan(aggregate->values_at_risk[c].var)) continue;
            result_row(table, "%s%s%s", aggregate->by, aggregate->name,
                       results_total_currency(results));
            put_tail(table, &aggregate->values_at_risk[c], &aggregate->contributions[c]);
        }
        for (int t = 0; t < risk->n_trades; t++) {
            const struct value_at_risk *tail =
                &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)t];
            if (isnan(tail->var)) continue;
            result_row(table, "%s%s%s", "trade", results->trades[t].id,
                       results_currency(results, t));
            put_tail(table, tail, NULL);
        }
    }
}

static void put_total(const struct results *results, int a, const char *number,
                      const struct money_total *total, struct result_table *table)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    const struct aggregate_name *name = &aggregation->names[a];
    if (total->n)
        result_row(table, "%s%s%s%d%g%g%s", aggregation->ways[name->way], name->name, number,
                   total->n, total->value, total->error, results_total_currency(results));
}

static void make_totals(const struct results *results, struct result_table *table)
{
    const struct book_sums *sums = results->sums;
    int n = sums->aggregation.n, n_greeks = results->risk ? results->risk->n_sensitivities : 0;
    for (int a = 0; a < n; a++) {
        put_total(results, a, "value", &sums->values[a], table);
        for (int s = 0; s < n_greeks; s++)
            put_total(results, a, results->risk->sensitivities[s].name,
                      &sums->greeks[(size_t)s * (size_t)n + (size_t)a], table);
    }
}

/* ---- plan and kernels ------------------------------------------------------------------------ */

static enum status put_group(struct pricer_results *run, const struct run_group *at,
                             struct result_table *table)
{
    const struct group *group = at->group;
    const struct asset *assets = run->book->market.assets;
    struct joined_names names = {"", ""};
    char models[sizeof names.assets] = ""; /* of each underlying */
    char rates[sizeof names.assets] = "";  /* of the quanto */
    struct route route;
    MUST(session_route(run, at, &route));
    for (int u = 0; u < group->n_underlyings; u++) {
        join_name(names.assets, sizeof names.assets, assets[group->underlyings[u].asset].name);
        join_name(models, sizeof models, model_name(group->underlyings[u].model));
    }
    for (int i = 0; i < group->quanto.n; i++)
        join_name(rates, sizeof rates, assets[group->quanto.fx[i]].name);
    result_row(table, "%s%s%s%d%d%g%d%d%d%s%s", names.assets, models,
               group->quanto.n ? rates : NULL, group->n_payoffs, group->n_steps,
               group->n_steps ? group->times[group->n_steps - 1] : 0.0, group->n_rows,
               group->n_slots, group_normals(group), route.kernel, route.why);
    return STATUS_OK;
}

static void make_kernels(struct result_table *table)
{
    for (int e = 0; engines[e]; e++) {
        struct message why;
        bool ready = !engines[e]->ready(&why);
        for (const struct kernel_row *row = engines[e]->kernels; row->name; row++)
            result_row(table, "%s%s%s%d", engines[e]->name, row->name, row->idea, ready);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

void result_table_fill(const struct results *results, enum pricer_table kind,
                       struct result_table *table)
{
    static void (*const makers[N_RESULT_TABLES])(const struct results *, struct result_table *) = {
        [PRICER_TABLE_GREEKS] = make_greeks,
        [PRICER_TABLE_PNL] = make_pnl,
        [PRICER_TABLE_RISK] = make_risk,
        [PRICER_TABLE_TOTALS] = make_totals,
        [PRICER_TABLE_TAGS] = make_tags};
    makers[kind](results, table);
}

static enum status make(struct pricer_results *run, enum pricer_table kind,
                        struct result_table *table)
{
    bool of_groups = kind == PRICER_TABLE_GROUPS || kind == PRICER_TABLE_GROUP_TRADES;
    for (int g = 0; of_groups && g < session_groups(run); g++) {
        const struct run_group at = session_group(run, g);
        if (kind == PRICER_TABLE_GROUPS) MUST(put_group(run, &at, table));
        else
            for (int p = 0; p < at.group->n_payoffs; p++)
                result_row(table, "%d%s", g, at.trades[at.group->trades[p]].id);
    }
    if (kind == PRICER_TABLE_KERNELS) make_kernels(table);
    else if (!of_groups && run->priced.done) {
        if (kind == PRICER_TABLE_PRICES) return make_price_table(run, table);
        result_table_fill(&run->shown.results, kind, table);
    }
    return STATUS_OK;
}

/* Finds a table, which stays the run's, or makes it. */
static enum status session_table(struct pricer_results *run, enum pricer_table kind,
                                 struct result_table **table)
{
    *table = run->shown.tables[kind];
    if (*table) return STATUS_OK;
    struct result_table *made = result_table_begin(kind);
    if (!made) return STATUS_NO_MEMORY;
    enum status status = make(run, kind, made);
    if (!status) status = made->status;
    if (status) result_table_let_go(made);
    else *table = run->shown.tables[kind] = made;
    return status;
}

void session_forget_tables(struct pricer_results *run)
{
    for (int i = 0; i < N_RESULT_TABLES; i++) {
        result_table_let_go(run->shown.tables[i]);
        run->shown.tables[i] = NULL;
    }
}

/* ---- as a caller of the library reads them --------------------------------------------------- */

static bool is_table(enum pricer_table table)
{
    return (unsigned)table < N_RESULT_TABLES;
}

const char *pricer_table_name(enum pricer_table table)
{
    return is_table(table) ? result_table_forms[table].name : NULL;
}

int pricer_table_columns(enum pricer_table table)
{
    return is_table(table) ? result_table_columns(table) : 0;
}

const char *pricer_table_column(enum pricer_table table, int column)
{
    bool exists = column >= 0 && column < pricer_table_columns(table);
    return exists ? result_table_forms[table].columns[column].name : NULL;
}

int pricer_table_is_text(enum pricer_table table, int column)
{
    return pricer_table_column(table, column) && result_table_forms[table].columns[column].is_text;
}

/* Finds the column of a kind by its name, as an array of *n: one of nothing where there are no
 * rows, NULL where there is no such column. */
static const void *find_column(const struct result_table *table, const char *name, bool is_text,
                               int64_t *n)
{
    static const char *const none[1];
    if (n) *n = 0;
    for (int c = 0; n && table && name && c < table->n_columns; c++) {
        const struct table_column *column = &table->form->columns[c];
        if (strcmp(column->name, name) || column->is_text != is_text) continue;
        *n = table->n;
        return *n ? table->columns[c] : (const void *)none;
    }
    return NULL;
}

/* Makes the table, if it is one; NULL and the message without memory. */
static struct result_table *table_of(struct pricer_results *results, enum pricer_table table)
{
    struct result_table *made = NULL;
    if (!pricer_begin_with(pricer_of(results), "") && is_table(table))
        pricer_end(results->pricer, session_table(results, table, &made));
    return made;
}

int64_t pricer_table_rows(struct pricer_results *results, enum pricer_table table)
{
    const struct result_table *made = table_of(results, table);
    return made ? made->n : -1;
}

const double *pricer_column(struct pricer_results *results, enum pricer_table table,
                            const char *name, int64_t *n)
{
    return find_column(table_of(results, table), name, false, n);
}

const char *const *pricer_text_column(struct pricer_results *results, enum pricer_table table,
                                      const char *name, int64_t *n)
{
    return find_column(table_of(results, table), name, true, n);
}

enum status session_hold_table(struct pricer_results *run, enum pricer_table kind,
                               struct result_table **table)
{
    if (!is_table(kind)) return pricer_say(run->pricer, STATUS_BAD_INPUT, "there is no such table");
    enum status status = session_table(run, kind, table);
    if (!status) result_table_hold(*table);
    return status;
}

enum pricer_status pricer_snapshot_take(struct pricer_results *results, enum pricer_table table,
                                        struct pricer_snapshot **snapshot)
{
    struct result_table *held = NULL;
    if (snapshot) *snapshot = NULL;
    if (pricer_begin_with(pricer_of(results), "snapshot", snapshot)) return PRICER_BAD_INPUT;
    enum status status = session_hold_table(results, table, &held);
    *snapshot = (struct pricer_snapshot *)held;
    return pricer_end(results->pricer, status);
}

const double *pricer_snapshot_column(const struct pricer_snapshot *snapshot, const char *name,
                                     int64_t *n)
{
    return find_column((const void *)snapshot, name, false, n);
}

const char *const *pricer_snapshot_text_column(const struct pricer_snapshot *snapshot,
                                               const char *name, int64_t *n)
{
    return find_column((const void *)snapshot, name, true, n);
}

void pricer_snapshot_free(struct pricer_snapshot *snapshot)
{
    result_table_let_go((struct result_table *)snapshot);
}
