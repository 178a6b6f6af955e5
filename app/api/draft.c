#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/setting_path.h"
#include "app/config/source.h"
#include "app/api/handle.h"
#include "app/config/load_book.h"

struct pricer_draft {
    struct pricer *pricer;
    config_t config;
};

/* ---- the place of a value -------------------------------------------------------------------- */

/* A path on its way through a draft. */
struct search {
    struct pricer_draft *draft;
    const char *path, *rest; /* all of it; what is to come */
    char part[SEGMENT_ROOM];
    int type;                /* of the value that it leads to */
    config_setting_t *added; /* the outermost that was not there; NULL: none yet */
};

static enum status refuse(const struct search *search, const char *why)
{
    return pricer_say(search->draft->pricer, STATUS_BAD_INPUT, "%.300s: %s", search->path, why);
}

/* Notes that a setting is from the path as far as it has been followed. */
static enum status say_from(const struct search *search, config_setting_t *setting)
{
    size_t n = (size_t)(search->rest - search->path);
    if (n && search->path[n - 1] == '.') n--;
    char *from = strndup(search->path, n);
    bool said = from && setting_say_from(setting, from);
    free(from);
    return said ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Returns the type of what the part that was taken leads to: a list, a group or the value. */
static int type_here(const struct search *search)
{
    return !*search->rest         ? search->type
           : *search->rest == '[' ? CONFIG_TYPE_LIST
                                  : CONFIG_TYPE_GROUP;
}

static enum status add_element(struct search *search, config_setting_t *list,
                               config_setting_t **added)
{
    long index = path_index(search->part);
    bool named = search->part[1] < '0' || search->part[1] > '9' || index < 0;
    if (config_setting_type(list) != CONFIG_TYPE_LIST)
        return refuse(search, "brackets name an element of a list, and no list is there");
    if (!named && index != config_setting_length(list))
        return refuse(search, "elements are added one after the other: the list is shorter");
    if (named && type_here(search) != CONFIG_TYPE_GROUP)
        return refuse(search, "an element that is named is a group: a key of it must follow");
    *added = config_setting_add(list, NULL, type_here(search));
    if (!*added) return STATUS_NO_MEMORY;
    MUST(say_from(search, *added));
    if (!named) return STATUS_OK;
    const char *list_name = config_setting_name(list); /* a trade is called by its id */
    const char *key = list_name && !strcmp(list_name, "trades") ? "id" : "name";
    config_setting_t *name = config_setting_add(*added, key, CONFIG_TYPE_STRING);
    search->part[strlen(search->part) - 1] = '\0'; /* the bracket */
    if (!name || !config_setting_set_string(name, search->part + 1)) return STATUS_NO_MEMORY;
    return say_from(search, name);
}

static enum status add_member(struct search *search, config_setting_t *group,
                              config_setting_t **added)
{
    if (search->part[0] == '[')
        return refuse(search, "brackets name an element of a list, and a group is there");
    *added = config_setting_add(group, search->part, type_here(search));
    if (*added) return say_from(search, *added);
    return refuse(search, "a key is a letter, then letters, digits, '_' or '-'");
}

/* Tells whether it holds settings that have places of their own: it is more than a list of
 * values. */
static bool holds_others(const config_setting_t *at)
{
    bool others = config_setting_is_group(at);
    for (int i = 0; i < config_setting_length(at); i++)
        others |= config_setting_is_aggregate(element_of(at, i)) == CONFIG_TRUE;
    return others;
}

/* Empties a place for a value of the search's type; one that has another is put anew. */
static enum status empty(struct search *search, config_setting_t **at)
{
    config_setting_t *parent = config_setting_parent(*at);
    int type = config_setting_type(*at);
    if (holds_others(*at)) return refuse(search, "it holds other settings: name one of them");
    if (type == search->type && type != CONFIG_TYPE_LIST) return STATUS_OK;
    if (config_setting_is_group(parent)) {
        config_setting_remove(parent, search->part);
        return add_member(search, parent, at);
    }
    if (type != search->type) return refuse(search, "the element holds a value of another kind");
    while (config_setting_length(*at)) config_setting_remove_elem(*at, 0);
    return STATUS_OK;
}

static enum status find_place(struct search *search, config_setting_t **at)
{
    search->rest = search->path;
    *at = config_root_setting(&search->draft->config);
    do { /* goes one part further, and adds what is not there */
        config_setting_t *parent = *at;
        if (!*search->rest || !path_part(&search->rest, search->part))
            return refuse(search, "a path is as market.assets[AAPL].spot");
        if ((*at = path_child(parent, search->part))) continue;
        if (config_setting_is_group(parent)) MUST(add_member(search, parent, at));
        else if (config_setting_is_aggregate(parent)) MUST(add_element(search, parent, at));
        else return refuse(search, "a part of it holds a value, and no other settings");
        if (!search->added) search->added = *at;
    } while (*search->rest);
    return empty(search, at);
}

/* Takes out again what a path has added that is then refused. */
static void take_back(const struct search *search)
{
    const config_setting_t *added = search->added;
    if (added)
        config_setting_remove_elem(config_setting_parent(added),
                                   (unsigned)config_setting_index(added));
}

/* ---- the value ------------------------------------------------------------------------------- */

/* What is put in a place: a value, or those of a list. */
struct draft_value {
    int type; /* of libconfig, as what it points to: double, int64_t, int (a truth) or text */
    bool is_list;
    int n;
    const void *values; /* [n] */
};

/* Refuses a list of fewer than no values, and a text that would stand for something else in a book
 * that was read from a file. */
static enum status check_value(const struct search *search, const struct draft_value *value)
{
    const char *const *texts = value->values;
    if (value->n < 0) return refuse(search, "a list has 0 values or more");
    for (int i = 0; value->type == CONFIG_TYPE_STRING && i < value->n; i++) {
        const char *text = texts[i];
        if (!text) return refuse(search, "a text is NULL");
        if (text[0] == TEXT_MARK_WIDE || text[0] == TEXT_MARK_BARE)
            return refuse(search, "a text begins with a printable character");
    }
    return STATUS_OK;
}

/* Sets a setting of its type to one of the values. False without memory. */
static bool set_value(config_setting_t *at, const struct draft_value *value, int i)
{
    const void *values = value->values;
    if (!at) return false;
    switch (value->type) {
    case CONFIG_TYPE_FLOAT: return config_setting_set_float(at, ((const double *)values)[i]);
    case CONFIG_TYPE_INT64: return config_setting_set_int64(at, ((const int64_t *)values)[i]);
    case CONFIG_TYPE_BOOL: return config_setting_set_bool(at, ((const int *)values)[i] != 0);
    default: return config_setting_set_string(at, ((const char *const *)values)[i]);
    }
}

static enum pricer_status draft_put(struct pricer_draft *draft, const char *path,
                                    const struct draft_value *value)
{
    config_setting_t *at;
    struct search search = {
        .draft = draft, .path = path, .type = value->is_list ? CONFIG_TYPE_LIST : value->type};
    if (pricer_begin_with(draft ? draft->pricer : NULL, "path value", path,
                          value->n > 0 ? value->values : value))
        return PRICER_BAD_INPUT;
    enum status status = check_value(&search, value);
    if (!status) status = find_place(&search, &at);
    for (int i = 0; !status && i < value->n; i++) {
        config_setting_t *place = value->is_list ? config_setting_add(at, NULL, value->type) : at;
        if (!set_value(place, value, i)) status = STATUS_NO_MEMORY;
    }
    if (status) take_back(&search);
    return pricer_end(draft->pricer, status);
}

enum pricer_status pricer_draft_number(struct pricer_draft *draft, const char *path, double value)
{
    return draft_put(draft, path, &(struct draft_value){CONFIG_TYPE_FLOAT, false, 1, &value});
}

enum pricer_status pricer_draft_whole(struct pricer_draft *draft, const char *path, int64_t value)
{
    return draft_put(draft, path, &(struct draft_value){CONFIG_TYPE_INT64, false, 1, &value});
}

enum pricer_status pricer_draft_boolean(struct pricer_draft *draft, const char *path, int value)
{
    return draft_put(draft, path, &(struct draft_value){CONFIG_TYPE_BOOL, false, 1, &value});
}

enum pricer_status pricer_draft_text(struct pricer_draft *draft, const char *path,
                                     const char *value)
{
    const void *values = value ? &value : NULL;
    return draft_put(draft, path, &(struct draft_value){CONFIG_TYPE_STRING, false, 1, values});
}

enum pricer_status pricer_draft_numbers(struct pricer_draft *draft, const char *path, int n,
                                        const double *values)
{
    return draft_put(draft, path, &(struct draft_value){CONFIG_TYPE_FLOAT, true, n, values});
}

enum pricer_status pricer_draft_texts(struct pricer_draft *draft, const char *path, int n,
                                      const char *const *values)
{
    return draft_put(draft, path, &(struct draft_value){CONFIG_TYPE_STRING, true, n, values});
}

/* ---- the draft ------------------------------------------------------------------------------- */

enum pricer_status pricer_draft_new(struct pricer *pricer, struct pricer_draft **draft)
{
    if (draft) *draft = NULL;
    if (pricer_begin_with(pricer, "draft", draft)) return PRICER_BAD_INPUT;
    struct pricer_draft *made = *draft = malloc(sizeof *made);
    if (!made) return pricer_end(pricer, STATUS_NO_MEMORY);
    made->pricer = pricer;
    config_init(&made->config);
    config_set_destructor(&made->config, free);
    return PRICER_OK;
}

void pricer_draft_free(struct pricer_draft *draft)
{
    if (!draft) return;
    config_destroy(&draft->config);
    free(draft);
}

enum pricer_status pricer_book_make(struct pricer_draft *draft, const char *name,
                                    struct pricer_book **book)
{
    if (book) *book = NULL;
    if (pricer_begin_with(draft ? draft->pricer : NULL, "name book", name, book))
        return PRICER_BAD_INPUT;
    config_setting_t *root = config_root_setting(&draft->config);
    const struct book_input input = {.path = name, .text = "\n", .drafted = root};
    if (!setting_say_from(root, name)) return pricer_end(draft->pricer, STATUS_NO_MEMORY);
    return book_open(draft->pricer, &input, book);
}
