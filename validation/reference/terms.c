#include "validation/reference/terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort_double.h>

/* Two dates closer than this fraction of the expiry are one date: rounding of i * expiry / n. */
static const double SAME_DATE = 1e-12;

double terms_accrued(const struct term_structure *curve, double t)
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

double terms_discount(const struct terms *terms, double t)
{
    return exp(-terms_accrued(terms->rate, t));
}

double terms_growth(const struct terms *terms, double t)
{
    return terms_accrued(terms->rate, t) - terms_accrued(terms->yield, t);
}

double terms_forward(const struct terms *terms, double t)
{
    return terms->spot * exp(terms_growth(terms, t));
}

double terms_variance(const struct terms *terms, double t)
{
    return terms_accrued(terms->variance, t);
}

struct leg terms_leg(const struct terms *terms, double from, double to)
{
    double variance = fmax(terms_variance(terms, to) - terms_variance(terms, from), 0.0);
    if (variance < 1e-15 * terms_variance(terms, to)) variance = 0.0; /* a difference of rounding errors */
    double growth = terms_growth(terms, to) - terms_growth(terms, from);
    return (struct leg){from, to, growth - 0.5 * variance, variance};
}

enum status terms_breaks(const struct terms *terms, double expiry, double **times, int *n)
{
    const struct term_structure *curves[] = {terms->rate, terms->yield, terms->variance};
    size_t most = 1;
    for (int c = 0; c < 3; c++) most += (size_t)curves[c]->n;
    double *all;
    enum status status = effort_array(terms->effort, most, sizeof *all, &all);
    if (status) return status;
    size_t count = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < curves[c]->n; i++)
            if (curves[c]->time[i] < expiry * (1.0 - SAME_DATE)) all[count++] = curves[c]->time[i];
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

/* Whether two legs have the same drift per variance, to rounding on the scale of the whole path. */
static bool same_ratio(const struct leg *a, const struct leg *b, double deviation)
{
    if (a->variance <= 0.0 || b->variance <= 0.0) return false;
    double ratio_a = a->drift / a->variance, ratio_b = b->drift / b->variance;
    return fabs(ratio_a - ratio_b) * deviation < 1e-12 * (1.0 + fabs(ratio_a) * deviation);
}

enum status terms_periods(const struct terms *terms, double expiry, struct leg **legs, int *n, bool *dead)
{
    double *times = NULL;
    int breaks = 0, kept = 0;
    enum status status = terms_breaks(terms, expiry, &times, &breaks);
    if (status) return status;
    struct leg *all = NULL;
    TRY(effort_array(terms->effort, (size_t)breaks, sizeof *all, &all));
    double deviation = sqrt(terms_variance(terms, expiry));
    *dead = false;
    for (int i = 0; i < breaks; i++) {
        struct leg leg = terms_leg(terms, i ? times[i - 1] : 0.0, times[i]);
        if (leg.variance <= 0.0) *dead = true;
        if (kept && same_ratio(&all[kept - 1], &leg, deviation))
            all[kept - 1] = terms_leg(terms, all[kept - 1].from, leg.to);
        else all[kept++] = leg;
    }
    *legs = all;
    *n = kept;
done:
    effort_free(times);
    return status;
}

enum status terms_dates(struct effort *effort, const struct schedule *schedule, double expiry, double **dates,
                        int *n, struct message *why)
{
    int count = schedule->n, kept = 0;
    double *all;
    enum status status = effort_array(effort, (size_t)count, sizeof *all, &all);
    if (status) return status;
    for (int i = 0; i < count; i++) {
        double t = schedule->times[i];
        if (fabs(t - expiry) <= SAME_DATE * expiry) t = expiry;
        if (!(t >= 0.0 && t <= expiry)) {
            snprintf(why->text, sizeof why->text, "date %g is not between today and expiry %g", t, expiry);
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

int terms_legs(const struct terms *terms, const double *dates, int n, struct leg *legs)
{
    int count = 0;
    double from = 0.0;
    for (int i = 0; i < n; i++) {
        if (dates[i] <= 0.0) continue;
        legs[count++] = terms_leg(terms, from, dates[i]);
        from = dates[i];
    }
    return count;
}
