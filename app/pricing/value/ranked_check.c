#include "app/pricing/value/ranked_check.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "app/pricing/base/digest.h"
#include "app/pricing/base/ranked_list.h"
#include "kernels/threads.h"
#include "models/base/clock.h"

/* A reference as one rank tells it to another. */
struct made_reference {
    enum status status;
    struct known_reference found;
    struct message why;
    double seconds;
};

/* Some references, on threads. */
struct made_references {
    const struct ranked_check *check;
    int n;
    const int *which;
    struct made_reference *made; /* [n] */
    atomic_int next;
};

static void *make_some(void *argument)
{
    struct made_references *some = argument;
    const struct ranked_check *check = some->check;
    for (int p; (p = atomic_fetch_add(&some->next, 1)) < some->n;) {
        struct made_reference *made = &some->made[p];
        int trade = some->which[p];
        double began = seconds_now();
        made->status = STATUS_INTERRUPTED;
        if (!asked_to_stop(check->stop))
            made->status = reference_make(check->market, &check->trades[trade],
                                          check->seed(check->context, trade), check->stop,
                                          &made->found, &made->why);
        made->seconds = seconds_now() - began;
    }
    return NULL;
}

static enum status make(void *context, int n, const int *which, struct bytes *made,
                        struct message *why)
{
    enum status status = STATUS_OK;
    const struct ranked_check *check = context;
    struct made_references some = {.check = check, .n = n, .which = which};
    some.made = calloc((size_t)n + 1, sizeof *some.made);
    if (!some.made) TRY(STATUS_NO_MEMORY);
    run_on_threads(n < check->threads ? n : check->threads, make_some, &some);
    for (int p = 0; p < n; p++) {
        if (some.made[p].status == STATUS_OK || some.made[p].status == STATUS_FAILED) continue;
        *why = some.made[p].why;
        TRY(some.made[p].status);
    }
    TRY(bytes_add(made, some.made, (size_t)n * sizeof *some.made));
done:
    free(some.made);
    return status;
}

static enum status take(void *context, int i, struct bytes *made, struct message *why)
{
    const struct ranked_check *check = context;
    struct made_reference one;
    if (!bytes_read(made, &one, sizeof one)) return STATUS_ENGINE;
    return check->take(check->context, i, one.status, &one.found, &one.why, one.seconds, why);
}

enum status ranked_check_share(const struct ranked_check *check, int n, const int *which,
                               struct message *why)
{
    const struct ranked_list list = {.ranks = check->ranks,
                                     .key = digest_text(DIGEST_BEGIN, "references"),
                                     .n = n,
                                     .which = which,
                                     .least = (uint64_t)check->threads,
                                     .most = 64 * (uint64_t)check->threads,
                                     .last = true,
                                     .stop = check->stop,
                                     .context = (void *)check,
                                     .make = make,
                                     .take = take};
    return ranked_list_share(&list, why);
}
