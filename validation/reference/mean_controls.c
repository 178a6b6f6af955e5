#include "validation/reference/mean_controls.h"

#include <math.h>

#include "validation/reference/gaussian.h"

void mean_controls_add(struct mean_controls *controls, const double *values)
{
    double before[MEAN_CONTROLS_MAX + 1], count = ++controls->count;
    for (int i = 0; i <= controls->n; i++) {
        before[i] = values[i] - controls->mean[i];
        controls->mean[i] += before[i] / count;
        for (int j = 0; j <= i; j++)
            controls->product[i][j] += before[i] * (values[j] - controls->mean[j]);
        controls->peak[i] = fmax(controls->peak[i], before[i] * (values[i] - controls->mean[i]));
    }
}

/* What is added to the variance of each control, scaled to 1: the difference of two calls at the
 * walls of a double barrier may be next to constant on antithetic pairs, and took coefficients so
 * large that what the means were off by was seen. */
static const double RIDGE = 1e-3;

/* Finds the coefficients of the regression of value 0 on the controls, each scaled to unit
 * variance; one that hardly varies, or that the others already span, gets next to nothing. */
static void fit_coefficients(const struct mean_controls *controls, double *coefficients)
{
    size_t n = (size_t)controls->n;
    double system[MEAN_CONTROLS_MAX * MEAN_CONTROLS_MAX], right[MEAN_CONTROLS_MAX],
        scale[MEAN_CONTROLS_MAX];
    for (size_t i = 0; i < n; i++) scale[i] = sqrt(controls->product[i + 1][i + 1]);
    for (size_t i = 0; i < n; i++) {
        right[i] = scale[i] > 0.0 ? controls->product[i + 1][0] / scale[i] : 0.0;
        for (size_t j = 0; j <= i; j++) {
            double scales = scale[i] * scale[j], product = controls->product[i + 1][j + 1];
            system[i * n + j] = (scales > 0.0 ? product / scales : 0.0) + (i == j ? RIDGE : 0.0);
        }
    }
    bool solved = solve_positive(n, system, right);
    for (size_t i = 0; i < n; i++)
        coefficients[i] = solved && scale[i] > 0.0 ? right[i] / scale[i] : 0.0;
}

/* The share of the sum of squares that one path may have: of a normal law it has some 20 / n. */
static const double LARGEST_SHARE = 0.1;

void mean_controls_result(const struct mean_controls *controls, double *mean, double *error)
{
    double coefficients[MEAN_CONTROLS_MAX] = {0}, left = controls->product[0][0],
           count = controls->count, bias = 0.0, rare = 0.0;
    if (controls->n > 0 && count > 1.0) fit_coefficients(controls, coefficients);
    *mean = controls->mean[0];
    for (int i = 0; i < controls->n; i++) {
        double off = controls->mean[i + 1] - controls->known[i + 1];
        double deviation = sqrt(controls->product[i + 1][i + 1] / (count * count));
        *mean -= coefficients[i] * off;
        left -= coefficients[i] * controls->product[i + 1][0];
        bool few = count > 100.0 &&
                   controls->peak[i + 1] > LARGEST_SHARE * controls->product[i + 1][i + 1];
        if (fabs(off) > 4.0 * deviation + 1e-9 * fabs(controls->known[i + 1]))
            bias += fabs(coefficients[i] * off);
        else if (few) rare += coefficients[i] * off;
    }
    *error = bias + fabs(rare);
    if (count > 1.0) *error += sqrt(fmax(left, 0.0) / (count - 1.0 - controls->n) / count);
}
