/* barrier: an option that comes alive (in) or dies (out) where the spot touches one barrier, up or
 * down, on the dates of `monitoring` or at any moment. The rebate is paid where a knock-out dies
 * (at the hit or at expiry), or where a knock-in never comes alive (at expiry).
 *
 * double_barrier: the same with one below and one above the spot; touching either counts. */
#ifndef PRICER_MODELS_PAYOFFS_BARRIER_H
#define PRICER_MODELS_PAYOFFS_BARRIER_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 sign, 1 strike; value = (k2 + k3 w) max(sign (S - K), 0) + k4 + k5 w + k6 h, w the survival,
 * h what 1 paid at the hit is worth. a = log2 S at expiry, b = w, c = h (any other row where k6 is
 * 0). */
HOST_DEVICE double barrier_value(const struct payoff *p, double a, double b, double c)
{
    double gain = p->k[0] * (path_exp2(a) - p->k[1]);
    gain = gain > 0.0 ? gain : 0.0;
    double rebate = fma(p->k[5], b, p->k[4]);
    if (p->k[6] != 0.0) rebate = fma(p->k[6], c, rebate);
    return fma(fma(p->k[3], b, p->k[2]), gain, rebate);
}
#define double_barrier_value barrier_value

#ifndef __CUDACC__
#include <math.h>

#include "models/observables/open_barrier.h"

/* Returns the survival against the trade's barriers. */
static inline struct functional survival_of(const struct trade *trade)
{
    struct functional survival = {.kind = FUNCTIONAL_SURVIVAL,
                                  .dates = trade->monitoring,
                                  .end = trade->expiry,
                                  .lower = trade->lower,
                                  .upper = trade->upper > 0.0 ? trade->upper : HUGE_VAL,
                                  .hit = trade->hit};
    if (trade->direction == DIRECTION_DOWN) survival.lower = trade->barrier;
    if (trade->direction == DIRECTION_UP) survival.upper = trade->barrier;
    return survival;
}

/* Asks for it, and for the payment at the hit where the trade has one. */
static inline void definition_add_survival(struct payoff_definition *definition,
                                           const struct trade *trade, bool payment)
{
    struct functional survival = survival_of(trade);
    int monitored = definition_add(definition, survival);
    if (!payment) return;
    survival.kind = FUNCTIONAL_PAYMENT_AT_HIT;
    definition_add_reading(definition, monitored, survival);
}

static inline void barrier_numbers(const struct market *market, const struct trade *trade,
                                   bool at_hit, double k[8])
{
    double discount = discount_factor(market, trade, trade->expiry);
    k[0] = option_sign(trade->option);
    k[1] = trade->strike;
    k[2] = trade->knock == KNOCK_IN ? discount : 0.0;
    k[3] = trade->knock == KNOCK_IN ? -discount : discount;
    if (at_hit) {
        k[6] = trade->rebate;
    } else if (trade->knock == KNOCK_OUT) {
        k[4] = discount * trade->rebate;
        k[5] = -k[4];
    } else {
        k[5] = discount * trade->rebate;
    }
}

static inline void barrier_define(const struct market *market, const struct trade *trade,
                                  struct payoff_definition *definition)
{
    double *k = definition->payoff.k;
    bool at_hit = trade->knock == KNOCK_OUT && trade->pay_at == PAY_AT_HIT && trade->rebate > 0.0;
    barrier_numbers(market, trade, at_hit, k);
    if (trade->pivot > 0.0) {
        open_barrier_define(market, trade, survival_of(trade), definition);
        return;
    }
    definition_add_spot(definition, &trade->expiry);
    definition_add_survival(definition, trade, at_hit);
    definition->payoff.rows[1] = 1;
    if (at_hit) definition->payoff.rows[2] = 2;
}
#define double_barrier_define barrier_define
#endif

#endif
