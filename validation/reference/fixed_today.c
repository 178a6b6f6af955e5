#include "validation/reference/methods.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>

/* Tells whether the schedule's first date is today; it is taken off. */
static bool take_today(struct schedule *schedule)
{
    if (schedule->n < 1 || schedule->times[0] > 0.0) return false;
    schedule->times++;
    schedule->n--;
    return true;
}

static void state_last(struct trade_fixed_today *stated, double last)
{
    stated->certain = true;
    stated->last = last;
}

/* States what is left of an option whose strike is known. */
static void state_european(struct trade_fixed_today *stated, double strike)
{
    stated->trade.product = PRODUCT_EUROPEAN;
    stated->trade.strike = strike;
    stated->trade.start = 0.0; /* what began before today begins no step */
}

/* ---- averages and extremes ------------------------------------------------------------------- */

/* States the average with one fixing more. An average that is complete leaves an amount or a
 * european option. */
static void state_asian(double spot, struct trade_fixed_today *stated)
{
    struct trade *trade = &stated->trade;
    double n = trade->past_count, average = trade->past_average;
    if (take_today(&trade->fixings)) {
        if (trade->averaging == AVERAGING_ARITHMETIC) average = (n * average + spot) / (n + 1.0);
        else average = exp((n > 0.0 ? n * log(average) : 0.0) / (n + 1.0) + log(spot) / (n + 1.0));
        trade->past_count++;
        trade->past_average = average;
    }
    if (trade->fixings.n) return;
    if (trade->strike_type == STRIKE_FLOATING) state_european(stated, average);
    else state_last(stated, option_payoff(trade->option, average, trade->strike));
}

/* States the extreme with today's spot. A floating strike is paid from the lowest by a call, from
 * the highest by a put; a fixed one the other way round. */
static void state_lookback(double spot, struct trade_fixed_today *stated)
{
    struct trade *trade = &stated->trade;
    bool highest = (trade->option == OPTION_CALL) == (trade->strike_type == STRIKE_FIXED);
    if (!trade->monitoring.continuous && !take_today(&trade->monitoring)) return;
    if (!(trade->extreme > 0.0)) trade->extreme = spot;
    trade->extreme = highest ? fmax(trade->extreme, spot) : fmin(trade->extreme, spot);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static bool touches_today(const struct trade *trade, double spot)
{
    if (trade->direction == DIRECTION_UP && spot >= trade->barrier) return true;
    if (trade->direction == DIRECTION_DOWN && spot <= trade->barrier) return true;
    return (trade->lower > 0.0 && spot <= trade->lower) ||
           (trade->upper > 0.0 && spot >= trade->upper);
}

/* States a barrier that is hit today. What is due at a hit is paid today where today's spot is the
 * first to touch. */
static void state_barrier(double spot, struct trade_fixed_today *stated)
{
    struct trade *trade = &stated->trade;
    bool looks = trade->monitoring.continuous || take_today(&trade->monitoring);
    if (!looks || trade->hit || !touches_today(trade, spot)) return;
    bool at_hit = trade->pay_at == PAY_AT_HIT, touch = trade->product == PRODUCT_TOUCH;
    trade->hit = true;
    if (!at_hit || (touch && trade->touch == TOUCH_NO) || (!touch && trade->knock == KNOCK_IN))
        return;
    stated->paid = touch ? trade->cash : trade->rebate;
}

/* ---- returns --------------------------------------------------------------------------------- */

static void state_cliquet(double spot, struct trade_fixed_today *stated)
{
    struct trade *trade = &stated->trade;
    if (!take_today(&trade->resets)) return;
    if (trade->past_level > 0.0)
        trade->past_returns +=
            fmin(fmax(spot / trade->past_level - 1.0, trade->local_floor), trade->local_cap);
    trade->past_level = spot;
}

/* States today's fixing of a variance swap: one without a fixing so far counts from today's spot.
 * One with a past has years for its variance. */
static void state_variance_swap(double spot, struct trade_fixed_today *stated)
{
    struct trade *trade = &stated->trade;
    double level = trade->past_level > 0.0 ? trade->past_level : spot, move = log(spot / level);
    trade->past_level = level;
    if (take_today(&trade->fixings)) {
        if (trade->past_years > 0.0) trade->past_variance += move * move / trade->past_years;
        trade->past_level = spot;
    }
    if (trade->fixings.n) return;
    double strike = trade->strike_volatility * trade->strike_volatility;
    double realised =
        trade->past_variance * trade->past_years / (trade->past_years + trade->expiry);
    state_last(stated, trade->notional * (realised - strike));
}

static void state_forward_start(double spot, struct trade_fixed_today *stated)
{
    const struct trade *trade = &stated->trade;
    if (trade->start > 0.0) return;
    state_european(stated,
                   trade->strike_ratio * (trade->past_level > 0.0 ? trade->past_level : spot));
}

static void state_autocallable(double worst, struct trade_fixed_today *stated)
{
    struct trade *trade = &stated->trade;
    struct autocallable_state state = {.missed = trade->past_missed};
    if (!take_today(&trade->observations)) return;
    stated->paid = autocallable_pays(trade, worst, &state);
    if (trade->coupon_years) trade->coupon_years++;
    trade->past_missed = state.missed;
    if (state.called) state_last(stated, 0.0);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Returns today's spot of a trade's asset; of an autocallable the worst of spot over initial
 * spot. */
static double seen_today(const struct market *today, const struct trade *trade)
{
    double worst = INFINITY;
    if (trade->product != PRODUCT_AUTOCALLABLE) return today->assets[trade->asset].spot;
    for (int i = 0; i < trade->n_assets; i++)
        worst = fmin(worst, today->assets[trade->assets[i]].spot / trade->initial[i]);
    return worst;
}

void fix_today(const struct market *today, const struct trade *trade,
               struct trade_fixed_today *stated)
{
    *stated = (struct trade_fixed_today){.trade = *trade};
    double seen = seen_today(today, trade);
    switch ((enum product)trade->product) {
    case PRODUCT_ASIAN: state_asian(seen, stated); break;
    case PRODUCT_LOOKBACK: state_lookback(seen, stated); break;
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
    case PRODUCT_TOUCH: state_barrier(seen, stated); break;
    case PRODUCT_CLIQUET: state_cliquet(seen, stated); break;
    case PRODUCT_VARIANCE_SWAP: state_variance_swap(seen, stated); break;
    case PRODUCT_FORWARD_START: state_forward_start(seen, stated); break;
    case PRODUCT_AUTOCALLABLE: state_autocallable(seen, stated); break;
    case PRODUCT_EUROPEAN:
    case PRODUCT_AMERICAN:
    case PRODUCT_DIGITAL:
    case PRODUCT_SPREAD:
    case PRODUCT_BASKET:
    case PRODUCT_FORWARD:
    case PRODUCT_FUTURE:
    case PRODUCT_POSITION:
    case PRODUCT_CASH:
    case PRODUCT_PREMIUM:
    case PRODUCT_FEE:
    case PRODUCT_SCRIPT:
    case N_PRODUCTS: break;
    }
}
