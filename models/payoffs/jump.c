#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdbool.h>

#include "models/payoffs/scripted.h"

/* Returns what an option pays at expiry beside a barrier at `level`: what a touch there decides
 * about. 0: no barrier. */
static double paid_beside(const struct trade *trade, double level)
{
    return level > 0.0 ? fmax(option_sign(trade->option) * (level - trade->strike), 0.0) : 0.0;
}

/* Tells whether a touch moves the value by nothing at once: it has been, or the level is watched at
 * every moment. At a cash dividend the spot falls past a level at once, however closely that is
 * watched. */
static bool watched_smoothly(const struct market *market, const struct trade *trade)
{
    return trade->hit ||
           (trade->monitoring.continuous && !market->assets[trade->asset].n_dividends);
}

/* Returns by how much a touch of the barrier moves the value: an option that lives on after the
 * date of a touch is worth at least what it would pay there and then, and about a spread more: 0.4
 * S sigma sqrt(T) at the money. A tenth of the level stands for that. */
static double barrier_jump(const struct trade *trade)
{
    double levels = paid_beside(trade, trade->barrier) + paid_beside(trade, trade->lower) +
                    paid_beside(trade, trade->upper);
    bool later = trade->monitoring.continuous ||
                 (trade->monitoring.n && trade->monitoring.times[0] < trade->expiry);
    double level = fmax(trade->barrier, trade->upper);
    return fmax(levels + (later ? 0.1 * level : 0.0), fabs(trade->rebate));
}

/* Coupons that hang on one observation, and what is not repaid below the protection level. */
static double autocallable_jump(const struct trade *trade)
{
    double coupons = fabs(trade->coupon) * trade->observations.n, years = 0.0;
    for (int i = 0; trade->coupon_years && i < trade->observations.n; i++)
        years += trade->coupon_years[i];
    if (trade->coupon_years) coupons = fabs(trade->coupon) * years;
    return trade->notional * (coupons + fabs(1.0 - trade->protection_level));
}

double payoff_jump(const struct market *market, const struct trade *trade)
{
    double discount = fmax(discount_factor(market, trade, trade->expiry), 0.0),
           early = fmax(discount, 1.0);
    bool at_hit = trade->pay_at == PAY_AT_HIT;
    if (!trade_has_paths(trade)) return 0.0;
    switch ((enum product)trade->product) {
    case PRODUCT_DIGITAL:
        return discount * (trade->payout == PAYOUT_CASH ? fabs(trade->cash) : trade->strike);
    case PRODUCT_TOUCH:
        return watched_smoothly(market, trade) ? 0.0
                                               : (at_hit ? early : discount) * fabs(trade->cash);
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
        return watched_smoothly(market, trade) ? 0.0
                                               : (at_hit ? early : discount) * barrier_jump(trade);
    case PRODUCT_AUTOCALLABLE: return early * autocallable_jump(trade);
    case PRODUCT_SCRIPT: return early * trade->scripted->program.jump;
    case PRODUCT_EUROPEAN:
    case PRODUCT_ASIAN:
    case PRODUCT_LOOKBACK:
    case PRODUCT_FORWARD_START:
    case PRODUCT_BASKET:
    case PRODUCT_SPREAD:
    case PRODUCT_CLIQUET:
    case PRODUCT_VARIANCE_SWAP:
    case PRODUCT_AMERICAN:
#define PAYOFF(NAME, ...) case PRODUCT_##NAME:
#include "models/payoffs/linear.def"
#undef PAYOFF
    case N_PRODUCTS: break;
    }
    return 0.0;
}
