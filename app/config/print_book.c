#include <math.h>
#include <stdio.h>

#include "app/config/book_tree.h"
#include "app/config/read_trades.h"
#include "models/base/json_text.h"

/* Finds a value that a book cannot be read with as it is written: a word without quotes, or a
 * number out of range. */
static const config_setting_t *find_misread(const config_setting_t *at)
{
    const config_setting_t *found = NULL;
    const char *text = config_setting_get_string(at);
    if (text && (text[0] == TEXT_MARK_WIDE || text[0] == TEXT_MARK_BARE)) return at;
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

/* Prints what the text or the file of the input states. */
static enum status print_stated(struct book_tree *tree, const struct book_input *input, FILE *out,
                                struct complaints *complaints)
{
    enum status status = book_tree_make(tree, input, complaints);
    if (!status) status = take_rows_in(tree, complaints);
    if (status) return status;
    const config_setting_t *root = config_root_setting(&tree->config), *bad = find_misread(root);
    if (!bad) {
        print_value(out, root);
        return STATUS_OK;
    }
    int line = (int)config_setting_source_line(bad); /* 0: of a row of a CSV file */
    struct location at = source_location(&tree->source, line);
    complaints_add(
        complaints, 0,
        "%s:%d: %s%s must be in quotes, or a number that is finite and beyond 32 bits ends in L",
        tree->source.files[at.file], at.line, line ? "" : "a row of trades_file: ",
        config_setting_name(bad) ? config_setting_name(bad) : "the value");
    return STATUS_BAD_INPUT;
}

enum status book_print_stated(const struct book_input *input, FILE *out,
                              struct complaints *complaints)
{
    struct book_tree *tree = book_tree_begin();
    enum status status = tree ? print_stated(tree, input, out, complaints) : STATUS_NO_MEMORY;
    book_tree_free(tree);
    return status;
}
