#include "app/plan/passing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define SOONEST 1e-9 /* years: no date of a trade comes sooner */

struct passing passing_anywhere(double years)
{
    double turn = years > 0.0 ? years / (1.0 - PAST_DATE) : SOONEST;
    return (struct passing){years, years > 0.0 ? turn : 0.0, turn};
}

void passing_meet(struct passing *passing, double date)
{
    bool past = date - passing->years <= PAST_DATE * date;
    if (past && date > passing->before) passing->before = date;
    if (!past && date < passing->after) passing->after = date;
}

double years_left(const struct passing *passing, double date)
{
    double before = passing->before, after = passing->after, from = PAST_DATE * before;
    if (passing->years == 0.0) return date;
    if (date >= after) return date - passing->years;
    if (date <= before || after == HUGE_VAL) return PAST_DATE * date;
    return from + (date - before) * ((after - passing->years - from) / (after - before));
}

/* The date that so many years are left to. */
static double date_of(const struct passing *passing, double years)
{
    double before = passing->before, after = passing->after, from = PAST_DATE * before;
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

/* The curve read at the years left to each date: as linear between the dates of its own pillars and those
 * where the passing turns. */
static enum status pass_curve(const struct passing *passing, const struct term_structure *curve,
                              struct term_structure *passed)
{
    int n = 0, kept = 0;
    if (!curve->n) return STATUS_OK;
    size_t bytes = sizeof(double) * ((size_t)curve->n + 2);
    *passed = (struct term_structure){.time = malloc(bytes), .accrued = malloc(bytes)};
    if (!passed->time || !passed->accrued) return STATUS_NO_MEMORY;
    for (; n < curve->n; n++) passed->time[n] = date_of(passing, curve->time[n]);
    if (passing->before > 0.0) passed->time[n++] = passing->before;
    if (passing->after < HUGE_VAL) passed->time[n++] = passing->after;
    qsort(passed->time, (size_t)n, sizeof *passed->time, compare_times);
    for (int i = 0; i < n; i++)
        if (!kept || passed->time[i] > passed->time[kept - 1]) passed->time[kept++] = passed->time[i];
    for (int i = 0; i < kept; i++)
        passed->accrued[i] = term_accrued(curve, years_left(passing, passed->time[i]));
    passed->n = kept;
    passed->beyond = passing->after < HUGE_VAL ? curve->beyond : curve->beyond * PAST_DATE;
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
