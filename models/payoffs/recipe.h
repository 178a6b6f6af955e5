/* What the plan must know of a trade: the observables it asks of its path, and its payoff. */
#ifndef PRICER_MODELS_PAYOFFS_RECIPE_H
#define PRICER_MODELS_PAYOFFS_RECIPE_H

#include "models/market/market.h"
#include "models/math/exact.h"
#include "models/payoffs/payoff.h"
#include "models/payoffs/trade.h"

enum observe {
    OBSERVE_SPOT,     /* log2 S at the one date */
    OBSERVE_SUM,      /* sum of S over the dates */
    OBSERVE_LOG_SUM,  /* sum of log2 S over the dates */
    OBSERVE_HIGH,     /* greatest log2 S over the dates, or at any moment to `end` */
    OBSERVE_LOW,      /* least */
    OBSERVE_SURVIVAL, /* probability that no barrier was touched on the dates, or at any moment to `end` */
    OBSERVE_PAYMENT_AT_HIT, /* value today of 1 paid at the touch; reads the survival */
    OBSERVE_SUM_OF,         /* sum of w S over the trade's assets, on each of the dates: the last one stays */
    OBSERVE_LOG_OF,         /* log2 of the weighted geometric mean of them, the same */
    OBSERVE_TOP_OF,         /* log2 of the greatest w S, and of the next one, the same */
    OBSERVE_BOTTOM_OF,      /* of the least and the next one (autocallable: of S over its initial spot) */
    OBSERVE_RETURNS,        /* sum of clipped returns from date to date and to `end` */
    OBSERVE_SQUARES,        /* sum of squared returns of log2 S, from today */
    OBSERVE_CALLS,    /* value today of an autocallable's payments, per unit of notional; reads a bottom_of */
    OBSERVE_EXERCISE, /* value today of what exercise brought; reads a sum_of, log_of, top_of or bottom_of */
    OBSERVE_MARGIN,   /* normal at the trade's pivot at which the one barrier is touched on the dates */
    OBSERVE_OPEN_WORST, /* as OBSERVE_BOTTOM_OF of an autocallable, and the normal that its Greeks leave open
                         */
    OBSERVE_OPEN_CALLS, /* mean over that normal of what OBSERVE_CALLS has; reads an open worst */
    OBSERVE_REST        /* log2 of the mean of S at `end` over the normal at the date, which is the pivot */
};

/* One observable asked for. The dates are those of the trade's schedule; the trade must outlive the request.
 */
struct request {
    enum observe what;
    const struct trade *trade; /* that asked first: its assets, and what else the observable is about */
    struct schedule dates;
    double end;          /* years: last moment of continuous monitoring */
    double lower, upper; /* barriers: prices; 0 and HUGE_VAL where there is none */
    bool hit;            /* already touched */
    int asset;           /* which of the trade's assets (trade_asset()), where it is about one */
    int of;              /* index of the earlier request of the same recipe that it reads; -1: none */
};

struct recipe {
    const struct trade *trade;
    int n_requests;
    struct request request[3];
    struct payoff payoff; /* its `seen` are indices of `request` */
};

/* Index of the currency that the trade pays in. */
static inline int trade_currency(const struct market *market, const struct trade *trade)
{
    return market->assets[trade->quanto >= 0 ? trade->quanto : trade->asset].currency;
}

/* Discount factor to t years in that currency. */
static inline double discount_factor(const struct market *market, const struct trade *trade, double t)
{
    const struct currency *currency = &market->currencies[trade_currency(market, trade)];
    return exact_exp2(-term_accrued(&currency->rate, t) * 1.44269504088896340736);
}

/* The spot of the trade's i-th asset that what is fixed today is fixed at: never that of a scenario. */
static inline double spot_today(const struct market *market, const struct trade *trade, int i)
{
    return trade->today ? trade->today[i] : market->assets[trade_asset(trade, i)].spot;
}

/* +1 for a call, -1 for a put. */
static inline double option_sign(enum option option)
{
    return option == OPTION_CALL ? 1.0 : -1.0;
}

/* Adds a request that reads request `of`, and returns its index. */
static inline int recipe_ask_reading(struct recipe *recipe, int of, struct request request)
{
    request.trade = recipe->trade;
    request.of = of;
    recipe->request[recipe->n_requests] = request;
    return recipe->n_requests++;
}

/* Adds a request that reads no other. */
static inline int recipe_ask(struct recipe *recipe, struct request request)
{
    return recipe_ask_reading(recipe, -1, request);
}

/* Asks for the spot at one date, `*date` being kept by the trade. */
static inline int recipe_ask_spot(struct recipe *recipe, const double *date)
{
    struct schedule one = {.n = 1, .times = (double *)date};
    return recipe_ask(recipe, (struct request){.what = OBSERVE_SPOT, .dates = one, .end = *date});
}

/* How the assets of a basket, a spread or an american are seen together. */
static inline enum observe basket_observe(const struct trade *trade)
{
    static const enum observe observe[] = {[BASKET_AVERAGE] = OBSERVE_SUM_OF,
                                           [BASKET_GEOMETRIC] = OBSERVE_LOG_OF,
                                           [BASKET_BEST_OF] = OBSERVE_TOP_OF,
                                           [BASKET_WORST_OF] = OBSERVE_BOTTOM_OF};
    return trade->n_assets > 1 ? observe[trade->kind] : OBSERVE_SUM_OF;
}

/* Asks for that on the dates, or as often as an american on every date needs it. */
static inline int recipe_ask_basket(struct recipe *recipe, struct schedule dates)
{
    const struct trade *trade = recipe->trade;
    return recipe_ask(recipe,
                      (struct request){.what = basket_observe(trade), .dates = dates, .end = trade->expiry});
}

/* The recipe of a trade. */
void recipe_of(const struct market *market, const struct trade *trade, struct recipe *recipe);

#endif
