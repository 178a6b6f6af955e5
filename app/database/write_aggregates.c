#include <math.h>

#include "app/database/runs.h"
#include "app/pricing/base/currency_conversion.h"

struct aggregates_writing {
    int64_t run;
    const struct results *results;
    struct message *why;
    struct statement aggregates, greeks, scenarios, days, tails, fx_rates;
};

static enum status put_aggregate(struct aggregates_writing *writing, int a)
{
    const struct book_sums *sums = writing->results->sums;
    const struct aggregate_name *name = &sums->aggregation.names[a];
    struct statement *statement = &writing->aggregates;
    put_integer(statement, writing->run);
    put_integer(statement, a);
    put_text(statement, sums->aggregation.ways[name->way]);
    put_text(statement, name->name);
    put_integer(statement, sums->values[a].n);
    put_number(statement, sums->values[a].value);
    put_number(statement, sums->values[a].error);
    return statement_run(statement, writing->why);
}

/* Adds what a unit of each currency is worth in the run's. */
static enum status put_fx_rates(struct aggregates_writing *writing)
{
    enum status status = STATUS_OK;
    const struct market *market = writing->results->market;
    for (int c = 0; c < market->n_currencies; c++) {
        double rate = conversion_rate(market, c, writing->results->currency);
        if (!isfinite(rate)) continue;
        put_integer(&writing->fx_rates, writing->run);
        put_text(&writing->fx_rates, market->currencies[c].name);
        put_number(&writing->fx_rates, rate);
        TRY(statement_run(&writing->fx_rates, writing->why));
    }
done:
    return status;
}

static enum status put_greeks(struct aggregates_writing *writing, int a)
{
    enum status status = STATUS_OK;
    const struct book_sums *sums = writing->results->sums;
    const struct risk *risk = writing->results->risk;
    struct statement *statement = &writing->greeks;
    for (int s = 0; risk && s < risk->n_sensitivities; s++) {
        const struct money_total *greek =
            &sums->greeks[(size_t)s * (size_t)sums->aggregation.n + (size_t)a];
        if (!greek->n) continue;
        put_integer(statement, writing->run);
        put_integer(statement, a);
        put_integer(statement, s);
        put_integer(statement, greek->n);
        put_number(statement, greek->value);
        put_number(statement, greek->error);
        TRY(statement_run(statement, writing->why));
    }
done:
    return status;
}

static enum status put_tail(struct aggregates_writing *writing, int a, int c,
                            const struct aggregate *aggregate)
{
    struct statement *statement = &writing->tails;
    const struct value_at_risk *tail = &aggregate->values_at_risk[c];
    if (isnan(tail->var)) return STATUS_OK;
    put_integer(statement, writing->run);
    put_integer(statement, a);
    put_numbers(statement, VALUE_AT_RISK_NUMBERS, &tail->confidence);
    put_numbers(statement, CONTRIBUTION_NUMBERS, &aggregate->contributions[c].component_var);
    return statement_run(statement, writing->why);
}

static enum status put_risk(struct aggregates_writing *writing, int a)
{
    enum status status = STATUS_OK;
    const struct risk *risk = writing->results->risk;
    const struct aggregate *aggregate = results_aggregate(writing->results, a);
    if (!aggregate) return STATUS_OK;
    TRY(put_pnl_row(&writing->scenarios, writing->run, a, risk->n_scenarios, aggregate->scenarios,
                    writing->why));
    TRY(put_pnl_row(&writing->days, writing->run, a, risk->n_days, aggregate->days, writing->why));
    for (int c = 0; c < risk->n_confidences; c++) TRY(put_tail(writing, a, c, aggregate));
done:
    return status;
}

enum status write_aggregates(const struct database *database, int64_t run,
                             const struct results *results, struct message *why)
{
    enum status status = STATUS_OK;
    struct aggregates_writing writing = {.run = run, .results = results, .why = why};
    const struct {
        const char *sql;
        struct statement *statement;
    } inserts[] = {
        {"INSERT INTO aggregates VALUES (?, ?, ?, ?, ?, ?, ?)", &writing.aggregates},
        {"INSERT INTO aggregate_greeks VALUES (?, ?, ?, ?, ?, ?)", &writing.greeks},
        {"INSERT INTO aggregate_scenarios VALUES (?, ?, ?, ?, ?)", &writing.scenarios},
        {"INSERT INTO aggregate_days VALUES (?, ?, ?, ?, ?)", &writing.days},
        {"INSERT INTO aggregate_tails VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
         "?, "
         "?)",
         &writing.tails},
        {"INSERT INTO fx_rates VALUES (?, ?, ?)", &writing.fx_rates},
    };
    enum { N_INSERTS = sizeof inserts / sizeof *inserts };
    for (int i = 0; i < N_INSERTS; i++)
        TRY(statement_begin(database, inserts[i].sql, inserts[i].statement, why));
    TRY(put_fx_rates(&writing));
    for (int a = 0; a < results->sums->aggregation.n; a++) {
        TRY(put_aggregate(&writing, a));
        TRY(put_greeks(&writing, a));
        TRY(put_risk(&writing, a));
    }
done:
    for (int i = 0; i < N_INSERTS; i++) statement_end(inserts[i].statement);
    return status;
}
