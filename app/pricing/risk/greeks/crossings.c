#include "app/pricing/risk/greeks/crossings.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>

#include "app/pricing/risk/greeks/greek_pools.h"
#include "app/pricing/risk/greeks/sensitivities.h"
#include "models/payoffs/jump.h"
#include "models/payoffs/scripted.h"

/* Money per unit that moves one for one with the asset where the payoff has not turned away from
 * it. */
static double money_on(const struct market *market, const struct trade *trade, int asset)
{
    double money = 0.0;
    if (trade->hit && trade->knock == KNOCK_OUT) return 0.0;
    switch ((enum product)trade->product) {
    case PRODUCT_CLIQUET:
    case PRODUCT_AUTOCALLABLE: return trade->notional;
    case PRODUCT_SCRIPT: money = scripted_money(trade->scripted); break;
    case PRODUCT_VARIANCE_SWAP:
    case PRODUCT_TOUCH: return 0.0;
    case PRODUCT_DIGITAL:
        if (trade->payout != PAYOUT_ASSET) return 0.0;
        break;
    case PRODUCT_EUROPEAN:
    case PRODUCT_ASIAN:
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
    case PRODUCT_LOOKBACK:
    case PRODUCT_FORWARD_START:
    case PRODUCT_BASKET:
    case PRODUCT_SPREAD:
    case PRODUCT_AMERICAN:
#define PAYOFF(NAME, ...) case PRODUCT_##NAME:
#include "models/payoffs/linear.def"
#undef PAYOFF
    case N_PRODUCTS: break;
    }
    if (trade_n_assets(trade) > 1 && trade->kind == BASKET_GEOMETRIC &&
        trade->product != PRODUCT_SPREAD)
        return trade->strike;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        int a = trade_asset(trade, i);
        if (a == asset || asset < 0)
            money = fmax(money, fabs(trade_weight(trade, i)) * market->assets[a].spot);
    }
    return money;
}

/* Deviations of the normal of a path that is seldom in the money. */
#define SELDOM 3.0

/* What a relative move of 1 of a parameter is; of a correlation, itself. */
static double shape_size(const struct market *market, enum slope slope, int asset)
{
    struct shock shock = {.kind = slope_rows[slope].shock, .target = asset};
    if (shock.kind <= SHOCK_NOTHING) return 1.0;
    return fabs(shocked_value(market, &shock).value) +
           parameter_ranges[shock.kind - SHOCK_PARAMETERS].floor;
}

/* What a path on which the payoff has just turned brings to a slope in something of an asset (-1:
 * of any); of spots, for a relative move of 1. */
static double turn_of_slope(const struct market *market, const struct trade *trade,
                            enum slope slope, int asset, double first_date)
{
    double money = money_on(market, trade, asset), t = trade->expiry;
    int seen = asset >= 0 ? asset : trade_asset(trade, 0);
    double sigma = asset_volatility(&market->assets[seen], t);
    switch (slope_rows[slope].growth) {
    case GROWTH_MONEY: return money;
    case GROWTH_VOLATILITY: return money * SELDOM * sqrt(t);
    case GROWTH_RATE: return money * t;
    case GROWTH_AMOUNT: return money / market->assets[seen].spot;
    case GROWTH_TIME: return money * SELDOM * sigma / (2.0 * sqrt(first_date));
    case GROWTH_SHAPE: return money * SELDOM * sigma * sqrt(t) / shape_size(market, slope, seen);
    case GROWTH_NOTHING: break;
    }
    return 0.0;
}

/* What such a path brings to a Greek. */
static double turn_of_greek(const struct market *market, const struct trade *trade,
                            const struct sensitivity *sensitivity, double bump, double first_date)
{
    int asset = sensitivity->asset >= 0 ? sensitivity->asset : trade_asset(trade, 0);
    const struct greek_row *row = &greek_rows[sensitivity->greek];
    bool first = row->second == SLOPE_NOTHING;
    enum slope slope = first ? row->first : row->second;
    bool spot = slope == SLOPE_SPOT || slope == SLOPE_OTHER_SPOT;
    double over = first ? 1.0 : bump; /* of what it is the slope in first */
    return turn_of_slope(market, trade, slope, sensitivity->asset, first_date) /
           (spot ? market->assets[asset].spot * over : over);
}

double greek_crossing(const struct market *market, const struct trade *trade,
                      const struct sensitivity *sensitivity, const struct contrast *contrast,
                      double bump, double first_date)
{
    double least = HUGE_VAL;
    if (trade->pivot > 0.0 || !trade_has_paths(trade)) return 0.0;
    for (int i = 0; i < contrast->n_terms; i++)
        least = fmin(least, fabs(contrast->terms[i].weight));
    double jump = has_same_exercise(market, trade) ? 0.0 : payoff_jump(market, trade);
    return fmax(jump * least, turn_of_greek(market, trade, sensitivity, bump, first_date));
}

double pnl_crossing(const struct market *market, const struct trade *trade, int n,
                    const struct shock *shocks)
{
    static const enum slope slopes[] = {[SHOCK_SPOT] = SLOPE_SPOT,
                                        [SHOCK_VOLATILITY] = SLOPE_VOLATILITY,
                                        [SHOCK_RATE] = SLOPE_RATE};
    double turn = 0.0;
    if (!trade_has_paths(trade)) return 0.0;
    for (int m = 0; m < n; m++) {
        const struct shock *shock = &shocks[m];
        int asset = shock->kind == SHOCK_RATE ? EVERY : shock->target;
        if (trade_sees_shock(market, trade, shock))
            turn += fabs(shock->amount) *
                    turn_of_slope(market, trade, slopes[shock->kind], asset, trade->expiry);
    }
    return fmax(turn, payoff_jump(market, trade));
}

double error_with_crossings(double std_error, double crossing, double n)
{
    return hypot(std_error, crossing * sqrt(CROSSINGS_ASSUMED) / n);
}
