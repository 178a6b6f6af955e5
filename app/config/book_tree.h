/* The tree of a book's settings, from which it is read; what is left of it, so that numbers of a
 * market that is priced again and again can be changed. */
#ifndef PRICER_APP_CONFIG_BOOK_TREE_H
#define PRICER_APP_CONFIG_BOOK_TREE_H

#include "app/config/load_book.h"
#include "app/config/reader.h"

/* A number as it was before it was changed. */
struct old_number {
    config_setting_t *setting;
    config_value_t value;
    int type;
    bool added; /* it was not there */
};

struct book_tree {
    config_t config;
    struct source source; /* whose files become the book's */
    bool drafted;
    struct reader reader;  /* that has read it: a reading of the market anew begins as a copy */
    bool settings_changed; /* some of `old` are of the settings */
    int n_old;
    struct old_number *old; /* [n_old] in the order of the changes that are to come; owned */
};

/* Begins an empty tree; NULL without memory. */
struct book_tree *book_tree_begin(void);
void book_tree_free(struct book_tree *tree);

/* Fills an empty tree: of a text, with the values that take the place of its own, or a copy of
 * a draft, since the reading of dates takes away what has passed. STATUS_BAD_INPUT with complaints;
 * STATUS_NO_MEMORY. */
enum status book_tree_make(struct book_tree *tree, const struct book_input *input,
                           struct complaints *complaints);

#endif
