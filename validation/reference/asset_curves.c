#include "validation/reference/asset_curves.h"

#include <math.h>
#include <stdio.h>
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

int dates_sort(double *dates, size_t count, double expiry)
{
    int kept = 0;
    gsl_sort(dates, 1, count);
    for (size_t i = 0; i < count; i++)
        if (!kept || dates[i] - dates[kept - 1] > SAME_DATE * expiry) dates[kept++] = dates[i];
    return kept;
}

size_t curve_dates(const struct term_structure *curve, double lag, double expiry, double *dates)
{
    size_t count = 0;
    for (int i = 0; i < curve->n; i++) {
        double time = curve->time[i] - lag;
        if (time > 0.0 && time < expiry * (1.0 - SAME_DATE)) dates[count++] = time;
    }
    return count;
}

enum status asset_breaks(const struct asset_curves *curves, double expiry, double **times, int *n)
{
    const struct term_structure *parts[] = {curves->rate, curves->yield, curves->variance};
    size_t most = 1 + (size_t)curves->rate->n, count = 0;
    for (int c = 0; c < 3; c++) most += (size_t)parts[c]->n;
    enum status status = effort_array(curves->effort, most, sizeof **times, times);
    if (status) return status;
    for (int c = 0; c < 3; c++) count += curve_dates(parts[c], 0.0, expiry, *times + count);
    if (curves->lag > 0.0) count += curve_dates(curves->rate, curves->lag, expiry, *times + count);
    (*times)[count++] = expiry;
    *n = dates_sort(*times, count, expiry);
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
    int count = schedule->n;
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
    *dates = all;
    *n = dates_sort(all, (size_t)count, expiry);
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
