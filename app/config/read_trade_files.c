#include "app/config/read_trades.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/csv_reader.h"
#include "app/config/script_keys.h"
#include "app/config/book_tree.h"
#include "app/config/tables.h"
#include "app/config/values.h"
#include "app/config/token.h"
#include "models/scripts/library.h"

/* What the fields of a column stand for. */
enum column_form {
    COLUMN_FORM_TEXT,
    COLUMN_FORM_VALUE,  /* a number, true, false; a text where it is none of these */
    COLUMN_FORM_EITHER, /* a list where there is a ';' in it, else a value */
    COLUMN_FORM_TEXTS,  /* a list of texts, a;b;c */
    COLUMN_FORM_VALUES
};

struct trade_column {
    const char *name; /* "strike"; "past.count" of the key count in the group past */
    enum column_form form;
};

static const struct trade_column members[] = {
    {"past.count", COLUMN_FORM_VALUE},
    {"past.average", COLUMN_FORM_VALUE},
    {"past.years", COLUMN_FORM_VALUE},
    {"past.variance", COLUMN_FORM_VALUE},
    {"past.level", COLUMN_FORM_VALUE},
    {"past.returns", COLUMN_FORM_VALUE},
    {"past.observations", COLUMN_FORM_VALUE},
    {"past.missed", COLUMN_FORM_VALUE},
    {"quanto.fx", COLUMN_FORM_TEXT},
#define RULE_COLUMNS(key)                                                                          \
    {key ".from", COLUMN_FORM_TEXT}, {key ".to", COLUMN_FORM_TEXT},                                \
        {key ".every", COLUMN_FORM_TEXT}, {key ".calendar", COLUMN_FORM_TEXT},                     \
        {key ".roll", COLUMN_FORM_TEXT},                                                           \
    {                                                                                              \
        key ".stub", COLUMN_FORM_TEXT                                                              \
    }
    RULE_COLUMNS("fixing_times"),
    RULE_COLUMNS("monitoring"),
    RULE_COLUMNS("reset_times"),
    RULE_COLUMNS("observation_times"),
    RULE_COLUMNS("exercise_times"),
#undef RULE_COLUMNS
};
enum {
    N_MEMBERS = sizeof members / sizeof *members,
    COLUMNS_MAX = KEYS_MAX + N_MEMBERS + TAGS_MAX + 4 * SCRIPT_PARAMETERS_MOST
};
static const char tag_prefix[] = "tag.", tag_group[] = "tags.";

struct trade_rows {
    struct reader *reader;
    struct trade_list *list;
    config_t scratch; /* holds the row that is read */
    int n_known;
    struct trade_column known[COLUMNS_MAX]; /* columns there can be */
    int n;                                  /* columns there are */
    struct trade_column columns[COLUMNS_MAX];
    int n_tags;
    char tags[TAGS_MAX + 1][sizeof tag_group + TAG_NAME_MAX]; /* the names of their columns */
    int n_parameters;                                         /* columns of scripts alone */
    char *parameters[COLUMNS_MAX];                            /* [n_parameters] owned */
    int n_rows;
};

/* ---- the header ------------------------------------------------------------------------------ */

static enum column_form form_of(const struct key *key)
{
    switch (key->kind) {
    case KEY_KIND_SCHEDULE:
        return strstr(key->words, "count") ? COLUMN_FORM_EITHER : COLUMN_FORM_VALUES;
    case KEY_KIND_DEFERRED:
        if (key->words) return COLUMN_FORM_TEXT;
        return strcmp(key->name, "assets") ? COLUMN_FORM_VALUES : COLUMN_FORM_TEXTS;
    case KEY_KIND_NUMBER:
    case KEY_KIND_COUNT:
    case KEY_KIND_BIG:
    case KEY_KIND_BOOL:
    case KEY_KIND_TIME: return COLUMN_FORM_VALUE;
    case KEY_KIND_CHOICE:
    case KEY_KIND_NAME:
    case KEY_KIND_WORD:
    case KEY_KIND_ASSET:
    case KEY_KIND_CURRENCY:
    case KEY_KIND_GROUP: break;
    }
    return COLUMN_FORM_TEXT;
}

/* Tells whether a key is a group only, which has columns of its members instead. */
static bool is_group(const struct key *group)
{
    const char *key = group->name;
    size_t length = strlen(key);
    for (int i = 0; group->kind != KEY_KIND_SCHEDULE && i < N_MEMBERS; i++)
        if (!strncmp(members[i].name, key, length) && members[i].name[length] == '.') return true;
    return false;
}

static void list_known(struct trade_rows *rows)
{
    for (int i = 0; i < trade_table.n; i++) {
        const struct key *key = &trade_table.keys[i];
        enum column_form form = i == KEY_TYPE ? COLUMN_FORM_TEXT : form_of(key);
        if (!is_group(key) && i != KEY_TAGS)
            rows->known[rows->n_known++] = (struct trade_column){key->name, form};
    }
    for (int i = 0; i < N_MEMBERS; i++) rows->known[rows->n_known++] = members[i];
}

static const struct trade_column *find_column(const struct trade_column *columns, int n,
                                              const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(columns[i].name, name)) return &columns[i];
    return NULL;
}

/* Lists the column of a tag, `tag.desk` of the key desk in the group tags; NULL after a complaint.
 */
static const struct trade_column *list_tag(struct trade_rows *rows, const char *name)
{
    const char *tag = name + strlen(tag_prefix);
    char *key = rows->tags[rows->n_tags];
    if (!tag_name_is_good(rows->reader, NULL, tag)) return NULL;
    snprintf(key, sizeof rows->tags[0], "%s%s", tag_group, tag);
    const struct trade_column *listed = find_column(rows->known, rows->n_known, key);
    if (listed) return listed;
    if (rows->n_tags == TAGS_MAX) {
        complain(rows->reader, NULL, "column '%s' is one too many: a book has at most %d tags",
                 name, TAGS_MAX);
        return NULL;
    }
    rows->n_tags++;
    rows->known[rows->n_known] = (struct trade_column){key, COLUMN_FORM_TEXT};
    return &rows->known[rows->n_known++];
}

static void refuse_column(struct trade_rows *rows, const char *name)
{
    char hint[HINT_ROOM];
    struct nearest nearest = {.wanted = name};
    for (int i = 0; i < rows->n_known; i++) nearest_try(&nearest, rows->known[i].name);
    if (strchr(name, ';'))
        complain(rows->reader, NULL, "unknown column '%.40s': columns are separated by ','", name);
    else
        complain(rows->reader, NULL,
                 "unknown column '%.64s'; columns are named as the keys of trades%s", name,
                 nearest_hint(&nearest, hint));
}

/* Tells whether a column may be a parameter of a script, or a part of its rule for dates: a name,
 * and where the rows name no scripts of their own (`any` is false), that of a parameter of the
 * library. */
static bool may_be_parameter(const char *name, bool any)
{
    char key[SCRIPT_NAME_MOST + 1];
    size_t length = strcspn(name, ".");
    if (!token_is_key(name, length) || length > SCRIPT_NAME_MOST ||
        (name[length] && table_row(&date_rule_table, name + length + 1) < 0))
        return false;
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    return any || library_has_key(key);
}

/* Lists the column of a parameter; NULL where it may be none. */
static const struct trade_column *list_parameter(struct trade_rows *rows, const char *name,
                                                 bool any)
{
    if (rows->n_known == COLUMNS_MAX || !may_be_parameter(name, any)) return NULL;
    char *copy = strdup(name);
    if (!copy) {
        rows->reader->status = STATUS_NO_MEMORY;
        return NULL;
    }
    rows->parameters[rows->n_parameters++] = copy;
    rows->known[rows->n_known] =
        (struct trade_column){copy, strchr(copy, '.') ? COLUMN_FORM_TEXT : COLUMN_FORM_EITHER};
    return &rows->known[rows->n_known++];
}

/* Checks once, not once a row, that there are columns of the keys that every trade must have: those
 * that the table requires, an asset or assets. */
static bool check_columns(struct trade_rows *rows)
{
    bool good = true;
    uint64_t required = table_rows(&trade_table, trade_table.required);
    for (int i = 0; i < trade_table.n; i++) {
        const char *name = trade_table.keys[i].name;
        if (i == KEY_ASSET || !((required >> i) & 1) || find_column(rows->columns, rows->n, name) ||
            (i == KEY_TYPE && find_column(rows->columns, rows->n, "script")))
            continue;
        complain(rows->reader, NULL, "column '%s' is missing: the first line must name it", name);
        good = false;
    }
    return good;
}

static bool take_header(struct trade_rows *rows, const struct csv_row *row)
{
    bool good = true, scripts = false;
    for (int i = 0; i < row->n; i++) scripts |= !strcmp(row->fields[i], "script");
    for (int i = 0; i < row->n; i++) {
        const char *name = row->fields[i];
        bool tag = !strncmp(name, tag_prefix, strlen(tag_prefix));
        const struct trade_column *column =
            tag ? list_tag(rows, name) : find_column(rows->known, rows->n_known, name);
        if (!column && !tag) column = list_parameter(rows, name, scripts);
        bool twice = column && find_column(rows->columns, rows->n, column->name);
        if (!column && !tag) refuse_column(rows, name);
        else if (twice)
            complain(rows->reader, NULL, "column '%s' is given twice: leave one out", name);
        else if (column) rows->columns[rows->n++] = *column;
        good = good && column && !twice;
    }
    return good && check_columns(rows);
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

/* Returns the group of a column with a point: made where it is not there, NULL without memory. */
static config_setting_t *outer_group(config_setting_t *group, const char *name)
{
    char outer[SCRIPT_NAME_MOST + 1];
    snprintf(outer, sizeof outer, "%.*s", (int)strcspn(name, "."), name);
    config_setting_t *inner = config_setting_get_member(group, outer);
    return inner ? inner : config_setting_add(group, outer, CONFIG_TYPE_GROUP);
}

/* Tells whether a row has given the key of a column before, in another form, and notes it. */
static bool is_given_twice(struct trade_list *list, config_setting_t *group, const char *name)
{
    char outer[sizeof list->given_twice];
    snprintf(outer, sizeof outer, "%.*s", (int)strcspn(name, "."), name);
    const config_setting_t *there = config_setting_get_member(group, outer);
    if (!there || config_setting_is_group(there) == (strchr(name, '.') != NULL)) return false;
    memcpy(list->given_twice, outer, sizeof outer);
    return true;
}

/* Sets the field of a column; of a script those of its own keys may hold a value or a list. */
static bool set_field(config_setting_t *group, const struct trade_column *column, bool script,
                      const char *text)
{
    enum column_form form = column->form;
    int row = table_row(&trade_table, column->name);
    if (script && row >= 0 && !script_key_is_common(row)) form = COLUMN_FORM_EITHER;
    const char *name = column->name, *point = strchr(name, '.');
    if (point) {
        group = outer_group(group, name);
        name = point + 1;
    }
    if (!group) return false;
    if (form == COLUMN_FORM_TEXT) return set_text(group, name, text);
    bool plain = form == COLUMN_FORM_VALUE || (form == COLUMN_FORM_EITHER && !strchr(text, ';'));
    return plain ? token_add(group, name, text, false) != NULL : set_list(group, name, text, form);
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* Tells whether the trade of a row is a script. */
static bool is_script(const struct trade_rows *rows, const struct csv_row *row)
{
    const char *type = "";
    for (int i = 0; i < row->n; i++) {
        if (!strcmp(rows->columns[i].name, "script") && row->fields[i][0]) return true;
        if (!strcmp(rows->columns[i].name, "type")) type = row->fields[i];
    }
    return script_library_text(type);
}

static void read_row(struct trade_rows *rows, const struct csv_row *row)
{
    config_setting_t *root = config_root_setting(&rows->scratch);
    config_setting_t *group = config_setting_add(root, "row", CONFIG_TYPE_GROUP);
    bool done = group != NULL, script = is_script(rows, row);
    for (int i = 0; done && i < row->n; i++)
        if (row->fields[i][0] && !is_given_twice(rows->list, group, rows->columns[i].name))
            done = set_field(group, &rows->columns[i], script, row->fields[i]);
    config_setting_t *stated = rows->reader->stated;
    if (done && stated) {
        refuse_given_twice(rows->reader, NULL, rows->list);
        done = copy_setting(group, config_setting_add(stated, NULL, CONFIG_TYPE_GROUP));
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
    reader->who[0] = '\0';
    return !reader->status;
}

static void read_one_file(struct reader *reader, const config_setting_t *at,
                          struct trade_list *list)
{
    struct trade_rows *rows = calloc(1, sizeof *rows);
    if (!rows) {
        reader->status = STATUS_NO_MEMORY;
        return;
    }
    *rows = (struct trade_rows){.reader = reader, .list = list};
    config_init(&rows->scratch);
    list_known(rows);
    csv_read_file(reader, at, "trades_file", &(struct csv_taker){take_row, rows, true, false});
    config_destroy(&rows->scratch);
    for (int i = 0; i < rows->n_parameters; i++) free(rows->parameters[i]);
    free(rows);
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
