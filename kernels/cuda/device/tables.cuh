/* The tables of models and observables as types, for kernels of the program and for path code that
 * is compiled while it runs. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_TABLES_CUH
#define PRICER_KERNELS_CUDA_DEVICE_TABLES_CUH

#include "models/dynamics/dynamics.h"
#include "models/observables/observables.h"

/* The rows of models.def: the numbers of enum model. */
enum {
#define MODEL(NAME, name, factors, coefficients, ...) ROW_##NAME,
#include "models/dynamics/models.def"
#undef MODEL
};

template <int ROW>
struct model_row;
#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    template <>                                                                                    \
    struct model_row<ROW_##NAME> {                                                                 \
        static constexpr int FACTORS = factors, COEFFICIENTS = coefficients;                       \
        static __device__ __forceinline__ void step(const double *c, const float *table,           \
                                                    struct path_state *state, const double *z)     \
        {                                                                                          \
            name##_step(c, table, state, z);                                                       \
        }                                                                                          \
    };
#include "models/dynamics/models.def"
#undef MODEL

/* A kind of observation, and none. */
template <int KIND>
struct observation_row {
    static constexpr int SLOTS = 0, COEFFICIENTS = 0, READS = READS_NOTHING;
    static __device__ __forceinline__ void look(const struct observation *, double, double, double,
                                                struct memory *)
    {
    }
};
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                         \
    template <>                                                                                    \
    struct observation_row<OBSERVATION_##NAME> {                                                   \
        static constexpr int SLOTS = slots, COEFFICIENTS = coefficients, READS = reads;            \
        static __device__ __forceinline__ void look(const struct observation *t, double x,         \
                                                    double z0, double z1, struct memory *m)        \
        {                                                                                          \
            observe_##name(t, x, z0, z1, m);                                                       \
        }                                                                                          \
    };
#include "models/observables/observables.def"
#undef OBSERVABLE

/* Reads the state of an observable, whose slots lie `width` numbers apart. */
template <int SLOTS>
static __device__ __forceinline__ struct memory load_memory(const double *state, int width)
{
    struct memory m = {};
    if (SLOTS > 0) m.a = state[0];
    if (SLOTS > 1) m.b = state[width];
    if (SLOTS > 2) m.c = state[2 * width];
    if (SLOTS > 3) m.d = state[3 * width];
    return m;
}

/* The state of an observable today: as load_memory(), through the read-only cache, slots WIDTH
 * apart. */
template <int KIND, int WIDTH>
static __device__ __forceinline__ struct memory begin_memory(const double *initial)
{
    constexpr int SLOTS = observation_row<KIND>::SLOTS;
    struct memory m = {};
    if (SLOTS > 0) m.a = __ldg(initial);
    if (SLOTS > 1) m.b = __ldg(initial + WIDTH);
    if (SLOTS > 2) m.c = __ldg(initial + 2 * WIDTH);
    if (SLOTS > 3) m.d = __ldg(initial + 3 * WIDTH);
    return m;
}

/* Writes it back. */
template <int SLOTS>
static __device__ __forceinline__ void store_memory(const struct memory &m, double *state,
                                                    int width)
{
    if (SLOTS > 0) state[0] = m.a;
    if (SLOTS > 1) state[width] = m.b;
    if (SLOTS > 2) state[2 * width] = m.c;
    if (SLOTS > 3) state[3 * width] = m.d;
}

#endif
