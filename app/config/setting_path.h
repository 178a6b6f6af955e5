/* Paths of settings, as `--set` has them: market.assets[AAPL].spot. */
#ifndef PRICER_APP_CONFIG_SETTING_PATH_H
#define PRICER_APP_CONFIG_SETTING_PATH_H

#include <libconfig.h>
#include <stdbool.h>

#include "models/base/complaints.h"
#include "models/base/status.h"

enum { SEGMENT_ROOM = 128 };

/* Takes the next part of a path, which ends in '=' or zero: a key, or an element in brackets, whose
 * name may hold anything but a bracket. Returns its length, 0 where it is empty or too long. */
size_t path_part(const char **path, char segment[SEGMENT_ROOM]);

/* Returns the index of a part "[3]", -1 where it is none. */
long path_index(const char *segment);

/* Returns the child of a group, or the element of a list, that a part names or counts; a name in
 * quotes is no number. NULL where there is none. */
config_setting_t *path_child(config_setting_t *parent, const char *segment);

/* Returns what the element is called that a part counts, where it is the name of another; else
 * NULL. */
const char *path_twofold(config_setting_t *parent, const char *segment);

/* Returns the key of a setting, or of the list that it is an element of. */
const char *setting_key(const config_setting_t *at);

/* Return element i of a list or a group, and what a group has under a key: NULL where there is
 * none, or no list and no group. libconfig's own want settings that may be changed. */
static inline config_setting_t *element_of(const config_setting_t *list, int i)
{
    return list ? config_setting_get_elem((config_setting_t *)list, (unsigned)i) : NULL;
}
static inline config_setting_t *member_of(const config_setting_t *group, const char *key)
{
    return group ? config_setting_get_member((config_setting_t *)group, key) : NULL;
}

/* Returns what a number is, whatever its type. */
static inline double setting_number(const config_setting_t *at)
{
    return config_setting_type(at) == CONFIG_TYPE_FLOAT ? config_setting_get_float(at)
                                                        : (double)config_setting_get_int64(at);
}

/* Notes where a setting is from, for complaints, in its hook: the tree frees it by its destructor,
 * free(). False without memory. */
bool setting_say_from(config_setting_t *setting, const char *from);

/* Copies a value into a setting of its type, an empty one where it holds others, with where each is
 * from. False without memory. */
bool copy_value(const config_setting_t *from, config_setting_t *to);

/* Puts one value in place, e.g. "settings.paths=4096" or "market.assets.[0].spot=101.5". A key that
 * the file does not have is added to its group, so that the reader judges it as it judges the
 * file's. Dashes before it, as an option has, are for complaints alone. `set` must outlive
 * `config`: it hangs on the setting, as the location of later complaints. STATUS_OK after a
 * complaint too; STATUS_NO_MEMORY. */
enum status override_apply(config_t *config, const char *set, struct complaints *complaints);

#endif
