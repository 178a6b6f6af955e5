/* What the change of a book from one night to the next is made of: rows that a database is read for
 * (app/database/stored_runs.c) and that the report shows. */
#ifndef PRICER_APP_OUTPUT_CHANGES_H
#define PRICER_APP_OUTPUT_CHANGES_H

#include <stdbool.h>
#include <stdio.h>

#include "app/output/text_table.h"

/* The numbers of a row, as changes.def has them. */
enum {
#define CHANGE(NAME, name) CHANGE_##NAME,
#include "app/output/changes.def"
    N_CHANGE_NUMBERS
};
extern const char *const change_names[N_CHANGE_NUMBERS];

/* All trades, those with one value of a tag, or a single one. */
struct change_row {
    char way[NAME_BYTES + 1];         /* "total", a tag, or "trade" */
    char name[NAME_BYTES + 1];        /* of the tag, or the trade */
    char factor[2 * NAME_BYTES + 2];  /* what moved: an asset, two, a currency, or "time", of whose
                                         parts alone the row tells; "": all */
    char currency[NAME_BYTES + 1];    /* that the numbers are in */
    bool converted;                   /* of the trades in any currency, at the second night's FX
                                         rates; else of those in this one */
    double numbers[N_CHANGE_NUMBERS]; /* of a factor the parts, their sum as the change, and
                                          the error of the first night's Greeks in it */
};

/* Blocks of rows of one way: sums in one currency, sums by currency, then the same of factors, then
 * trades, all or those that are beyond. */
struct changes {
    int n, room;
    struct change_row *rows; /* [n] owned */
};

/* Returns how many rows from `row` on are of its block. */
int changes_in_block(const struct changes *changes, int row);

/* Returns how many trades no FX rate converts. */
int changes_left_out(const struct changes *changes);

/* The tables of the page that a person reads, the same for a terminal and the report: first what
 * the whole book's change is made of, line by line; then each value of each tag, what moved, and
 * trades: those that are beyond, and those that changed most. */
enum { TABLE_LINES, TABLE_BEYOND, TABLE_TAGS, TABLE_MOVED, TABLE_TRADES, N_CHANGE_TABLES };
enum { CHANGE_TABLE_ROWS = 300, CHANGE_TABLE_COLUMNS = 12 };
struct change_table {
    const char *id, *caption;
    const struct changes *changes;
    int kind, n_rows, n_columns, left_out; /* left_out: rows beyond those that are shown */
    int rows[CHANGE_TABLE_ROWS], columns[CHANGE_TABLE_COLUMNS];
};

/* Lays a table out, of at most `most` rows. n_rows is 0 where there is nothing to show. */
void change_table_make(const struct changes *changes, int kind, int most,
                       struct change_table *table);

/* Fills a cell, as of struct text_table. Money is rounded to the second digit of its error. */
void change_table_fill(const void *table, int row, int column, struct text_cell *cell);

/* Says what the market did to the whole book, and what of it is unexplained, in a sentence. */
void change_headline(const struct changes *changes, char *text, size_t room);

/* Write a row for each of them. Errors stay in the stream. */
void changes_csv(FILE *out, const struct changes *changes);
void changes_json(FILE *out, const struct changes *changes);

#endif
