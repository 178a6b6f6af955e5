/* digital: pays cash, or the asset, at expiry where S ends above (call) or below (put) the
 * strike. */
#ifndef PRICER_MODELS_PAYOFFS_DIGITAL_H
#define PRICER_MODELS_PAYOFFS_DIGITAL_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 sign, 1 strike, 2 discounted cash, 3 discount factor of the asset paid, 4 to 6 the weight of
 * a path by powers of a, 7 what is added on all paths. The weight is 1, or a likelihood ratio's
 * score: then a part of what the money would bring is taken off all paths, and sign is 1 + that
 * part in size. a = log2 S at expiry. */
HOST_DEVICE double digital_value(const struct payoff *p, double a, double b, double c)
{
    (void)b, (void)c;
    double spot = path_exp2(a), part = fabs(p->k[0]) - 1.0;
    double paid = fma(p->k[3], spot, p->k[2]) * fma(fma(p->k[6], a, p->k[5]), a, p->k[4]);
    return fma(paid, p->k[0] * (spot - p->k[1]) > 0.0 ? 1.0 - part : -part, p->k[7]);
}

#ifndef __CUDACC__
static inline void digital_define(const struct market *market, const struct trade *trade,
                                  struct payoff_definition *definition)
{
    double *k = definition->payoff.k, discount = discount_factor(market, trade, trade->expiry);
    definition_add_spot(definition, &trade->expiry);
    k[0] = option_sign(trade->option) * (1.0 + trade->score_control[0]);
    k[1] = trade->strike;
    k[2] = trade->payout == PAYOUT_CASH ? discount * trade->cash : 0.0;
    k[3] = trade->payout == PAYOUT_ASSET ? discount : 0.0;
    k[4] = 1.0 + trade->score[0];
    k[5] = trade->score[1];
    k[6] = trade->score[2];
    k[7] = trade->score_control[1];
}
#endif

#endif
