/* Observations of PATH_LANES paths side by side. Part of simulate.c, whose builds vectorise the
 * loops over lanes. */
#ifndef PRICER_KERNELS_CPU_OBSERVE_LANES_H
#define PRICER_KERNELS_CPU_OBSERVE_LANES_H

/* What observations look at: the paths of their underlying, bridge normals, the observable that
 * they read, the group's table. */
struct observation_inputs {
    const double *x, *v, *clock; /* of the underlying */
    const float *z0, *z1;
    const double *source;
    const float *table;
};

/* observe_<kind>() on every lane: `own` is the observable's first slot. */
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                         \
    static void lanes_##name(const struct observation *observation,                                \
                             const struct observation_inputs *inputs, double *state)               \
    {                                                                                              \
        const struct observation t = *observation;                                                 \
        const struct observation_inputs s = *inputs;                                               \
        _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)                                  \
        {                                                                                          \
            struct memory m = {0};                                                                 \
            m.a = state[l];                                                                        \
            if (slots > 1) m.b = state[PATH_LANES + l];                                            \
            if (slots > 2) m.c = state[2 * PATH_LANES + l];                                        \
            if (slots > 3) m.d = state[3 * PATH_LANES + l];                                        \
            if ((reads)&READS_SOURCE)                                                              \
                m.source_a = s.source[l], m.source_b = s.source[PATH_LANES + l];                   \
            if ((reads)&READS_CLOCK) m.clock = s.clock[l];                                         \
            if ((reads)&READS_VARIANCE) m.v = s.v[l];                                              \
            if ((reads)&READS_TABLE) m.table = s.table;                                            \
            observe_##name(&t, s.x[l], (double)s.z0[l], (double)s.z1[l], &m);                      \
            state[l] = m.a;                                                                        \
            if (slots > 1) state[PATH_LANES + l] = m.b;                                            \
            if (slots > 2) state[2 * PATH_LANES + l] = m.c;                                        \
            if (slots > 3) state[3 * PATH_LANES + l] = m.d;                                        \
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

/* Returns the survival of a bridge between two barriers (strip_survival()) by the terms of 1 and of
 * either barrier by itself; *others: whether the other terms change a bit of it. */
static inline double nearest_survival(double scale, double from, double to, double w,
                                      int64_t *others)
{
    double distance = to > from ? to - from : from - to;
    double survive = 1.0 - clipped_exp2(scale * (from * to));
    survive = survive - clipped_exp2(scale * ((w - from) * (w - to)));
    bool enough = (scale * (w * (w - distance)) < -72.0) & (survive > 0x1p-16);
    *others = !enough & (to > 0.0) & (to < w);
    return strip_probability(survive, to, w);
}

/* Finds the survival of n such bridges by all terms, term by term. */
static inline void all_terms(int n, const double *scale, const double *from, const double *to,
                             double w, int terms, double *survive)
{
    for (int l = 0; l < n; l++) survive[l] = 1.0 - clipped_exp2(scale[l] * (from[l] * to[l]));
    for (int k = 1; k <= terms; k++)
        _Pragma("GCC ivdep") for (int l = 0; l < n; l++) survive[l] =
            strip_add(survive[l], scale[l], from[l], to[l], k * w);
    for (int l = 0; l < n; l++) survive[l] = strip_probability(survive[l], to[l], w);
}

/* The factors by which n lanes, FEW_LANES at most, survive a look at a strip: of lanes that none of
 * the other terms count for, by the nearest alone. Most looks are such, and it is a fifth of the
 * work. */
#define STRIP_LANES(name, slots)                                                                   \
    static inline void survive_##name(const struct observation *t, int n, const double *alive,     \
                                      const double *before, const double *x, const double *last,   \
                                      const double *clock, double *survive)                        \
    {                                                                                              \
        const double low = t->c[0], w = t->c[2];                                                   \
        const int terms = slots > 3 ? CLOCK_STRIP_TERMS : (int)t->c[3];                            \
        int64_t others = 0;                                                                        \
        double scale[FEW_LANES], from[FEW_LANES], to[FEW_LANES];                                   \
        for (int l = 0; l < n; l++) {                                                              \
            struct memory m = {0};                                                                 \
            int64_t count;                                                                         \
            if (slots > 3) m.d = last[l], m.clock = clock[l];                                      \
            scale[l] = name##_scale(t, &m), from[l] = before[l] - low, to[l] = x[l] - low;         \
            survive[l] = nearest_survival(scale[l], from[l], to[l], w, &count);                    \
            others |= (alive[l] != 0.0) & count;                                                   \
        }                                                                                          \
        if (others) all_terms(n, scale, from, to, w, terms, survive);                              \
    }                                                                                              \
                                                                                                   \
    static void few_lanes_##name(const struct observation *observation,                            \
                                 const struct observation_inputs *inputs, double *state)           \
    {                                                                                              \
        const struct observation t = *observation;                                                 \
        const struct observation_inputs s = *inputs;                                               \
        for (int few = 0; few < PATH_LANES; few += FEW_LANES) {                                    \
            double *a = state + few, *b = a + PATH_LANES, *c = b + PATH_LANES;                     \
            double *d = slots > 3 ? c + PATH_LANES : NULL;                                         \
            const double *x = s.x + few, *clock = slots > 3 ? s.clock + few : NULL;                \
            double survive[FEW_LANES];                                                             \
            survive_##name(&t, FEW_LANES, a, c, x, d, clock, survive);                             \
            for (int l = 0; l < FEW_LANES; l++) {                                                  \
                double alive = a[l] * survive[l];                                                  \
                b[l] = a[l] - alive;                                                               \
                a[l] = alive;                                                                      \
                c[l] = x[l];                                                                       \
                if (slots > 3) d[l] = clock[l];                                                    \
            }                                                                                      \
        }                                                                                          \
    }
STRIP_LANES(strip, 3)
STRIP_LANES(clock_strip, 4)
#undef STRIP_LANES

/* Observes by the lanes of a kind. */
static void observe_kind(int kind, const struct observation *t,
                         const struct observation_inputs *inputs, double *state)
{
    if (kind == OBSERVATION_STRIP) few_lanes_strip(t, inputs, state);
    else if (kind == OBSERVATION_CLOCK_STRIP) few_lanes_clock_strip(t, inputs, state);
    else observe_lanes[kind](t, inputs, state);
}

#endif
