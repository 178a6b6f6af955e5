/* touch: pays cash where the spot touches its barrier or either of its two (one), at the hit or at
 * expiry, or where it never does (no), at expiry. */
#ifndef PRICER_MODELS_PAYOFFS_TOUCH_H
#define PRICER_MODELS_PAYOFFS_TOUCH_H

#include "models/payoffs/barrier.h"

/* value = k0 + k1 a + k2 b: a = survival, b = value of 1 paid at the hit (a itself where k2 is
 * 0). */
HOST_DEVICE double touch_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double value = fma(p->k[1], a, p->k[0]);
    if (p->k[2] != 0.0) value = fma(p->k[2], b, value);
    return value;
}

#ifndef __CUDACC__
static inline void touch_define(const struct market *market, const struct trade *trade,
                                struct payoff_definition *definition)
{
    double *k = definition->payoff.k,
           paid = discount_factor(market, trade, trade->expiry) * trade->cash;
    bool at_hit = trade->touch == TOUCH_ONE && trade->pay_at == PAY_AT_HIT;
    if (at_hit) {
        k[2] = trade->cash;
    } else {
        k[0] = trade->touch == TOUCH_ONE ? paid : 0.0;
        k[1] = trade->touch == TOUCH_ONE ? -paid : paid;
    }
    if (trade->pivot > 0.0) {
        open_touch_define(survival_of(trade), k[0], k[1], definition);
        return;
    }
    definition_add_survival(definition, trade, at_hit);
    if (at_hit) definition->payoff.rows[1] = 1;
}
#endif

#endif
