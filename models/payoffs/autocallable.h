/* autocallable: lives on the worst of its assets, each over its initial spot. An observation pays a
 * coupon where the worst is at the coupon level or above (with memory also those missed before),
 * and ends it, repaying the notional, where the worst is at the call level or above. What lives
 * until expiry then repays the notional, or notional times worst where that is below the protection
 * level. */
#ifndef PRICER_MODELS_PAYOFFS_AUTOCALLABLE_H
#define PRICER_MODELS_PAYOFFS_AUTOCALLABLE_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 notional. a = value today of all payments of a notional of 1. */
HOST_DEVICE double autocallable_value(const struct payoff *p, double a, double b, double c)
{
    (void)b, (void)c;
    return p->k[0] * a;
}

#ifndef __CUDACC__
static inline void autocallable_define(const struct market *market, const struct trade *trade,
                                       struct payoff_definition *definition)
{
    (void)market;
    bool open = trade->pivot > 0.0;
    struct functional functional = {.kind = open ? FUNCTIONAL_OPEN_WORST : FUNCTIONAL_BOTTOM_OF,
                                    .dates = trade->observations,
                                    .end = trade->expiry};
    int worst = definition_add(definition, functional);
    functional.kind = open ? FUNCTIONAL_OPEN_CALLS : FUNCTIONAL_CALLS;
    definition->payoff.rows[0] = definition_add_reading(definition, worst, functional);
    for (int i = 1; i < 3; i++) definition->payoff.rows[i] = definition->payoff.rows[0];
    definition->payoff.k[0] = trade->notional;
}
#endif

#endif
