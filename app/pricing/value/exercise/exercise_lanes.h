/* What the fit of early exercise does on many paths at once: what an exercise sees of them, the
 * sums of a regression, the decision it leads to, and value functions.
 *
 * exercise_lanes.c and value_lanes.c are compiled once for each row of models/base/builds.def. Path
 * i is summed in lane i % MOMENT_LANES, then the lanes are added in order: the builds give the same
 * bits. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_LANES_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "app/pricing/value/exercise/exercise_value.h"
#include "kernels/plan.h"

enum { MOMENT_LANES = 8, MOMENT_DEGREE = 6, MOMENT_POWERS = MOMENT_DEGREE + 1 };

/* Sums over the paths that take part. powers[a][b] is the sum of f^a g^b, value_powers[a][b] that
 * of value f^a g^b, both 0 where a + b is beyond MOMENT_DEGREE and half of it; `squares` the sum of
 * value^2; lowest and highest f, HUGE_VAL and -HUGE_VAL where nobody takes part. */
struct policy_moments {
    double powers[MOMENT_POWERS][MOMENT_POWERS];
    double value_powers[MOMENT_POWERS][MOMENT_POWERS];
    double squares, lowest, highest;
};

/* Features of PATH_LANES paths on the date t of an exercise: x [part][PATH_LANES], log2 S of what
 * it looks at by the observations parts [n_parts], kinds that exercise_sees() knows. */
typedef void features_function(const struct observation *t, int n_parts,
                               const struct observation *const *parts, const double *const *x,
                               float *f, float *g);

/* Whether a kind is a part of what an exercise sees: several assets at one date. */
static inline bool exercise_sees(int kind)
{
    return kind >= OBSERVATION_SUM_OF && kind <= OBSERVATION_BOTTOM_OF_MORE;
}

/* What an exercise sees of a chunk's paths on a date, and what becomes of the prices that lead
 * there until the next one: an asset's price S over the strike then, and which asset of the basket
 * it is, of the best and the second best or the worst and the second worst. */
struct seen_date {
    float f[CHUNK_PATHS], g[CHUNK_PATHS];                        /* features */
    float first[CHUNK_PATHS], second[CHUNK_PATHS];               /* S / K on the next date */
    unsigned char of_first[CHUNK_PATHS], of_second[CHUNK_PATHS]; /* assets */
};

/* Sees PATH_LANES paths of a best-of (sign 1) or worst-of (-1) on date t, from number `column` of
 * the chunk on: their features, who leads, and what has become of who led on the date before (NULL:
 * there was none; `unit` its 1 / K). x as above; adds the assets' S / K to the sums
 * [part][MOMENT_LANES] of all columns; prices [part][PATH_LANES] is room. */
typedef void see_function(const struct observation *t, double sign, int n_parts,
                          const struct observation *const *parts, const double *const *x,
                          int column, double *prices, double *sums, struct seen_date *seen,
                          struct seen_date *before, double unit);

/* Takes from the value of a chunk's paths what a holder of slopes of the prices that lead, of the
 * second only with `two` set, would gain to the next date: nothing on the mean. p is a cubic of
 * what going on is worth, in units of `worth`, whose slopes are cut to what the payoff's can be;
 * growth [asset] is the mean growth of a price. */
typedef void hedge_function(const struct seen_date *seen, bool two, const float *p, double sign,
                            double worth, const double *growth, double *values);

/* Those of the n paths take part that have sign * f > least. g is looked at where `two` is set;
 * else only powers of f are summed. Where p is not NULL a path has the weight 1 / (1 + (y /
 * near)^2) with y what exercise brings more than p says of waiting. */
typedef void moments_function(size_t n, const float *f, const float *g, const double *values,
                              double sign, double least, bool two, const float *p, double near,
                              struct policy_moments *sums);

/* Sums over the paths of a chunk that an asset leads, of those whose sign * f > 0 and with weights
 * as above, of w t_i t_j and w t_i r, t = (1, f, g) and r what `values` are over worth p: sums
 * [leader]. */
struct leader_sums {
    double terms[3][3], rests[3]; /* terms [i][j], j <= i */
};
typedef void lead_function(const struct seen_date *seen, const double *values, int n_leaders,
                           double sign, double worth, const float *p, double near,
                           struct leader_sums *sums);

/* Sets the value of those paths to worth * sign * f that exercise by the policy p
 * (models/observables/exercise.h), with own_terms numbers of each leader's own where leaders is not
 * NULL. */
typedef void exercising_function(size_t n, const float *f, const float *g,
                                 const unsigned char *leaders, int own_terms, const float *p,
                                 double sign, double worth, double *values);

/* value_at() of every path. */
typedef void values_function(size_t n, const struct value_function *function, const double *f,
                             const double *g, double *values);

/* Where PATH_LANES states lie on the cells of a function: the first spline of theirs that is not 0,
 * the values there of it and the next three, and the first feature. */
struct landing {
    int first[PATH_LANES]; /* index of its coefficient, where those of f lie side by side */
    double f[PATH_LANES];
    double of_f[PATH_LANES][SPLINES], of_g[PATH_LANES][SPLINES];
};

/* Finds where states x, v [PATH_LANES] lie; g may have no cells. */
typedef void land_function(const struct value_axis *f, const struct value_axis *g,
                           const struct value_exercise *exercise, const double *x, const double *v,
                           struct landing *landing);

/* The coefficients of a function that states land on, [of g, or 1][of f]: those of f side by side,
 * so that the four that a state needs of them are one vector; NULL: it is 0. `along_f`: of f;
 * `two`: there are such of g. */
struct landing_ground {
    const double *c;
    int along_f;
    bool two;
};

/* Adds `weight` times what the states first .. first + n - 1 are worth, multiples of 8, to their
 * sums [n]: the greater of value_at() and `worth` times the first feature, but nothing
 * where that is below 0. */
typedef void add_landed_function(const struct landing_ground *ground, double worth,
                                 const struct landing *landing, int first, int n, double weight,
                                 double *sums);

#define BUILD(name, idea, supported)                                                               \
    features_function exercise_##name##_features;                                                  \
    see_function exercise_##name##_see;                                                            \
    hedge_function exercise_##name##_hedge;                                                        \
    moments_function exercise_##name##_moments;                                                    \
    lead_function exercise_##name##_lead;                                                          \
    exercising_function exercise_##name##_exercising;                                              \
    values_function exercise_##name##_values;                                                      \
    land_function exercise_##name##_land;                                                          \
    add_landed_function exercise_##name##_add_landed;
#include "models/base/builds.def"
#undef BUILD

/* All of one build. */
struct exercise_lanes {
    features_function *features;
    see_function *see;
    hedge_function *hedge;
    moments_function *moments;
    lead_function *lead;
    exercising_function *exercising;
    values_function *values;
    land_function *land;
    add_landed_function *add_landed;
};

/* The last of builds.def that this processor can run. */
static inline struct exercise_lanes fastest_lanes(void)
{
    struct exercise_lanes found = {0};
#define BUILD(name, idea, supported)                                                               \
    if (supported)                                                                                 \
        found = (struct exercise_lanes){                                                           \
            exercise_##name##_features, exercise_##name##_see,  exercise_##name##_hedge,           \
            exercise_##name##_moments,  exercise_##name##_lead, exercise_##name##_exercising,      \
            exercise_##name##_values,   exercise_##name##_land, exercise_##name##_add_landed};
#include "models/base/builds.def"
#undef BUILD
    return found;
}

#endif
