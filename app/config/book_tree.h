/* The tree of a book's settings, from which it is read; what is kept of it, so that numbers of a
 * market that is priced again and again can be changed. */
#ifndef PRICER_APP_CONFIG_BOOK_TREE_H
#define PRICER_APP_CONFIG_BOOK_TREE_H

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
    /* What a reading of the market begins with; the calendars are owned */
    int n_calendars;
    struct holiday_list *calendars;
    int dated; /* as of a reader */
    long valuation_day;
    char valuation_date[11];
    bool settings_changed; /* some of `old` are of the settings */
    int n_old;
    struct old_number *old; /* [n_old] in the order of the changes that are to come; owned */
};

/* Begins an empty tree; NULL without memory. */
struct book_tree *book_tree_begin(void);
void book_tree_free(struct book_tree *tree);

/* Leaves of a tree that a book was read from what a market is read from. */
void book_tree_strip(struct book_tree *tree);

/* Returns a reader that has read dates and calendars, whose complaints, notes and names the caller
 * frees. */
struct reader book_tree_reader(struct book_tree *tree, struct complaints *complaints,
                               struct complaints *notes);

/* Copies a value into a setting of its type, an empty one where it holds others, with where each is
 * from. False without memory. */
bool copy_value(const config_setting_t *from, config_setting_t *to);

#endif
