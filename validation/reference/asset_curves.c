#include "validation/reference/asset_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort_double.h>

/* Two dates closer than this fraction of the expiry are one date: rounding of i * expiry / n. */
static const double SAME_DATE = 1e-12;

double curve_accrued(const struct term_structure *curve, double t)
{
    if (curve->n == 0) return curve->beyond * t;
    int below = -1, above = curve->n; /* time[below] < t <= time[above] */
    while (above - below > 1) {
        int middle = (below + above) / 2;
        if (curve->time[middle] < t) below = middle;
        else above = middle;
    }
    if (above == curve->n) return curve->accrued[below] + curve->beyond * (t - curve->time[below]);
    double t0 = below < 0 ? 0.0 : curve->time[below], a0 = below < 0 ? 0.0 : curve->accrued[below];
    double share = (t - t0) / (curve->time[above] - t0);
    return (1.0 - share) * a0 + share * curve->accrued[above];
}

double lagged_discount(const struct term_structure *rate, double lag, double t)
{
    return exp(curve_accrued(rate, lag) - curve_accrued(rate, t + lag));
}

double asset_discount(const struct asset_curves *curves, double t)
{
    return lagged_discount(curves->rate, curves->lag, t);
}

double asset_growth(const struct asset_curves *curves, double t)
{
    return curve_accrued(curves->rate, t) - curve_accrued(curves->yield, t);
}

double asset_forward(const struct asset_curves *curves, double t)
{
    return curves->spot * exp(asset_growth(curves, t));
}

double asset_variance(const struct asset_curves *curves, double t)
{
    return curve_accrued(curves->variance, t);
}

double spot_after_dividend(double spot, double amount)
{
    return fmax(spot - amount, 1e-6 * spot);
}

struct log_increment asset_increment(const struct asset_curves *curves, double from, double to)
{
    double variance = fmax(asset_variance(curves, to) - asset_variance(curves, from), 0.0);
    /* a difference of rounding errors */
    if (variance < 1e-15 * asset_variance(curves, to)) variance = 0.0;
    double growth = asset_growth(curves, to) - asset_growth(curves, from);
    return (struct log_increment){from, to, growth - 0.5 * variance, variance};
}

enum status asset_breaks(const struct asset_curves *curves, double expiry, double **times, int *n)
{
    const struct term_structure *parts[] = {curves->rate, curves->yield, curves->variance};
    size_t most = 1 + (size_t)curves->rate->n;
    for (int c = 0; c < 3; c++) most += (size_t)parts[c]->n;
    double *all;
    enum status status = effort_array(curves->effort, most, sizeof *all, &all);
    if (status) return status;
    size_t count = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < parts[c]->n; i++)
            if (parts[c]->time[i] < expiry * (1.0 - SAME_DATE)) all[count++] = parts[c]->time[i];
    for (int i = 0; curves->lag > 0.0 && i < curves->rate->n; i++) {
        double time = curves->rate->time[i] - curves->lag;
        if (time > 0.0 && time < expiry * (1.0 - SAME_DATE)) all[count++] = time;
    }
    all[count++] = expiry;
    gsl_sort(all, 1, count);
    int kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!kept || all[i] - all[kept - 1] > SAME_DATE * expiry) all[kept++] = all[i];
    all[kept - 1] = expiry;
    *times = all;
    *n = kept;
    return STATUS_OK;
}

/* Tells whether two increments have the same drift per variance, to rounding on the scale of the
 * whole path. */
static bool same_ratio(const struct log_increment *a, const struct log_increment *b,
                       double deviation)
{
    if (a->variance <= 0.0 || b->variance <= 0.0) return false;
    double ratio_a = a->drift / a->variance, ratio_b = b->drift / b->variance;
    return fabs(ratio_a - ratio_b) * deviation < 1e-12 * (1.0 + fabs(ratio_a) * deviation);
}

enum status asset_periods(const struct asset_curves *curves, double expiry,
                          struct log_increment **increments, int *n, bool *dead)
{
    double *times = NULL;
    int breaks = 0, kept = 0;
    enum status status = asset_breaks(curves, expiry, &times, &breaks);
    if (status) return status;
    struct log_increment *all = NULL;
    TRY(effort_array(curves->effort, (size_t)breaks, sizeof *all, &all));
    double deviation = sqrt(asset_variance(curves, expiry));
    *dead = false;
    for (int i = 0; i < breaks; i++) {
        struct log_increment increment = asset_increment(curves, i ? times[i - 1] : 0.0, times[i]);
        if (increment.variance <= 0.0) *dead = true;
        if (kept && same_ratio(&all[kept - 1], &increment, deviation))
            all[kept - 1] = asset_increment(curves, all[kept - 1].from, increment.to);
        else all[kept++] = increment;
    }
    *increments = all;
    *n = kept;
done:
    effort_free(times);
    return status;
}

enum status schedule_dates(struct effort *effort, const struct schedule *schedule, double expiry,
                           double **dates, int *n, struct message *why)
{
    int count = schedule->n, kept = 0;
    double *all;
    enum status status = effort_array(effort, (size_t)count, sizeof *all, &all);
    if (status) return status;
    for (int i = 0; i < count; i++) {
        double t = schedule->times[i];
        if (fabs(t - expiry) <= SAME_DATE * expiry) t = expiry;
        if (!(t >= 0.0 && t <= expiry)) {
            snprintf(why->text, sizeof why->text, "date %g is not between today and expiry %g", t,
                     expiry);
            effort_free(all);
            return STATUS_BAD_INPUT;
        }
        all[i] = t;
    }
    gsl_sort(all, 1, (size_t)count);
    for (int i = 0; i < count; i++)
        if (!kept || all[i] - all[kept - 1] > SAME_DATE * expiry) all[kept++] = all[i];
    *dates = all;
    *n = kept;
    return STATUS_OK;
}

int asset_increments(const struct asset_curves *curves, const double *dates, int n,
                     struct log_increment *increments)
{
    int count = 0;
    double from = 0.0;
    for (int i = 0; i < n; i++) {
        if (dates[i] <= 0.0) continue;
        increments[count++] = asset_increment(curves, from, dates[i]);
        from = dates[i];
    }
    return count;
}

/* ---- quantos --------------------------------------------------------------------------------- */

enum { CURVES = 5 };

/* Returns what accrues from `from` to `to`, the length of an interval on which all curves are
 * straight. */
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
