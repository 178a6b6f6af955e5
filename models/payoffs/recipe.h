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
    OBSERVE_PAYMENT_AT_HIT /* value today of 1 paid at the touch */
};

/* One observable asked for. The dates are those of the trade's schedule, which must outlive the request. */
struct request {
    enum observe what;
    struct schedule dates;
    double end;          /* years: last moment of continuous monitoring */
    double lower, upper; /* barriers: prices; 0 and HUGE_VAL where there is none */
    bool hit;            /* already touched */
};

struct recipe {
    int n_requests;
    struct request request[3];
    struct payoff payoff; /* its `seen` are indices of `request` */
};

/* Discount factor to t years in the currency of the trade's asset. */
static inline double discount_factor(const struct market *market, const struct trade *trade, double t)
{
    const struct currency *currency = &market->currencies[market->assets[trade->asset].currency];
    return exact_exp2(-term_accrued(&currency->rate, t) * 1.44269504088896340736);
}

/* +1 for a call, -1 for a put. */
static inline double option_sign(enum option option)
{
    return option == OPTION_CALL ? 1.0 : -1.0;
}

/* Adds a request and returns its index. */
static inline int recipe_ask(struct recipe *recipe, struct request request)
{
    recipe->request[recipe->n_requests] = request;
    return recipe->n_requests++;
}

/* Asks for the spot at one date, `*date` being kept by the trade. */
static inline int recipe_ask_spot(struct recipe *recipe, const double *date)
{
    struct schedule one = {.n = 1, .times = (double *)date};
    return recipe_ask(recipe, (struct request){.what = OBSERVE_SPOT, .dates = one, .end = *date});
}

/* The recipe of a trade. */
void recipe_of(const struct market *market, const struct trade *trade, struct recipe *recipe);

#endif
