#define _GNU_SOURCE /* tdestroy */
#include "app/api/result_table.h"

#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/api/run_results.h"

#define TEXT(name) {#name, true},
#define NUMBER(name) {#name, false},
#define TABLE(NAME, name, columns) [PRICER_TABLE_##NAME] = {#name, {columns}},
const struct result_table_form result_table_forms[N_RESULT_TABLES] = {
    [PRICER_TABLE_PRICES] = {"prices",
                             {
#define COLUMN(name, field, traits, heading, title) {#name, (traits)&IS_TEXT},
#define RUN_COLUMN(name, field, traits, heading, title)
#include "app/api/columns.def"
                             }},
#include "app/api/result_tables.def"
};
#undef TEXT
#undef NUMBER

int result_table_columns(enum pricer_table kind)
{
    int n = 0;
    while (result_table_forms[kind].columns[n].name) n++;
    return n;
}

/* ---- holders --------------------------------------------------------------------------------- */

struct result_table *result_table_begin(enum pricer_table kind)
{
    struct result_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    atomic_init(&table->holders, 1);
    table->form = &result_table_forms[kind];
    table->n_columns = result_table_columns(kind);
    return table;
}

static int lent_columns(const struct result_table *table)
{
    return table->lender ? table->lender->n_columns : 0;
}

void result_table_borrow(struct result_table *table, struct result_table *lender)
{
    result_table_hold(lender);
    table->lender = lender;
    for (int c = 0; c < lender->n_columns; c++) table->columns[c] = lender->columns[c];
}

void result_table_hold(struct result_table *table)
{
    atomic_fetch_add(&table->holders, 1);
}

void result_table_let_go(struct result_table *table)
{
    if (!table || atomic_fetch_sub(&table->holders, 1) != 1) return;
    for (int c = lent_columns(table); c < table->n_columns; c++) free(table->columns[c]);
    tdestroy(table->copies, free);
    result_table_let_go(table->lender);
    free(table);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Gives a field to who takes them, who may have had enough. */
static void hand_over(struct result_table *table, const char *text, double number)
{
    if (!table->status && !table->take(table->take_context, table->at++, text, number))
        table->status = STATUS_FILE;
}

void result_number(struct result_table *table, double number)
{
    if (table->take) hand_over(table, NULL, number);
    else if (!table->status) ((double *)table->columns[table->at++])[table->n - 1] = number;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

void result_text(struct result_table *table, const char *text)
{
    if (table->take) hand_over(table, text, NAN);
    if (table->take || table->status) return;
    /* The table has one copy of it, however many rows do. */
    bool any = text && *text;
    char **known = any ? tfind(text, &table->copies, compare_texts) : NULL;
    char *copy = known ? *known : any ? strdup(text) : NULL;
    ((const char **)table->columns[table->at++])[table->n - 1] = copy;
    if (!any || known || (copy && tsearch(copy, &table->copies, compare_texts))) return;
    free(copy);
    table->status = STATUS_NO_MEMORY;
}

void result_row_begin(struct result_table *table)
{
    int own = table->at = lent_columns(table);
    int64_t room = 2 * table->room + 64;
    if (table->take || table->status) return;
    if (table->n == table->room) {
        for (int c = own; c < table->n_columns; c++) {
            size_t size = table->form->columns[c].is_text ? sizeof(char *) : sizeof(double);
            void *more = realloc(table->columns[c], (size_t)room * size);
            if (more) table->columns[c] = more;
            else table->status = STATUS_NO_MEMORY;
        }
        if (!table->status) table->room = room;
    }
    if (!table->status) table->n++;
}

void result_row(struct result_table *table, const char *format, ...)
{
    va_list values;
    result_row_begin(table);
    va_start(values, format);
    for (; *format; format += 2)
        if (format[1] == 's') result_text(table, va_arg(values, const char *));
        else if (format[1] == 'd') result_number(table, va_arg(values, int));
        else result_number(table, va_arg(values, double));
    va_end(values);
}
