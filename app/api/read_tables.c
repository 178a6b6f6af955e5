/* The tables of results, as a caller of the library reads them. */
#include <stddef.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/api/result_table.h"

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
    return is_table(table) ? result_table_columns(table) : 0;
}

const char *pricer_table_column(enum pricer_table table, int column)
{
    bool exists = column >= 0 && column < pricer_table_columns(table);
    return exists ? result_table_forms[table].columns[column].name : NULL;
}

int pricer_table_is_text(enum pricer_table table, int column)
{
    return pricer_table_column(table, column) && result_table_forms[table].columns[column].is_text;
}

/* Finds the number of a column by name; -1 where there is none of that kind. */
static int find_column(const struct result_table *table, const char *name, bool is_text)
{
    for (int c = 0; table && name && c < table->n_columns; c++)
        if (!strcmp(table->form->columns[c].name, name))
            return table->form->columns[c].is_text == is_text ? c : -1;
    return -1;
}

static const double *numbers_of(const struct result_table *table, const char *name, int64_t *n)
{
    static const double none[1];
    int column = find_column(table, name, false);
    if (n) *n = column >= 0 ? table->n : 0;
    if (column < 0 || !n) return NULL;
    return *n ? table->numbers[column] : none;
}

static const char *const *texts_of(const struct result_table *table, const char *name, int64_t *n)
{
    static const char *const none[1];
    int column = find_column(table, name, true);
    if (n) *n = column >= 0 ? table->n : 0;
    if (column < 0 || !n) return NULL;
    return *n ? table->texts[column] : none;
}

/* Makes the table, if it is one; NULL and the message without memory. */
static struct result_table *table_of(struct pricer_results *results, enum pricer_table table)
{
    struct result_table *made = NULL;
    if (!pricer_begin_with(pricer_of(results), "") && is_table(table))
        pricer_end(results->pricer, session_table(results, table, &made));
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
    return numbers_of(table_of(results, table), name, n);
}

const char *const *pricer_text_column(struct pricer_results *results, enum pricer_table table,
                                      const char *name, int64_t *n)
{
    return texts_of(table_of(results, table), name, n);
}

enum status session_hold_table(struct pricer_results *run, enum pricer_table kind,
                               struct result_table **table)
{
    if (!is_table(kind)) return pricer_say(run->pricer, STATUS_BAD_INPUT, "there is no such table");
    enum status status = session_table(run, kind, table);
    if (!status) result_table_hold(*table);
    return status;
}

/* Returns the table that a snapshot is. */
static struct result_table *snapshot_table(const struct pricer_snapshot *snapshot)
{
    return (struct result_table *)snapshot;
}

enum pricer_status pricer_snapshot_take(struct pricer_results *results, enum pricer_table table,
                                        struct pricer_snapshot **snapshot)
{
    struct result_table *held = NULL;
    if (snapshot) *snapshot = NULL;
    if (pricer_begin_with(pricer_of(results), "snapshot", snapshot)) return PRICER_BAD_INPUT;
    enum status status = session_hold_table(results, table, &held);
    *snapshot = (struct pricer_snapshot *)held;
    return pricer_end(results->pricer, status);
}

const double *pricer_snapshot_column(const struct pricer_snapshot *snapshot, const char *name,
                                     int64_t *n)
{
    return numbers_of(snapshot_table(snapshot), name, n);
}

const char *const *pricer_snapshot_text_column(const struct pricer_snapshot *snapshot,
                                               const char *name, int64_t *n)
{
    return texts_of(snapshot_table(snapshot), name, n);
}

void pricer_snapshot_free(struct pricer_snapshot *snapshot)
{
    result_table_let_go(snapshot_table(snapshot));
}
