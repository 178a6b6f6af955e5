#include "app/pricing/base/ranked_list.h"

#include <stdlib.h>

static enum status describe(void *context, uint64_t first, uint64_t end, struct bytes *told)
{
    const struct ranked_list *list = context;
    return bytes_add(told, list->which + first, sizeof(int) * (size_t)(end - first));
}

static enum status make(void *context, struct bytes *told, struct bytes *made, struct message *why)
{
    const struct ranked_list *list = context;
    size_t n = told->n / sizeof(int);
    int *which = malloc(told->n + 1);
    if (!which) return STATUS_NO_MEMORY;
    bytes_read(told, which, n * sizeof *which);
    enum status status = list->make(list->context, (int)n, which, made, why);
    free(which);
    return status;
}

static enum status take(void *context, uint64_t first, uint64_t end, struct bytes *made,
                        struct message *why)
{
    const struct ranked_list *list = context;
    enum status status = STATUS_OK;
    for (uint64_t p = first; !status && p < end; p++)
        status = list->take(list->context, list->which[p], made, why);
    return status;
}

static enum status tell(void *context, struct bytes *result)
{
    const struct ranked_list *list = context;
    return list->tell(list->context, result);
}

static enum status hear(void *context, struct bytes *result)
{
    const struct ranked_list *list = context;
    return list->hear(list->context, result);
}

enum status ranked_list_share(const struct ranked_list *list, struct message *why)
{
    const struct ranks_job job = {.key = list->key,
                                  .at_once = 1,
                                  .n = (uint64_t)list->n,
                                  .least = list->least,
                                  .most = list->most,
                                  .last = list->last,
                                  .everywhere = list->tell != NULL,
                                  .stop = list->stop,
                                  .context = (void *)list,
                                  .describe = describe,
                                  .make = make,
                                  .take = take,
                                  .tell = tell,
                                  .hear = hear};
    return list->ranks->share(list->ranks->context, &job, why);
}

enum status ranked_list_do(const struct ranked_list *list, struct message *why)
{
    if (list->ranks) return ranked_list_share(list, why);
    struct bytes made = {0};
    enum status status = list->make(list->context, list->n, list->which, &made, why);
    for (int p = 0; !status && p < list->n; p++)
        status = list->take(list->context, list->which[p], &made, why);
    bytes_free(&made);
    return status;
}
