#include "kernels/cpu/lane_steps.h"

#include <stdlib.h>

#include "kernels/cpu/scratch.h"

/* Returns the last of builds.def that this processor can run. */
static step_lanes_function *fastest_step(void)
{
    step_lanes_function *found = NULL;
#define BUILD(name, idea, supported)                                                               \
    if (supported) found = simulate_##name##_one_step;
#include "kernels/cpu/builds.def"
#undef BUILD
    return found;
}

enum status lane_steps_make(const struct plan *plan, struct lane_steps *steps)
{
    *steps =
        (struct lane_steps){.step = fastest_step(), .scratch = calloc(1, sizeof *steps->scratch)};
    if (!steps->scratch) return STATUS_NO_MEMORY;
    enum status status = scratch_make(plan, steps->scratch);
    steps->paths = steps->scratch->paths;
    return status;
}

void lane_steps_free(struct lane_steps *steps)
{
    if (steps->scratch) scratch_free(steps->scratch);
    free(steps->scratch);
    *steps = (struct lane_steps){0};
}
