#include "app/config/setting_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/source.h"
#include "models/base/nearest.h"
#include "models/base/text.h"

size_t path_part(const char **path, char segment[SEGMENT_ROOM])
{
    size_t n = **path == '[' ? strcspn(*path, "]") + 1 : strcspn(*path, ".[=");
    if (n == 0 || n >= SEGMENT_ROOM || n > strlen(*path)) return 0;
    memcpy(segment, *path, n);
    segment[n] = '\0';
    *path += n;
    if (**path == '.') ++*path;
    return n;
}

long path_index(const char *segment)
{
    char *end;
    if (segment[0] != '[' || segment[1] < '0' || segment[1] > '9') return -1;
    long index = strtol(segment + 1, &end, 10);
    return strcmp(end, "]") ? -1 : index;
}

const char *setting_key(const config_setting_t *at)
{
    while (at && !config_setting_name(at)) at = config_setting_parent(at);
    return at ? config_setting_name(at) : "";
}

/* Returns what an element of a list is called: its name or id; NULL where it has none. */
static const char *setting_name(config_setting_t *element)
{
    const config_setting_t *name = member_of(element, "name"), *id = member_of(element, "id");
    const char *text = name ? config_setting_get_string(name) : NULL;
    return text || !id ? text : config_setting_get_string(id);
}

/* Returns the element of a list that a part "[NAME]", or "[\"NAME\"]", names; NULL where none is
 * called so. */
static config_setting_t *named_element(config_setting_t *list, const char *segment)
{
    bool quoted = segment[0] == '[' && segment[1] == '"';
    const char *wanted = segment + 1 + quoted, *end = quoted ? "\"]" : "]";
    for (int i = 0; segment[0] == '[' && i < config_setting_length(list); i++) {
        const char *name = setting_name(element_of(list, i));
        size_t length = name ? strlen(name) : 0;
        if (name && !strncmp(wanted, name, length) && !strcmp(wanted + length, end))
            return element_of(list, i);
    }
    return NULL;
}

config_setting_t *path_child(config_setting_t *parent, const char *segment)
{
    if (config_setting_is_group(parent)) return config_setting_get_member(parent, segment);
    long index = path_index(segment);
    return index >= 0 && index < config_setting_length(parent) ? element_of(parent, (int)index)
                                                               : named_element(parent, segment);
}

const char *path_twofold(config_setting_t *parent, const char *segment)
{
    config_setting_t *named = named_element(parent, segment), *child = path_child(parent, segment);
    const char *name = child ? setting_name(child) : NULL;
    return !named || named == child ? NULL : name ? name : "an element without a name";
}

bool setting_say_from(config_setting_t *setting, const char *from)
{
    char *copy = strdup(from);
    if (!copy) return false;
    free(config_setting_get_hook(setting));
    config_setting_set_hook(setting, copy);
    return true;
}

bool copy_value(const config_setting_t *from, config_setting_t *to)
{
    const char *origin = config_setting_get_hook(from);
    if (origin && !setting_say_from(to, origin)) return false;
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT: return config_setting_set_int(to, config_setting_get_int(from));
    case CONFIG_TYPE_INT64: return config_setting_set_int64(to, config_setting_get_int64(from));
    case CONFIG_TYPE_FLOAT: return config_setting_set_float(to, config_setting_get_float(from));
    case CONFIG_TYPE_BOOL: return config_setting_set_bool(to, config_setting_get_bool(from));
    case CONFIG_TYPE_STRING: return config_setting_set_string(to, config_setting_get_string(from));
    default: break;
    }
    for (int i = 0; i < config_setting_length(from); i++) {
        const config_setting_t *at = element_of(from, i);
        config_setting_t *copy =
            config_setting_add(to, config_setting_name(at), config_setting_type(at));
        if (!copy || !copy_value(at, copy)) return false;
    }
    return true;
}

/* ---- --set: the place ------------------------------------------------------------------------ */

/* Complains that a path has a part that its parent does not have; NULL: that is no part. */
static void refuse_part(const config_setting_t *parent, const char *part, const char *set,
                        struct complaints *complaints)
{
    char wanted[SEGMENT_ROOM], hint[HINT_ROOM];
    struct nearest nearest = {.wanted = wanted};
    snprintf(wanted, sizeof wanted, "%s", part + (part[0] == '['));
    wanted[strcspn(wanted, "]")] = '\0';
    for (int i = 0; parent && i < config_setting_length(parent); i++) {
        config_setting_t *child = element_of(parent, i);
        const char *name =
            config_setting_is_group(parent) ? config_setting_name(child) : setting_name(child);
        if (name) nearest_try(&nearest, name);
    }
    complaints_add(complaints, 0,
                   "--set %s: the book has no '%s' there: a path is as market.assets[AAPL].spot%s",
                   set, part, nearest_hint(&nearest, hint));
}

/* Finds the setting that a path names, whose last part is then `part`; NULL after a complaint. A
 * key that the file does not have is added; at the end of a path alone, the groups of settings and
 * risk too. */
static config_setting_t *find_target(config_t *config, const char *set, char part[SEGMENT_ROOM],
                                     struct complaints *complaints)
{
    config_setting_t *setting = config_root_setting(config);
    part[0] = '\0';
    for (const char *path = set; setting && *path != '=';) {
        config_setting_t *parent = path_part(&path, part) ? setting : NULL;
        const char *counted = parent ? path_twofold(parent, part) : NULL;
        bool last = *path == '=', root = parent && config_setting_is_root(parent),
             group = root && (!strcmp(part, "settings") || !strcmp(part, "risk"));
        if (counted) {
            int length = (int)strcspn(part + 1, "]");
            complaints_add(complaints, 0,
                           "--set %s: %s counts '%.64s' from 0, and another is called so: write "
                           "[\"%.*s\"] for that, or [\"%.64s\"]",
                           set, part, counted, length, part + 1, counted);
            return NULL;
        }
        setting = parent ? path_child(parent, part) : NULL;
        if (!setting && parent && config_setting_is_group(parent) && (last || group))
            setting = config_setting_add(parent, part, last ? CONFIG_TYPE_NONE : CONFIG_TYPE_GROUP);
        if (!setting) refuse_part(parent, part, set, complaints);
    }
    return setting;
}

/* ---- --set: the value ------------------------------------------------------------------------ */

/* Says of a value, and of all that it holds, that it is from a `--set`, of which the shell has
 * taken the quotes away. */
static bool take_from(config_setting_t *at, const char *set)
{
    char *text = config_setting_type(at) == CONFIG_TYPE_STRING ? at->value.sval : NULL;
    bool said = setting_say_from(at, set);
    if (text && text[0] == TEXT_MARK_BARE) memmove(text, text + 1, strlen(text));
    for (int i = 0; said && i < config_setting_length(at); i++)
        said = take_from(element_of(at, i), set);
    return said;
}

/* Parses `value = VALUE`; `setting` is NULL where that is no value of libconfig: then it is a text
 * without quotes. */
static enum status parse_value(config_t *config, const char *value,
                               const config_setting_t **setting)
{
    struct source source;
    struct complaints unheard = {0};
    char *text = text_print("value = %s", value);
    *setting = NULL;
    if (!text) return STATUS_NO_MEMORY;
    enum status status = source_read_text("--set", text, config, &source, &unheard);
    bool parsed = !status;
    if (unheard.lost) status = STATUS_NO_MEMORY;
    free(text);
    source_free(&source);
    complaints_free(&unheard);
    config_setting_t *root = config_root_setting(config);
    if (parsed && config_setting_length(root) == 1) *setting = config_setting_get_elem(root, 0);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

/* Sets a value, which is NULL where `text` is a text without quotes. */
static enum status set_value(config_setting_t *target, const config_setting_t *value,
                             const char *text, const char *key, const char *set,
                             struct complaints *complaints)
{
    bool many =
        config_setting_is_aggregate(target) || (value && config_setting_is_aggregate(value));
    if (many && !config_setting_name(target)) {
        complaints_add(complaints, 0, "--set %s: '%s' holds other settings: name one of them", set,
                       key);
        return STATUS_OK;
    }
    if (many) { /* takes the place of what the key has */
        config_setting_t *parent = config_setting_parent(target);
        config_setting_remove(parent, key);
        target = config_setting_add(parent, key,
                                    value ? config_setting_type(value) : CONFIG_TYPE_STRING);
    } else { /* a scalar is made ready for a value of any type */
        if (config_setting_type(target) == CONFIG_TYPE_STRING)
            config_setting_set_string(target, NULL);
        target->value.sval = NULL;
        target->type = CONFIG_TYPE_NONE;
    }
    bool done = target &&
                (value ? copy_value(value, target) : config_setting_set_string(target, text)) &&
                take_from(target, set);
    return done ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status override_apply(config_t *config, const char *set, struct complaints *complaints)
{
    char part[SEGMENT_ROOM];
    const char *path = set + strspn(set, "-"), *equals = path + strcspn(path, "=[");
    while (*equals == '[') {
        equals += strcspn(equals, "]");
        equals += strcspn(equals, "=[");
    }
    if (!*equals || equals == path) {
        complaints_add(complaints, 0, "--set %s: must be PATH=VALUE, as settings.paths=4096", set);
        return STATUS_OK;
    }
    config_setting_t *target = find_target(config, path, part, complaints);
    if (!target) return STATUS_OK;
    config_t read;
    config_init(&read);
    const config_setting_t *value;
    enum status status = parse_value(&read, equals + 1, &value);
    if (!status) status = set_value(target, value, equals + 1, part, set, complaints);
    config_destroy(&read);
    return status;
}
