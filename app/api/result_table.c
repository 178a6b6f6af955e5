#include "app/api/result_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct result_text {
    const char *from; /* where the text was copied from; NULL: it is one row's own */
    char *text;
};

#define TEXT(name) {#name, true},
#define NUMBER(name) {#name, false},
#define TABLE(NAME, name, columns) [RESULT_TABLE_##NAME] = {#name, {columns}},
const struct result_table_form result_table_forms[N_RESULT_TABLES] = {
#include "app/api/result_tables.def"
};
#undef TEXT
#undef NUMBER

int result_table_columns(enum result_table_kind kind)
{
    int n = 0;
    while (result_table_forms[kind].columns[n].name) n++;
    return n;
}

/* ---- holders --------------------------------------------------------------------------------- */

struct result_table *result_table_begin(enum result_table_kind kind)
{
    struct result_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    atomic_init(&table->holders, 1);
    table->form = &result_table_forms[kind];
    table->n_columns = result_table_columns(kind);
    return table;
}

struct result_table *result_table_begin_lender(enum result_table_kind kind, int n_columns)
{
    struct result_table *table = result_table_begin(kind);
    if (table) table->n_columns = n_columns;
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
    for (int c = 0; c < lender->n_columns; c++) {
        table->numbers[c] = lender->numbers[c];
        table->texts[c] = lender->texts[c];
    }
}

void result_table_hold(struct result_table *table)
{
    atomic_fetch_add(&table->holders, 1);
}

void result_table_let_go(struct result_table *table)
{
    if (!table || atomic_fetch_sub(&table->holders, 1) != 1) return;
    for (int c = lent_columns(table); c < table->n_columns; c++) {
        free(table->numbers[c]);
        free(table->texts[c]);
    }
    for (int64_t i = 0; i < table->n_copies; i++) free(table->copies[i].text);
    free(table->copies);
    free(table->places);
    result_table_let_go(table->lender);
    free(table);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Returns where a text stands in `places`, or the free place for it. */
static int64_t place_of(const struct result_table *table, const char *from)
{
    uint64_t mixed = (uint64_t)(uintptr_t)from * 0x9e3779b97f4a7c15u;
    int64_t at = (int64_t)(mixed >> 20) & (table->place_room - 1);
    while (table->places[at] && table->copies[table->places[at] - 1].from != from)
        at = (at + 1) & (table->place_room - 1);
    return at;
}

/* Makes room for one more text, with twice as many places as texts. */
static enum status make_room_for_text(struct result_table *table)
{
    if (table->n_copies < table->copies_room) return STATUS_OK;
    int64_t room = 2 * table->copies_room + 64, place_room = 128;
    while (place_room < 2 * room) place_room *= 2;
    struct result_text *copies = realloc(table->copies, (size_t)room * sizeof *copies);
    if (!copies) return STATUS_NO_MEMORY;
    table->copies = copies;
    int64_t *places = calloc((size_t)place_room, sizeof *places);
    if (!places) return STATUS_NO_MEMORY;
    free(table->places);
    table->places = places;
    table->place_room = place_room;
    table->copies_room = room;
    for (int64_t i = 0; i < table->n_copies; i++)
        if (copies[i].from) places[place_of(table, copies[i].from)] = i + 1;
    return STATUS_OK;
}

/* Keeps a copy of a text; NULL without memory. */
static const char *keep(struct result_table *table, const char *from, const char *text)
{
    if (make_room_for_text(table)) return NULL;
    int64_t at = from ? place_of(table, from) : -1;
    if (from && table->places[at]) return table->copies[table->places[at] - 1].text;
    char *copy = strdup(text);
    if (!copy) return NULL;
    table->copies[table->n_copies++] = (struct result_text){from, copy};
    if (from) table->places[at] = table->n_copies;
    return copy;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Makes room in every column of its own. */
static enum status make_room_for_row(struct result_table *table)
{
    if (table->n < table->room) return STATUS_OK;
    int64_t room = 2 * table->room + 64;
    for (int c = lent_columns(table); c < table->n_columns; c++) {
        bool is_text = table->form->columns[c].is_text;
        void *old = is_text ? (void *)table->texts[c] : (void *)table->numbers[c];
        void *more = realloc(old, (size_t)room * (is_text ? sizeof(char *) : sizeof(double)));
        if (!more) return STATUS_NO_MEMORY;
        if (is_text) table->texts[c] = more;
        else table->numbers[c] = more;
    }
    table->room = room;
    return STATUS_OK;
}

void result_row(struct result_table *table)
{
    if (table->take) {
        table->at = 0;
        return;
    }
    if (!table->status) table->status = make_room_for_row(table);
    table->at = lent_columns(table);
    if (!table->status) table->n++;
}

/* Gives a field to who takes them, who may have had enough. */
static void hand_over(struct result_table *table, const char *text, double number)
{
    if (!table->status && !table->take(table->take_context, table->at++, text, number))
        table->status = STATUS_FILE;
}

void result_number(struct result_table *table, double number)
{
    if (table->take) hand_over(table, NULL, number);
    else if (!table->status) table->numbers[table->at++][table->n - 1] = number;
}

static void put_text(struct result_table *table, const char *from, const char *text)
{
    if (table->take) hand_over(table, text, NAN);
    if (table->take || table->status) return;
    const char *copy = text && *text ? keep(table, from, text) : NULL;
    if (text && *text && !copy) table->status = STATUS_NO_MEMORY;
    else table->texts[table->at++][table->n - 1] = copy;
}

void result_text(struct result_table *table, const char *text)
{
    put_text(table, text, text);
}

void result_own_text(struct result_table *table, const char *text)
{
    put_text(table, NULL, text);
}
