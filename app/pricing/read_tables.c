/* The tables of results, as a caller of the library reads them. */
#include <stddef.h>
#include <string.h>

#include "app/pricing/handle.h"
#include "app/pricing/result_table.h"

_Static_assert((int)PRICER_TABLE_PRICES == (int)RESULT_TABLE_PRICES &&
                   (int)PRICER_TABLE_TOTALS == (int)RESULT_TABLE_TOTALS &&
                   (int)PRICER_TABLE_KERNELS == (int)RESULT_TABLE_KERNELS &&
                   (int)PRICER_TABLE_KERNELS + 1 == (int)N_RESULT_TABLES,
               "tables of the library are those of the list");

static bool is_table(enum pricer_table table)
{
    return (unsigned)table < N_RESULT_TABLES;
}

const char *pricer_table_name(enum pricer_table table)
{
    return is_table(table) ? result_table_forms[table].name : NULL;
}

int pricer_table_columns(enum pricer_table table)
{
    return is_table(table) ? result_table_columns((enum result_table_kind)table) : 0;
}

const char *pricer_table_column(enum pricer_table table, int column)
{
    bool there = column >= 0 && column < pricer_table_columns(table);
    return there ? result_table_forms[table].columns[column].name : NULL;
}

int pricer_table_is_text(enum pricer_table table, int column)
{
    return pricer_table_column(table, column) && result_table_forms[table].columns[column].is_text;
}

/* Returns the number of a column by name; -1 where there is none of that kind. */
static int find_column(enum pricer_table table, const char *name, bool is_text)
{
    for (int c = 0; c < pricer_table_columns(table); c++)
        if (!strcmp(pricer_table_column(table, c), name))
            return pricer_table_is_text(table, c) == is_text ? c : -1;
    return -1;
}

/* Makes the table, if it is one; NULL and the message without memory. */
static const struct result_table *table_of(struct pricer_results *results, enum pricer_table table)
{
    struct result_table *made = NULL;
    pricer_begin(results->pricer);
    if (is_table(table))
        pricer_end(results->pricer, session_table(results, (enum result_table_kind)table, &made));
    return made;
}

int64_t pricer_table_rows(struct pricer_results *results, enum pricer_table table)
{
    const struct result_table *made = table_of(results, table);
    return made ? made->n : -1;
}

const double *pricer_column(struct pricer_results *results, enum pricer_table table,
                            const char *name, int64_t *n)
{
    static const double none[1];
    const struct result_table *made = table_of(results, table);
    int column = find_column(table, name, false);
    *n = made && column >= 0 ? made->n : 0;
    if (!made || column < 0) return NULL;
    return *n ? made->numbers[column] : none;
}

const char *const *pricer_text_column(struct pricer_results *results, enum pricer_table table,
                                      const char *name, int64_t *n)
{
    static const char *const none[1];
    const struct result_table *made = table_of(results, table);
    int column = find_column(table, name, true);
    *n = made && column >= 0 ? made->n : 0;
    if (!made || column < 0) return NULL;
    return *n ? made->texts[column] : none;
}
