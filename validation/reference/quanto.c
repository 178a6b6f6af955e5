#include "validation/reference/quanto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_sort_double.h>

#include "validation/reference/asset_curves.h"

enum { CURVES = 5 };

/* Accrued from `from` to `to`, the length of an interval on which all curves are straight. */
static double between(const struct term_structure *curve, double from, double to)
{
    return curve_accrued(curve, to) - curve_accrued(curve, from);
}

static double adjusted_yield(const struct term_structure *const curves[CURVES], double correlation,
                             double from, double to)
{
    double covariance = correlation * sqrt(fmax(between(curves[3], from, to), 0.0)) *
                        sqrt(fmax(between(curves[4], from, to), 0.0));
    return between(curves[0], from, to) - between(curves[1], from, to) +
           between(curves[2], from, to) + covariance;
}

enum status quanto_yield(const struct market *market, const struct trade *trade,
                         struct effort *effort, struct term_structure *yield, struct message *why)
{
    const struct asset *asset = &market->assets[trade->asset], *fx = &market->assets[trade->quanto];
    const struct term_structure *const curves[CURVES] = {
        &market->currencies[fx->currency].rate, &market->currencies[asset->currency].rate,
        &asset->yield, &asset->variance, &fx->variance};
    double correlation = market->correlation[trade->asset * market->n_assets + trade->quanto];
    if (fx->foreign_currency != asset->currency || fx->variance.n < 1) {
        snprintf(why->text, sizeof why->text,
                 "no reference for %s paid at the rate %s under these models",
                 asset->name ? asset->name : "an asset", fx->name ? fx->name : "of an asset");
        return STATUS_FAILED;
    }
    size_t most = 0, count = 0;
    for (int c = 0; c < CURVES; c++) most += (size_t)curves[c]->n;
    enum status status = effort_room(effort, 2.0 * (double)most * sizeof(double));
    if (status) return status;
    double *times = malloc(most * sizeof *times), *accrued = malloc(most * sizeof *accrued);
    if (!times || !accrued) {
        free(times);
        free(accrued);
        return STATUS_NO_MEMORY;
    }
    for (int c = 0; c < CURVES; c++)
        for (int i = 0; i < curves[c]->n; i++) times[count++] = curves[c]->time[i];
    gsl_sort(times, 1, count);
    int n = 0;
    for (size_t i = 0; i < count; i++)
        if (!n || times[i] > times[n - 1] * (1.0 + 1e-14)) times[n++] = times[i];
    for (int i = 0; i < n; i++) {
        double from = i ? times[i - 1] : 0.0;
        accrued[i] =
            (i ? accrued[i - 1] : 0.0) + adjusted_yield(curves, correlation, from, times[i]);
    }
    double last = times[n - 1], beyond = adjusted_yield(curves, correlation, last, last + 1.0);
    *yield = (struct term_structure){n, times, accrued, beyond};
    return STATUS_OK;
}
