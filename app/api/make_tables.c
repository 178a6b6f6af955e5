/* The tables of results, from what a run has found. */
#include <math.h>
#include <stdio.h>

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
        result_row(table);
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
        struct result_table *made = result_table_begin_lender(RESULT_TABLE_PRICES, BOOK_COLUMNS);
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
        for (int i = 0; i < results->trades[t].n_tags; i++) {
            result_row(table);
            result_text(table, results->trades[t].id);
            result_text(table, results->trades[t].tags[i].name);
            result_text(table, results->trades[t].tags[i].value);
        }
}

/* ---- risk ------------------------------------------------------------------------------------ */

static void put_unit(struct result_table *table, const struct greek_row *row)
{
    char unit[64];
    bool second = row->second != SLOPE_NOTHING;
    snprintf(unit, sizeof unit, "per %s%s%s", slope_rows[row->first].unit, second ? " per " : "",
             slope_rows[row->second].unit);
    result_text(table, unit);
}

static void put_greek(const struct results *results, int s, int t, struct result_table *table)
{
    const struct market *market = results->market;
    const struct sensitivity *sensitivity = &results->risk->sensitivities[s];
    const struct greek_value *greek = risk_greek(results->risk, s, t);
    if (isnan(greek->value)) return;
    result_row(table);
    result_text(table, results->trades[t].id);
    result_text(table, greek_rows[sensitivity->greek].name);
    result_text(table, sensitivity->asset >= 0      ? market->assets[sensitivity->asset].name
                       : sensitivity->currency >= 0 ? market->currencies[sensitivity->currency].name
                                                    : NULL);
    result_text(table, sensitivity_other(market, sensitivity));
    result_number(table, sensitivity->bucket);
    result_number(table, greek->value);
    result_number(table, greek->std_error);
    put_unit(table, &greek_rows[sensitivity->greek]);
    result_text(table, results_currency(results, t));
    result_text(table, greek->method);
    result_number(table, greek->reference);
    result_number(table, greek->reference_error);
    result_number(table, greek->z);
    result_number(table, greek->bump);
    result_number(table, sensitivity->strike);
}

static void make_greeks(const struct results *results, struct result_table *table)
{
    for (int t = 0; results->risk && t < results->n && !table->status; t++)
        for (int s = 0; s < results->risk->n_sensitivities; s++) put_greek(results, s, t, table);
}

/* Whose P&L: of the member of a way that the book is added up in, or of a trade. */
struct pnl_place {
    const char *kind, *name, *way, *member, *currency;
};

static void put_pnl(struct result_table *table, const struct pnl_place *place, struct pnl pnl)
{
    if (isnan(pnl.value)) return;
    result_row(table);
    result_text(table, place->kind);
    result_text(table, place->name);
    result_text(table, place->way);
    result_text(table, place->member);
    result_number(table, pnl.value);
    result_number(table, pnl.std_error);
    result_text(table, place->currency);
}

/* Puts one scenario, or one day of the past: every aggregate, then every trade. */
static void put_shock(const struct results *results, int i, bool is_day, struct result_table *table)
{
    const struct risk *risk = results->risk;
    struct pnl_place place = {.kind = is_day ? "day" : "scenario",
                              .name = is_day ? risk->day_names[i] : risk->scenario_names[i],
                              .currency = results_total_currency(results)};
    const struct pnl *trades =
        (is_day ? risk->days : risk->scenarios) + (size_t)i * (size_t)risk->n_trades;
    for (int a = 0; a < risk->n_aggregates; a++) {
        place.way = risk->aggregates[a].by;
        place.member = risk->aggregates[a].name;
        put_pnl(table, &place,
                is_day ? risk->aggregates[a].days[i] : risk->aggregates[a].scenarios[i]);
    }
    place.way = "trade";
    for (int t = 0; t < risk->n_trades && !table->status; t++) {
        place.member = results->trades[t].id;
        place.currency = results_currency(results, t);
        put_pnl(table, &place, trades[t]);
    }
}

static void make_pnl(const struct results *results, struct result_table *table)
{
    const struct risk *risk = results->risk;
    for (int s = 0; risk && s < risk->n_scenarios; s++) put_shock(results, s, false, table);
    for (int d = 0; risk && d < risk->n_days; d++) put_shock(results, d, true, table);
}

static void put_tail(struct result_table *table, const struct pnl_place *place,
                     const struct value_at_risk *tail, const struct risk_contribution *to_whole)
{
    const double *numbers = &tail->confidence, *parts = to_whole ? &to_whole->component_var : NULL;
    if (isnan(tail->var)) return;
    result_row(table);
    result_text(table, place->way);
    result_text(table, place->member);
    result_text(table, place->currency);
    for (int i = 0; i < VALUE_AT_RISK_NUMBERS; i++) result_number(table, numbers[i]);
    for (int i = 0; i < CONTRIBUTION_NUMBERS; i++) result_number(table, parts ? parts[i] : NAN);
}

static void make_risk(const struct results *results, struct result_table *table)
{
    const struct risk *risk = results->risk;
    for (int c = 0; risk && risk->n_days && c < risk->n_confidences; c++) {
        struct pnl_place place = {.currency = results_total_currency(results)};
        for (int a = 0; a < risk->n_aggregates; a++) {
            place.way = risk->aggregates[a].by;
            place.member = risk->aggregates[a].name;
            put_tail(table, &place, &risk->aggregates[a].values_at_risk[c],
                     &risk->aggregates[a].contributions[c]);
        }
        place.way = "trade";
        for (int t = 0; t < risk->n_trades; t++) {
            place.member = results->trades[t].id;
            place.currency = results_currency(results, t);
            put_tail(table, &place,
                     &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)t], NULL);
        }
    }
}

static void put_total(const struct results *results, int a, const char *number,
                      const struct money_total *total, struct result_table *table)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    if (!total->n) return;
    result_row(table);
    result_text(table, aggregation->ways[aggregation->names[a].way]);
    result_text(table, aggregation->names[a].name);
    result_text(table, number);
    result_number(table, total->n);
    result_number(table, total->value);
    result_number(table, total->error);
    result_text(table, results_total_currency(results));
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

static enum status put_group(struct pricer_results *run, const struct plan *plan, int g,
                             struct result_table *table)
{
    const struct group *group = &plan->groups[g];
    const struct asset *assets = run->book->market.assets;
    struct joined_names names = {"", ""};
    char models[sizeof names.assets] = ""; /* of each underlying */
    struct route route;
    MUST(run->engine->route(plan, g, &run->engine_options, &route, &run->pricer->why));
    for (int u = 0; u < group->n_underlyings; u++) {
        join_name(names.assets, sizeof names.assets, assets[group->underlyings[u].asset].name);
        join_name(models, sizeof models, model_name(group->underlyings[u].model));
    }
    result_row(table);
    result_text(table, names.assets);
    result_text(table, models);
    result_text(table, group->quanto >= 0 ? assets[group->quanto].name : NULL);
    result_number(table, group->n_payoffs);
    result_number(table, group->n_steps);
    result_number(table, group->n_steps ? group->times[group->n_steps - 1] : 0.0);
    result_number(table, group->n_rows);
    result_number(table, group->n_slots);
    result_number(table, group_normals(group));
    result_text(table, route.kernel);
    result_text(table, route.why);
    return STATUS_OK;
}

static enum status make_groups(struct pricer_results *run, struct result_table *table)
{
    const struct plan *plans[] = {&run->planned.plan, &run->planned.controlled};
    for (int p = 0; p < 2; p++)
        for (int g = 0; g < plans[p]->n_groups; g++) MUST(put_group(run, plans[p], g, table));
    return STATUS_OK;
}

static void put_group_trades(const struct plan *plan, int first, const struct trade *trades,
                             struct result_table *table)
{
    for (int g = 0; g < plan->n_groups; g++)
        for (int p = 0; p < plan->groups[g].n_payoffs; p++) {
            result_row(table);
            result_number(table, first + g);
            result_text(table, trades[plan->groups[g].trades[p]].id);
        }
}

static void make_kernels(struct result_table *table)
{
    for (int e = 0; engines[e]; e++) {
        struct message why;
        bool ready = !engines[e]->ready(&why);
        for (const struct kernel_row *row = engines[e]->kernels; row->name; row++) {
            result_row(table);
            result_text(table, engines[e]->name);
            result_text(table, row->name);
            result_text(table, row->idea);
            result_number(table, ready);
        }
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

void result_table_fill(const struct results *results, enum result_table_kind kind,
                       struct result_table *table)
{
    static void (*const makers[N_RESULT_TABLES])(const struct results *, struct result_table *) = {
        [RESULT_TABLE_GREEKS] = make_greeks,
        [RESULT_TABLE_PNL] = make_pnl,
        [RESULT_TABLE_RISK] = make_risk,
        [RESULT_TABLE_TOTALS] = make_totals,
        [RESULT_TABLE_TAGS] = make_tags};
    makers[kind](results, table);
}

static enum status make(struct pricer_results *run, enum result_table_kind kind,
                        struct result_table *table)
{
    switch (kind) {
    case RESULT_TABLE_GROUPS: return make_groups(run, table);
    case RESULT_TABLE_GROUP_TRADES:
        put_group_trades(&run->planned.plan, 0, run->book->trades, table);
        put_group_trades(&run->planned.controlled, run->planned.plan.n_groups,
                         run->planned.controls.trades, table);
        return STATUS_OK;
    case RESULT_TABLE_KERNELS: make_kernels(table); return STATUS_OK;
    case RESULT_TABLE_PRICES: return run->priced.done ? make_price_table(run, table) : STATUS_OK;
    case RESULT_TABLE_GREEKS:
    case RESULT_TABLE_PNL:
    case RESULT_TABLE_RISK:
    case RESULT_TABLE_TOTALS:
    case RESULT_TABLE_TAGS:
    case N_RESULT_TABLES: break;
    }
    if (run->priced.done) result_table_fill(&run->shown.results, kind, table);
    return STATUS_OK;
}

enum status session_table(struct pricer_results *run, enum result_table_kind kind,
                          struct result_table **table)
{
    enum status status = STATUS_OK;
    *table = run->shown.tables[kind];
    if (*table) return STATUS_OK;
    *table = result_table_begin(kind);
    if (!*table) return STATUS_NO_MEMORY;
    status = make(run, kind, *table);
    if (!status) status = (*table)->status;
    if (!status) {
        run->shown.tables[kind] = *table;
        return STATUS_OK;
    }
    result_table_let_go(*table);
    *table = NULL;
    return status;
}

void session_forget_tables(struct pricer_results *run)
{
    for (int i = 0; i < N_RESULT_TABLES; i++) {
        result_table_let_go(run->shown.tables[i]);
        run->shown.tables[i] = NULL;
    }
}
