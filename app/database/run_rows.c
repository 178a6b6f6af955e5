#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/database/runs.h"

/* Begins the insert of a row of a table with all of its columns. */
static struct statement begin_insert(const struct run_rows *rows, const char *table)
{
    char sql[256];
    struct statement columns =
        statement_begin(rows->database, "SELECT count(*) FROM pragma_table_info(?)", rows->why);
    put(&columns, "%s", table);
    int n = statement_next(&columns) ? (int)get_integer(&columns, 0) : 0;
    enum status status = statement_end(&columns);
    int end = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", table);
    for (int i = 1; i < n; i++) end += snprintf(sql + end, sizeof sql - (size_t)end, ", ?");
    snprintf(sql + end, sizeof sql - (size_t)end, ")");
    if (status) return (struct statement){.status = status};
    return statement_begin(rows->database, sql, rows->why);
}

/* Returns the statement of `into`, prepared where this is its first row. */
static struct statement *statement_of(struct run_rows *rows, const char *into)
{
    int i = 0;
    while (i < rows->n && strcmp(rows->inserts[i].into, into)) i++;
    struct statement *statement = &rows->inserts[i].statement;
    if (i < rows->n) return statement;
    bool sql = strchr(into, ' ');
    *statement = sql ? statement_begin(rows->database, into, rows->why) : begin_insert(rows, into);
    rows->inserts[rows->n++].into = into;
    return statement;
}

void row_begin(struct run_rows *rows, const char *into)
{
    rows->none.status = rows->status;
    rows->row = rows->status ? &rows->none : statement_of(rows, into);
    put(rows->row, "%ld", rows->run);
}

void row_end(struct run_rows *rows)
{
    statement_run(rows->row);
    if (!rows->status) rows->status = rows->row->status;
}

void put_row(struct run_rows *rows, const char *into, const char *format, ...)
{
    va_list values;
    row_begin(rows, into);
    va_start(values, format);
    put_list(rows->row, format, values);
    va_end(values);
    row_end(rows);
}

enum status rows_end(struct run_rows *rows)
{
    for (int i = 0; i < rows->n; i++) statement_end(&rows->inserts[i].statement);
    rows->n = 0;
    return rows->status;
}

const char *known(const char *text)
{
    return text[0] ? text : NULL;
}
