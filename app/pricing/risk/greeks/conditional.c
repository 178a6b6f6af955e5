#include "app/pricing/risk/greeks/conditional.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "models/market/correlation.h"

/* Spread of ln S at the pivot over the distance of the nearer barrier, as near as the dates allow.
 * With pivots after all, a half, a quarter and a tenth of the dates and at the first, the errors of
 * the gammas of eight options, on daily to quarterly dates, were at the pivot nearest to this
 * within half again of the least. */
#define SPREAD_OF_DISTANCE 0.6

static bool is_barrier(const struct trade *trade)
{
    bool touch = trade->product == PRODUCT_TOUCH;
    bool option = trade->product == PRODUCT_BARRIER || trade->product == PRODUCT_DOUBLE_BARRIER;
    if ((!touch && !option) || trade->monitoring.continuous) return false;
    if (touch && trade->touch == TOUCH_ONE && trade->pay_at == PAY_AT_HIT) return false;
    if (option && trade->rebate > 0.0 && trade->knock == KNOCK_OUT && trade->pay_at == PAY_AT_HIT)
        return false;
    return true;
}

/* Of ln S to the nearer barrier. */
static double distance(double spot, const struct trade *trade)
{
    const double barriers[] = {trade->barrier, trade->lower, trade->upper};
    double nearest = HUGE_VAL;
    for (int i = 0; i < 3; i++)
        if (barriers[i] > 0.0) nearest = fmin(nearest, fabs(log(barriers[i] / spot)));
    return nearest;
}

static double barrier_pivot(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    const struct schedule *dates = &trade->monitoring;
    double pivot = 0.0, best = HUGE_VAL, wanted = SPREAD_OF_DISTANCE * distance(asset->spot, trade);
    for (int i = 0; i < dates->n; i++) {
        double spread = sqrt(term_accrued(&asset->variance, dates->times[i])),
               off = fabs(spread - wanted);
        if (!(dates->times[i] > 0.0 && spread > 0.0 && off < best)) continue;
        best = off;
        pivot = dates->times[i];
    }
    return pivot;
}

/* Least variance of an asset's noise given those before it: bumps of correlations must leave some.
 */
#define LEAST_OWN_NOISE 0.05

static bool is_autocallable(const struct market *market, const struct trade *trade)
{
    double block[TRADE_ASSETS_MAX * TRADE_ASSETS_MAX] = {0.0},
                                    loadings[TRADE_ASSETS_MAX * TRADE_ASSETS_MAX];
    int n = trade_n_assets(trade);
    if (trade->product != PRODUCT_AUTOCALLABLE || trade->memory) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            block[i * n + j] = i == j
                                   ? 1.0
                                   : market->correlation[trade_asset(trade, i) * market->n_assets +
                                                         trade_asset(trade, j)];
    if (correlation_loadings(n, block, loadings, NULL)) return false;
    for (int i = 0; i < n; i++)
        if (loadings[i * n + i] * loadings[i * n + i] < LEAST_OWN_NOISE) return false;
    return true;
}

static double autocallable_pivot(const struct trade *trade)
{
    const struct schedule *dates = &trade->observations;
    for (int i = 0; i < dates->n; i++)
        if (dates->times[i] > 0.0) return dates->times[i];
    return trade->expiry;
}

double conditional_pivot(const struct market *market, const struct trade *trade)
{
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (asset->model != MODEL_BLACK_SCHOLES) return 0.0;
        if (asset->n_dividends && asset->dividends[0].time <= trade->expiry) return 0.0;
    }
    if (is_barrier(trade)) return barrier_pivot(market, trade);
    return is_autocallable(market, trade) ? autocallable_pivot(trade) : 0.0;
}
