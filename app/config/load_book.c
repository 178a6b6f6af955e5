#include "app/config/load_book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"
#include "app/config/csv_reader.h"
#include "app/config/read_market.h"
#include "app/config/reader.h"
#include "app/config/read_risk.h"
#include "app/config/read_trades.h"
#include "models/base/json_text.h"
#include "models/payoffs/payoff_definition.h"

static const struct key book_keys[] = {
    KEY_FIELD("name", NAME, struct book, name,
              "what the book is called; its file where it has no name"),
    KEY_DEFERRED("trades", FORM_GROUPS, "the trades; or trades_file has them",
                 .table = &trade_table),
    KEY_DEFERRED("trades_file", FORM_TEXT | FORM_TEXTS,
                 "CSV file, or several, whose rows are trades"),
};
static const struct key_table book_table = KEY_TABLE("book", book_keys, .required = "");

static const struct key root_keys[] = {
    KEY_DEFERRED("valuation_date", FORM_DATE,
                 "the day that times count from, as \"2026-11-20\"; needed where the book writes a "
                 "date or a tenor"),
    KEY_DEFERRED("calendars", FORM_GROUPS, "calendars of holidays beside those of the program",
                 .table = &calendar_table),
    KEY_DEFERRED("settings", FORM_GROUP, "how the book is priced", .table = &settings_table),
    KEY_DEFERRED("market", FORM_GROUP, "currencies, assets and their correlations",
                 .table = &market_table),
    KEY_DEFERRED("book", FORM_GROUP, "the trades", .table = &book_table),
    KEY_DEFERRED("risk", FORM_GROUP, "Greeks, scenarios and value at risk", .table = &risk_table),
    KEY_DEFERRED("fixings", FORM_TEXT,
                 "CSV file of past closes, from which what has passed of trades is derived"),
};
const struct key_table root_table =
    KEY_TABLE("a book's file", root_keys, .required = "market book");

/* Reads the group of the book: the trades of its own list first, then those of its files. */
static void read_book_group(struct reader *reader, const config_setting_t *at, struct book *book)
{
    struct trade_list list = {0};
    read_group(reader, &book_table, at, book);
    if (!at || !config_setting_is_group(at)) return;
    const config_setting_t *trades = member_of(at, "trades"), *files = member_of(at, "trades_file");
    int before = reader->complaints->n;
    product_rules_set(list.rules);
    read_trades(reader, trades, &list);
    if (files && !reader->status) read_trade_files(reader, files, &list);
    trade_list_end(reader, &list);
    book->scripts = book_scripts_take(&list.scripts, &book->n_scripts);
    book->trades = list.trades;
    book->n_trades = list.n;
    book->unpriced = list.unpriced;
    book->n_unpriced = list.n_unpriced;
    if (reader->status) return;
    bool refused = !book->n_trades && book->n_unpriced; /* all: complaints say why */
    for (int i = 0; i < book->n_unpriced; i++) refused &= !book->unpriced[i].expired;
    if (refused) reader->n_stopping++;
    if (book->n_trades || book->n_unpriced || reader->complaints->n > before) return;
    if (!trades && !files)
        complain(reader, at, "trades is missing: book must have it, or trades_file");
    else
        complain(
            reader, trades ? trades : files,
            "the book is empty: trades must be a list of at least one ( { id = ...; }, ... )%s",
            files ? ", or trades_file have a row below its first line" : "");
}

/* Notes currencies of trades that no total of the risk that is asked converts. */
static void note_unconverted(struct reader *reader, const config_setting_t *market,
                             const struct book *book)
{
    const struct risk_request *risk = &book->risk;
    const config_setting_t *list = member_of(market, "currencies");
    if (!risk->greeks && !risk->n_scenarios && !risk->n_days) return;
    for (int c = 0; c < book->market.n_currencies; c++) {
        const config_setting_t *currency = element_of(list, c);
        int n = 0;
        for (int i = 0; i < book->n_trades; i++)
            n += trade_currency(&book->market, &book->trades[i]) == c;
        if (!n || !isnan(conversion_rate(&book->market, c, risk->currency))) continue;
        begin_subject(reader, ABOUT_CURRENCY, c, member_of(currency, "name"), c + 1, "the list");
        doubt(reader, currency, "no FX rate leads from it to %s: totals leave out %d trade%s",
              book->market.currencies[risk->currency].name, n, n == 1 ? "" : "s");
    }
    end_subject(reader);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Begins an empty tree; NULL without memory. */
static struct book_tree *book_tree_begin(void)
{
    struct book_tree *tree = calloc(1, sizeof *tree);
    if (!tree) return NULL;
    config_init(&tree->config);
    config_set_destructor(&tree->config, free);
    return tree;
}

void book_tree_free(struct book_tree *tree)
{
    if (!tree) return;
    calendars_free(&tree->reader);
    config_destroy(&tree->config);
    source_free(&tree->source);
    free(tree->old);
    free(tree);
}

/* Reads the valuation date first, whatever the order of the file, then what trades refer to. */
static enum status read_config(struct book_tree *tree, struct book *book,
                               struct complaints *complaints)
{
    const config_setting_t *root = config_root_setting(&tree->config),
                           *date = member_of(root, "valuation_date"),
                           *market = member_of(root, "market"),
                           *closes = member_of(root, "fixings");
    struct reader *reader = &tree->reader;
    struct fixings fixings = {0};
    *reader = (struct reader){.source = &tree->source,
                              .complaints = complaints,
                              .notes = &book->notes,
                              .drafted = reader->drafted};
    read_group(reader, &root_table, root, NULL);
    if (date) reader->dated = DATED_WRONGLY;
    if (read_date(reader, date, &reader->valuation_day)) {
        reader->dated = DATED;
        memcpy(book->valuation_date, config_setting_get_string(date), sizeof book->valuation_date);
        memcpy(reader->valuation_date, book->valuation_date, sizeof reader->valuation_date);
    }
    read_calendars(reader, member_of(root, "calendars"));
    settings_read(reader, member_of(root, "settings"), &book->settings, &book->risk);
    reader->on_bad_trade = book->settings.on_bad_trade;
    if (market) read_market(reader, market, &book->market);
    if (closes) {
        fixings_read(reader, closes, &fixings);
        reader->fixings = &fixings;
    }
    read_book_group(reader, member_of(root, "book"), book);
    read_risk(reader, member_of(root, "risk"), &book->market, &book->risk);
    if (!reader->n_stopping && !reader->status) {
        note_models(reader, market, book->settings.max_step, &book->market, book->n_trades,
                    book->trades);
        note_crosses(reader, market, &book->market, book->n_trades, book->trades,
                     book->risk.greeks);
        note_unconverted(reader, market, book);
    }
    fixings_free(&fixings);
    reader->fixings = NULL;
    reader_end(reader);
    return reader->status ? reader->status : reader->n_stopping ? STATUS_BAD_INPUT : STATUS_OK;
}

/* Fills an empty tree: of a text, with the values that take the place of its own, or a copy of
 * a draft, since the reading of dates takes away what has passed. STATUS_BAD_INPUT with complaints;
 * STATUS_NO_MEMORY. */
static enum status book_tree_make(struct book_tree *tree, const struct book_input *input,
                                  struct complaints *complaints)
{
    struct source *source = &tree->source;
    config_t *config = &tree->config;
    enum status status =
        input->text ? source_read_text(input->path, input->text, config, source, complaints)
                    : source_read(input->path, config, source, complaints);
    tree->reader.drafted = input->drafted != NULL;
    if (status) return status;
    if (input->drafted)
        return copy_value(input->drafted, config_root_setting(config)) ? STATUS_OK
                                                                       : STATUS_NO_MEMORY;
    for (int i = 0; !complaints->n && i < input->n_sets && !status; i++)
        status = override_apply(config, input->sets[i], complaints);
    return status ? status : complaints->n ? STATUS_BAD_INPUT : STATUS_OK;
}

static enum status load(struct book_tree *tree, const struct book_input *input, struct book *book,
                        struct complaints *complaints)
{
    struct source *source = &tree->source;
    enum status status = book_tree_make(tree, input, complaints);
    if (!status) status = read_config(tree, book, complaints);
    if (!status && !book->name && !(book->name = strdup(source->files[0])))
        status = STATUS_NO_MEMORY;
    book->n_files = source->n_files; /* trades point to these */
    book->files = source->files;
    book->digest = source->digest;
    source->n_files = 0;
    source->files = NULL;
    return status;
}

enum status book_read(const struct book_input *input, struct book *book,
                      struct complaints *complaints, struct book_tree **market_tree)
{
    *book = (struct book){.settings = settings_default()};
    struct book_tree *tree = book_tree_begin();
    enum status status = tree ? load(tree, input, book, complaints) : STATUS_NO_MEMORY;
    if (complaints->lost || book->notes.lost) status = STATUS_NO_MEMORY;
    if (status == STATUS_NO_MEMORY) complaints_free(complaints); /* that is what is wrong */
    complaints_sort(complaints);
    complaints_sort(&book->notes);
    if (status) book_free(book);
    if (status || !market_tree) {
        book_tree_free(tree);
        return status;
    }
    /* What a market is read from is left; the book has the files */
    config_setting_t *root = config_root_setting(&tree->config);
    config_setting_remove(root, "book");
    config_setting_remove(root, "risk");
    config_setting_remove(root, "fixings");
    *market_tree = tree;
    return STATUS_OK;
}

/* ---- what a book states -------------------------------------------------------------------- */

/* Finds a value that a book cannot be read with as it is written: a word without quotes, or a
 * number out of range. */
static const config_setting_t *find_misread(const config_setting_t *at)
{
    const config_setting_t *found = NULL;
    const char *text = config_setting_get_string(at);
    if (text && text_mark(text)) return at;
    if (config_setting_type(at) == CONFIG_TYPE_FLOAT && !isfinite(config_setting_get_float(at)))
        return at;
    for (int i = 0; !found && i < config_setting_length(at); i++)
        found = find_misread(element_of(at, i));
    return found;
}

static void print_value(FILE *out, const config_setting_t *at)
{
    bool group = config_setting_is_group(at);
    int n = 0;
    switch (config_setting_type(at)) {
    case CONFIG_TYPE_INT: fprintf(out, "%d", config_setting_get_int(at)); return;
    case CONFIG_TYPE_INT64: fprintf(out, "%lld", config_setting_get_int64(at)); return;
    case CONFIG_TYPE_FLOAT: json_number(out, config_setting_get_float(at)); return;
    case CONFIG_TYPE_BOOL: fputs(config_setting_get_bool(at) ? "true" : "false", out); return;
    case CONFIG_TYPE_STRING: json_text(out, config_setting_get_string(at)); return;
    default: break;
    }
    putc(group ? '{' : '[', out);
    for (int i = 0; i < config_setting_length(at); i++) {
        const config_setting_t *one = element_of(at, i);
        if (group) json_key(out, config_setting_name(one), &n);
        else if (i) putc(',', out);
        print_value(out, one);
    }
    putc(group ? '}' : ']', out);
}

/* Puts the rows of the files of trades behind the trades of the book itself. */
static enum status take_rows_in(struct book_tree *tree, struct complaints *complaints)
{
    config_setting_t *book = config_lookup(&tree->config, "book");
    config_setting_t *files = book ? config_setting_get_member(book, "trades_file") : NULL;
    if (!files) return STATUS_OK;
    config_setting_t *trades = config_setting_get_member(book, "trades");
    if (!trades) trades = config_setting_add(book, "trades", CONFIG_TYPE_LIST);
    struct trade_list none = {0};
    struct reader reader = {.source = &tree->source, .complaints = complaints, .stated = trades};
    if (!trades) return STATUS_NO_MEMORY;
    read_trade_files(&reader, files, &none);
    config_setting_remove(book, "trades_file");
    return reader.status ? reader.status : complaints->n ? STATUS_BAD_INPUT : STATUS_OK;
}

enum status book_print_stated(const struct book_input *input, FILE *out,
                              struct complaints *complaints)
{
    struct book_tree *tree = book_tree_begin();
    enum status status = tree ? book_tree_make(tree, input, complaints) : STATUS_NO_MEMORY;
    if (!status) status = take_rows_in(tree, complaints);
    const config_setting_t *root = status ? NULL : config_root_setting(&tree->config),
                           *bad = root ? find_misread(root) : NULL;
    if (root && !bad) print_value(out, root);
    if (bad) {
        int line = (int)config_setting_source_line(bad); /* 0: of a row of a CSV file */
        struct location at = source_location(&tree->source, line);
        complaints_add(complaints, 0,
                       "%s:%d: %s%s must be in quotes, or a number that is finite and beyond 32 "
                       "bits ends in L",
                       tree->source.files[at.file], at.line, line ? "" : "a row of trades_file: ",
                       config_setting_name(bad) ? config_setting_name(bad) : "the value");
        status = STATUS_BAD_INPUT;
    }
    book_tree_free(tree);
    return status;
}
