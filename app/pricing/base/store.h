/* What remembers the pieces of a run that are computed, so that a run which was cut off at any
 * moment can be finished without computing them again. Pricing knows these three functions; who
 * implements them decides where the pieces lie (app/database/journal.h: in the results database).
 *
 * A piece is named by its kind and by a digest of all that decides its content. All three may be
 * called from any thread. A store that is NULL, or whose functions are, remembers nothing: what is
 * asked of it is computed. */
#ifndef PRICER_APP_PRICING_BASE_STORE_H
#define PRICER_APP_PRICING_BASE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "models/base/status.h"

enum { RECORD_KIND = 64 }; /* room for the name of a kind */

/* References outlive their run: the next runs of the same program find them as the second kind. */
#define REFERENCE_PIECE "reference"
#define KEPT_REFERENCE_PIECE "kept reference"

/* As struct pricer_store of app/api/pricer.h, which says the same to a caller of the library: each
 * returns an enum status, and of an error other than STATUS_NO_MEMORY one line in `why` [room]. */
struct store {
    void *context;

    /* Finds the content of a piece that was kept before the program began: *content, of *n bytes,
     * which the caller frees; NULL where there is none or where it is damaged. */
    int (*recall)(void *context, const char *kind, uint64_t digest, void **content, size_t *n,
                  char *why, size_t room);

    /* Keeps a copy of the content. It may be lost until `flush` returns. */
    int (*keep)(void *context, const char *kind, uint64_t digest, const void *content, size_t n,
                char *why, size_t room);

    /* Makes all that was kept safe. */
    int (*flush)(void *context, char *why, size_t room);
};

/* Asks the store; one that remembers nothing has no content, and keeps and flushes with
 * STATUS_OK. */
static inline enum status store_recall(const struct store *store, const char *kind, uint64_t digest,
                                       void **content, size_t *n, struct message *why)
{
    *content = NULL;
    *n = 0;
    if (!store || !store->recall) return STATUS_OK;
    return (enum status)store->recall(store->context, kind, digest, content, n, why->text,
                                      sizeof why->text);
}

static inline enum status store_keep(const struct store *store, const char *kind, uint64_t digest,
                                     const void *content, size_t n, struct message *why)
{
    if (!store || !store->keep) return STATUS_OK;
    return (enum status)store->keep(store->context, kind, digest, content, n, why->text,
                                    sizeof why->text);
}

static inline enum status store_flush(const struct store *store, struct message *why)
{
    if (!store || !store->flush) return STATUS_OK;
    return (enum status)store->flush(store->context, why->text, sizeof why->text);
}

#endif
