#include "app/risk/conditional.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Spread of ln S at the pivot over the distance of the nearer barrier, as near as the dates allow. Of 1, 1/2,
 * 1/4 and 1/10 of the dates as the pivot, gammas of eight options, from daily to quarterly dates, were best
 * or nearly so with this. */
#define SPREAD_OF_DISTANCE 0.6

static bool has_pivot(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    bool touch = trade->product == PRODUCT_TOUCH;
    bool option = trade->product == PRODUCT_BARRIER || trade->product == PRODUCT_DOUBLE_BARRIER;
    if ((!touch && !option) || trade->monitoring.continuous) return false;
    if (touch && trade->touch == TOUCH_ONE && trade->pay_at == PAY_AT_HIT) return false;
    if (option && trade->rebate > 0.0 && trade->knock == KNOCK_OUT && trade->pay_at == PAY_AT_HIT)
        return false;
    return asset->model == MODEL_BLACK_SCHOLES &&
           (!asset->n_dividends || asset->dividends[0].time > trade->expiry);
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

double conditional_pivot(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    const struct schedule *dates = &trade->monitoring;
    double pivot = 0.0, best = HUGE_VAL;
    if (!has_pivot(market, trade)) return 0.0;
    double wanted = SPREAD_OF_DISTANCE * distance(asset->spot, trade);
    for (int i = 0; i < dates->n; i++) {
        double spread = sqrt(term_accrued(&asset->variance, dates->times[i])), off = fabs(spread - wanted);
        if (!(dates->times[i] > 0.0 && spread > 0.0 && off < best)) continue;
        best = off;
        pivot = dates->times[i];
    }
    return pivot;
}

enum status conditional_trades(const struct market *market, int n, const struct trade *trades,
                               struct trade **copies)
{
    *copies = malloc(((size_t)n + 1) * sizeof **copies);
    if (!*copies) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        (*copies)[i] = trades[i];
        (*copies)[i].pivot = conditional_pivot(market, &trades[i]);
    }
    return STATUS_OK;
}
