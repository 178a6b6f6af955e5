#include "models/market/market.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

void market_free(struct market *market)
{
    for (int i = 0; i < market->n_currencies; i++) {
        free(market->currencies[i].name);
        term_free(&market->currencies[i].rate);
    }
    for (int i = 0; i < market->n_assets; i++) {
        free(market->assets[i].name);
        term_free(&market->assets[i].yield);
        term_free(&market->assets[i].variance);
        free(market->assets[i].surface.times);
        free(market->assets[i].surface.strikes);
        free(market->assets[i].surface.vols);
        free(market->assets[i].quotes.values);
        free(market->assets[i].fitted.surface.times);
        free(market->assets[i].fitted.surface.strikes);
        free(market->assets[i].fitted.surface.vols);
        free(market->assets[i].fitted.slopes);
        free(market->assets[i].history.returns);
        free(market->assets[i].dividends);
        term_free(&market->assets[i].falls);
        term_free(&market->assets[i].steady_yield);
    }
    free(market->currencies);
    free(market->assets);
    free(market->correlation);
    *market = (struct market){0};
}

enum status asset_move_falls(struct asset *asset, double years)
{
    struct term_structure moved = {0};
    if (!asset->falls.n) return STATUS_OK;
    enum status status = term_copy(&moved, &asset->falls);
    for (int i = 0; i < moved.n; i++)
        moved.time[i] = fmax(moved.time[i] - years, PAST_DATE * moved.time[i]);
    if (!status) status = term_add(&asset->yield, -1.0, &asset->falls);
    if (!status) status = term_add(&asset->yield, 1.0, &moved);
    term_free(&moved);
    return status;
}

double accrued_to_payment(const struct currency *currency, double t, double lag)
{
    if (!currency->before || lag == 0.0) return term_accrued(&currency->rate, t + lag);
    double left = fmax(t - currency->passed, 0.0);
    return term_accrued(&currency->rate, t) + term_accrued(currency->before, left + lag) -
           term_accrued(currency->before, left);
}

static const struct {
    const char *name;
    int factors, coefficients, traits, parameters;
} models[N_MODELS] = {
#define MODEL(NAME, name, factors, coefficients, traits, parameters)                               \
    [MODEL_##NAME] = {#name, factors, coefficients, traits, parameters},
#include "models/dynamics/models.def"
#undef MODEL
};

const char *model_name(enum model model)
{
    return models[model].name;
}

int model_factors(enum model model)
{
    return models[model].factors;
}

int model_coefficients(enum model model)
{
    return models[model].coefficients;
}

bool model_has(enum model model, int traits)
{
    return models[model].traits & traits;
}

bool model_takes(enum model model, int parameters)
{
    return models[model].parameters & parameters;
}

#define MODEL(NAME, name, factors, coefficients, traits, parameters)                               \
    _Static_assert(!((traits)&REMEMBERS_VARIANCE) || (parameters)&TAKES_HESTON,                    \
                   #name ": variance_law() has to say where its variance begins");
#include "models/dynamics/models.def"
#undef MODEL

struct variance_law variance_law(const struct asset *asset)
{
    const struct heston *heston = &asset->heston;
    if (!model_has(asset->model, REMEMBERS_VARIANCE)) return (struct variance_law){0};
    return (struct variance_law){heston->v0, heston->theta, heston->kappa};
}

#define PARAMETER(NAME, name, member, group, least, most, floor)                                   \
    [PARAMETER_##NAME] = {TAKES_##group, least, most, floor},
const struct parameter_range parameter_ranges[N_PARAMETERS] = {
#include "models/market/parameters.def"
};
#undef PARAMETER

double *asset_parameter(struct asset *asset, enum parameter parameter)
{
    static const size_t places[] = {
#define PARAMETER(NAME, name, member, ...) [PARAMETER_##NAME] = offsetof(struct asset, member),
#include "models/market/parameters.def"
#undef PARAMETER
    };
    return (double *)((char *)asset + places[parameter]);
}

bool has_crossed_volatility(const struct asset *asset)
{
    return is_cross(asset) && !isnan(asset->cross.correlation);
}

/* Returns what accrues of a cross from one date to another, over which the variances of both legs
 * accrue evenly. */
static double crossed_variance(const struct asset *assets, const struct cross *cross, double from,
                               double to)
{
    double variances[2];
    for (int i = 0; i < 2; i++) {
        const struct term_structure *leg = &assets[cross->legs[i]].variance;
        variances[i] =
            fmax(term_accrued(leg, to) - (from > 0.0 ? term_accrued(leg, from) : 0.0), 0.0);
    }
    return variances[0] + variances[1] +
           2.0 * cross->correlation * cross->power[0] * cross->power[1] *
               sqrt(variances[0] * variances[1]);
}

void cross_variance(const struct asset *assets, const struct cross *cross,
                    struct term_structure *variance)
{
    double sum = 0.0;
    for (int i = 0; i < variance->n; i++) {
        sum += crossed_variance(assets, cross, i ? variance->time[i - 1] : 0.0, variance->time[i]);
        variance->accrued[i] = sum;
    }
    if (!variance->n) return;
    double last = variance->time[variance->n - 1];
    variance->beyond = crossed_variance(assets, cross, last, last + 1.0);
}

/* Returns the rate by one FX rate; NaN where there is none. */
static double direct_rate(const struct market *market, int from, int to)
{
    if (from == to) return 1.0;
    for (int a = 0; a < market->n_assets; a++) {
        const struct asset *fx = &market->assets[a];
        if (fx->foreign_currency < 0) continue;
        if (fx->foreign_currency == from && fx->currency == to) return fx->spot;
        if (fx->foreign_currency == to && fx->currency == from) return 1.0 / fx->spot;
    }
    return NAN;
}

double conversion_rate(const struct market *market, int from, int to)
{
    double rate = direct_rate(market, from, to);
    for (int by = 0; by < market->n_currencies && isnan(rate); by++)
        rate = direct_rate(market, from, by) * direct_rate(market, by, to);
    return rate;
}
