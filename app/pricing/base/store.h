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

struct store {
    void *context;

    /* Finds the content of a piece that was kept before the program began: *content, of *n bytes,
     * which the caller frees; NULL where there is none or where it is damaged. STATUS_FILE and one
     * line, STATUS_NO_MEMORY. */
    enum status (*recall)(void *context, const char *kind, uint64_t digest, void **content,
                          size_t *n, struct message *why);

    /* Keeps a copy of the content. It may be lost until `flush` returns. Errors as of recall. */
    enum status (*keep)(void *context, const char *kind, uint64_t digest, const void *content,
                        size_t n, struct message *why);

    /* Makes all that was kept safe. Errors as of recall. */
    enum status (*flush)(void *context, struct message *why);
};

/* Asks the store; one that remembers nothing has no content, and keeps and flushes with
 * STATUS_OK. */
static inline enum status store_recall(const struct store *store, const char *kind, uint64_t digest,
                                       void **content, size_t *n, struct message *why)
{
    *content = NULL;
    *n = 0;
    return store && store->recall ? store->recall(store->context, kind, digest, content, n, why)
                                  : STATUS_OK;
}

static inline enum status store_keep(const struct store *store, const char *kind, uint64_t digest,
                                     const void *content, size_t n, struct message *why)
{
    return store && store->keep ? store->keep(store->context, kind, digest, content, n, why)
                                : STATUS_OK;
}

static inline enum status store_flush(const struct store *store, struct message *why)
{
    return store && store->flush ? store->flush(store->context, why) : STATUS_OK;
}

#endif
