#include <stdlib.h>

#include "app/config/trade_terms.h"
#include "app/database/runs.h"
#include "models/payoffs/scripted.h"

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

void write_prices(struct run_rows *rows, const struct results *results)
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
