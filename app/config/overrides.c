#include "app/config/overrides.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/source.h"

enum { SEGMENT_ROOM = 128 };

static enum status refuse(struct complaints *complaints, const char *set, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum status refuse(struct complaints *complaints, const char *set, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    complaints_add(complaints, 0, "--set %s: %s", set, text);
    return STATUS_BAD_INPUT;
}

/* ---- the place ------------------------------------------------------------------------------- */

/* Takes the next part of a path, a key, or an element in brackets, whose name may hold anything but
 * a bracket; its length, 0 where it is empty or too long. */
static size_t next_segment(const char **path, char segment[SEGMENT_ROOM])
{
    size_t n = **path == '[' ? strcspn(*path, "]") + 1 : strcspn(*path, ".[=");
    if (n == 0 || n >= SEGMENT_ROOM || n > strlen(*path)) return 0;
    memcpy(segment, *path, n);
    segment[n] = '\0';
    *path += n;
    if (**path == '.') ++*path;
    return n;
}

/* Returns the index of a part "[3]", -1 where it is none. */
static long segment_index(const char *segment)
{
    char *end;
    if (segment[0] != '[' || segment[1] < '0' || segment[1] > '9') return -1;
    long index = strtol(segment + 1, &end, 10);
    return strcmp(end, "]") ? -1 : index;
}

/* Returns what an element of a list is called: its name or id; NULL where it has none. */
static const char *name_of(config_setting_t *element)
{
    static const char *const keys[] = {"name", "id"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const config_setting_t *at =
            config_setting_is_group(element) ? config_setting_get_member(element, keys[i]) : NULL;
        if (at && config_setting_type(at) == CONFIG_TYPE_STRING)
            return config_setting_get_string(at);
    }
    return NULL;
}

/* Finds the element of a list that a part "[AAPL]" names, or "[3]" counts, from 0. */
static config_setting_t *element(config_setting_t *list, const char *segment)
{
    long index = segment_index(segment);
    int n = config_setting_is_aggregate(list) ? config_setting_length(list) : 0;
    if (config_setting_is_group(list) || segment[0] != '[') return NULL;
    if (index >= 0 && index < n) return config_setting_get_elem(list, (unsigned)index);
    for (int i = 0; i < n; i++) {
        config_setting_t *at = config_setting_get_elem(list, (unsigned)i);
        const char *name = name_of(at);
        size_t length = name ? strlen(name) : 0;
        if (name && !strncmp(segment + 1, name, length) && !strcmp(segment + 1 + length, "]"))
            return at;
    }
    return NULL;
}

static config_setting_t *child(config_setting_t *parent, const char *segment)
{
    return config_setting_is_group(parent) ? config_setting_get_member(parent, segment)
                                           : element(parent, segment);
}

/* Adds a key that the file does not have; at the end of a path alone, the group of settings too. */
static config_setting_t *add_child(config_setting_t *parent, const char *segment, bool last)
{
    bool settings = config_setting_is_root(parent) && !strcmp(segment, "settings");
    if (!config_setting_is_group(parent) || (!last && !settings)) return NULL;
    return config_setting_add(parent, segment, last ? CONFIG_TYPE_NONE : CONFIG_TYPE_GROUP);
}

/* Finds the setting a path names; NULL where there is none. `missing` is then the part not
 * found. */
static config_setting_t *find_target(config_t *config, const char *path, char missing[SEGMENT_ROOM])
{
    config_setting_t *setting = config_root_setting(config);
    missing[0] = '\0';
    while (setting && *path != '=') {
        char *segment = missing;
        if (!next_segment(&path, segment)) return NULL;
        config_setting_t *next = child(setting, segment);
        setting = next ? next : add_child(setting, segment, *path == '=');
    }
    return setting;
}

/* ---- the value ------------------------------------------------------------------------------- */

/* Makes a scalar ready for a value of any type. */
static void clear_scalar(config_setting_t *setting)
{
    if (config_setting_type(setting) == CONFIG_TYPE_STRING)
        config_setting_set_string(setting, NULL);
    setting->value.sval = NULL;
    setting->type = CONFIG_TYPE_NONE;
}

static int copy_scalar(config_setting_t *to, const config_setting_t *from)
{
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT: return config_setting_set_int(to, config_setting_get_int(from));
    case CONFIG_TYPE_INT64: return config_setting_set_int64(to, config_setting_get_int64(from));
    case CONFIG_TYPE_FLOAT: return config_setting_set_float(to, config_setting_get_float(from));
    case CONFIG_TYPE_BOOL: return config_setting_set_bool(to, config_setting_get_bool(from));
    default: break;
    }
    const char *text = config_setting_get_string(from);
    /* The shell takes quotes away */
    return config_setting_set_string(to, text + (text[0] == TEXT_MARK_BARE));
}

/* Parses `value = VALUE`; NULL where that is not one plain value of libconfig: then it is a text
 * without quotes. */
static const config_setting_t *parse_value(config_t *config, const char *value)
{
    struct source source;
    struct complaints unheard = {0};
    char *text = malloc(strlen(value) + 16);
    if (!text) return NULL;
    sprintf(text, "value = %s", value);
    bool parsed = !source_read_text("--set", text, &source, &unheard) &&
                  config_read_string(config, source.text);
    free(text);
    source_free(&source);
    complaints_free(&unheard);
    const config_setting_t *root = config_root_setting(config);
    if (!parsed || config_setting_length(root) != 1) return NULL;
    const config_setting_t *setting = config_setting_get_elem((config_setting_t *)root, 0);
    return config_setting_is_aggregate(setting) ? NULL : setting;
}

static int set_value(config_setting_t *target, const char *value)
{
    config_t config;
    config_init(&config);
    const config_setting_t *parsed = parse_value(&config, value);
    clear_scalar(target);
    int done = parsed ? copy_scalar(target, parsed) : config_setting_set_string(target, value);
    config_destroy(&config);
    return done;
}

enum status override_apply(config_t *config, const char *set, struct complaints *complaints)
{
    char missing[SEGMENT_ROOM];
    const char *equals = set + strcspn(set, "=[");
    while (*equals == '[') {
        equals += strcspn(equals, "]");
        equals += strcspn(equals, "=[");
    }
    if (!*equals || equals == set)
        return refuse(complaints, set, "must be PATH=VALUE, as settings.paths=4096");
    config_setting_t *target = find_target(config, set, missing);
    if (!target)
        return refuse(complaints, set,
                      "the book has no '%s' there: a path is as market.assets[AAPL].spot", missing);
    if (config_setting_is_aggregate(target))
        return refuse(complaints, set, "'%s' holds other settings: name one of them", missing);
    config_setting_set_hook(target, (void *)set);
    return set_value(target, equals + 1) ? STATUS_OK : STATUS_NO_MEMORY;
}
