/* Value functions on many states at once; compiled as exercise_lanes.c is. */
#include "app/pricing/exercise/exercise_lanes.h"

#include "models/observables/observables.h"

#define JOINED(a, b) a##b
#define VALUES(function) JOINED(function, _values)
#define LAND(function) JOINED(function, _land)
#define ADD_LANDED(function) JOINED(function, _add_landed)

void VALUES(EXERCISE_FUNCTION)(size_t n, const struct value_function *function, const double *f,
                               const double *g, double *values)
{
    const struct value_function v = *function;
    if (v.g.n) {
        _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++) values[i] =
            value_of_two(&v, f[i], g[i]);
    } else {
        _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++) values[i] = value_of_one(&v, f[i]);
    }
}

void LAND(EXERCISE_FUNCTION)(const struct value_axis *f, const struct value_axis *g,
                             const struct value_exercise *exercise, const double *x,
                             const double *v, struct landing *landing)
{
    const struct value_exercise e = *exercise;
    const struct value_axis of_f = *f, of_g = *g;
    const int width = of_g.n ? of_g.n + SPLINES - 1 : 1;
    for (int l = 0; l < PATH_LANES; l++) landing->f[l] = e.level * path_exp2(x[l]) - 1.0;
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)
    {
        double b[SPLINES];
        landing->first[l] = value_splines(&of_f, landing->f[l], b) * width;
        for (int k = 0; k < SPLINES; k++) landing->of_f[k][l] = b[k];
    }
    if (!of_g.n) return;
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)
    {
        double b[SPLINES];
        landing->first[l] += value_splines(&of_g, e.unit * v[l] - 1.0, b);
        for (int k = 0; k < SPLINES; k++) landing->of_g[k][l] = b[k];
    }
}

/* The function at the landing of lane l. */
static inline __attribute__((always_inline)) double landed_on_one(const double *c,
                                                                  const struct landing *at, int l)
{
    int i = at->first[l];
    return c[i] * at->of_f[0][l] + c[i + 1] * at->of_f[1][l] + c[i + 2] * at->of_f[2][l] +
           c[i + 3] * at->of_f[3][l];
}

static inline __attribute__((always_inline)) double landed_on_two(const double *c, int width,
                                                                  const struct landing *at, int l)
{
    double sum = 0.0;
    int i = at->first[l];
#pragma GCC unroll 4
    for (int k = 0; k < SPLINES; k++, i += width)
        sum += at->of_f[k][l] * (c[i] * at->of_g[0][l] + c[i + 1] * at->of_g[1][l] +
                                 c[i + 2] * at->of_g[2][l] + c[i + 3] * at->of_g[3][l]);
    return sum;
}

void ADD_LANDED(EXERCISE_FUNCTION)(const struct value_function *function, double worth,
                                   const struct landing *landing, double weight, double *sums)
{
    double values[PATH_LANES] = {0};
    const double *c = function ? function->c : NULL;
    const int width = function && function->g.n ? function->g.n + SPLINES - 1 : 0;
    if (c && width) {
        _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++) values[l] =
            landed_on_two(c, width, landing, l);
    } else if (c) {
        _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++) values[l] =
            landed_on_one(c, landing, l);
    }
    for (int l = 0; l < PATH_LANES; l++) {
        double gain = worth * landing->f[l];
        double value = gain > values[l] ? gain : values[l];
        sums[l] += weight * (value > 0.0 ? value : 0.0);
    }
}
