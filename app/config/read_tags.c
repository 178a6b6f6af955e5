/* The tags of trades. */
#include <string.h>

#include "app/config/read_trades.h"
#include "app/config/values.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

bool tag_name_is_good(struct reader *reader, const config_setting_t *at, const char *name)
{
    if (!*name || !strchr(letters, name[0]) || name[strspn(name, others)] ||
        strlen(name) > TAG_NAME_MAX)
        complain(reader, at,
                 "the name of a tag must be a letter and then at most %d letters, digits, _ or -, "
                 "got '%.64s'",
                 TAG_NAME_MAX - 1, name);
    else if (!strcmp(name, "asset") || !strcmp(name, "total"))
        complain(reader, at, "a tag may not be called '%s': totals are by asset without it", name);
    else return true;
    return false;
}

/* Counts the tag among those of the book. */
static void enter_tag(struct reader *reader, struct trade_list *list, const config_setting_t *at,
                      const char *name)
{
    if (names_find(&list->tags, name) >= 0) return;
    if (list->tags.n == TAGS_MAX)
        complain(reader, at, "tag '%s' is one too many: the trades of a book have at most %d", name,
                 TAGS_MAX);
    else note_memory(reader, names_add(&list->tags, name, (int)list->tags.n));
}

static void read_tag(struct trade_reading *reading, struct trade_list *list,
                     const config_setting_t *at)
{
    struct reader *reader = reading->reader;
    struct trade *trade = reading->trade;
    const char *name = config_setting_name(at);
    if (!tag_name_is_good(reader, at, name)) return;
    const char *value = read_name(reader, at);
    if (!value) return;
    struct tag *tag = &trade->tags[trade->n_tags++];
    *tag = (struct tag){reader_copy(reader, name), reader_copy(reader, value)};
    if (!reader->status) enter_tag(reader, list, at, tag->name);
}

void read_tags(struct trade_reading *reading, struct trade_list *list)
{
    const config_setting_t *at = reading->found.at[KEY_TAGS];
    if (!at || !expect_group(reading->reader, at, "tags")) return;
    int n = config_setting_length(at);
    reading->trade->tags = reader_array(reading->reader, (size_t)n, sizeof *reading->trade->tags);
    for (int i = 0; i < n && !reading->reader->status; i++)
        read_tag(reading, list, element_of(at, i));
}
