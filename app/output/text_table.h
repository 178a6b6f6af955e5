/* A table for a person: columns as wide as what they show, in as many blocks, one under the other,
 * as the terminal is narrow. */
#ifndef PRICER_APP_OUTPUT_TEXT_TABLE_H
#define PRICER_APP_OUTPUT_TEXT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "models/base/text.h"

enum { CELL_ROOM = 2 * NAME_BYTES + 32, TEXT_COLUMNS_MAX = 64 };

/* What a cell shows, and what its column is, the same in every row. */
struct text_cell {
    char text[CELL_ROOM];
    bool is_text;       /* else it is set to the right */
    bool yields;        /* the column is left out of too narrow a terminal */
    const char *colour; /* of this cell; NULL mostly */
};

/* What a table shows. Row -1 is the headings. The first column is repeated in every block. A cell
 * is {0} until it is filled. */
struct text_table {
    int n_rows, n_columns; /* at most TEXT_COLUMNS_MAX */
    const void *context;
    void (*fill)(const void *context, int row, int column, struct text_cell *cell);
};

/* Writes it into lines of at most `width` characters where that can be; 0: of any width. */
void text_table_write(FILE *out, const struct text_table *table, int width);

/* Returns the characters of a text, not its bytes. */
int text_width(const char *text);

/* Shows a number to so many decimals, AS_GIVEN (results.h) to six digits; "-" where there is none.
 */
void number_cell(char text[CELL_ROOM], double number, int decimals);

/* A number as a person reads it: with thousands set apart by commas, a dash where there is none. */
struct number_text {
    char text[96];
};
struct number_text number_text(double number, int decimals);

/* Columns of the terminal that standard output is, or what the environment's COLUMNS says of it; 0
 * where it is none. */
int terminal_width(void);

#endif
