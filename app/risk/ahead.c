#include "app/risk/ahead.h"

#include <pthread.h>
#include <stdbool.h>

struct preparing {
    stage *prepare;
    void *context;
    int i;
    enum status status;
    struct message why;
};

static void *prepare_one(void *argument)
{
    struct preparing *preparing = argument;
    preparing->status = preparing->prepare(preparing->context, preparing->i, &preparing->why);
    return NULL;
}

enum status run_ahead(int n, stage *prepare, stage *run, void *context, struct message *why)
{
    enum status status = STATUS_OK;
    if (n < 1) return STATUS_OK;
    TRY(prepare(context, 0, why));
    for (int i = 0; i < n; i++) {
        struct preparing next = {.prepare = prepare, .context = context, .i = i + 1};
        pthread_t thread;
        bool threaded = i + 1 < n && !pthread_create(&thread, NULL, prepare_one, &next);
        status = run(context, i, why);
        if (threaded) pthread_join(thread, NULL);
        else if (i + 1 < n && !status) prepare_one(&next);
        TRY(status);
        if (next.status) *why = next.why;
        TRY(next.status);
    }
done:
    return status;
}
