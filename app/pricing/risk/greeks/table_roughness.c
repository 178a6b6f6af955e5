#include "app/pricing/risk/greeks/table_roughness.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>

#include "app/pricing/base/estimate.h"
#include "app/pricing/base/market_shock.h"
#include "models/dynamics/coefficients.h"
#include "models/market/surface.h"

#define ROUGHNESS 1e-6
#define ROUGHNESS_STEP 0.02 /* years, whose deviation is d */

/* The mean of squared second differences on one date, k between two deviations on either side. */
static double squares_on(const struct implied_surface *surface, double t)
{
    double deviation = sqrt(surface_variance(surface, 0.0, t).w), sum = 0.0, total = 0.0;
    double d = sqrt(ROUGHNESS_STEP * surface_local_variance(surface, 0.0, t));
    for (int i = -20; i <= 20; i++) {
        double score = 0.1 * i, k = score * deviation, weight = exp(-0.5 * score * score);
        double bend = log(surface_local_variance(surface, k + d, t)) +
                      log(surface_local_variance(surface, k - d, t)) -
                      2.0 * log(surface_local_variance(surface, k, t));
        total += weight, sum += weight * bend * bend;
    }
    return sum / total;
}

double surface_roughness(const struct market *market, int asset, double years)
{
    enum { DATES = 16 };
    struct implied_surface surface;
    struct message why;
    double sum = 0.0;
    if (!model_takes(market->assets[asset].model, TAKES_SURFACE)) return 0.0;
    if (surface_make(&surface, market, asset, &why)) return 0.0;
    for (int i = 0; i < DATES; i++) sum += squares_on(&surface, years * (i + 0.5) / DATES) / DATES;
    surface_free(&surface);
    return isfinite(sum) ? sqrt(sum) : 0.0;
}

/* Tables are those of an asset's spot, surface, rates and dates; under a cross gamma's four markets
 * every table is met once with either sign. */
static bool moves_tables(const struct market *market, const struct trade *trade,
                         const struct sensitivity *s)
{
    const struct greek_row *row = &greek_rows[s->greek];
    enum shock_kind kind = slope_rows[row->first].shock;
    bool moves = false;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (!model_takes(asset->model, TAKES_SURFACE)) continue;
        if (kind == SHOCK_RATE)
            moves |= asset->currency == s->currency || asset->foreign_currency == s->currency;
        else moves |= kind == SHOCK_NOTHING || s->asset == trade_asset(trade, i);
    }
    return moves && row->second != SLOPE_OTHER_SPOT && kind != SHOCK_CORRELATION;
}

/* What eps is a part of. */
static double amount(const struct market *market, const struct trade *trade)
{
    double spread = 0.0;
    if (trade_pays_cash(trade)) return fabs(trade->cash);
    if (trade->notional != 0.0) return fabs(trade->notional);
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        double weight = trade->weights ? fabs(trade->weights[i]) : 1.0;
        if (model_takes(asset->model, TAKES_SURFACE))
            spread +=
                weight * asset->spot * asset_volatility(asset, trade->expiry) * sqrt(trade->expiry);
    }
    return spread;
}

/* Of eps, what is left where a European option or a digital is hardly ever decided: beyond the
 * strike lies little of the law whose errors it sees. (In the money an option is the forward, which
 * tables make as rough, and one out of the money.) */
static double share_decided(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    bool digital = trade->product == PRODUCT_DIGITAL;
    if (trade->strike <= 0.0 || !(digital || trade->product == PRODUCT_EUROPEAN)) return 1.0;
    double d = log(trade->strike / asset->spot) /
               (asset_volatility(asset, trade->expiry) * sqrt(trade->expiry));
    if (trade->option == OPTION_PUT) d = -d;
    if (!digital) d = fmax(d, 0.0);
    return exp(-0.5 * d * d);
}

static double number_of_steps(const struct market *market, const struct trade *trade,
                              double max_step)
{
    double n = 1.0;
    for (int i = 0; i < trade_n_assets(trade); i++)
        n = fmax(n, trade->expiry /
                        model_longest_step(&market->assets[trade_asset(trade, i)], max_step));
    for (int i = 0; i < N_SCHEDULES; i++) n = fmax(n, (double)trade_schedule(trade, i)->n);
    return n;
}

double contrast_roughness(const struct market *market, const struct trade *trade, double roughness,
                          double max_step, const struct sensitivity *s,
                          const struct contrast *contrast)
{
    double squares = 0.0;
    if (roughness == 0.0 || !moves_tables(market, trade, s)) return 0.0;
    for (int i = 0; i < contrast->n_terms; i++)
        squares = fma(contrast->terms[i].weight, contrast->terms[i].weight, squares);
    return ROUGHNESS * roughness * sqrt(number_of_steps(market, trade, max_step) * squares) *
           amount(market, trade) * share_decided(market, trade);
}
