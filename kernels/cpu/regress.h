/* The sums of the regression of an exercise's policy, the decision it leads to, and value
 * functions, on many paths.
 *
 * regress.c is compiled once for each row of builds.def. Path i is summed in lane i % MOMENT_LANES,
 * then the lanes are added in order: the builds give the same bits. */
#ifndef PRICER_KERNELS_CPU_REGRESS_H
#define PRICER_KERNELS_CPU_REGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/exercise_value.h"

enum { MOMENT_LANES = 8, MOMENT_DEGREE = 6, MOMENT_POWERS = MOMENT_DEGREE + 1 };

/* Sums over the paths that take part. powers[a][b] is the sum of f^a g^b, value_powers[a][b] that
 * of value f^a g^b, both 0 where a + b is beyond MOMENT_DEGREE and half of it; `squares` the sum of
 * value^2; lowest and highest f, HUGE_VAL and -HUGE_VAL where nobody takes part. */
struct policy_moments {
    double powers[MOMENT_POWERS][MOMENT_POWERS];
    double value_powers[MOMENT_POWERS][MOMENT_POWERS];
    double squares, lowest, highest;
};

/* Those of the n paths take part that have sign * f > least. g is looked at where `two` is set;
 * else only powers of f are summed. */
typedef void moments_function(size_t n, const float *f, const float *g, const double *values,
                              double sign, double least, bool two, struct policy_moments *sums);

/* Sets the value of those paths to worth * sign * f that exercise by policy p
 * (models/observables/exercise.h). */
typedef void exercising_function(size_t n, const float *f, const float *g, const float *p,
                                 double sign, double worth, double *values);

/* value_at() of every path. */
typedef void values_function(size_t n, const struct value_function *function, const double *f,
                             const double *g, double *values);

#define BUILD(name, idea, supported)                                                               \
    moments_function simulate_##name##_moments;                                                    \
    exercising_function simulate_##name##_exercising;                                              \
    values_function simulate_##name##_values;
#include "kernels/cpu/builds.def"
#undef BUILD

#endif
