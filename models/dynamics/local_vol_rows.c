#include "models/dynamics/local_vol_rows.h"

#include <math.h>

/* Sets the row of a parabola, each number the nearest that there is. */
static void set_row(float *row, const double *a)
{
    const double least =
        0x1p-100; /* keeps the curve's bits from making a number that is not normal */
    const int below = 32 - LOCAL_VOL_CURVE_BITS;
    uint32_t curve =
        fabs(a[2]) < least ? 0 : (bits_of_float((float)a[2]) + (1u << (below - 1))) >> below;
    uint32_t slope = bits_of_float((float)(fabs(a[1]) < least ? copysign(least, a[1]) : a[1]));
    uint32_t rounded = (slope - curve + (1u << (LOCAL_VOL_CURVE_BITS - 1))) >> LOCAL_VOL_CURVE_BITS;
    row[0] = (float)a[0];
    row[1] = float_of_bits(rounded << LOCAL_VOL_CURVE_BITS | curve);
}

/* Moves a row's middle so that it is right on average over the cell, in which paths have this
 * density. */
static void centre_row(float *row, const double *value, const double *density)
{
    double error = 0.0, all = 0.0;
    for (int j = 0; j < IN_CELL; j++) {
        error += density[j] * (value[j] - row_value(row, within_cell(j))), all += density[j];
    }
    if (all > 0.0) row[0] = (float)(row[0] + error / all);
}

#define LEAST_SLOPE 0.1 /* of a cell's mean one */

/* The parabola nearest to a cell's values, by least squares. */
#define MEAN_SQUARE                                                                                \
    ((IN_CELL * IN_CELL - 1) / (12.0 * IN_CELL * IN_CELL)) /* of a value's place in its cell */
#define MEAN_FOURTH (MEAN_SQUARE * (3 * IN_CELL * IN_CELL - 7) / (20.0 * IN_CELL * IN_CELL))

static void nearest_parabola(const double *value, double *a)
{
    double mean = 0.0, first = 0.0, second = 0.0;
    for (int j = 0; j < IN_CELL; j++) {
        double t = within_cell(j), part = value[j] / IN_CELL;
        mean += part, first += part * t, second += part * t * t;
    }
    a[2] = (second - MEAN_SQUARE * mean) / (MEAN_FOURTH - MEAN_SQUARE * MEAN_SQUARE);
    a[1] = first / MEAN_SQUARE;
    a[0] = mean - MEAN_SQUARE * a[2];
}

void local_vol_rows(int n_cells, const double *value, const double *density, double line,
                    float *rows)
{
    for (int i = 0; i < n_cells; i++) {
        const double *v = value + IN_CELL * i;
        double a[3];
        nearest_parabola(v, a);
        double most = (1.0 - LEAST_SLOPE) * (a[1] + line); /* that it may fall towards an end */
        if (fabs(a[2]) > most) {
            double straight = copysign(most, a[2]);
            a[0] += (a[2] - straight) * MEAN_SQUARE, a[2] = straight;
        }
        float *row = rows + 2 * (i + 1);
        set_row(row, a);
        centre_row(row, v, density + IN_CELL * i);
    }
    const double first[3] = {row_value(rows + 2, -0.5)};
    const double last[3] = {row_value(rows + 2 * n_cells, 0.5)};
    set_row(rows, first);
    set_row(rows + 2 * (n_cells + 1), last);
}
