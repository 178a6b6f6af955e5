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

/* What an engine does when it is ready is not there. */
const struct engine cuda_engine = {.name = "cuda",
                                   .kernels = kernels,
                                   .settings = settings,
                                   .shown = settings,
                                   .ready = absent_ready};
