#include "app/pricing/plan/ageing.h"
#include "models/base/order.h"

#include <math.h>
#include <stdlib.h>

#define SOONEST 1e-9 /* years: no date of a trade comes sooner */

struct ageing ageing_anywhere(double years)
{
    double turn = years > 0.0 ? years / (1.0 - PAST_DATE) : SOONEST;
    return (struct ageing){.years = years, .before = years > 0.0 ? turn : 0.0, .after = turn};
}

void ageing_add_date(struct ageing *ageing, double date)
{
    bool past = date - ageing->years <= PAST_DATE * date;
    if (past && date > ageing->before) ageing->before = date;
    if (!past && date < ageing->after) ageing->after = date;
}

double years_left(const struct ageing *ageing, double date)
{
    double before = ageing->before, after = ageing->after, from = PAST_DATE * before,
           stay = ageing->stay;
    if (ageing->years == 0.0 || date <= stay) return date;
    if (date >= after) return date - ageing->years;
    if (stay > 0.0) return stay + (date - stay) * ((after - ageing->years - stay) / (after - stay));
    if (date <= before || after == HUGE_VAL) return PAST_DATE * date;
    return from + (date - before) * ((after - ageing->years - from) / (after - before));
}

/* The date that so many years are left to. */
static double date_of(const struct ageing *ageing, double years)
{
    double before = ageing->before, after = ageing->after, from = PAST_DATE * before,
           stay = ageing->stay;
    if (ageing->years == 0.0 || years <= stay) return years;
    if (stay > 0.0 && years < after - ageing->years)
        return stay + (years - stay) * ((after - stay) / (after - ageing->years - stay));
    if (years <= from || after == HUGE_VAL) return years / PAST_DATE;
    if (years >= after - ageing->years) return years + ageing->years;
    return before + (years - from) * ((after - before) / (after - ageing->years - from));
}

/* Adds a date of a curve and, where it turns there, those around it. */
static int add_around(const struct ageing *ageing, bool turns, double date, int n, double *dates)
{
    dates[n++] = date;
    if (!turns || ageing->around <= 0.0) return n;
    if (date > ageing->around) dates[n++] = date - ageing->around;
    dates[n++] = date + ageing->around;
    return n;
}

/* The curve read at the years left to each date: as linear between the dates of its own pillars,
 * those around them and those where the ageing turns. */
static enum status pass_curve(const struct ageing *ageing, const struct term_structure *curve,
                              struct term_structure *aged)
{
    int n = 0, n_times = 0;
    if (!curve->n) return STATUS_OK;
    size_t bytes = sizeof(double) * (3 * (size_t)curve->n + 3);
    *aged = (struct term_structure){.time = malloc(bytes), .accrued = malloc(bytes)};
    if (!aged->time || !aged->accrued) return STATUS_NO_MEMORY;
    for (int i = 0; i < curve->n; i++)
        n = add_around(ageing, curve->n > 1, date_of(ageing, curve->time[i]), n, aged->time);
    if (ageing->stay > 0.0) aged->time[n++] = ageing->stay;
    if (ageing->before > 0.0) aged->time[n++] = ageing->before;
    if (ageing->after < HUGE_VAL) aged->time[n++] = ageing->after;
    sort_doubles((size_t)n, aged->time);
    for (int i = 0; i < n; i++)
        if (!n_times || aged->time[i] > aged->time[n_times - 1])
            aged->time[n_times++] = aged->time[i];
    for (int i = 0; i < n_times; i++)
        aged->accrued[i] = term_accrued(curve, years_left(ageing, aged->time[i]));
    aged->n = n_times;
    bool all_past = ageing->years != 0.0 && ageing->after == HUGE_VAL;
    aged->beyond = all_past ? curve->beyond * PAST_DATE : curve->beyond;
    return STATUS_OK;
}

enum status age_market(const struct ageing *ageing, const struct market *market, const bool *wanted,
                       struct market *aged)
{
    *aged = *market;
    aged->currencies = calloc((size_t)market->n_currencies + 1, sizeof *aged->currencies);
    aged->assets = calloc((size_t)market->n_assets + 1, sizeof *aged->assets);
    if (!aged->currencies || !aged->assets) return STATUS_NO_MEMORY;
    for (int i = 0; i < market->n_currencies; i++) {
        aged->currencies[i] = market->currencies[i];
        aged->currencies[i].rate = (struct term_structure){0};
    }
    for (int i = 0; i < market->n_assets; i++) {
        struct asset *asset = &aged->assets[i];
        *asset = market->assets[i];
        asset->yield = asset->variance = (struct term_structure){0};
        if (!wanted[i]) continue;
        struct currency *currency = &aged->currencies[asset->currency];
        if (!currency->rate.n)
            MUST(pass_curve(ageing, &market->currencies[asset->currency].rate, &currency->rate));
        MUST(pass_curve(ageing, &market->assets[i].yield, &asset->yield));
        MUST(pass_curve(ageing, &market->assets[i].variance, &asset->variance));
    }
    return STATUS_OK;
}

void aged_market_free(struct market *aged)
{
    for (int i = 0; aged->currencies && i < aged->n_currencies; i++)
        term_free(&aged->currencies[i].rate);
    for (int i = 0; aged->assets && i < aged->n_assets; i++) {
        term_free(&aged->assets[i].yield);
        term_free(&aged->assets[i].variance);
    }
    free(aged->currencies);
    free(aged->assets);
    *aged = (struct market){0};
}
