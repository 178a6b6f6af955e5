/* A table of results as columns, which its holders share. */
#ifndef PRICER_APP_API_RESULT_TABLE_H
#define PRICER_APP_API_RESULT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/api/pricer.h"
#include "models/base/status.h"

enum { N_RESULT_TABLES = PRICER_TABLE_KERNELS + 1, RESULT_COLUMNS_MAX = 24 };

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
int result_table_columns(enum pricer_table kind);

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
    /* [column] numbers, double [n] (NaN: none), or texts, const char * [n] (NULL: none) */
    void *columns[RESULT_COLUMNS_MAX];
    void *copies;     /* a tree (tsearch) of the texts that rows point to, none twice; owned */
    int at;           /* column of the row that is being written */
    take_field *take; /* NULL: the columns keep what is put; else nothing is kept */
    void *take_context;
    enum status status;
};

/* Begins a table with one holder; NULL without memory. The last to let it go frees it. */
struct result_table *result_table_begin(enum pricer_table kind);

/* Lends the columns of a table, which has the first ones alone, to one of as many rows that has
 * none yet: its rows are then put without them. */
void result_table_borrow(struct result_table *table, struct result_table *lender);

void result_table_hold(struct result_table *table);
void result_table_let_go(struct result_table *table);

/* Begins a row and puts its first fields as printf does its values: %s a text, which is copied,
 * once for all rows (NULL: none); %d a whole number and %g a number. Lack of memory is kept in the
 * status. */
__attribute__((format(printf, 2, 3))) void result_row(struct result_table *table,
                                                      const char *format, ...);

/* Begins a row alone; and put the next field. */
void result_row_begin(struct result_table *table);
void result_number(struct result_table *table, double number);
void result_text(struct result_table *table, const char *text);

/* Puts the rows of a table that results alone are enough for, from the Greeks to the tags
 * (make_tables.c). */
struct results;
void result_table_fill(const struct results *results, enum pricer_table kind,
                       struct result_table *table);

#endif
