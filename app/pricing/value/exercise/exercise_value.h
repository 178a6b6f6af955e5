/* The value of going on from a date of exercise, as a smooth function of what the exercise sees.
 *
 * 2 + f, which is (S + K) / K, times cubic B-splines on equal cells in w(f) = f / (2 + f), which is
 * (S - K) / (S + K), or their products with those in w(g) where there is a second feature. What
 * exercise brings, and a forward's value, are lines in w over that: however far a spot goes, the
 * splines stay bounded, and next to straight where nothing is left to choose. They are fitted by
 * least squares with a penalty on second differences of neighbouring coefficients (P. H. C. Eilers
 * and B. D. Marx, Flexible smoothing with B-splines and penalties, Statistical Science 11 (1996)
 * 89-121). The penalty is small: it continues the function to where there is no data. Beyond the
 * outermost cells the splines are constant. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_VALUE_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_VALUE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "models/base/status.h"

/* The cells of one feature; n = 0 where it is not looked at. */
struct value_axis {
    int n;
    double low, per_cell; /* w of the first cell's beginning; cells a unit of w */
};

enum { SPLINES = 4 }; /* that are not 0 in a cell */

/* Returns how many splines, and so coefficients, a function has along an axis. */
static inline int value_along(const struct value_axis *axis)
{
    return axis->n ? axis->n + SPLINES - 1 : 1;
}

struct value_function {
    struct value_axis f, g;
    double *c; /* [along f][along g] coefficients; owned */
};

/* Fits values [n] at the features f, g [n]; g is not looked at unless `two`, or where it is one
 * number. All sums are taken in
 * the order of the points. Free with value_free, whatever is returned; *function must begin as
 * zeros. STATUS_NO_MEMORY.
 */
enum status value_fit(size_t n, const double *f, const double *g, const double *values, bool two,
                      struct value_function *function);

/* Makes room for a function on these cells, which is 0. STATUS_NO_MEMORY; value_free after both. */
enum status value_room(struct value_axis f, struct value_axis g, struct value_function *function);

void value_free(struct value_function *function);

enum { VALUE_CELLS_MOST = 512 };

/* Turns a function that has its cells and room, VALUE_CELLS_MOST cells of a feature at most, into
 * the one through the values at the ends of all cells, [f][g], without curvature at both ends of an
 * axis. */
void value_through(const double *values, struct value_function *function);

/* What a state x = log2 S, v at the end of a step sees: f = level 2^x - 1, g = unit sqrt(v) - 1. */
struct value_exercise {
    double level, unit;
};

/* ---- what value_at() is made of, for loops over lanes ---------------------------------------- */

/* Returns what the splines are multiplied by at a price feature: (S + K) / K. */
static inline double value_scale(double feature)
{
    return 2.0 + (feature > -1.0 ? feature : -1.0);
}

/* Turns a price feature from -1 to infinity into a number from -1 to 1. */
static inline double value_narrowed(double feature)
{
    return 1.0 - 2.0 / value_scale(feature);
}

/* Returns the feature at w. */
static inline double value_feature(double w)
{
    return (1.0 + w) / (1.0 - w) - 1.0;
}

/* Returns the index of the first spline that is not 0 at a feature, and the values there of it and
 * the next three. */
static inline int value_splines(const struct value_axis *axis, double feature, double *b)
{
    double u = (value_narrowed(feature) - axis->low) * axis->per_cell;
    u = u > 0.0 ? u : 0.0;
    u = u < axis->n ? u : axis->n;
    int cell = (int)u;
    cell = cell < axis->n ? cell : axis->n - 1;
    double t = u - cell, r = 1.0 - t;
    b[0] = r * r * r * (1.0 / 6.0);
    b[3] = t * t * t * (1.0 / 6.0);
    b[1] = 2.0 / 3.0 - t * t * (1.0 - 0.5 * t);
    b[2] = 1.0 - b[0] - b[1] - b[3];
    return cell;
}

static inline double value_of_one(const struct value_function *function, double f)
{
    double b[SPLINES];
    int i = value_splines(&function->f, f, b);
    const double *c = function->c;
    return value_scale(f) * (c[i] * b[0] + c[i + 1] * b[1] + c[i + 2] * b[2] + c[i + 3] * b[3]);
}

static inline double value_of_two(const struct value_function *function, double f, double g)
{
    double bf[SPLINES], bg[SPLINES], sum = 0.0;
    int i = value_splines(&function->f, f, bf), j = value_splines(&function->g, g, bg);
    int width = value_along(&function->g);
    const double *c = function->c;
    for (int k = 0; k < SPLINES; k++) {
        int at = (i + k) * width + j;
        sum += bf[k] * (c[at] * bg[0] + c[at + 1] * bg[1] + c[at + 2] * bg[2] + c[at + 3] * bg[3]);
    }
    return value_scale(f) * sum;
}

static inline double value_at(const struct value_function *function, double f, double g)
{
    return function->g.n ? value_of_two(function, f, g) : value_of_one(function, f);
}

#endif
