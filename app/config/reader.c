#include "app/config/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"
#include "models/base/grow.h"

/* ---- memory ---------------------------------------------------------------------------------- */

void note_memory(struct reader *reader, enum status status)
{
    if (status == STATUS_NO_MEMORY) reader->status = status;
}

void reader_end(struct reader *reader)
{
    names_free(&reader->currency_names);
    names_free(&reader->asset_names);
    free(reader->asset_dates);
    free(reader->pair_lines);
    reader->asset_dates = NULL;
    reader->pair_lines = NULL;
}

void *reader_array(struct reader *reader, size_t n, size_t size)
{
    void *array = calloc(n ? n : 1, size);
    if (!array) reader->status = STATUS_NO_MEMORY;
    return array;
}

char *reader_copy(struct reader *reader, const char *text)
{
    char *copy = strdup(text);
    if (!copy) reader->status = STATUS_NO_MEMORY;
    return copy;
}

bool reader_grow(struct reader *reader, void *list, int *room, int n, size_t size)
{
    enum status status = grow_array(list, room, n, size);
    note_memory(reader, status);
    return !status;
}

/* ---- complaints ------------------------------------------------------------------------------ */

/* Bytes of a place; a path has at most 4096. */
enum { LOCATION_ROOM = 4096 + 32 };

/* Returns where a setting is from that no file has, as `--set settings.paths=0` or a path of a
 * draft; NULL where a file has it. */
static const char *origin_of(const struct reader *reader, const config_setting_t *at)
{
    while (reader->drafted && at && !config_setting_get_hook(at)) at = config_setting_parent(at);
    return at ? config_setting_get_hook(at) : NULL;
}

/* Returns what to say of an element of a list in a CSV file that may be several: what separates
 * them. */
static const char *separator_hint(const struct reader *reader, const config_setting_t *at)
{
    const char *text = reader->row.line && at ? config_setting_get_string(at) : NULL;
    bool element = text && config_setting_is_list(config_setting_parent(at));
    return element && strchr(text, ',') ? ": elements of a list are separated by ';'" : "";
}

void say(struct reader *reader, enum remark_kind kind, const config_setting_t *at,
         const char *format, ...)
{
    char text[1024], place[LOCATION_ROOM];
    va_list values;
    bool note = kind == NOTE || (kind == DOUBT && !reader->strict), key = kind == KEY_COMPLAINT;
    struct complaints *list = note ? reader->notes : reader->complaints;
    int n = list->n;
    long order = origin_of(reader, at) ? 0
                 : reader->row.line    ? reader->row_order
                                       : (long)config_setting_source_line(at);
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    setting_location_text(reader, at, sizeof place, place);
    complaints_add(list, order, "%s%s%s%s%s%s%s", place, reader->prefix, note ? "note: " : "",
                   key ? setting_key(at) : "", key ? " " : "", text,
                   key ? separator_hint(reader, at) : "");
    if (list->n > n) list->list[n].about = reader->about;
    if (note) return;
    if (!reader->in_trade) reader->n_stopping++;
    else if (list->n > n) list->list[n].of_trade = true;
}

void need_date(struct reader *reader, const config_setting_t *at, const char *what)
{
    if (at && reader->dated == DATED_NOT)
        complain(reader, at, "%s a valuation date: write valuation_date = \"2026-11-20\";", what);
}

struct location setting_location(const struct reader *reader, const config_setting_t *at)
{
    return reader->row.line ? reader->row
                            : source_location(reader->source, (int)config_setting_source_line(at));
}

void setting_location_text(const struct reader *reader, const config_setting_t *at, size_t room,
                           char *text)
{
    const char *origin = origin_of(reader, at);
    struct location location = origin ? (struct location){0} : setting_location(reader, at);
    if (origin)
        snprintf(text, room, "%s%s: ", reader->drafted || *origin == '-' ? "" : "--set ", origin);
    else snprintf(text, room, "%s:%d: ", reader->source->files[location.file], location.line);
}

void complain_taken(struct reader *reader, const config_setting_t *at, const char *name,
                    const char *file, int line)
{
    complain_key(reader, at, "'%s' is taken by the one at %s:%d: give it another", name, file,
                 line);
}

void begin_subject(struct reader *reader, enum subject_kind kind, int i,
                   const config_setting_t *name, int number, const char *where)
{
    static const char *const nouns[] = {"", "trade", "asset", "currency"}; /* enum subject_kind */
    const char *text = name ? config_setting_get_string(name) : NULL;
    int length = text ? text_bytes(text, NAME_CHARACTERS) : 0;
    reader->about = (struct subject){kind, i};
    if (text)
        snprintf(reader->prefix, sizeof reader->prefix, "%s '%.*s': ", nouns[kind], length, text);
    else
        snprintf(reader->prefix, sizeof reader->prefix, "%s %d of %s: ", nouns[kind], number,
                 where);
}

void end_subject(struct reader *reader)
{
    reader->prefix[0] = '\0';
    reader->about.kind = ABOUT_BOOK;
}

const char *without_prefix(const struct reader *reader, const struct message *why)
{
    size_t length = strlen(reader->prefix);
    return why->text + (strncmp(why->text, reader->prefix, length) ? 0 : length);
}

size_t next_word(const char **words)
{
    *words += strspn(*words, " ");
    return strcspn(*words, " ");
}

int word_index(const char *words, const char *word, size_t length)
{
    size_t n;
    for (int i = 0; (n = next_word(&words)) > 0; words += n, i++)
        if (n == length && *words != '-' && !strncmp(words, word, n)) return i;
    return -1;
}

void list_word(char *text, size_t room, const char *between, const char *word)
{
    size_t n = strlen(text);
    snprintf(text + n, room - n, "%s%s", n ? between : "", word);
}

/* Shows a number beyond the range of a double as that: it has lost its digits. */
const char *show_value(const config_setting_t *at, char text[VALUE_ROOM])
{
    const char *value = config_setting_get_string(at);
    bool marked = value && text_mark(value);
    double number = config_setting_get_float(at);
    switch (config_setting_type(at)) {
    case CONFIG_TYPE_GROUP: return "a group { }";
    case CONFIG_TYPE_LIST: return config_setting_length(at) ? "a list" : "an empty list";
    case CONFIG_TYPE_BOOL: return config_setting_get_bool(at) ? "true" : "false";
    case CONFIG_TYPE_STRING:
        snprintf(text, VALUE_ROOM, marked ? "%.*s" : "\"%.*s\"", text_bytes(value + marked, 60),
                 value + marked);
        return text;
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        snprintf(text, VALUE_ROOM, "%lld", config_setting_get_int64(at));
        return text;
    case CONFIG_TYPE_FLOAT:
        if (isnan(number)) return "nan";
        if (isfinite(number)) snprintf(text, VALUE_ROOM, "%.10g", number);
        else snprintf(text, VALUE_ROOM, "one %s1.8e308", number < 0.0 ? "below -" : "beyond ");
        return text;
    default: return "nothing";
    }
}

void enter_name(struct reader *reader, struct names *names, const config_setting_t *at,
                const char *name, int i)
{
    int first = names_find(names, name);
    if (first < 0) {
        note_memory(reader, names_add(names, name, i));
        return;
    }
    const config_setting_t *list = config_setting_parent(config_setting_parent(at));
    struct location location = setting_location(reader, element_of(list, first));
    complain_taken(reader, at, name, reader->source->files[location.file], location.line);
}

bool expect_group(struct reader *reader, const config_setting_t *at, const char *name)
{
    char got[VALUE_ROOM];
    if (!at || config_setting_is_group(at)) return at;
    complain(reader, at, "%s must be a group { key = value; ... }, got %s", name,
             show_value(at, got));
    return false;
}

bool expect_list(struct reader *reader, const config_setting_t *at)
{
    char got[VALUE_ROOM];
    if (!at || config_setting_is_list(at)) return at;
    complain_key(reader, at, "must be a list ( ..., ... ), got %s", show_value(at, got));
    return false;
}

int list_length(struct reader *reader, const config_setting_t *list, int most, const char *items)
{
    if (!expect_list(reader, list)) return 0;
    int n = config_setting_length(list);
    if (n <= most) return n;
    complain_key(reader, list, "is limited to %d%s, got %d", most, items, n);
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

int table_row(const struct key_table *table, const char *name)
{
    for (int i = 0; i < table->n; i++)
        if (!strcmp(table->keys[i].name, name)) return i;
    return -1;
}

uint64_t table_rows(const struct key_table *table, const char *names)
{
    uint64_t rows = 0;
    for (int i = 0; names && i < table->n; i++)
        if (word_index(names, table->keys[i].name, strlen(table->keys[i].name)) >= 0)
            rows |= (uint64_t)1 << i;
    return rows;
}

struct key_rules table_rules(const struct key_table *table)
{
    struct key_rules rules = {.allowed = ~(uint64_t)0,
                              .required = table_rows(table, table->required)};
    snprintf(rules.owner, sizeof rules.owner, "%s", table->title);
    return rules;
}

unsigned key_forms(const struct key *key)
{
    unsigned forms = 0;
    switch (key->kind) {
    case KEY_KIND_NUMBER: return FORM_NUMBER;
    case KEY_KIND_COUNT:
    case KEY_KIND_BIG: return FORM_WHOLE;
    case KEY_KIND_BOOL: return FORM_BOOLEAN;
    case KEY_KIND_CHOICE:
    case KEY_KIND_NAME:
    case KEY_KIND_WORD:
    case KEY_KIND_ASSET:
    case KEY_KIND_CURRENCY: return FORM_TEXT;
    case KEY_KIND_TIME: return FORM_TIME;
    case KEY_KIND_GROUP: return FORM_GROUP;
    case KEY_KIND_SCHEDULE:
        if (strstr(key->words, "times")) forms |= FORM_TIMES | FORM_GROUP;
        if (strstr(key->words, "count")) forms |= FORM_WHOLE;
        if (strstr(key->words, "continuous") || strstr(key->words, "american")) forms |= FORM_TEXT;
        return forms;
    case KEY_KIND_DEFERRED: return key->forms;
    }
    return 0;
}

static void complain_unknown(struct reader *reader, const struct key_table *table,
                             const struct key_rules *rules, const config_setting_t *at)
{
    char hint[HINT_ROOM], keys[600] = "";
    const char *name = config_setting_name(at);
    struct nearest nearest = {.wanted = name};
    for (int i = 0; i < table->n; i++) {
        if (!has_row(rules->allowed, i)) continue;
        nearest_try(&nearest, table->keys[i].name);
        list_word(keys, sizeof keys, ", ", table->keys[i].name);
    }
    if (nearest.best[0])
        complain(reader, at, "unknown key '%s' in %s%s", name, rules->owner,
                 nearest_hint(&nearest, hint));
    else complain(reader, at, "unknown key '%s' in %s; its keys are %s", name, rules->owner, keys);
}

/* ---- reading a group ------------------------------------------------------------------------- */

static bool read_key(struct reader *reader, const struct key *key, const config_setting_t *at,
                     void *target)
{
    void *field = target ? (char *)target + key->offset : NULL;
    int before = reader->complaints->n;
    int64_t whole;
    const char *name;
    switch (key->kind) {
    case KEY_KIND_NUMBER:
        if (!read_number(reader, at, key->range, field)) return false;
        if (key->doubtful > 0.0) note_per_cent(reader, at, 1, field, key->doubtful);
        return true;
    case KEY_KIND_TIME: return read_time(reader, at, key->range, field);
    case KEY_KIND_BIG: return read_whole(reader, at, key->range, field);
    case KEY_KIND_BOOL: return read_bool(reader, at, field);
    case KEY_KIND_COUNT:
        if (!read_whole(reader, at, key->range, &whole)) return false;
        *(int *)field = (int)whole;
        return true;
    case KEY_KIND_CHOICE: return read_choice(reader, at, key->words, field);
    case KEY_KIND_NAME:
        name = read_name(reader, at);
        return name && (*(char **)field = reader_copy(reader, name));
    case KEY_KIND_WORD:
        name = read_name(reader, at);
        if (name && strlen(name) < SETTING_TEXT) strcpy(field, name);
        else if (name)
            complain_key(reader, at, "is limited to %d characters, got \"%s\"", SETTING_TEXT - 1,
                         name);
        return reader->complaints->n == before;
    case KEY_KIND_ASSET:
    case KEY_KIND_CURRENCY:
        *(int *)field = read_reference(reader, at, key->kind == KEY_KIND_CURRENCY);
        return *(int *)field >= 0;
    case KEY_KIND_GROUP:
        read_group(reader, key->table, at, target);
        return reader->complaints->n == before;
    case KEY_KIND_SCHEDULE:
    case KEY_KIND_DEFERRED: return true;
    }
    return false;
}

/* Complains where a key is missing, or given beside the one that fills the same field. */
static void check_given(struct reader *reader, const struct key_table *table,
                        const struct key_rules *rules, const config_setting_t *group, int row,
                        struct found_keys *found)
{
    const char *name = table->keys[row].name;
    int other = 0;
    while (other < table->n &&
           (!table->keys[other].same_as || strcmp(table->keys[other].same_as, name)))
        other++;
    bool either = other < table->n, other_given = either && found->at[other];
    if (found->at[row] && other_given) {
        complain(reader, found->at[other], "%s contradicts %s: give one of the two",
                 table->keys[other].name, name);
        found->good &= ~((uint64_t)1 << row | (uint64_t)1 << other);
    } else if (!found->at[row] && !other_given && has_row(rules->required, row))
        complain(reader, group, "%s%s%s is missing: %s must have it", name, either ? " or " : "",
                 either ? table->keys[other].name : "", rules->owner);
}

void read_keys(struct reader *reader, const struct key_table *table, const struct key_rules *rules,
               const config_setting_t *group, void *target, struct found_keys *found)
{
    *found = (struct found_keys){.good = 0};
    int n = config_setting_length(group);
    for (int i = 0; i < n; i++) {
        const config_setting_t *at = element_of(group, i);
        int row = table_row(table, config_setting_name(at));
        if (row < 0 || !has_row(rules->allowed, row)) {
            if (!rules->others) complain_unknown(reader, table, rules, at);
            continue;
        }
        found->at[row] = at;
        if (read_key(reader, &table->keys[row], at, target)) found->good |= (uint64_t)1 << row;
    }
    for (int row = 0; row < table->n; row++) check_given(reader, table, rules, group, row, found);
}

uint64_t read_group(struct reader *reader, const struct key_table *table,
                    const config_setting_t *group, void *target)
{
    struct found_keys found;
    if (!expect_group(reader, group, table->title)) return 0;
    const struct key_rules rules = table_rules(table);
    read_keys(reader, table, &rules, group, target, &found);
    return found.good;
}

bool read_well(const struct key_table *table, uint64_t rows, const char *name)
{
    int row = table_row(table, name);
    return row >= 0 && has_row(rows, row);
}
