/* Compiled once for each row of kernels/cpu/builds.def, with EXERCISE_FUNCTION set to the beginning
 * of its functions' names. Products and sums are separate operations, so every build rounds alike.
 */
#include "app/pricing/exercise/exercise_lanes.h"

#include <math.h>
#include <string.h>

#include "models/observables/observables.h"

#define JOINED(a, b) a##b
#define FEATURES(function) JOINED(function, _features)
#define MOMENTS(function) JOINED(function, _moments)
#define EXERCISING(function) JOINED(function, _exercising)
#define VALUES(function) JOINED(function, _values)
#define ADD_VALUES(function) JOINED(function, _add_values)

/* ---- what an exercise sees ------------------------------------------------------------------- */

/* observe_<kind>() on every lane, of an observable of two slots at most. */
#define PART(name)                                                                                 \
    static void see_##name(const struct observation *observation, const double *x, double *a,      \
                           double *b)                                                              \
    {                                                                                              \
        const struct observation t = *observation;                                                 \
        _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)                                  \
        {                                                                                          \
            struct memory m = {.a = a[l], .b = b[l]};                                              \
            observe_##name(&t, x[l], 0.0, 0.0, &m);                                                \
            a[l] = m.a, b[l] = m.b;                                                                \
        }                                                                                          \
    }
PART(sum_of)
PART(sum_of_more)
PART(log_of)
PART(log_of_more)
PART(top_of)
PART(top_of_more)
PART(bottom_of)
PART(bottom_of_more)

static void (*const see_lanes[N_OBSERVATION_KINDS])(const struct observation *, const double *,
                                                    double *, double *) = {
    [OBSERVATION_SUM_OF] = see_sum_of,       [OBSERVATION_SUM_OF_MORE] = see_sum_of_more,
    [OBSERVATION_LOG_OF] = see_log_of,       [OBSERVATION_LOG_OF_MORE] = see_log_of_more,
    [OBSERVATION_TOP_OF] = see_top_of,       [OBSERVATION_TOP_OF_MORE] = see_top_of_more,
    [OBSERVATION_BOTTOM_OF] = see_bottom_of, [OBSERVATION_BOTTOM_OF_MORE] = see_bottom_of_more};

void FEATURES(EXERCISE_FUNCTION)(const struct observation *date, int n_parts,
                                 const struct observation *const *parts, size_t n, const double *x,
                                 float *f, float *g)
{
    _Alignas(64) double a[PATH_LANES] = {0}, b[PATH_LANES] = {0};
    const struct observation t = *date;
    for (size_t first = 0; first < n; first += PATH_LANES) {
        for (int p = 0; p < n_parts; p++)
            see_lanes[parts[p]->kind](parts[p], x + (size_t)p * n + first, a, b);
        for (int l = 0; l < PATH_LANES; l++) {
            struct memory m = {.source_a = a[l], .source_b = b[l]};
            f[first + (size_t)l] = (float)exercise_first(&t, &m);
            g[first + (size_t)l] = (float)exercise_second(&t, &m);
        }
    }
}

/* ---- regression -------------------------------------------------------------------------------
 */

/* MOMENT_LANES numbers as one vector. */
typedef double lanes __attribute__((vector_size(MOMENT_LANES * sizeof(double))));
typedef float float_lanes __attribute__((vector_size(MOMENT_LANES * sizeof(float))));
typedef long long lane_mask __attribute__((vector_size(MOMENT_LANES * sizeof(double))));

/* Sums of the lanes: the first members of struct moments, in vectors. */
struct lane_sums {
    lanes powers[MOMENT_POWERS][MOMENT_POWERS], value_powers[MOMENT_POWERS][MOMENT_POWERS];
    lanes squares, lowest, highest;
};

/* Adds eight paths; `taken` is all ones in the lanes that take part. */
static inline __attribute__((always_inline)) void add_lanes(const lanes *first, const lanes *second,
                                                            const lanes *worth, const lane_mask *in,
                                                            bool two, struct lane_sums *sums)
{
    const lane_mask taken = *in;
    const lanes one = {1, 1, 1, 1, 1, 1, 1, 1};
    const lanes none = {0};
    lanes power = (lanes)((lane_mask)one & taken); /* f^a */
    lanes f = *first, g = none, value = (lanes)((lane_mask)*worth & taken);
    sums->squares += value * value;
    lane_mask below = taken & (f < sums->lowest), above = taken & (f > sums->highest);
    sums->lowest = (lanes)(((lane_mask)f & below) | ((lane_mask)sums->lowest & ~below));
    sums->highest = (lanes)(((lane_mask)f & above) | ((lane_mask)sums->highest & ~above));
    f = (lanes)((lane_mask)f & taken);
    if (two) g = (lanes)((lane_mask)*second & taken);
#pragma GCC unroll 7
    for (int a = 0; a < MOMENT_POWERS; a++) {
        lanes product = power; /* f^a g^b */
        int last = two ? MOMENT_DEGREE - a : 0;
#pragma GCC unroll 7
        for (int b = 0; b <= last; b++) {
            sums->powers[a][b] += product;
            if (a + b <= MOMENT_DEGREE / 2) sums->value_powers[a][b] += value * product;
            product = product * g;
        }
        power = power * f;
    }
}

static inline __attribute__((always_inline)) void sum_paths(size_t n, const float *f,
                                                            const float *g, const double *values,
                                                            double sign, double least, bool two,
                                                            struct lane_sums *result)
{
    struct lane_sums sums = {.squares = {0}};
    sums.lowest = (lanes){0} + HUGE_VAL;
    sums.highest = (lanes){0} - HUGE_VAL;
    for (size_t i = 0; i < n; i += MOMENT_LANES) {
        float_lanes narrow_f = {0}, narrow_g = {0};
        lanes value = {0};
        lane_mask there = {0};
        size_t left = n - i < MOMENT_LANES ? n - i : MOMENT_LANES;
        if (left == MOMENT_LANES) { /* copies of a known size are single loads */
            memcpy(&narrow_f, f + i, sizeof narrow_f);
            memcpy(&narrow_g, g + i, sizeof narrow_g);
            memcpy(&value, values + i, sizeof value);
            there = ~there;
        } else {
            memcpy(&narrow_f, f + i, left * sizeof *f);
            memcpy(&narrow_g, g + i, left * sizeof *g);
            memcpy(&value, values + i, left * sizeof *values);
            for (size_t l = 0; l < left; l++) there[l] = -1;
        }
        lanes wide_f = __builtin_convertvector(narrow_f, lanes);
        lanes wide_g = __builtin_convertvector(narrow_g, lanes);
        there &= wide_f * sign > least;
        add_lanes(&wide_f, &wide_g, &value, &there, two, &sums);
    }
    *result = sums;
}

static double added(const lanes *sum)
{
    double total = 0.0;
    for (int l = 0; l < MOMENT_LANES; l++) total += (*sum)[l];
    return total;
}

void MOMENTS(EXERCISE_FUNCTION)(size_t n, const float *f, const float *g, const double *values,
                                double sign, double least, bool two, struct policy_moments *moments)
{
    struct lane_sums sums;
    if (two) sum_paths(n, f, g, values, sign, least, true, &sums);
    else sum_paths(n, f, g, values, sign, least, false, &sums);
    for (int a = 0; a < MOMENT_POWERS; a++)
        for (int b = 0; b < MOMENT_POWERS; b++) {
            moments->powers[a][b] = added(&sums.powers[a][b]);
            moments->value_powers[a][b] = added(&sums.value_powers[a][b]);
        }
    moments->squares = added(&sums.squares);
    moments->lowest = sums.lowest[0], moments->highest = sums.highest[0];
    for (int l = 1; l < MOMENT_LANES; l++) {
        moments->lowest = fmin(moments->lowest, sums.lowest[l]);
        moments->highest = fmax(moments->highest, sums.highest[l]);
    }
}

void EXERCISING(EXERCISE_FUNCTION)(size_t n, const float *f, const float *g, const float *p,
                                   double sign, double worth, double *values)
{
    for (size_t i = 0; i < n; i++) {
        double first = (double)f[i], second = (double)g[i];
        double gain = sign * first, waiting = exercise_continuation(p, first, second);
        double taken = gain >= waiting ? worth * gain : values[i];
        values[i] = gain > 0.0 ? taken : values[i];
    }
}

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

void ADD_VALUES(EXERCISE_FUNCTION)(const struct value_function *function,
                                   const struct value_exercise *exercise, const double *x,
                                   const double *v, double weight, double *sums)
{
    const struct value_exercise e = *exercise;
    double f[PATH_LANES], g[PATH_LANES], values[PATH_LANES] = {0};
    for (int l = 0; l < PATH_LANES; l++)
        f[l] = e.level * path_exp2(x[l]) - 1.0, g[l] = e.unit * v[l] - 1.0;
    if (function) VALUES(EXERCISE_FUNCTION)(PATH_LANES, function, f, g, values);
    for (int l = 0; l < PATH_LANES; l++) {
        double gain = e.worth * f[l];
        double value = gain > values[l] ? gain : values[l];
        sums[l] += weight * (value > 0.0 ? value : 0.0);
    }
}
