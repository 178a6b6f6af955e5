#include "validation/tests/every_contrast.h"

#include <stdlib.h>
#include <string.h>

static const struct contrast contrasts[EVERY_MEASURE] = {
    [MEASURE_NOTHING] = {2, {{SCENARIO_UP, 1.0}, {SCENARIO_UP, -1.0}}},
    [MEASURE_ONE] = {1, {{SCENARIO_UP, 1.0}}},
    [MEASURE_DELTA] = {2, {{SCENARIO_UP, 0.5}, {SCENARIO_DOWN, -0.5}}},
    [MEASURE_GAMMA] = {3, {{SCENARIO_UP, 1.0}, {SCENARIO_TODAY, -2.0}, {SCENARIO_DOWN, 1.0}}},
    [MEASURE_RHO] = {2, {{SCENARIO_RATES, 1.0}, {SCENARIO_TODAY, -1.0}}},
    [MEASURE_THETA] = {2, {{SCENARIO_LATER, 0.5}, {SCENARIO_EARLIER, -0.5}}},
    [MEASURE_OTHER] = {2, {{SCENARIO_OTHER, 1.0}, {SCENARIO_TODAY, -1.0}}},
    [MEASURE_FIT] = {2, {{SCENARIO_FITTED, 1.0}, {SCENARIO_UP, -1.0}}}};

/* The curve with a pillar more before its first. */
static enum status one_more(const struct term_structure *curve, struct term_structure *more)
{
    size_t bytes = sizeof(double) * ((size_t)curve->n + 1);
    *more = (struct term_structure){curve->n + 1, malloc(bytes), malloc(bytes), curve->beyond};
    if (!more->time || !more->accrued) return STATUS_NO_MEMORY;
    memcpy(more->time + 1, curve->time, bytes - sizeof(double));
    memcpy(more->accrued + 1, curve->accrued, bytes - sizeof(double));
    more->time[0] = 0.3 * curve->time[0];
    more->accrued[0] = 0.31 * curve->accrued[0];
    return STATUS_OK;
}

enum status every_contrast_make(const struct market *market, struct every_contrast *of)
{
    enum status status = STATUS_OK;
    memset(of, 0, sizeof *of);
    for (int s = 0; s < EVERY_SCENARIO; s++) {
        double move = s == SCENARIO_DOWN                         ? 0.99
                      : s == SCENARIO_UP || s == SCENARIO_FITTED ? 1.01
                                                                 : 1.0;
        of->markets[s] = *market;
        of->markets[s].assets = memcpy(of->assets[s], market->assets,
                                       sizeof *market->assets * (size_t)market->n_assets);
        for (int a = 0; a < market->n_assets; a++) of->assets[s][a].spot *= move;
        of->scenarios[s] =
            (struct scenario){.market = &of->markets[s], .fit_policies = s == SCENARIO_FITTED};
    }
    of->scenarios[SCENARIO_LATER].time_passed = DAY;
    of->scenarios[SCENARIO_EARLIER].time_passed = -DAY;
    of->markets[SCENARIO_RATES].currencies = of->currencies;
    for (int i = 0; i < market->n_currencies; i++) {
        struct term_structure *rate = &of->currencies[i].rate;
        of->currencies[i] = market->currencies[i];
        TRY(term_copy(rate, &market->currencies[i].rate));
        for (int k = 0; k < rate->n; k++) rate->accrued[k] += 1e-3 * rate->time[k];
        rate->beyond += 1e-3;
    }
    if (market->assets[0].variance.n)
        TRY(one_more(&market->assets[0].variance, &of->assets[SCENARIO_OTHER][0].variance));
    memcpy(of->contrasts, contrasts, sizeof contrasts);
    for (int s = 0; s < EVERY_SCENARIO; s++) of->contrasts[s] = (struct contrast){1, {{s, 1.0}}};
    for (int i = 0; i < EVERY_MEASURE_TRADES; i++) {
        of->totals[i] = i % 4 < EVERY_TOTAL ? i % 4 : -1;
        of->quantities[i] = 100.0 - 3.0 * i;
    }
    of->wanted =
        (struct contrast_list){EVERY_MEASURE, of->contrasts,  EVERY_TOTAL,
                               of->totals,    of->quantities, {EVERY_SCENARIO, of->scenarios}};
done:
    return status;
}

/* The asset under Heston that has so many before it; NULL where there is none. */
static struct asset *heston_asset(const struct market *market, struct asset *assets, int before)
{
    for (int a = 0; a < market->n_assets; a++)
        if (assets[a].model == MODEL_HESTON && before-- == 0) return &assets[a];
    return NULL;
}

void every_contrast_bump(const struct market *market, struct every_contrast *of)
{
    struct asset *one = heston_asset(market, of->assets[SCENARIO_RATES], 0),
                 *other = heston_asset(market, of->assets[SCENARIO_RATES], 1);
    int n = market->n_assets;
    if (one) one->heston.theta *= 1.1;
    if (other) other->heston.v0 *= 1.1;
    for (int i = 0; i < n * n; i++)
        of->correlation[i] = (i / n == i % n ? 1.0 : 0.9) * market->correlation[i];
    of->markets[SCENARIO_DOWN].correlation = of->correlation;
}

void every_contrast_free(struct every_contrast *of)
{
    for (int i = 0; i < EVERY_MEASURE_CURRENCIES; i++) term_free(&of->currencies[i].rate);
    if (of->markets[SCENARIO_OTHER].assets) term_free(&of->assets[SCENARIO_OTHER][0].variance);
}
