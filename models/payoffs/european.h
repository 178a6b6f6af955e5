/* european: max(S - K, 0) or max(K - S, 0) at expiry. */
#ifndef PRICER_MODELS_PAYOFFS_EUROPEAN_H
#define PRICER_MODELS_PAYOFFS_EUROPEAN_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 sign, 1 strike, 2 discount factor. a = log2 S at expiry. */
HOST_DEVICE double european_value(const struct payoff *p, double a, double b, double c)
{
    (void)b, (void)c;
    double gain = p->k[0] * (path_exp2(a) - p->k[1]);
    return p->k[2] * (gain > 0.0 ? gain : 0.0);
}

#ifndef __CUDACC__
static inline void european_define(const struct market *market, const struct trade *trade,
                                   struct payoff_definition *definition)
{
    double *k = definition->payoff.k;
    definition_add_spot(definition, &trade->expiry);
    k[0] = option_sign(trade->option);
    k[1] = trade->strike;
    k[2] = discount_factor(market, trade, trade->expiry);
}
#endif

#endif
