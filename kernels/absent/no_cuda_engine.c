/* The CUDA engine of a build without CUDA: it is listed, offers no kernel and is never ready. */
#include <stdio.h>

#include "kernels/engine.h"

static const struct kernel_row kernels[] = {{0}};
static const char *const settings[] = {NULL};

static enum status absent_ready(struct message *why)
{
    snprintf(why->text, sizeof why->text,
             "this build has no CUDA engine (nvcc was not found when it was built)");
    return STATUS_NO_ENGINE;
}

static enum status absent_route(const struct plan *plan, int group,
                                const struct engine_options *options, struct route *route,
                                struct message *why)
{
    (void)plan, (void)group, (void)options, (void)route;
    return absent_ready(why);
}

static enum status absent_walk(const struct plan *plan, const struct engine_options *options,
                               const struct batch_range *range, struct engine_report *report,
                               struct message *why)
{
    (void)plan, (void)options, (void)range, (void)report;
    return absent_ready(why);
}

static enum status absent_observe(const struct plan *plan, const struct engine_options *options,
                                  int group, const struct chunk_range *range, struct message *why)
{
    (void)plan, (void)options, (void)group, (void)range;
    return absent_ready(why);
}

const struct engine cuda_engine = {.name = "cuda",
                                   .kernels = kernels,
                                   .settings = settings,
                                   .shown = settings,
                                   .ready = absent_ready,
                                   .route = absent_route,
                                   .walk = absent_walk,
                                   .observe = absent_observe};
