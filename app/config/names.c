#include "app/config/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Hashes a name by FNV-1a, 64 bits. */
static uint64_t hash(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

/* Finds where the name is, or where it would go. `room` is a power of two and never full. */
static struct name_entry *slot_of(struct name_entry *entries, size_t room, const char *name)
{
    size_t i = hash(name) & (room - 1);
    while (entries[i].name && strcmp(entries[i].name, name)) i = (i + 1) & (room - 1);
    return &entries[i];
}

int names_find(const struct names *names, const char *name)
{
    if (!names->room) return -1;
    const struct name_entry *entry = slot_of(names->entries, names->room, name);
    return entry->name ? entry->value : -1;
}

static enum status grow(struct names *names)
{
    size_t room = names->room ? 2 * names->room : 64;
    struct name_entry *entries = calloc(room, sizeof *entries);
    if (!entries) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < names->room; i++)
        if (names->entries[i].name)
            *slot_of(entries, room, names->entries[i].name) = names->entries[i];
    free(names->entries);
    names->entries = entries;
    names->room = room;
    return STATUS_OK;
}

enum status names_add(struct names *names, const char *name, int value)
{
    if (2 * names->n >= names->room && grow(names)) return STATUS_NO_MEMORY;
    *slot_of(names->entries, names->room, name) = (struct name_entry){name, value};
    names->n++;
    return STATUS_OK;
}

void names_free(struct names *names)
{
    free(names->entries);
    *names = (struct names){0};
}
