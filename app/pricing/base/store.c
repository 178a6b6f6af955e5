#include "app/pricing/base/store.h"

enum status store_recall(const struct store *store, const char *kind, uint64_t digest,
                         void **content, size_t *n, struct message *why)
{
    *content = NULL;
    *n = 0;
    return store && store->recall ? store->recall(store->context, kind, digest, content, n, why)
                                  : STATUS_OK;
}

enum status store_keep(const struct store *store, const char *kind, uint64_t digest,
                       const void *content, size_t n, struct message *why)
{
    return store && store->keep ? store->keep(store->context, kind, digest, content, n, why)
                                : STATUS_OK;
}

enum status store_flush(const struct store *store, struct message *why)
{
    return store && store->flush ? store->flush(store->context, why) : STATUS_OK;
}
