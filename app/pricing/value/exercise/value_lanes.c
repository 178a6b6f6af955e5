/* Value functions on many states at once; compiled as exercise_lanes.c is. */
#include "app/pricing/value/exercise/exercise_lanes.h"

#include <string.h>

static void values(size_t n, const struct value_function *function, const double *f,
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

static void land(const struct value_axis *f, const struct value_axis *g,
                 const struct value_exercise *exercise, const double *x, const double *v,
                 struct landing *landing)
{
    const struct value_exercise e = *exercise;
    const struct value_axis of_f = *f, of_g = *g;
    const int along_f = value_along(&of_f);
    for (int l = 0; l < PATH_LANES; l++) landing->f[l] = e.level * path_exp2(x[l]) - 1.0;
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)
    {
        double b[SPLINES];
        landing->first[l] = value_splines(&of_f, landing->f[l], b);
        for (int k = 0; k < SPLINES; k++) landing->of_f[l][k] = b[k];
    }
    if (!of_g.n) return;
    _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)
    {
        double b[SPLINES];
        landing->first[l] +=
            value_splines(&of_g, e.unit * sqrt(v[l] > 0.0 ? v[l] : 0.0) - 1.0, b) * along_f;
        for (int k = 0; k < SPLINES; k++) landing->of_g[l][k] = b[k];
    }
}

typedef double four __attribute__((vector_size(SPLINES * sizeof(double)), may_alias));

static inline __attribute__((always_inline)) four four_at(const double *from)
{
    four values;
    memcpy(&values, from, sizeof values);
    return values;
}

/* Computes the terms of the function at the landing of lane l, whose sum it is: of each spline of
 * f. */
static inline __attribute__((always_inline)) four terms_of_one(const double *c,
                                                               const struct landing *at, int l)
{
    return four_at(c + at->first[l]) * four_at(at->of_f[l]);
}

static inline __attribute__((always_inline)) four terms_of_two(const double *c, int along_f,
                                                               const struct landing *at, int l)
{
    const double *here = c + at->first[l], *g = at->of_g[l];
    four sum = four_at(here) * g[0] + four_at(here + along_f) * g[1] +
               four_at(here + 2 * along_f) * g[2] + four_at(here + 3 * along_f) * g[3];
    return sum * four_at(at->of_f[l]);
}

static void add_landed(const struct landing_ground *ground, const struct landing *landing,
                       int first, int n, double weight, double *sums)
{
    four terms[PATH_LANES];
    const double *c = ground->c, feature_value = ground->feature_value;
    const int along_f = ground->along_f, end = first + n;
    if (!c) {
        for (int l = first; l < end; l++) terms[l] = (four){0.0};
    } else if (ground->two) {
        for (int l = first; l < end; l++) terms[l] = terms_of_two(c, along_f, landing, l);
    } else {
        for (int l = first; l < end; l++) terms[l] = terms_of_one(c, landing, l);
    }
    const double(*of_lane)[SPLINES] = (const double(*)[SPLINES])terms;
    for (int l = first; l < end; l++) {
        double value = of_lane[l][0] + of_lane[l][1] + of_lane[l][2] + of_lane[l][3];
        double gain = feature_value * landing->f[l];
        value = gain > value ? gain : value;
        sums[l - first] += weight * (value > 0.0 ? value : 0.0);
    }
}

#define JOINED(a, b) a##b
#define LANES_OF(build) JOINED(value_lanes_, build)
const struct value_lanes LANES_OF(EXERCISE_BUILD) = {values, land, add_landed};
