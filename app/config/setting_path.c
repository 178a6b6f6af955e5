#include "app/config/setting_path.h"

#include <stdlib.h>
#include <string.h>

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

const char *setting_name(config_setting_t *element)
{
    const config_setting_t *name = member_of(element, "name"), *id = member_of(element, "id");
    const char *text = name ? config_setting_get_string(name) : NULL;
    return text || !id ? text : config_setting_get_string(id);
}

/* Finds the element of a list that a part "[AAPL]" names, or "[3]" counts, from 0. */
static config_setting_t *element(config_setting_t *list, const char *segment)
{
    long index = path_index(segment);
    int n = config_setting_length(list);
    if (segment[0] != '[') return NULL;
    if (index >= 0 && index < n) return config_setting_get_elem(list, (unsigned)index);
    for (int i = 0; i < n; i++) {
        config_setting_t *at = config_setting_get_elem(list, (unsigned)i);
        const char *name = setting_name(at);
        size_t length = name ? strlen(name) : 0;
        if (name && !strncmp(segment + 1, name, length) && !strcmp(segment + 1 + length, "]"))
            return at;
    }
    return NULL;
}

config_setting_t *path_child(config_setting_t *parent, const char *segment)
{
    return config_setting_is_group(parent) ? config_setting_get_member(parent, segment)
                                           : element(parent, segment);
}

bool setting_say_from(config_setting_t *setting, const char *from)
{
    char *copy = strdup(from);
    if (!copy) return false;
    free(config_setting_get_hook(setting));
    config_setting_set_hook(setting, copy);
    return true;
}
