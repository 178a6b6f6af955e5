/* basket: an option on several assets together: the weighted sum of their spots (average), their
 * weighted geometric mean, or the greatest or least weighted spot (best_of, worst_of), at
 * expiry.
 *
 * spread: the same of two assets, w1 S1 + w2 S2 with w2 < 0; with a strike of 0 an exchange of one
 * for the other. */
#ifndef PRICER_MODELS_PAYOFFS_BASKET_H
#define PRICER_MODELS_PAYOFFS_BASKET_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 sign, 1 strike, 2 discount factor, 3 a in log2? a = the basket's price. */
HOST_DEVICE double basket_value(const struct payoff *p, double a, double b, double c)
{
    (void)b, (void)c;
    double price = a;
    if (p->k[3] != 0.0) price = path_exp2(a);
    double gain = p->k[0] * (price - p->k[1]);
    return p->k[2] * (gain > 0.0 ? gain : 0.0);
}
#define spread_value basket_value

#ifndef __CUDACC__
static inline void basket_define(const struct market *market, const struct trade *trade,
                                 struct payoff_definition *definition)
{
    double *k = definition->payoff.k;
    definition_add_basket(definition, (struct schedule){.n = 1, .times = (double *)&trade->expiry});
    k[0] = option_sign(trade->option);
    k[1] = trade->strike;
    k[2] = discount_factor(market, trade, trade->expiry);
    k[3] = basket_functional(trade) != FUNCTIONAL_SUM_OF;
}
#define spread_define basket_define
#endif

#endif
