/* Bytes that grow at their end and are read from their beginning: what one process tells another.
 */
#ifndef PRICER_MODELS_BASE_BYTES_H
#define PRICER_MODELS_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "models/base/status.h"

/* Begins as {0}. */
struct bytes {
    unsigned char *at; /* [n]; owned */
    size_t n, room;
    size_t read; /* those that bytes_read() has taken */
};

/* Adds a copy of n bytes. STATUS_NO_MEMORY. */
enum status bytes_add(struct bytes *bytes, const void *from, size_t n);

/* Copies the next n bytes out; false, and nothing is taken, where there are fewer. */
bool bytes_read(struct bytes *bytes, void *to, size_t n);

/* Empties them and frees what they own. */
void bytes_free(struct bytes *bytes);

#endif
