#include "kernels/cpu/watch.h"

#include "kernels/cpu/scratch.h"

/* The last of walks.def that this processor can run. */
#define WALK(name, idea, supported)                                                                          \
    if (supported)                                                                                           \
        found =                                                                                              \
            (struct lane_functions){walk_##name##_watching, walk_##name##_one_step, walk_##name##_moments,   \
                                    walk_##name##_exercising, walk_##name##_values};
struct lane_functions fastest_lanes(void)
{
    struct lane_functions found = {0};
#include "kernels/cpu/walks.def"
    return found;
}
#undef WALK

enum status watch_exercise(const struct plan *plan, int group, uint64_t first, uint64_t chunks,
                           const volatile int *stop, struct watched_exercise *watched)
{
    struct walk_scratch scratch;
    watch_function *watch = fastest_lanes().watch;
    enum status status = scratch_make(plan, &scratch);
    scratch.stop = stop;
    for (uint64_t c = first; c < first + chunks && !status; c++) {
        watch(plan, &plan->groups[group], c, &scratch, watched);
        if (walk_stopped(&scratch)) status = STATUS_INTERRUPTED;
    }
    scratch_free(&scratch);
    return status;
}
