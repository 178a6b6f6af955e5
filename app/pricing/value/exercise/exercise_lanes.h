/* What the fit of early exercise does on many paths at once: what an exercise sees of them, the
 * sums of a regression, the decision it leads to, and value functions.
 *
 * exercise_lanes.c is compiled once for each row of models/base/builds.def. Path i is summed in
 * lane i % MOMENT_LANES, then the lanes are added in order: the builds give the same bits. */
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

/* What an exercise sees of a chunk's paths on a date, and what becomes of the prices that lead
 * there until the next one: an asset's price S over the strike then, and which asset of the basket
 * it is, of the best and the second best or the worst and the second worst. */
struct seen_date {
    float f[CHUNK_PATHS], g[CHUNK_PATHS];                        /* features */
    float first[CHUNK_PATHS], second[CHUNK_PATHS];               /* S / K on the next date */
    unsigned char of_first[CHUNK_PATHS], of_second[CHUNK_PATHS]; /* assets */
};

/* PATH_LANES paths of a chunk, from number `column` on, on a date of exercise. */
struct shown_paths {
    const struct observation *date;
    int n_parts;
    const struct observation *const *parts; /* of a best-of or worst-of, */
    const double *const *x;                 /* [part][PATH_LANES] and log2 S of what they look at */
    int column;
};

/* A date while its policy is fitted. */
struct fitted_date {
    double sign;         /* 1 for a call, -1 for a put */
    double strike_value; /* today: what one unit of the first feature brings */
    bool two; /* the second feature is looked at; else only powers of the first are summed */
    int leader_terms; /* numbers of each leader's own behind the cubic; 0: none */
    const float *p;   /* the policy so far (models/observables/exercise.h); NULL: none */
    double near; /* what is close to a decision by it: a path has the weight 1 / (1 + (y / near)^2),
                  * y what exercise brings more than p says of waiting */
};

/* Paths of a sample, CHUNK_PATHS at most: features and values [n], with room for as many as are a
 * multiple of MOMENT_LANES. */
struct path_sample {
    size_t n;
    const float *f, *g;
    const double *values;
};

/* Sums over the paths of a chunk that an asset leads, of those that would gain and with weights as
 * above, of w t_i t_j and w t_i r, t = (1, f, g) and r what values are over strike_value p. */
struct leader_sums {
    double terms[LEADER_TERMS][LEADER_TERMS], rests[LEADER_TERMS]; /* terms [i][j], j <= i */
};

/* Where PATH_LANES states lie on the cells of a function: the first spline of theirs that is not 0,
 * the values there of it and the next three, those of f times value_scale(), and the first feature.
 */
struct landing {
    int first[PATH_LANES]; /* index of its coefficient, where those of f lie side by side */
    double f[PATH_LANES];
    double of_f[PATH_LANES][SPLINES], of_g[PATH_LANES][SPLINES];
};

/* The coefficients of a function that states land on, [of g, or 1][of f]: those of f side by side,
 * so that the four that a state needs of them are one vector; NULL: it is 0. */
struct landing_ground {
    const double *c;
    int along_f;          /* coefficients of f */
    bool two;             /* there are such of g */
    double feature_value; /* of a unit of the first feature, where it is a date; else 0 */
};

/* The loops of one build. */
struct exercise_lanes {
    /* Sees a best-of or worst-of: features, who leads, and what has become of who led on the date
     * before (NULL: there was none; `unit` its 1 / K). Adds the assets' S / K to the sums
     * [part][MOMENT_LANES] of all columns */
    void (*see)(const struct shown_paths *shown, double *sums, struct seen_date *seen,
                struct seen_date *before, double unit);

    /* Takes from the values of a chunk's paths what a holder of slopes of the prices that lead, of
     * the second only with `two` set, would gain to the next date: nothing on the mean. `slopes` is
     * a cubic of what going on is worth, whose slopes are cut to what the payoff's can be; growth
     * [asset] is the mean growth of a price */
    void (*hedge)(const struct seen_date *seen, const struct fitted_date *date, const float *slopes,
                  const double *growth, double *values);

    /* Sums over the paths that would gain; over all paths where the sign is 0 */
    void (*moments)(const struct path_sample *paths, const struct fitted_date *date,
                    struct policy_moments *sums);

    /* Sums under each leader of a chunk: sums [leader] */
    void (*lead)(const struct seen_date *seen, const double *values, const struct fitted_date *date,
                 int n_leaders, struct leader_sums *sums);

    /* Sets the value of those paths of a chunk to strike_value * sign * f that exercise by the
     * policy */
    void (*exercise_paths)(const struct seen_date *seen, const struct fitted_date *date,
                           double *values);

    /* value_at() of n states */
    void (*values)(size_t n, const struct value_function *function, const double *f,
                   const double *g, double *values);

    /* Finds where states x, v [PATH_LANES] lie; g may have no cells */
    void (*land)(const struct value_axis *f, const struct value_axis *g,
                 const struct value_exercise *exercise, const double *x, const double *v,
                 struct landing *landing);

    /* Adds `weight` times what the states first .. first + n - 1 are worth, multiples of 8, to
     * their sums [n]: the greater of value_at() and feature_value times the first feature, but
     * nothing where that is below 0 */
    void (*add_landed)(const struct landing_ground *ground, const struct landing *landing,
                       int first, int n, double weight, double *sums);
};

#define BUILD(name, idea, supported) extern const struct exercise_lanes exercise_lanes_##name;
#include "models/base/builds.def"
#undef BUILD

/* Returns those of the last build of builds.def that this processor can run. */
static inline const struct exercise_lanes *exercise_lanes(void)
{
    const struct exercise_lanes *found = NULL;
#define BUILD(name, idea, supported)                                                               \
    if (supported) found = &exercise_lanes_##name;
#include "models/base/builds.def"
#undef BUILD
    return found;
}

#endif
