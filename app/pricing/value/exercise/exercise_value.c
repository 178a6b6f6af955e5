#include "app/pricing/value/exercise/exercise_value.h"

#include <stdlib.h>

#include "app/pricing/value/exercise/exercise_regression.h"

enum {
    CELLS_ALONE = 64, /* of f, where there is no g */
    CELLS_FIRST = 48, /* of f, */
    CELLS_SECOND = 8, /* and of g, where there is */
    MOST_NONZERO = SPLINES * SPLINES
};
#define MARGIN 0.1   /* cells go beyond the data by this fraction of their range, on each side */
#define PENALTY 3e-5 /* of a second difference, in mean squares of a coefficient's column */
#define RIDGE 1e-11  /* of a coefficient, in the same unit: for data at one point */
#define LEAST_RANGE 1e-9

enum status value_room(struct value_axis f, struct value_axis g, struct value_function *function)
{
    size_t n = (size_t)value_along(&f) * (size_t)value_along(&g);
    *function = (struct value_function){f, g, calloc(n, sizeof *function->c)};
    return function->c ? STATUS_OK : STATUS_NO_MEMORY;
}

/* ---- least squares --------------------------------------------------------------------------- */

static struct value_axis axis_over(size_t n, const double *feature, int cells)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        double w = value_narrowed(feature[i]);
        low = w < low ? w : low;
        high = w > high ? w : high;
    }
    double range = fmax(high - low, LEAST_RANGE);
    return (struct value_axis){.n = cells,
                               .low = low - MARGIN * range,
                               .per_cell = cells / (range * (1.0 + 2.0 * MARGIN))};
}

/* Tells whether a feature is more than one number. */
static bool varies(size_t n, const double *feature)
{
    for (size_t i = 1; i < n; i++)
        if (fabs(value_narrowed(feature[i]) - value_narrowed(feature[0])) > LEAST_RANGE)
            return true;
    return false;
}

static void add_point(struct banded *m, const struct value_function *function, double f, double g,
                      double value)
{
    double bf[SPLINES], bg[SPLINES] = {1.0}, b[MOST_NONZERO];
    int at[MOST_NONZERO], n = 0, of_g = function->g.n ? SPLINES : 1, j = 0;
    int width = value_along(&function->g), i = value_splines(&function->f, f, bf);
    if (function->g.n) j = value_splines(&function->g, g, bg);
    for (int k = 0; k < SPLINES; k++)
        for (int l = 0; l < of_g; l++) {
            at[n] = (i + k) * width + j + l;
            b[n++] = value_scale(f) * bf[k] * bg[l];
        }
    for (int k = 0; k < n; k++) {
        m->right[at[k]] += b[k] * value;
        for (int l = 0; l <= k; l++) *banded_entry(m, at[k], at[l]) += b[k] * b[l];
    }
}

/* Adds `weight` times the squared second difference of the coefficients i, i + step, i + 2 step. */
static void add_penalty(struct banded *m, int i, int step, double weight)
{
    static const double d[3] = {1.0, -2.0, 1.0};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l <= k; l++)
            *banded_entry(m, i + k * step, i + l * step) += weight * d[k] * d[l];
}

static void add_penalties(struct banded *m, int along_f, int along_g)
{
    double trace = 0.0;
    for (int i = 0; i < m->n; i++) trace += *banded_entry(m, i, i);
    for (int i = 0; i < m->n; i++) *banded_entry(m, i, i) += RIDGE * trace / m->n;
    for (int i = 0; i < along_f; i++)
        for (int j = 0; j < along_g; j++) {
            if (i + 2 < along_f) add_penalty(m, i * along_g + j, along_g, PENALTY * trace / m->n);
            if (j + 2 < along_g) add_penalty(m, i * along_g + j, 1, PENALTY * trace / m->n);
        }
}

enum status value_fit(size_t n, const double *f, const double *g, const double *values, bool two,
                      struct value_function *function)
{
    const struct value_axis none = {.n = 0};
    two = two && varies(n, g);
    MUST(value_room(axis_over(n, f, two ? CELLS_FIRST : CELLS_ALONE),
                    two ? axis_over(n, g, CELLS_SECOND) : none, function));
    int along_f = value_along(&function->f), along_g = value_along(&function->g);
    struct banded m = {.n = along_f * along_g,
                       .band = (SPLINES - 1) * along_g + (two ? SPLINES - 1 : 0),
                       .right = function->c};
    m.rows = calloc((size_t)m.n * (size_t)(m.band + 1), sizeof *m.rows);
    if (!m.rows) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) add_point(&m, function, f[i], g[i], values[i]);
    add_penalties(&m, along_f, along_g);
    (void)banded_solve(&m); /* the penalty keeps its pivots above 0 */
    free(m.rows);
    return STATUS_OK;
}

/* ---- interpolation --------------------------------------------------------------------------- */

/* Replaces the values at the n + 1 ends of cells, `step` apart from c[step] on, by the n + 3
 * coefficients from c[0] on: (c[i - 1] + 4 c[i] + c[i + 1]) / 6 = value i. Without curvature at the
 * ends the outermost values are coefficients. So for `width` functions, `beside` apart. */
static void coefficients_of(int n, int step, int width, int beside, double *c)
{
    double *y = c + step, *end = y + n * step, pivots[VALUE_CELLS_MOST] = {0.0};
    for (int i = 1; i < n; i++) {
        double *here = y + i * step;
        pivots[i] = 1.0 / (4.0 - pivots[i - 1]);
        for (int j = 0; j < width * beside; j += beside)
            here[j] = (6.0 * here[j] - (i == n - 1 ? end[j] : 0.0) - here[j - step]) * pivots[i];
    }
    for (int i = n - 2; i > 0; i--)
        for (int j = 0; j < width * beside; j += beside)
            y[i * step + j] -= pivots[i] * y[(i + 1) * step + j];
    for (int j = 0; j < width * beside; j += beside) {
        c[j] = 2.0 * y[j] - y[step + j];
        end[step + j] = 2.0 * end[j] - end[j - step];
    }
}

void value_through(const double *values, struct value_function *function)
{
    int f = function->f.n, g = function->g.n, along_g = value_along(&function->g);
    for (int i = 0; i <= f; i++) {
        double scale = value_scale(value_feature(function->f.low + i / function->f.per_cell));
        for (int j = 0; j <= g; j++)
            function->c[(i + 1) * along_g + j + (g > 0)] = values[i * (g + 1) + j] / scale;
    }
    if (g) coefficients_of(g, 1, f + 1, along_g, function->c + along_g);
    coefficients_of(f, along_g, along_g, 1, function->c);
}

void value_free(struct value_function *function)
{
    free(function->c);
    *function = (struct value_function){0};
}
