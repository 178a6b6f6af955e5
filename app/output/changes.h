/* What the change of a book from one night to the next is made of: rows that a database is read for
 * (app/database/explained_changes.c) and that the report shows. */
#ifndef PRICER_APP_OUTPUT_CHANGES_H
#define PRICER_APP_OUTPUT_CHANGES_H

#include "models/base/text.h"

/* The numbers of a row. The change is the sum of those behind the error, which is at most so much:
 * that of each night, if all its trades' go together, both nights as independent. */
enum {
    CHANGE_TRADES,
    CHANGE_BEFORE,
    CHANGE_AFTER,
    CHANGE_CHANGE,
    CHANGE_ERROR,
    CHANGE_NEW,
    CHANGE_UNEXPLAINED = CHANGE_NEW + 9,
    N_CHANGE_NUMBERS
};
extern const char *const change_names[N_CHANGE_NUMBERS];

/* The trades of one currency: all, with one value of a tag, or a single one. */
struct change_row {
    char way[NAME_BYTES + 1]; /* "total", a tag, or "trade" */
    char of[NAME_BYTES + 1], currency[NAME_BYTES + 1];
    double numbers[N_CHANGE_NUMBERS];
};

struct changes {
    int n, room;
    struct change_row *rows; /* [n] all trades first, then way after way; owned */
};

#endif
