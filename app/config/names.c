#define _GNU_SOURCE /* tdestroy */

#include "app/config/names.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct name_entry {
    const char *name;
    int value;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct name_entry *)a)->name, ((const struct name_entry *)b)->name);
}

int names_find(const struct names *names, const char *name)
{
    const struct name_entry wanted = {.name = name};
    struct name_entry *const *found = tfind(&wanted, &names->tree, compare);
    return found ? (*found)->value : -1;
}

enum status names_add(struct names *names, const char *name, int value)
{
    struct name_entry *added = malloc(sizeof *added);
    if (added) *added = (struct name_entry){name, value};
    if (!added || !tsearch(added, &names->tree, compare)) {
        free(added);
        return STATUS_NO_MEMORY;
    }
    names->n++;
    return STATUS_OK;
}

void names_free(struct names *names)
{
    tdestroy(names->tree, free);
    *names = (struct names){0};
}
