/* What the change of a book from one night to the next is made of: rows that a database is read for
 * (app/database/explained_changes.c) and that the report shows. */
#ifndef PRICER_APP_OUTPUT_CHANGES_H
#define PRICER_APP_OUTPUT_CHANGES_H

#include <stdbool.h>
#include <stdio.h>

#include "models/base/text.h"

/* The numbers of a row. The change is the sum of those from the new trades' to the unexplained; its
 * error is at most so much: that of each night, if all its trades' go together, both nights as
 * independent. The gross change is the sum of the trades' without their signs. */
enum {
    CHANGE_TRADES,
    CHANGE_BEFORE,
    CHANGE_AFTER,
    CHANGE_CHANGE,
    CHANGE_GROSS,
    CHANGE_ERROR,
    CHANGE_NEW,
    CHANGE_GREEKS = CHANGE_NEW + 4, /* the first that Greeks explain */
    CHANGE_UNEXPLAINED = CHANGE_NEW + 10,
    CHANGE_UNEXPLAINED_ERROR, /* with that of the Greeks that explain the rest */
    N_CHANGE_NUMBERS
};
extern const char *const change_names[N_CHANGE_NUMBERS];

/* All trades, those with one value of a tag, or a single one. */
struct change_row {
    char way[NAME_BYTES + 1]; /* "total", a tag, or "trade" */
    char of[NAME_BYTES + 1];
    char factor[2 * NAME_BYTES + 2];  /* what moved: an asset, two, a currency, or "time", of whose
                                         parts alone the row tells; "": all */
    char currency[NAME_BYTES + 1];    /* that the numbers are in */
    bool converted;                   /* of the trades in any currency, at the second night's FX
                                         rates; else of those in this one */
    double numbers[N_CHANGE_NUMBERS]; /* of a factor the parts, their sum as the change, and
                                          the error of the first night's Greeks in it */
};

/* Blocks of rows of one way: sums in one currency, sums by currency, then the same of factors, then
 * trades. */
struct changes {
    int n, room;
    struct change_row *rows; /* [n] owned */
};

/* Returns how many rows from `row` on are of its block. */
int changes_in_block(const struct changes *changes, int row);

/* Tells whether sums by currency say more than those in one. */
bool changes_are_mixed(const struct changes *changes);

/* Returns how many trades no FX rate converts. */
int changes_left_out(const struct changes *changes);

/* Write a row for each of them. Errors stay in the stream. (changes_file.c) */
void changes_csv(FILE *out, const struct changes *changes);
void changes_json(FILE *out, const struct changes *changes);

#endif
