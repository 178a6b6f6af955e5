#include "app/plan/passing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define SOONEST 1e-9 /* years: no date of a trade comes sooner */

struct passing passing_anywhere(double years)
{
    double turn = years > 0.0 ? years / (1.0 - PAST_DATE) : SOONEST;
    return (struct passing){.years = years, .before = years > 0.0 ? turn : 0.0, .after = turn};
}

void passing_meet(struct passing *passing, double date)
{
    bool past = date - passing->years <= PAST_DATE * date;
    if (past && date > passing->before) passing->before = date;
    if (!past && date < passing->after) passing->after = date;
}

double years_left(const struct passing *passing, double date)
{
    double before = passing->before, after = passing->after, from = PAST_DATE * before, stay = passing->stay;
    if (passing->years == 0.0 || date <= stay) return date;
    if (date >= after) return date - passing->years;
    if (stay > 0.0) return stay + (date - stay) * ((after - passing->years - stay) / (after - stay));
    if (date <= before || after == HUGE_VAL) return PAST_DATE * date;
    return from + (date - before) * ((after - passing->years - from) / (after - before));
}

/* The date that so many years are left to. */
static double date_of(const struct passing *passing, double years)
{
    double before = passing->before, after = passing->after, from = PAST_DATE * before, stay = passing->stay;
    if (passing->years == 0.0 || years <= stay) return years;
    if (stay > 0.0 && years < after - passing->years)
        return stay + (years - stay) * ((after - stay) / (after - passing->years - stay));
    if (years <= from || after == HUGE_VAL) return years / PAST_DATE;
    if (years >= after - passing->years) return years + passing->years;
    return before + (years - from) * ((after - before) / (after - passing->years - from));
}

/* ---- the market ---------------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Adds a date of a curve and, where it turns there, those around it. */
static int add_around(const struct passing *passing, bool turns, double date, int n, double *dates)
{
    dates[n++] = date;
    if (!turns || passing->around <= 0.0) return n;
    if (date > passing->around) dates[n++] = date - passing->around;
    dates[n++] = date + passing->around;
    return n;
}

/* The curve read at the years left to each date: as linear between the dates of its own pillars, those around
 * them and those where the passing turns. */
static enum status pass_curve(const struct passing *passing, const struct term_structure *curve,
                              struct term_structure *passed)
{
    int n = 0, kept = 0;
    if (!curve->n) return STATUS_OK;
    size_t bytes = sizeof(double) * (3 * (size_t)curve->n + 3);
    *passed = (struct term_structure){.time = malloc(bytes), .accrued = malloc(bytes)};
    if (!passed->time || !passed->accrued) return STATUS_NO_MEMORY;
    for (int i = 0; i < curve->n; i++)
        n = add_around(passing, curve->n > 1, date_of(passing, curve->time[i]), n, passed->time);
    if (passing->stay > 0.0) passed->time[n++] = passing->stay;
    if (passing->before > 0.0) passed->time[n++] = passing->before;
    if (passing->after < HUGE_VAL) passed->time[n++] = passing->after;
    qsort(passed->time, (size_t)n, sizeof *passed->time, compare_times);
    for (int i = 0; i < n; i++)
        if (!kept || passed->time[i] > passed->time[kept - 1]) passed->time[kept++] = passed->time[i];
    for (int i = 0; i < kept; i++)
        passed->accrued[i] = term_accrued(curve, years_left(passing, passed->time[i]));
    passed->n = kept;
    bool all_past = passing->years != 0.0 && passing->after == HUGE_VAL;
    passed->beyond = all_past ? curve->beyond * PAST_DATE : curve->beyond;
    return STATUS_OK;
}

enum status passing_market(const struct passing *passing, const struct market *market, struct market *passed)
{
    enum status status = STATUS_OK;
    size_t currencies = (size_t)market->n_currencies, assets = (size_t)market->n_assets;
    *passed = *market;
    passed->currencies = calloc(currencies + 1, sizeof *passed->currencies);
    passed->assets = calloc(assets + 1, sizeof *passed->assets);
    if (!passed->currencies || !passed->assets) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < currencies; i++) {
        passed->currencies[i] = market->currencies[i];
        passed->currencies[i].rate = (struct term_structure){0};
        TRY(pass_curve(passing, &market->currencies[i].rate, &passed->currencies[i].rate));
    }
    for (size_t i = 0; i < assets; i++) {
        struct asset *asset = &passed->assets[i];
        *asset = market->assets[i];
        asset->yield = asset->variance = (struct term_structure){0};
        TRY(pass_curve(passing, &market->assets[i].yield, &asset->yield));
        TRY(pass_curve(passing, &market->assets[i].variance, &asset->variance));
    }
done:
    return status;
}

void passing_free(struct market *passed)
{
    for (int i = 0; passed->currencies && i < passed->n_currencies; i++)
        term_free(&passed->currencies[i].rate);
    for (int i = 0; passed->assets && i < passed->n_assets; i++) {
        term_free(&passed->assets[i].yield);
        term_free(&passed->assets[i].variance);
    }
    free(passed->currencies);
    free(passed->assets);
    *passed = (struct market){0};
}
