#define LEAVES_OUT 1
#include "validation/tests/kernels/left_out.h"

#include "models/observables/observables.h"

void observe_leaving_out(int kind, const struct observation *t, double x, struct memory *m)
{
    if (kind == OBSERVATION_STRIP) observe_strip(t, x, 0.0, 0.0, m);
    if (kind == OBSERVATION_CLOCK_STRIP) observe_clock_strip(t, x, 0.0, 0.0, m);
}
