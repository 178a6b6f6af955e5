/* Lists that grow. */
#ifndef PRICER_MODELS_BASE_GROW_H
#define PRICER_MODELS_BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/status.h"

/* Makes room for `needed` elements of a size: `array` is the address of the pointer to them, and
 * *room is doubled until it is enough. STATUS_NO_MEMORY: they stay as they are. */
static inline enum status grow_array(void *array, int *room, int needed, size_t size)
{
    void *at;
    if (needed <= *room) return STATUS_OK;
    int more = *room ? 2 * *room : 16;
    while (more < needed) more *= 2;
    memcpy(&at, array, sizeof at);
    at = realloc(at, (size_t)more * size);
    if (!at) return STATUS_NO_MEMORY;
    memcpy(array, &at, sizeof at);
    *room = more;
    return STATUS_OK;
}

#endif
