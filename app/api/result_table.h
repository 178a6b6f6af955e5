/* A table of results as columns, which its holders share. */
#ifndef PRICER_APP_API_RESULT_TABLE_H
#define PRICER_APP_API_RESULT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/config/names.h"

enum result_table_kind {
    RESULT_TABLE_PRICES,
#define TABLE(NAME, name, columns) RESULT_TABLE_##NAME,
#include "app/api/result_tables.def"
    N_RESULT_TABLES
};

enum { RESULT_COLUMNS_MAX = 24 };

struct table_column {
    const char *name;
    bool is_text;
};

/* A row of result_tables.def. */
struct result_table_form {
    const char *name;
    struct table_column columns[RESULT_COLUMNS_MAX + 1]; /* ended by one without a name */
};
extern const struct result_table_form result_table_forms[N_RESULT_TABLES];

/* Returns the number of its columns. */
int result_table_columns(enum result_table_kind kind);

/* Takes one field of a row after the other: a text, or where that is NULL a number; NULL and NaN
 * where there is none. False: no more are wanted. */
typedef bool take_field(void *context, int column, const char *text, double number);

/* Texts live as long as the table, whatever becomes of the results. */
struct result_table {
    atomic_int holders;
    const struct result_table_form *form;
    int n_columns;
    struct result_table *lender; /* whose columns are the first ones; held. NULL: all are its own */
    int64_t n, room;
    double *numbers[RESULT_COLUMNS_MAX];    /* [column][n] NaN: none; NULL of a column of texts */
    const char **texts[RESULT_COLUMNS_MAX]; /* [column][n] NULL: none; NULL of one of numbers */
    char **copies;      /* [n_copies] texts that rows point to, none twice; owned */
    struct names known; /* which they are */
    int n_copies, copy_room;
    int at;           /* column of the row that is being written */
    take_field *take; /* NULL: the columns keep what is put; else nothing is kept */
    void *take_context;
    enum status status;
};

/* Begins a table with one holder; NULL without memory. The last to let it go frees it. */
struct result_table *result_table_begin(enum result_table_kind kind);

/* Begins one of the first columns alone, which tables of as many rows may borrow; and lends them to
 * one that has no row yet, whose rows are then put without them. */
struct result_table *result_table_begin_lender(enum result_table_kind kind, int n_columns);
void result_table_borrow(struct result_table *table, struct result_table *lender);

void result_table_hold(struct result_table *table);
void result_table_let_go(struct result_table *table);

/* Begin a row, and put its fields one after the other. A text is copied, once for all rows. Lack of
 * memory is kept in the status. */
void result_row(struct result_table *table);
void result_number(struct result_table *table, double number);
void result_text(struct result_table *table, const char *text);

/* Puts the rows of a table that results alone are enough for, from the Greeks to the tags
 * (make_tables.c). */
struct results;
void result_table_fill(const struct results *results, enum result_table_kind kind,
                       struct result_table *table);

#endif
