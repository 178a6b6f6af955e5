#include "kernels/cpu/lane_steps.h"

#include <stdlib.h>

#include "kernels/cpu/simulate.h"

enum status lane_steps_make(const struct plan *plan, struct lane_steps *steps)
{
    *steps = (struct lane_steps){.scratch = calloc(1, sizeof *steps->scratch)};
    if (!steps->scratch) return STATUS_NO_MEMORY;
#define BUILD(name, idea, supported)                                                               \
    if (supported) steps->step = simulate_##name##_one_step, steps->draw = simulate_##name##_words;
#include "models/base/builds.def"
#undef BUILD
    enum status status = scratch_make_step(plan, steps->scratch);
    steps->paths = steps->scratch->paths;
    return status;
}

program_lanes_function *program_lanes(void)
{
    program_lanes_function *fastest = NULL;
#define BUILD(name, idea, supported)                                                               \
    if (supported) fastest = simulate_##name##_program;
#include "models/base/builds.def"
#undef BUILD
    return fastest;
}

void lane_steps_free(struct lane_steps *steps)
{
    if (steps->scratch) scratch_free(steps->scratch);
    free(steps->scratch);
    *steps = (struct lane_steps){0};
}
