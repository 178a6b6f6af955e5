#include "kernels/cpu/lane_steps.h"

#include <stdlib.h>

#include "kernels/cpu/simulate.h"

/* Returns the fastest build for this processor. */
static const struct cpu_build *fastest(void)
{
    const struct cpu_build *found = NULL;
#define BUILD(name, idea, supported)                                                               \
    if (supported) found = &simulate_##name;
#include "models/base/builds.def"
#undef BUILD
    return found;
}

enum status lane_steps_make(const struct plan *plan, struct lane_steps *steps)
{
    *steps = (struct lane_steps){.step = fastest()->step,
                                 .draw = fastest()->draw,
                                 .scratch = calloc(1, sizeof *steps->scratch)};
    if (!steps->scratch) return STATUS_NO_MEMORY;
    enum status status = scratch_make(plan, NULL, steps->scratch);
    steps->paths = steps->scratch->paths;
    return status;
}

program_lanes_function *program_lanes(void)
{
    return fastest()->program;
}

void lane_steps_free(struct lane_steps *steps)
{
    if (steps->scratch) scratch_free(steps->scratch);
    free(steps->scratch);
    *steps = (struct lane_steps){0};
}
