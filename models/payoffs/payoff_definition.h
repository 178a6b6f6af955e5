/* What the plan must know of a trade: the observables it asks of its path, and its payoff. To CUDA,
 * which reads the header of a product for its formula, this is payoff.h. */
#ifndef PRICER_MODELS_PAYOFFS_PAYOFF_DEFINITION_H
#define PRICER_MODELS_PAYOFFS_PAYOFF_DEFINITION_H

#include "models/math/exact.h"
#include "models/payoffs/payoff.h"

#ifndef __CUDACC__
#include "models/market/market.h"
#include "models/observables/observables.h"
#include "models/payoffs/trade.h"

/* The kinds of functionals. */
enum functional_kind {
    FUNCTIONAL_SPOT,     /* log2 S at the one date */
    FUNCTIONAL_VARIANCE, /* v at the one date, of a model that remembers it */
    FUNCTIONAL_SUM,      /* sum of S over the dates */
    FUNCTIONAL_LOG_SUM,  /* sum of log2 S over the dates */
    FUNCTIONAL_HIGH,     /* greatest log2 S over the dates, or at any moment to `end` */
    FUNCTIONAL_LOW,      /* least */
    /* Probability that no barrier was touched on the dates, or at any moment to `end` */
    FUNCTIONAL_SURVIVAL,
    FUNCTIONAL_PAYMENT_AT_HIT, /* value today of 1 paid at the touch; reads the survival */
    /* Sum of w S over the trade's assets, on each of the dates: the last one stays */
    FUNCTIONAL_SUM_OF,
    FUNCTIONAL_LOG_OF, /* log2 of the weighted geometric mean of them, the same */
    FUNCTIONAL_TOP_OF, /* log2 of the greatest w S, and of the next one, the same */
    /* Of the least and the next one (autocallable: of S over its initial spot) */
    FUNCTIONAL_BOTTOM_OF,
    FUNCTIONAL_BEST_OF,  /* log2 of the greatest w S, and which asset's policy of exercise it is */
    FUNCTIONAL_WORST_OF, /* of the least */
    FUNCTIONAL_RETURNS,  /* sum of clipped returns from date to date and to `end` */
    FUNCTIONAL_SQUARES,  /* sum of squared returns of log2 S, from today */
    /* Value today of an autocallable's payments, per unit of notional; reads a bottom_of */
    FUNCTIONAL_CALLS,
    /* Value today of what exercise brought; reads a sum_of, log_of, top_of or bottom_of */
    FUNCTIONAL_EXERCISE,
    /* Normal at the trade's pivot at which the one barrier is touched on the dates */
    FUNCTIONAL_MARGIN,
    /* As FUNCTIONAL_BOTTOM_OF of an autocallable, and the normal that its Greeks leave open */
    FUNCTIONAL_OPEN_WORST,
    /* Mean over that normal of what FUNCTIONAL_CALLS has; reads an open worst */
    FUNCTIONAL_OPEN_CALLS,
    /* log2 of the mean of S at `end` over the normal at the date, which is the pivot */
    FUNCTIONAL_REST
};

/* A functional that a trade asks for. The dates are those of the trade's schedule; the trade must
 * outlive the functional. */
struct functional {
    enum functional_kind kind;
    /* That asked first: its assets, and what else the observable is about */
    const struct trade *trade;
    struct schedule dates;
    double begin, end;   /* years: first moment of continuous monitoring, 0: today, and the last */
    double lower, upper; /* barriers: prices; 0 and HUGE_VAL where there is none */
    bool hit;            /* already touched */
    bool closely;        /* looked at as often as on a path's own clock */
    int asset;           /* which of the trade's assets (trade_asset()), where it is about one */
    int source; /* index of the earlier functional of the same definition that it reads; -1: none */
    /* Index of the earlier functional of the same definition behind whose own memory it keeps its
     * state (exercise_apart); 0: it has slots of its own */
    int within;
};

enum { TRADE_FUNCTIONALS = 3 }; /* of one trade, at most, unless it is a script */

/* A payoff definition: what a trade asks of its paths, and its payoff. */
struct payoff_definition {
    const struct trade *trade;
    int n_functionals;
    /* Not of a script: payoff_functional() of scripted.h returns those of any trade */
    struct functional functionals[TRADE_FUNCTIONALS];
    struct payoff payoff; /* its `rows` are indices of `functional` */
};

/* Returns the index of the currency that the trade pays in. */
static inline int trade_currency(const struct market *market, const struct trade *trade)
{
    if (trade->asset < 0) return trade->currency;
    if (trade->quanto.n) return quanto_currency(market->assets, &trade->quanto);
    return market->assets[trade->asset].currency;
}

/* Returns the discount factor in that currency of what is fixed at t years, and paid when it is
 * due. */
static inline double discount_factor(const struct market *market, const struct trade *trade,
                                     double t)
{
    const struct currency *currency = &market->currencies[trade_currency(market, trade)];
    return exact_exp2(-accrued_to_payment(currency, t, trade->payment_lag) * LOG2_E);
}

/* Returns the spot of the trade's i-th asset that what is fixed today is fixed at: never that of a
 * scenario. */
static inline double spot_today(const struct market *market, const struct trade *trade, int i)
{
    return trade->today ? trade->today[i] : market->assets[trade_asset(trade, i)].spot;
}

/* Returns +1 for a call, -1 for a put. */
static inline double option_sign(enum option option)
{
    return option == OPTION_CALL ? 1.0 : -1.0;
}

/* Adds a functional that reads functional `source`, and returns its index. */
static inline int definition_add_reading(struct payoff_definition *definition, int source,
                                         struct functional functional)
{
    functional.trade = definition->trade;
    functional.source = source;
    definition->functionals[definition->n_functionals] = functional;
    return definition->n_functionals++;
}

/* Adds a functional that reads no other. */
static inline int definition_add(struct payoff_definition *definition, struct functional functional)
{
    return definition_add_reading(definition, -1, functional);
}

/* Asks for the spot at one date, `*date` being kept by the trade. */
static inline int definition_add_spot(struct payoff_definition *definition, const double *date)
{
    struct schedule one = {.n = 1, .times = (double *)date};
    return definition_add(definition,
                          (struct functional){.kind = FUNCTIONAL_SPOT, .dates = one, .end = *date});
}

/* Returns how the assets of a basket, a spread or an american are seen together. */
static inline enum functional_kind basket_functional(const struct trade *trade)
{
    static const enum functional_kind table[] = {[BASKET_AVERAGE] = FUNCTIONAL_SUM_OF,
                                                 [BASKET_GEOMETRIC] = FUNCTIONAL_LOG_OF,
                                                 [BASKET_BEST_OF] = FUNCTIONAL_TOP_OF,
                                                 [BASKET_WORST_OF] = FUNCTIONAL_BOTTOM_OF};
    return trade->n_assets > 1 ? table[trade->kind] : FUNCTIONAL_SUM_OF;
}

/* Returns which part of its basket the trade's i-th asset is: they are in the order of the
 * market. */
static inline int basket_part(const struct trade *trade, int i)
{
    int part = 0;
    for (int j = 0; j < trade_n_assets(trade); j++)
        part += trade_asset(trade, j) < trade_asset(trade, i);
    return part;
}

/* Asks for that on the dates, or as often as an american on every date needs it. */
static inline int definition_add_basket(struct payoff_definition *definition, struct schedule dates)
{
    const struct trade *trade = definition->trade;
    return definition_add(definition, (struct functional){.kind = basket_functional(trade),
                                                          .dates = dates,
                                                          .end = trade->expiry});
}

/* Returns whether an american on several assets is told whether it is exercised by other prices
 * than those that it brings (exercise_apart): the best and the worst of several always, where each
 * asset that leads has a policy. */
static inline bool exercise_is_apart(const struct trade *trade)
{
    bool leads = trade->kind == BASKET_BEST_OF || trade->kind == BASKET_WORST_OF;
    return trade->n_assets > 1 && (leads || trade->exercise_apart);
}

/* Returns how many numbers tell what waiting is worth more under an asset that leads. */
static inline int leader_terms(const struct trade *trade)
{
    return trade->exercise_apart || trade->slope_of ? EXERCISE_TERMS : LEADER_TERMS;
}

/* Makes the definition of a trade. */
void payoff_define(const struct market *market, const struct trade *trade,
                   struct payoff_definition *definition);

/* Returns by how much, in money, what one unit pays can change where its path
 * moves by next to nothing, as the sum of the jumps that one path may meet on a date, as if all
 * that is paid were paid today or at expiry, whichever is worth more. 0 where the payoff is
 * continuous in the path, which a level monitored at every moment is (the bridge between two looks
 * carries a probability), and 0 for early exercise, which gives up next to nothing where it is a
 * close call.
 *
 * Two rules need it. Sobol points count the paths beyond a jump in whole points
 * (kernels/replicates.h), and a difference of two markets sees a jump only on the few paths that
 * cross it (app/pricing/risk/greeks/greek_errors.h). (jump.c) */
double payoff_jump(const struct market *market, const struct trade *trade);

#endif

#endif
