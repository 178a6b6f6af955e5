/* Reads a book from a libconfig file, and what belongs to it from the files beside it. */
#ifndef PRICER_APP_CONFIG_LOAD_BOOK_H
#define PRICER_APP_CONFIG_LOAD_BOOK_H

#include <libconfig.h>
#include <stdio.h>

#include "app/config/reader.h"
#include "app/pricing/base/book.h"

/* Where a book is from: the file at `path`; or a text, or a draft, of that name. Neither includes
 * another file. */
struct book_input {
    const char *path;
    const char *text;                /* NULL: none */
    const config_setting_t *drafted; /* NULL: none; `text` is then empty */
    int n_sets;
    const char *const *sets; /* [n_sets] of a file or a text */
};

/* ---- the tree of its settings ----
 *
 * What is left of the tree, so that numbers of a market that is priced again and again can be
 * changed. */

/* A number as it was before it was changed. */
struct old_number {
    config_setting_t *setting;
    config_value_t value;
    int type;
    bool added; /* it was not there */
};

struct book_tree {
    config_t config;
    struct source source;  /* whose files become the book's */
    struct reader reader;  /* that has read it: a reading of the market anew begins as a copy */
    bool settings_changed; /* some of `old` are of the settings */
    int n_old;
    struct old_number *old; /* [n_old] in the order of the changes that are to come; owned */
};

void book_tree_free(struct book_tree *tree);

/* ---- reading and printing it ---- */

/* Reads a book. The caller frees it with book_free, and `complaints` (begun as {0}) with
 * complaints_free. `complaints` holds every error found, one line each as `file:line: trade 'T7':
 * strike must be > 0, got -5`. An error in a trade's own keys leaves that trade unpriced
 * (settings.on_bad_trade); any other, an unreadable file included, and a book without a trade left,
 * is STATUS_BAD_INPUT: then `book` is empty. STATUS_NO_MEMORY. What is left of its tree is the
 * caller's, where `market_tree` is not NULL: book_tree_free(). */
enum status book_read(const struct book_input *input, struct book *book,
                      struct complaints *complaints, struct book_tree **market_tree);

/* Prints what a text or a file states, as JSON, without reading a book from it. STATUS_BAD_INPUT
 * with one complaint; STATUS_NO_MEMORY. */
enum status book_print_stated(const struct book_input *input, FILE *out,
                              struct complaints *complaints);

#endif
