/* open_touch, open_beyond, open_between, open_double: what touches, barrier options and double
 * barrier options on dates pay on average over one normal of their path, given all the rest
 * (margins.h). For Greeks alone: an average does not jump. */
#ifndef PRICER_MODELS_OBSERVABLES_OPEN_BARRIER_H
#define PRICER_MODELS_OBSERVABLES_OPEN_BARRIER_H

#include "models/math/exact.h"
#include "models/math/normal_cdf.h"
#include "models/payoffs/payoff.h"
#include "models/payoffs/product_numbers.h"

/* k: 0 constant, 1 per unit of P(alive), 2 two barriers? Alive while Z < a, and with two -b < Z. */
HOST_DEVICE double open_touch_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double alive = normal_cdf(a);
    if (p->k[2] != 0.0) alive = alive - normal_cdf(-b < a ? -b : a);
    return fma(p->k[1], alive, p->k[0]);
}

/* Options: Y is the pivot's normal for a call and its opposite for a put, so that S - K, or its
 * opposite, is paid where Y is above some y. a = log2 of the mean of S over Y. k: 0 shift: spread
 * of ln S over Y, negative for a put; 1 its inverse in log2; 2 log2 K and half the square of the
 * shift; 3 K; 4 discount factor, negative for a put; one barrier: 5 the sign of Y where it is
 * touched, 6 constant, 7 per unit of P(alive).
 *
 * gain_below: E[S - K; Y < y], S = `forward` exp(shift Y - shift^2 / 2). */
HOST_DEVICE double gain_below(const struct payoff *p, double y, double forward)
{
    return forward * normal_cdf(y - p->k[0]) - p->k[3] * normal_cdf(y);
}

/* Returns what is paid beside the option of one barrier, whose margin is b. */
HOST_DEVICE double open_rebate(const struct payoff *p, double b)
{
    return p->k[7] != 0.0 ? fma(p->k[7], normal_cdf(b), p->k[6]) : p->k[6];
}

/* Returns the option where Y is beyond both y and its barrier: a knock-in above it, or a knock-out
 * below it. */
HOST_DEVICE double open_beyond_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double forward = path_exp2(a), y = (p->k[2] - a) * p->k[1], barrier = p->k[5] * b;
    double from = barrier > y ? barrier : y;
    double gain = (forward - p->k[3]) - gain_below(p, from, forward);
    return fma(p->k[4], gain, open_rebate(p, b));
}

/* Returns the option where Y is between them. */
HOST_DEVICE double open_between_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double forward = path_exp2(a), y = (p->k[2] - a) * p->k[1], barrier = p->k[5] * b;
    double to = barrier > y ? barrier : y;
    double gain = gain_below(p, to, forward) - gain_below(p, y, forward);
    return fma(p->k[4], gain, open_rebate(p, b));
}

/* Two barriers, alive while -c < Y < b; k: 5 knock-in? */
HOST_DEVICE double open_double_value(const struct payoff *p, double a, double b, double c)
{
    double forward = path_exp2(a), y = (p->k[2] - a) * p->k[1], to = b > y ? b : y,
           from = -c > y ? -c : y;
    from = from < to ? from : to;
    double gain = gain_below(p, to, forward) - gain_below(p, from, forward);
    if (p->k[5] != 0.0) gain = (forward - p->k[3]) - gain_below(p, y, forward) - gain;
    return p->k[4] * gain;
}

#ifndef __CUDACC__
#include <math.h>

#include "models/math/constants.h"
#include "models/payoffs/payoff_definition.h"

/* Asks for the margin to the barrier above or below that ends the survival `monitored`. */
static inline int definition_add_margin(struct payoff_definition *definition,
                                        struct functional monitored, bool above)
{
    monitored.kind = FUNCTIONAL_MARGIN;
    if (above) monitored.lower = 0.0;
    else monitored.upper = HUGE_VAL;
    return definition_add(definition, monitored);
}

/* Defines a touch that pays constant + of_alive P(alive). */
static inline void open_touch_define(struct functional monitored, double constant, double of_alive,
                                     struct payoff_definition *definition)
{
    struct payoff *payoff = &definition->payoff;
    bool above = monitored.upper < HUGE_VAL, both = above && monitored.lower > 0.0;
    payoff->formula = FORMULA_OPEN_TOUCH;
    payoff->rows[0] = definition_add_margin(definition, monitored, above);
    if (both) payoff->rows[1] = definition_add_margin(definition, monitored, false);
    const double k[8] = {constant, of_alive, both};
    for (int i = 0; i < 8; i++) payoff->k[i] = k[i];
}

/* Defines an option whose survival is `monitored`; payoff.k is barrier_value()'s. */
static inline void open_barrier_define(const struct market *market, const struct trade *trade,
                                       struct functional monitored,
                                       struct payoff_definition *definition)
{
    struct payoff *payoff = &definition->payoff;
    struct schedule pivot = {.n = 1, .times = (double *)&trade->pivot};
    bool above = monitored.upper < HUGE_VAL, both = above && monitored.lower > 0.0;
    bool in = trade->knock == KNOCK_IN, call = trade->option == OPTION_CALL;
    bool with_gain = above == call; /* the barrier is where the option gains */
    double sign = option_sign(trade->option);
    double variance = term_accrued(&market->assets[trade->asset].variance, trade->pivot);
    double shift = sign * sqrt(variance);
    const double k[8] = {shift,
                         1.0 / (shift * LOG2_E),
                         exact_log2(trade->strike) + 0.5 * variance * LOG2_E,
                         trade->strike,
                         sign * discount_factor(market, trade, trade->expiry),
                         both        ? in
                         : with_gain ? 1.0
                                     : -1.0,
                         payoff->k[4],
                         payoff->k[5]};
    payoff->formula = both              ? FORMULA_OPEN_DOUBLE
                      : in == with_gain ? FORMULA_OPEN_BEYOND
                                        : FORMULA_OPEN_BETWEEN;
    for (int i = 0; i < 8; i++) payoff->k[i] = k[i];
    payoff->rows[0] = definition_add(
        definition,
        (struct functional){.kind = FUNCTIONAL_REST, .dates = pivot, .end = trade->expiry});
    payoff->rows[1] = definition_add_margin(definition, monitored, both ? call : above);
    if (both) payoff->rows[2] = definition_add_margin(definition, monitored, !call);
}
#endif

#endif
