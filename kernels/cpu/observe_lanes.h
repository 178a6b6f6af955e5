/* Observations of PATH_LANES paths side by side. Part of simulate.c, whose builds vectorise the
 * loops over lanes. */
#ifndef PRICER_KERNELS_CPU_OBSERVE_LANES_H
#define PRICER_KERNELS_CPU_OBSERVE_LANES_H

/* What observations look at: the paths of their underlying, bridge normals, the observable that
 * they read, the group's table. */
struct observation_inputs {
    const double *path; /* rows of the underlying */
    const float *z0, *z1;
    const double *source;
    const float *table;
};

/* observe_<kind>() on every lane: `own` is the observable's first slot. */
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                         \
    static void lanes_##name(const struct observation *observation,                                \
                             const struct observation_inputs *inputs, double *own)                 \
    {                                                                                              \
        const struct observation t = *observation;                                                 \
        const struct observation_inputs s = *inputs;                                               \
        _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)                                  \
        {                                                                                          \
            struct memory m = {0};                                                                 \
            m.a = own[l];                                                                          \
            if (slots > 1) m.b = own[PATH_LANES + l];                                              \
            if (slots > 2) m.c = own[2 * PATH_LANES + l];                                          \
            if (slots > 3) m.d = own[3 * PATH_LANES + l];                                          \
            if ((reads)&READS_SOURCE)                                                              \
                m.source_a = s.source[l], m.source_b = s.source[PATH_LANES + l];                   \
            if ((reads)&READS_CLOCK) m.clock = s.path[ROW_CLOCK * PATH_LANES + l];                 \
            if ((reads)&READS_VARIANCE) m.v = s.path[ROW_V * PATH_LANES + l];                      \
            if ((reads)&READS_TABLE) m.table = s.table;                                            \
            observe_##name(&t, s.path[l], (double)s.z0[l], (double)s.z1[l], &m);                   \
            own[l] = m.a;                                                                          \
            if (slots > 1) own[PATH_LANES + l] = m.b;                                              \
            if (slots > 2) own[2 * PATH_LANES + l] = m.c;                                          \
            if (slots > 3) own[3 * PATH_LANES + l] = m.d;                                          \
        }                                                                                          \
    }
#include "models/observables/observables.def"
#undef OBSERVABLE

typedef void lanes_function(const struct observation *, const struct observation_inputs *,
                            double *);

static lanes_function *const observe_lanes[N_OBSERVATION_KINDS] = {
#define OBSERVABLE(NAME, name, slots, coefficients, reads) [OBSERVATION_##NAME] = lanes_##name,
#include "models/observables/observables.def"
#undef OBSERVABLE
};

#endif
