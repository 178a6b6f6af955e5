#include "app/config/read_trades.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/csv_reader.h"
#include "app/config/lexer.h"
#include "app/config/setting_path.h"
#include "models/scripts/library.h"

/* What the fields of a column stand for. */
enum column_form {
    COLUMN_FORM_TEXT,
    COLUMN_FORM_VALUE,  /* a number, true, false; a text where it is none of these */
    COLUMN_FORM_EITHER, /* a list where there is a ';' in it, or a ',' by mistake; else a value */
    COLUMN_FORM_TEXTS,  /* a list of texts, a;b;c */
    COLUMN_FORM_VALUES
};

struct trade_column {
    char *name; /* "strike"; "past.count" of the key count in the group past; owned */
    enum column_form form;
};

static const char tag_prefix[] = "tag.";

enum {
    COLUMN_NAME_ROOM = 2 * SCRIPT_NAME_MOST + 2,
    COLUMNS_MAX = KEYS_MAX + 4 * SCRIPT_PARAMETERS_MOST /* beside tags */
};

struct trade_rows {
    struct reader *reader;
    struct trade_list *list;
    config_t scratch; /* holds the row that is read */
    int n, room, n_tags;
    struct trade_column *columns; /* [n] */
    int n_rows;
};

/* ---- the header ------------------------------------------------------------------------------ */

static const struct trade_column *find_column(const struct trade_rows *rows, const char *name)
{
    for (int i = 0; i < rows->n; i++)
        if (!strcmp(rows->columns[i].name, name)) return &rows->columns[i];
    return NULL;
}

static enum column_form form_of(const struct key *key)
{
    unsigned forms = key_forms(key);
    if (forms & FORM_TEXTS) return COLUMN_FORM_TEXTS;
    if (forms & FORM_NUMBERS) return COLUMN_FORM_VALUES;
    if (key->kind == KEY_KIND_SCHEDULE)
        return forms & FORM_WHOLE ? COLUMN_FORM_EITHER : COLUMN_FORM_VALUES;
    return forms & (FORM_TEXT | FORM_DATE) ? COLUMN_FORM_TEXT : COLUMN_FORM_VALUE;
}

/* Returns table `t` of those whose keys are columns, NULL where that has none, and which key of a
 * trade holds it: "" of the first, that of trades. */
static const struct key_table *column_table(int t, const char **outer)
{
    *outer = "";
    if (t == N_PRODUCTS + N_TRADE_KEYS) return &trade_table;
    const struct key *key = &trade_table.keys[t < N_PRODUCTS ? KEY_PAST : t - N_PRODUCTS];
    *outer = key->name;
    if (t < N_PRODUCTS) return &past_tables[t];
    return key->kind == KEY_KIND_SCHEDULE && key_forms(key) & FORM_GROUP ? &date_rule_table
                                                                         : key->table;
}

/* Finds the column of a key: a key that is a group only has those of its members instead. Tries all
 * columns for the nearest, where that is not NULL. */
static bool find_key(const char *name, enum column_form *form, struct nearest *nearest)
{
    for (int t = N_PRODUCTS + N_TRADE_KEYS; t >= 0; t--) {
        const char *outer;
        const struct key_table *table = column_table(t, &outer);
        for (int i = 0; table && i < table->n; i++) {
            const struct key *key = &table->keys[i];
            char known[COLUMN_NAME_ROOM];
            if (!*outer && key_forms(key) == FORM_GROUP) continue;
            snprintf(known, sizeof known, "%s%s%s", outer, *outer ? "." : "", key->name);
            if (nearest) nearest_try(nearest, known);
            *form = form_of(key);
            if (!strcmp(known, name)) return true;
        }
    }
    return false;
}

static void refuse_column(struct trade_rows *rows, const char *name)
{
    char hint[HINT_ROOM];
    enum column_form form;
    struct nearest nearest = {.wanted = name};
    find_key(name, &form, &nearest);
    for (int i = 0; i < rows->n; i++) nearest_try(&nearest, rows->columns[i].name);
    if (strchr(name, ';'))
        complain(rows->reader, NULL, "unknown column '%.40s': columns are separated by ','", name);
    else
        complain(rows->reader, NULL,
                 "unknown column '%.64s'; columns are named as the keys of trades%s", name,
                 nearest_hint(&nearest, hint));
}

/* Tells what the fields of a column stand for: `tag.desk` is of the key desk in the group tags;
 * what is no key may be a parameter of a script, or a part of its rule for dates: where the rows
 * name no `scripts` of their own, a parameter of the library. Complains of one that there cannot
 * be. */
static bool find_form(struct trade_rows *rows, const char *name, bool scripts,
                      enum column_form *form)
{
    char parameter[SCRIPT_NAME_MOST + 1];
    size_t prefix = strlen(tag_prefix), length = strcspn(name, ".");
    *form = COLUMN_FORM_TEXT;
    if (!strncmp(name, tag_prefix, prefix))
        return tag_name_is_good(rows->reader, NULL, name + prefix);
    if (find_key(name, form, NULL)) return true;
    *form = name[length] ? COLUMN_FORM_TEXT : COLUMN_FORM_EITHER;
    snprintf(parameter, sizeof parameter, "%.*s", (int)length, name);
    if (rows->n < COLUMNS_MAX && token_is_key(name, length) && length <= SCRIPT_NAME_MOST &&
        (!name[length] || table_row(&date_rule_table, name + length + 1) >= 0) &&
        (scripts || library_has_key(parameter)))
        return true;
    refuse_column(rows, name);
    return false;
}

/* Adds the column of a name; false after a complaint, or without memory. */
static bool take_column(struct trade_rows *rows, const char *name, bool scripts)
{
    enum column_form form;
    char full[COLUMN_NAME_ROOM];
    bool tag = !strncmp(name, tag_prefix, strlen(tag_prefix));
    if (!find_form(rows, name, scripts, &form)) return false;
    snprintf(full, sizeof full, "%s%s", tag ? "tags." : "", name + (tag ? strlen(tag_prefix) : 0));
    if (find_column(rows, full))
        complain(rows->reader, NULL, "column '%s' is given twice: leave one out", name);
    else if (tag && ++rows->n_tags > TAGS_MAX)
        complain(rows->reader, NULL, "column '%s' is one too many: a book has at most %d tags",
                 name, TAGS_MAX);
    else if (reader_grow(rows->reader, &rows->columns, &rows->room, rows->n + 1,
                         sizeof *rows->columns)) {
        char *copy = reader_copy(rows->reader, full);
        if (copy) rows->columns[rows->n++] = (struct trade_column){copy, form};
        return copy;
    }
    return false;
}

/* Checks once, not once a row, that there are columns of the keys that every trade must have: those
 * that the table requires, an asset or assets. */
static bool take_header(struct trade_rows *rows, const struct csv_row *row)
{
    bool good = true, scripts = false;
    uint64_t required = table_rows(&trade_table, trade_table.required);
    for (int i = 0; i < row->n; i++) scripts |= !strcmp(row->fields[i], "script");
    for (int i = 0; i < row->n; i++) good &= take_column(rows, row->fields[i], scripts);
    if (!good) return false;
    for (int i = 0; i < trade_table.n; i++) {
        const char *name = trade_table.keys[i].name;
        if (i == KEY_ASSET || !has_row(required, i) || find_column(rows, name) ||
            (i == KEY_TYPE && scripts))
            continue;
        complain(rows->reader, NULL, "column '%s' is missing: the first line must name it", name);
        good = false;
    }
    return good;
}

/* ---- a field --------------------------------------------------------------------------------- */

static bool set_text(config_setting_t *parent, const char *name, const char *text)
{
    config_setting_t *at = config_setting_add(parent, name, CONFIG_TYPE_STRING);
    return at && config_setting_set_string(at, text);
}

/* Sets the elements of "1;2;3", without the blanks around them; one ';' may follow the last, and
 * alone is none. */
static bool set_list(config_setting_t *parent, const char *name, const char *text,
                     enum column_form form)
{
    config_setting_t *list = config_setting_add(parent, name, CONFIG_TYPE_LIST);
    char *copy = strdup(strcmp(text, ";") ? text : ""), *next = copy;
    bool done = list && copy;
    while (done && next && *next) {
        char *element = next + strspn(next, " \t"), *end = element + strcspn(element, ";");
        next = *end ? end + 1 : NULL;
        while (end > element && (end[-1] == ' ' || end[-1] == '\t')) end--;
        *end = '\0';
        done = form == COLUMN_FORM_TEXTS ? set_text(list, NULL, element)
                                         : token_add(list, NULL, element, false) != NULL;
    }
    free(copy);
    return done;
}

/* Sets the field of a column; of a script those of its own keys may hold a value or a list. A key
 * that the row has given before in another form is noted. False without memory. */
static bool set_field(struct trade_rows *rows, config_setting_t *group,
                      const struct trade_column *column, bool script, const char *text)
{
    enum column_form form = column->form;
    int row = table_row(&trade_table, column->name);
    const char *name = column->name, *point = strchr(name, '.');
    char outer[sizeof rows->list->given_twice];
    snprintf(outer, sizeof outer, "%.*s", (int)strcspn(name, "."), name);
    config_setting_t *present = config_setting_get_member(group, outer);
    if (present && config_setting_is_group(present) != (point != NULL)) {
        memcpy(rows->list->given_twice, outer, sizeof outer);
        return true;
    }
    if (script && row >= 0 && !script_key_is_common(row)) form = COLUMN_FORM_EITHER;
    if (point) {
        group = present ? present : config_setting_add(group, outer, CONFIG_TYPE_GROUP);
        name = point + 1;
    }
    if (!group) return false;
    if (form == COLUMN_FORM_TEXT) return set_text(group, name, text);
    bool plain = form == COLUMN_FORM_VALUE || (form == COLUMN_FORM_EITHER && !strpbrk(text, ";,"));
    return plain ? token_add(group, name, text, false) != NULL : set_list(group, name, text, form);
}

/* ---- a row ----------------------------------------------------------------------------------- */

static void read_row(struct trade_rows *rows, const struct csv_row *row)
{
    config_setting_t *root = config_root_setting(&rows->scratch), *stated = rows->reader->stated;
    config_setting_t *group = config_setting_add(root, "row", CONFIG_TYPE_GROUP);
    bool done = group != NULL, script = false;
    for (int i = 0; i < row->n; i++)
        script |= (!strcmp(rows->columns[i].name, "script") && row->fields[i][0]) ||
                  (!strcmp(rows->columns[i].name, "type") && script_library_text(row->fields[i]));
    for (int i = 0; done && i < row->n; i++)
        if (row->fields[i][0])
            done = set_field(rows, group, &rows->columns[i], script, row->fields[i]);
    if (done && stated) {
        refuse_given_twice(rows->reader, NULL, rows->list);
        done = copy_value(group, config_setting_add(stated, NULL, CONFIG_TYPE_GROUP));
    } else if (done) append_trade(rows->reader, group, "the file", ++rows->n_rows, rows->list);
    if (!done) rows->reader->status = STATUS_NO_MEMORY;
    config_setting_remove(root, "row");
}

static bool take_row(void *context, const struct csv_row *row)
{
    struct trade_rows *rows = context;
    struct reader *reader = rows->reader;
    if (!row->number) return take_header(rows, row);
    if (csv_row_is_even(reader, row, rows->n)) read_row(rows, row);
    reader->prefix[0] = '\0';
    return !reader->status;
}

static void read_one_file(struct reader *reader, const config_setting_t *at,
                          struct trade_list *list)
{
    struct trade_rows rows = {.reader = reader, .list = list};
    config_init(&rows.scratch);
    csv_read_file(reader, at, &(struct csv_taker){take_row, &rows, true, false});
    config_destroy(&rows.scratch);
    for (int i = 0; i < rows.n; i++) free(rows.columns[i].name);
    free(rows.columns);
}

void read_trade_files(struct reader *reader, const config_setting_t *at, struct trade_list *list)
{
    if (!config_setting_is_list(at)) {
        read_one_file(reader, at, list);
        return;
    }
    int n = config_setting_length(at);
    if (!n)
        complain(reader, at,
                 "trades_file must be a file in quotes or a list of them, got an empty list");
    for (int i = 0; i < n && !reader->status; i++) read_one_file(reader, element_of(at, i), list);
}
