/* How the table of models/math/normal_table.h is computed; see make_normal_table.c. Needs GSL. */
#ifndef PRICER_VALIDATION_TESTS_MAKE_NORMAL_TABLE_H
#define PRICER_VALIDATION_TESTS_MAKE_NORMAL_TABLE_H

#include <gsl/gsl_cdf.h>
#include <math.h>

#ifndef NORMAL_ROWS
#define NORMAL_ROWS 264
#endif

/* z with Phi(z) = t, 0 < t <= 1/2: GSL's double (AS 241), then two steps of Newton's method in long
 * double. */
static inline long double inverse_normal(long double t)
{
    const long double root_half = 0.70710678118654752440084436210484903928L;
    const long double root_two_pi = 2.50662827463100050241576528481104525301L;
    long double z = (long double)gsl_cdf_ugaussian_Pinv((double)t);
    for (int step = 0; step < 2; step++) {
        const long double excess = 0.5L * erfcl(-z * root_half) - t;
        z -= excess * root_two_pi * expl(0.5L * z * z);
    }
    return t == 0.5L ? 0.0L : z;
}

/* f at the start of segment ROW. */
static inline double segment_start(int row)
{
    return ldexp(1.0 + (row % 8) / 8.0, row / 8 - 1);
}

/* Writes the four float coefficients of one segment: start value GIVEN, end value NEXT (both floats
 * of the table). */
static inline void fit_segment(int row, float next, float c[4])
{
    enum { points = 2048 };
    const long double start = (long double)segment_start(row);
    const long double width = (long double)segment_start(row + 1) - start;
    const long double rise = (long double)next - (long double)c[0];
    long double moment0 = 0.0L,
                moment1 = 0.0L; /* of z minus the chord, over x = v / width in [0, 1] */
    for (int i = 0; i < points; i++) {
        const long double x = (i + 0.5L) / points;
        const long double z = inverse_normal((start + width * x) * 0x1p-32L);
        const long double rest = z - ((long double)c[0] + rise * x);
        moment0 += rest / points;
        moment1 += rest * x / points;
    }
    /* z - chord = x (1 - x) (a + b x): integrals a/6 + b/12 = moment0, a/12 + b/20 = moment1 */
    const long double b = (moment1 - 0.5L * moment0) / (1.0L / 20 - 1.0L / 24);
    const long double cubic = -b;
    c[3] = (float)(cubic / (width * width * width));
    const long double cubic_kept = (long double)c[3] * width * width * width;
    /* with the cubic fixed, keep the mean: x (1 - x) (a + b x), b = -cubic_kept */
    const long double a = 6.0L * (moment0 + cubic_kept / 12);
    c[2] = (float)((-cubic_kept - a) / (width * width));
    c[1] = (float)((rise - (long double)c[2] * width * width - cubic_kept) / width);
    const float last = nextafterf((float)(start + width), 0.0f) - (float)start;
    while (fmaf(fmaf(fmaf(c[3], last, c[2]), last, c[1]), last, c[0]) > next)
        c[1] = nextafterf(c[1], 0.0f);
}

/* Writes the whole table. f = 2^31 stands for the 64 h from 2^31 - 64: its value is their mean. */
static inline void make_normal_table(float table[NORMAL_ROWS][4])
{
    const long double root_two_pi = 2.50662827463100050241576528481104525301L;
    const int rows = NORMAL_ROWS - 8;
    for (int row = 0; row < NORMAL_ROWS; row++) {
        const long double t = (long double)segment_start(row) * 0x1p-32L;
        table[row][0] =
            row < rows ? (float)inverse_normal(t) : (float)(-32.0L * 0x1p-32L * root_two_pi);
        table[row][1] = table[row][2] = table[row][3] = 0.0f;
    }
    for (int row = 0; row < rows; row++) fit_segment(row, table[row + 1][0], table[row]);
}

#endif
