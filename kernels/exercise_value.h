/* The value of going on from a date of exercise, as a smooth function of what the exercise sees.
 *
 * Cubic B-splines on equal cells in w(f) = f / (2 + f), which is (S - K) / (S + K), and their products with
 * those in w(g) where there is a second feature, fitted by least squares with a penalty on second differences
 * of neighbouring coefficients (P. H. C. Eilers and B. D. Marx, Flexible smoothing with B-splines and
 * penalties, Statistical Science 11 (1996) 89-121). The penalty is small: it continues the function to where
 * there is no data. Beyond the outermost cells the function is constant. */
#ifndef PRICER_KERNELS_EXERCISE_VALUE_H
#define PRICER_KERNELS_EXERCISE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "models/math/status.h"

/* The cells of one feature; n = 0 where it is not looked at. */
struct value_axis {
    int n;
    double low, per_cell; /* w of the first cell's beginning; cells a unit of w */
};

struct value_function {
    struct value_axis f, g;
    double *c; /* [n of f + 3][n of g + 3, or 1] coefficients; owned */
};

/* Fits values [n] at the features f, g [n]; g is not looked at unless `two`. All sums are taken in the order
 * of the points. Free with value_free, whatever is returned; *function must begin as zeros. STATUS_NO_MEMORY.
 */
enum status value_fit(size_t n, const double *f, const double *g, const double *values, bool two,
                      struct value_function *function);

double value_at(const struct value_function *function, double f, double g);

void value_free(struct value_function *function);

#endif
