/* Rows of local_vol's tables: a function of a step as a parabola in each of equal cells. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_ROWS_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_ROWS_H

#include "models/dynamics/local_vol.h"

enum { IN_CELL = 5 }; /* places where a function is asked for in each */

/* Returns the value of a row at t: what local_vol_step() makes of it. */
static inline double row_value(const float *row, double t)
{
    return row[0] + (row[1] + (double)local_vol_curve(row[1]) * t) * t;
}

/* Tells where in its cell a value is: -0.5 is the low end, 0.5 the high one. */
static inline double within_cell(int j)
{
    return (j - 0.5 * (IN_CELL - 1)) / IN_CELL;
}

#endif
