#include "app/pricing/value/controls/control_kinds.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>

#include "models/math/constants.h"
#include "models/math/exact.h"
#include "models/payoffs/payoff_definition.h"

/* ---- what a trade is ------------------------------------------------------------------------- */

static const struct asset *asset_of(const struct control_making *making, int i)
{
    return &making->market->assets[trade_asset(making->target, i)];
}

static bool is_single(const struct control_making *making)
{
    return trade_n_assets(making->target) == 1;
}

/* Returns an option on the same assets at the same expiry, and nothing else. */
static struct trade option_like(const struct trade *target, enum product product,
                                enum option option, double strike)
{
    return (struct trade){.id = target->id,
                          .file = target->file,
                          .line = target->line,
                          .product = product,
                          .asset = target->asset,
                          .n_assets = target->n_assets,
                          .assets = target->assets,
                          .quanto = target->quanto,
                          .quantity = target->quantity,
                          .expiry = target->expiry,
                          .payment_lag = target->payment_lag,
                          .option = option,
                          .strike = strike};
}

/* ---- forwards -------------------------------------------------------------------------------- */

/* Returns what 1 at a date grows to by another in a currency, less the asset's yield. */
static double growth(const struct control_making *making, const struct asset *asset, double from,
                     double to)
{
    const struct term_structure *rate = &making->market->currencies[asset->currency].rate;
    double earned = term_accrued(rate, to) - term_accrued(rate, from);
    return exact_exp2(
        (earned - (term_accrued(&asset->yield, to) - term_accrued(&asset->yield, from))) / LN2);
}

/* Returns the forward of an asset that is paid in its own currency: the spot at t has paid the
 * dividends up to then. */
static double forward(const struct control_making *making, const struct asset *asset, double t)
{
    double value = asset->spot * growth(making, asset, 0.0, t);
    for (int d = 0; d < asset->n_dividends && asset->dividends[d].time <= t; d++)
        value -= asset->dividends[d].amount * growth(making, asset, asset->dividends[d].time, t);
    return value;
}

/* Tells whether the spot falls below what is left to pay with a probability of less than 3e-7: no
 * dividend is then cut, but for paths that weigh nothing. */
static bool pays_in_full(const struct control_making *making, const struct asset *asset)
{
    double sum = 0.0;
    for (int d = 0; d < asset->n_dividends && asset->dividends[d].time <= making->target->expiry;
         d++) {
        double t = asset->dividends[d].time, variance = term_accrued(&asset->variance, t);
        sum += asset->dividends[d].amount;
        double distance = exact_log2(asset->spot * growth(making, asset, 0.0, t) / sum) * LN2;
        if (distance - 0.5 * variance < 5.0 * sqrt(variance)) return false;
    }
    return true;
}

/* Tells whether asset i's spot has the mean that forward() says, to far below a standard error: the
 * tables of local_vol move it by some 1e-5 of it. */
static bool has_forward(const struct control_making *making, int i)
{
    const struct asset *asset = asset_of(making, i);
    if (model_has(asset->model, IS_OFF_ITS_FORWARD)) return false;
    if (asset->currency != trade_currency(making->market, making->target)) return false;
    if (!asset->n_dividends || asset->dividends[0].time > making->target->expiry) return true;
    return asset->model == MODEL_BLACK_SCHOLES && pays_in_full(making, asset);
}

static double discounted(const struct control_making *making, double amount)
{
    return discount_factor(making->market, making->target, making->target->expiry) * amount;
}

/* Makes the asset at expiry; in another currency its value is for control_closed_form(). */
static bool forward_of_asset(struct control_making *making)
{
    const struct trade *target = making->target;
    if (!is_single(making) || target->product == PRODUCT_ASIAN) return false;
    making->trade = option_like(target, PRODUCT_EUROPEAN, OPTION_CALL, 0.0);
    if (has_forward(making, 0))
        making->value = discounted(making, forward(making, asset_of(making, 0), target->expiry));
    return true;
}

static bool forward_of_average(struct control_making *making)
{
    const struct trade *target = making->target;
    double sum = target->past_count * target->past_average;
    if (making->trade.product != PRODUCT_ASIAN || !has_forward(making, 0)) return false;
    if (target->averaging != AVERAGING_ARITHMETIC && target->past_count) return false;
    making->trade.averaging = AVERAGING_ARITHMETIC;
    making->trade.strike_type = STRIKE_FIXED;
    making->trade.option = OPTION_CALL;
    making->trade.strike = 0.0;
    const struct schedule *fixings = &making->trade.fixings;
    for (int i = 0; i < fixings->n; i++)
        sum += forward(making, asset_of(making, 0), fixings->times[i]);
    making->value = discounted(making, sum / (target->past_count + fixings->n));
    return true;
}

/* Returns the weight of asset i in a forward: of a sum the trade's, else all assets count alike; of
 * a leg alone there is one. */
static double forward_weight(const struct control_making *making, int i)
{
    const struct trade *target = making->target;
    bool is_sum = target->product == PRODUCT_BASKET && target->kind == BASKET_AVERAGE;
    if (making->leg != ALL_LEGS) return i == making->leg ? fabs(trade_weight(target, i)) : 0.0;
    return is_sum ? fabs(target->weights[i]) : 1.0 / asset_of(making, i)->spot;
}

/* Makes the sum of weights times spots, of those assets whose forwards are known; false where there
 * is none. A spread has its legs, a script both. */
static bool forward_of_assets(struct control_making *making)
{
    const struct trade *target = making->target;
    bool is_spread = target->product == PRODUCT_SPREAD, any = false;
    double sum = 0.0;
    if (is_single(making)) return false;
    if (!target->scripted && is_spread != (making->leg != ALL_LEGS)) return false;
    making->trade = option_like(target, PRODUCT_BASKET, OPTION_CALL, 0.0);
    making->trade.weights = making->weights;
    making->trade.kind = BASKET_AVERAGE;
    for (int i = 0; i < target->n_assets; i++) {
        making->weights[i] = has_forward(making, i) ? forward_weight(making, i) : 0.0;
        if (making->weights[i] == 0.0) continue;
        any = true;
        sum += making->weights[i] * forward(making, asset_of(making, i), target->expiry);
    }
    making->value = discounted(making, sum);
    return any;
}

/* ---- vanilla --------------------------------------------------------------------------------- */

/* Returns the strike that the trade turns on; 0 where it has none. */
static double strike_of(const struct control_making *making, enum option *option)
{
    const struct trade *target = making->target;
    double spot = asset_of(making, 0)->spot;
    *option = target->option;
    switch ((enum product)target->product) {
    case PRODUCT_DIGITAL:
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER: return target->strike;
    case PRODUCT_ASIAN:
    case PRODUCT_LOOKBACK: return target->strike_type == STRIKE_FIXED ? target->strike : spot;
    case PRODUCT_FORWARD_START: return target->strike_ratio * spot;
    case PRODUCT_CLIQUET: *option = OPTION_CALL; return spot;
    case PRODUCT_AUTOCALLABLE:
        *option = OPTION_PUT;
        return target->protection_level * target->initial[0];
    case PRODUCT_TOUCH:
        *option = target->direction == DIRECTION_UP ? OPTION_CALL : OPTION_PUT;
        return target->direction == DIRECTION_NONE ? 0.0 : target->barrier;
    case PRODUCT_EUROPEAN:
    case PRODUCT_BASKET:
    case PRODUCT_SPREAD:
    case PRODUCT_VARIANCE_SWAP:
    case PRODUCT_AMERICAN:
#define PAYOFF(NAME, ...) case PRODUCT_##NAME:
#include "models/payoffs/linear.def"
#undef PAYOFF
    case N_PRODUCTS: break;
    case PRODUCT_SCRIPT: return forward(making, asset_of(making, 0), target->expiry);
    }
    return 0.0;
}

static bool vanilla(struct control_making *making)
{
    enum option option;
    if (!is_single(making)) return false;
    double strike = strike_of(making, &option);
    if (!(strike > 0.0)) return false;
    making->trade = option_like(making->target, PRODUCT_EUROPEAN, option, strike);
    return true;
}

/* ---- geometric ------------------------------------------------------------------------------- */

static bool geometric_average(struct control_making *making)
{
    const struct trade *target = making->target;
    if (making->trade.product != PRODUCT_ASIAN || target->averaging == AVERAGING_GEOMETRIC)
        return false;
    making->trade.averaging = AVERAGING_GEOMETRIC;
    return true;
}

/* Makes the geometric basket with weights u, of sum 1, of ln S as the basket moves with each today:
 * of a sum A = sum w S the shares u = w S / A. The geometric mean moves by the same factor, so its
 * strike is to its value today as K is to A. */
static bool geometric_basket(struct control_making *making)
{
    const struct trade *option = &making->trade;
    if (is_single(making) || option->product != PRODUCT_BASKET) return false;
    if (option->kind == BASKET_GEOMETRIC || !(option->strike > 0.0)) return false;
    bool is_sum = option->kind == BASKET_AVERAGE;
    double all = 0.0, log_today = 0.0, log_weight = 0.0, n = option->n_assets;
    for (int i = 0; i < option->n_assets; i++) {
        if (!(option->weights[i] > 0.0)) return false;
        log_weight += exact_log2(option->weights[i]) / n;
        making->weights[i] = is_sum ? option->weights[i] * asset_of(making, i)->spot : 1.0 / n;
        all += making->weights[i];
    }
    for (int i = 0; i < option->n_assets; i++)
        log_today += making->weights[i] / all * exact_log2(asset_of(making, i)->spot);
    making->trade.weights = making->weights;
    making->trade.kind = BASKET_GEOMETRIC;
    making->trade.strike =
        option->strike * (is_sum ? exact_exp2(log_today) / all : exact_exp2(-log_weight));
    return true;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Begins the controls of a script, of which nothing is known: on one asset an option on the average
 * over its dates to come, on several one on their sum, each at the money. */
static void begin_script(struct control_making *making)
{
    const struct trade *target = making->target;
    enum product product = is_single(making) ? PRODUCT_ASIAN : PRODUCT_BASKET;
    making->trade = option_like(target, product, OPTION_CALL, asset_of(making, 0)->spot);
    struct schedule *fixings = &making->trade.fixings;
    for (*fixings = target->fixings; fixings->n && fixings->times[0] <= 0.0; fixings->n--)
        fixings->times++;
    if (is_single(making)) return;
    making->trade.strike = target->n_assets;
    making->trade.weights = making->weights;
    for (int i = 0; i < target->n_assets; i++) making->weights[i] = 1.0 / asset_of(making, i)->spot;
}

/* ---- the kinds ------------------------------------------------------------------------------- */

bool control_make(const struct control_kind *kind, struct control_making *making)
{
    making->trade = *making->target;
    making->value = NAN;
    making->leg = kind->leg;
    if (making->target->scripted) begin_script(making);
    return !trade_has(making->target, EARLY_EXERCISE | DECIDES) && kind->make(making);
}

const struct control_kind control_kinds[] = {
    {"geometric", geometric_average, 0},
    {"geometric", geometric_basket, 0},
    {"vanilla", vanilla, 0},
    {"forward", forward_of_asset, 0},
    {"forward", forward_of_average, 0},
    {"forward", forward_of_assets, ALL_LEGS},
    {"forward", forward_of_assets, 0},
    {"forward", forward_of_assets, 1},
    {0},
};
