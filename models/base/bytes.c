#include "models/base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum status bytes_add(struct bytes *bytes, const void *from, size_t n)
{
    if (bytes->n + n > bytes->room) {
        size_t room = bytes->n + n + bytes->n / 2 + 64;
        unsigned char *larger = realloc(bytes->at, room);
        if (!larger) return STATUS_NO_MEMORY;
        bytes->at = larger;
        bytes->room = room;
    }
    if (n) memcpy(bytes->at + bytes->n, from, n);
    bytes->n += n;
    return STATUS_OK;
}

bool bytes_read(struct bytes *bytes, void *to, size_t n)
{
    if (bytes->n - bytes->read < n) return false;
    if (n) memcpy(to, bytes->at + bytes->read, n);
    bytes->read += n;
    return true;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct bytes){0};
}
