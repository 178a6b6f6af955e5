#include <math.h>

#include "app/database/runs.h"
#include "app/pricing/base/currency_conversion.h"

/* Adds what a unit of each currency is worth in the run's. */
static void put_fx_rates(struct run_rows *rows, const struct results *results)
{
    const struct market *market = results->market;
    for (int c = 0; c < market->n_currencies; c++) {
        double rate = conversion_rate(market, c, results->currency);
        if (isfinite(rate)) put_row(rows, "fx_rates", "%s %g", market->currencies[c].name, rate);
    }
}

static void put_sums(struct run_rows *rows, const struct results *results, int a)
{
    const struct book_sums *sums = results->sums;
    const struct aggregate_name *name = &sums->aggregation.names[a];
    put_row(rows, "aggregates", "%d %s %s %d %g %g", a, sums->aggregation.ways[name->way],
            name->name, sums->values[a].n, sums->values[a].value, sums->values[a].error);
    for (int s = 0; results->risk && s < results->risk->n_sensitivities; s++) {
        const struct money_total *greek =
            &sums->greeks[(size_t)s * (size_t)sums->aggregation.n + (size_t)a];
        if (greek->n)
            put_row(rows, "aggregate_greeks", "%d %d %d %g %g", a, s, greek->n, greek->value,
                    greek->error);
    }
}

static void put_tail(struct run_rows *rows, int a, int c, const struct aggregate *aggregate)
{
    const struct value_at_risk *tail = &aggregate->values_at_risk[c];
    if (isnan(tail->var)) return;
    row_begin(rows, "aggregate_tails");
    put(rows->row, "%d", a);
    put_numbers(rows->row, VALUE_AT_RISK_NUMBERS, &tail->confidence);
    put_numbers(rows->row, CONTRIBUTION_NUMBERS, &aggregate->contributions[c].component_var);
    row_end(rows);
}

static void put_risk(struct run_rows *rows, const struct results *results, int a)
{
    const struct risk *risk = results->risk;
    const struct aggregate *aggregate = results_aggregate(results, a);
    if (!aggregate) return;
    put_pnl_row(rows, "aggregate_scenarios", a, risk->n_scenarios, aggregate->scenarios);
    put_pnl_row(rows, "aggregate_days", a, risk->n_days, aggregate->days);
    for (int c = 0; c < risk->n_confidences; c++) put_tail(rows, a, c, aggregate);
}

void write_aggregates(struct run_rows *rows, const struct results *results)
{
    put_fx_rates(rows, results);
    for (int a = 0; a < results->sums->aggregation.n && !rows->status; a++) {
        put_sums(rows, results, a);
        put_risk(rows, results, a);
    }
}
