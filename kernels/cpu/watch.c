#include "kernels/cpu/watch.h"

#include "kernels/cpu/scratch.h"

/* The last of walks.def that this processor can run. */
static watch_function *fastest(void)
{
    watch_function *found = NULL;
#define WALK(name, idea, supported)                                                                          \
    if (supported) found = walk_##name##_watching;
#include "kernels/cpu/walks.def"
#undef WALK
    return found;
}

enum status watch_exercise(const struct plan *plan, int group, uint64_t chunks,
                           struct watched_exercise *watched)
{
    struct walk_scratch scratch;
    enum status status = scratch_make(plan, &scratch);
    for (uint64_t c = 0; c < chunks && !status; c++)
        fastest()(plan, &plan->groups[group], c, &scratch, watched);
    scratch_free(&scratch);
    return status;
}
