#include "kernels/cpu/exercise_features.h"

#include "kernels/cpu/scratch.h"

/* The last of builds.def that this processor can run. */
#define BUILD(name, idea, supported)                                                               \
    if (supported)                                                                                 \
        found = (struct build_functions){simulate_##name##_features, simulate_##name##_one_step,   \
                                         simulate_##name##_moments, simulate_##name##_exercising,  \
                                         simulate_##name##_values};
struct build_functions fastest_build(void)
{
    struct build_functions found = {0};
#include "kernels/cpu/builds.def"
    return found;
}
#undef BUILD

enum status record_exercise(const struct plan *plan, int group, uint64_t first, uint64_t chunks,
                            const struct stop *stop, struct recorded_exercise *recorded)
{
    struct path_scratch scratch;
    record_features_function *record = fastest_build().record;
    enum status status = scratch_make(plan, &scratch);
    scratch.stop = stop;
    for (uint64_t c = first; c < first + chunks && !status; c++) {
        record(plan, &plan->groups[group], c, &scratch, recorded);
        if (simulation_stopped(&scratch)) status = STATUS_INTERRUPTED;
    }
    scratch_free(&scratch);
    return status;
}
