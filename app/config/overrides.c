#include "app/config/overrides.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/setting_path.h"
#include "app/config/source.h"

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
        if (!path_part(&path, segment)) return NULL;
        config_setting_t *next = path_child(setting, segment);
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
    return set_value(target, equals + 1) && setting_say_from(target, set) ? STATUS_OK
                                                                          : STATUS_NO_MEMORY;
}
