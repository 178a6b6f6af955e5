#include <math.h>

#include "app/database/runs.h"

struct risk_writing {
    const struct database *database;
    int64_t run;
    const struct risk *risk;
    const struct market *market;
    struct message *why;
};

/* ---- Greeks ---------------------------------------------------------------------------------- */

static const char *asset_name(const struct market *market, int asset)
{
    return asset < 0 ? NULL : market->assets[asset].name;
}

static enum status put_sensitivities(const struct risk_writing *writing)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    const struct market *market = writing->market;
    TRY(statement_begin(writing->database,
                        "INSERT INTO sensitivities VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", &statement,
                        writing->why));
    for (int i = 0; i < writing->risk->n_sensitivities; i++) {
        const struct sensitivity *sensitivity = &writing->risk->sensitivities[i];
        int currency = sensitivity->currency;
        put_integer(&statement, writing->run);
        put_integer(&statement, i);
        put_text(&statement, sensitivity->name);
        put_text(&statement, greek_rows[sensitivity->greek].name);
        put_text(&statement, asset_name(market, sensitivity->asset));
        put_text(&statement, asset_name(market, sensitivity->other));
        put_text(&statement, currency < 0 ? NULL : market->currencies[currency].name);
        put_number(&statement, sensitivity->bucket);
        put_number(&statement, sensitivity->strike);
        TRY(statement_run(&statement, writing->why));
    }
done:
    statement_end(&statement);
    return status;
}

static enum status put_greek(struct statement *statement, int64_t run, int trade, int sensitivity,
                             const struct greek_value *greek, struct message *why)
{
    put_integer(statement, run);
    put_integer(statement, trade);
    put_integer(statement, sensitivity);
    put_numbers(statement, GREEK_NUMBERS, &greek->value);
    put_text(statement, greek->method);
    return statement_run(statement, why);
}

static enum status put_greeks(const struct risk_writing *writing)
{
    enum status status = STATUS_OK;
    const struct risk *risk = writing->risk;
    const struct greek_table *table = &risk->greeks;
    struct statement statement = {0};
    TRY(statement_begin(writing->database,
                        "INSERT INTO greeks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &statement,
                        writing->why));
    for (int t = 0; table->first && t < risk->n_trades; t++)
        for (size_t k = table->first[t]; k < table->first[t + 1]; k++)
            if (!isnan(table->values[k].value))
                TRY(put_greek(&statement, writing->run, t, table->sensitivity[k], &table->values[k],
                              writing->why));
done:
    statement_end(&statement);
    return status;
}

/* ---- profit and loss ------------------------------------------------------------------------- */

/* Adds the name of a scenario or a day: (run, index, name). */
static enum status put_name(const struct risk_writing *writing, struct statement *statement,
                            int index, const char *name)
{
    put_integer(statement, writing->run);
    put_integer(statement, index);
    put_text(statement, name);
    return statement_run(statement, writing->why);
}

static enum status put_names(const struct risk_writing *writing, const char *sql, int n,
                             char *const *names)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    TRY(statement_begin(writing->database, sql, &statement, writing->why));
    for (int i = 0; i < n; i++) TRY(put_name(writing, &statement, i, names[i]));
done:
    statement_end(&statement);
    return status;
}

enum status put_pnl_row(struct statement *statement, int64_t run, int row, int n,
                        const struct pnl *pnl, struct message *why)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < n; i++) {
        if (isnan(pnl[i].value)) continue;
        put_integer(statement, run);
        put_integer(statement, row);
        put_integer(statement, i);
        put_number(statement, pnl[i].value);
        put_number(statement, pnl[i].std_error);
        TRY(statement_run(statement, why));
    }
done:
    return status;
}

static enum status put_pnl(const struct risk_writing *writing, const char *sql, int rows,
                           int columns, const struct pnl *pnl)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    TRY(statement_begin(writing->database, sql, &statement, writing->why));
    for (int i = 0; i < rows; i++)
        TRY(put_pnl_row(&statement, writing->run, i, columns, &pnl[(size_t)i * (size_t)columns],
                        writing->why));
done:
    statement_end(&statement);
    return status;
}

/* ---- tails ----------------------------------------------------------------------------------- */

static enum status put_value_at_risk(const struct risk_writing *writing,
                                     struct statement *statement, int index,
                                     const struct value_at_risk *value_at_risk)
{
    if (isnan(value_at_risk->var)) return STATUS_OK;
    put_integer(statement, writing->run);
    put_integer(statement, index);
    put_numbers(statement, VALUE_AT_RISK_NUMBERS, &value_at_risk->confidence);
    return statement_run(statement, writing->why);
}

static enum status put_values_at_risk(const struct risk_writing *writing)
{
    enum status status = STATUS_OK;
    const struct risk *risk = writing->risk;
    struct statement statement = {0};
    TRY(statement_begin(writing->database,
                        "INSERT INTO tails VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &statement,
                        writing->why));
    for (int c = 0; c < risk->n_confidences; c++)
        for (int t = 0; t < risk->n_trades; t++)
            TRY(put_value_at_risk(
                writing, &statement, t,
                &risk->values_at_risk[(size_t)c * (size_t)risk->n_trades + (size_t)t]));
done:
    statement_end(&statement);
    return status;
}

enum status write_risk(const struct database *database, int64_t run, const struct results *results,
                       struct message *why)
{
    enum status status = STATUS_OK;
    const struct risk *risk = results->risk;
    const struct risk_writing writing = {database, run, risk, results->market, why};
    TRY(put_sensitivities(&writing));
    TRY(put_greeks(&writing));
    TRY(put_names(&writing, "INSERT INTO scenarios VALUES (?, ?, ?)", risk->n_scenarios,
                  risk->scenario_names));
    TRY(put_names(&writing, "INSERT INTO days VALUES (?, ?, ?)", risk->n_days, risk->day_names));
    TRY(put_pnl(&writing, "INSERT INTO scenario_pnl VALUES (?, ?, ?, ?, ?)", risk->n_scenarios,
                risk->n_trades, risk->scenarios));
    TRY(put_pnl(&writing, "INSERT INTO day_pnl VALUES (?, ?, ?, ?, ?)", risk->n_days,
                risk->n_trades, risk->days));
    TRY(put_values_at_risk(&writing));
done:
    return status;
}
