#include <stdlib.h>

#include "app/config/trade_terms.h"
#include "app/database/runs.h"
#include "models/payoffs/scripted.h"

/* Puts a text, or NULL for what is not known of a refused trade. */
static void put_known(struct statement *statement, const char *text)
{
    put_text(statement, text[0] ? text : NULL);
}

static enum status put_trade(struct statement *statement, int64_t run,
                             const struct results *results, int index, struct message *why)
{
    const struct trade *trade = &results->trades[index];
    struct joined_names names;
    char *terms = NULL;
    enum status status = trade_terms(trade, results->manifest.valuation_date, &terms);
    if (status) return status;
    join_names(results, index, &names);
    put_integer(statement, run);
    put_integer(statement, index);
    put_text(statement, trade->id);
    put_known(statement, trade_type(trade));
    put_known(statement, names.assets);
    put_known(statement, names.models);
    put_known(statement, results_currency(results, index));
    put_number(statement, trade->quantity);
    put_text(statement, terms);
    put_text(statement, trade->file);
    put_integer(statement, trade->line);
    free(terms);
    return statement_run(statement, why);
}

/* Puts the text of a trade's script once, by the digest that its terms have. */
static enum status put_script(struct statement *statement, int64_t run, int index,
                              const struct trade *trade, struct message *why)
{
    if (!trade->scripted) return STATUS_OK;
    put_text(statement, trade->scripted->script->text);
    put_integer(statement, run);
    put_integer(statement, index);
    return statement_run(statement, why);
}

static enum status put_tags(struct statement *statement, int64_t run, int index,
                            const struct trade *trade, struct message *why)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < trade->n_tags; i++) {
        put_integer(statement, run);
        put_integer(statement, index);
        put_text(statement, trade->tags[i].name);
        put_text(statement, trade->tags[i].value);
        TRY(statement_run(statement, why));
    }
done:
    return status;
}

static enum status put_price(struct statement *statement, int64_t run,
                             const struct results *results, int index, struct message *why)
{
    struct joined_names names;
    struct result_field fields[N_COLUMNS];
    results_row(results, index, &names, fields);
    put_integer(statement, run);
    put_integer(statement, index);
    for (int c = 0; c < N_COLUMNS; c++) {
        if (!result_columns[c].in_prices) continue;
        if (fields[c].text) put_known(statement, fields[c].text);
        else put_number(statement, fields[c].number);
    }
    return statement_run(statement, why);
}

enum status write_prices(const struct database *database, int64_t run,
                         const struct results *results, struct message *why)
{
    enum status status = STATUS_OK;
    struct statement trades = {0}, scripts = {0}, tags = {0}, prices = {0};
    static const char insert[] = "INSERT INTO prices VALUES (?, ?"
#define COLUMN(name, field, traits, heading, title)
#define PRICE_COLUMN(name, field, traits, heading, title, sql) ", ?"
#include "app/output/columns.def"
                                 ")";
    TRY(statement_begin(database, "INSERT INTO trades VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        &trades, why));
    TRY(statement_begin(
        database,
        "INSERT OR IGNORE INTO scripts SELECT run, json_extract(terms, '$.script'), ?"
        " FROM trades WHERE run = ? AND trade = ?",
        &scripts, why));
    TRY(statement_begin(database, "INSERT INTO tags VALUES (?, ?, ?, ?)", &tags, why));
    TRY(statement_begin(database, insert, &prices, why));
    for (int i = 0; i < results->n; i++) {
        TRY(put_trade(&trades, run, results, i, why));
        TRY(put_script(&scripts, run, i, &results->trades[i], why));
        TRY(put_tags(&tags, run, i, &results->trades[i], why));
        TRY(put_price(&prices, run, results, i, why));
    }
done:
    statement_end(&trades);
    statement_end(&scripts);
    statement_end(&tags);
    statement_end(&prices);
    return status;
}
