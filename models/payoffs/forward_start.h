/* forward_start: an option whose strike is strike_ratio times the spot at `start`. */
#ifndef PRICER_MODELS_PAYOFFS_FORWARD_START_H
#define PRICER_MODELS_PAYOFFS_FORWARD_START_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 sign, 1 strike over spot at start, 2 discount factor, 3 strike that is fixed (a start today
 * or before), else 0. a = log2 S at expiry, b = log2 S at start. */
HOST_DEVICE double forward_start_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double strike = fma(p->k[1], path_exp2(b), p->k[3]);
    double gain = p->k[0] * (path_exp2(a) - strike);
    return p->k[2] * (gain > 0.0 ? gain : 0.0);
}

#ifndef __CUDACC__
static inline void forward_start_define(const struct market *market, const struct trade *trade,
                                        struct payoff_definition *definition)
{
    double *k = definition->payoff.k;
    definition_add_spot(definition, &trade->expiry);
    k[0] = option_sign(trade->option);
    k[2] = discount_factor(market, trade, trade->expiry);
    if (trade->start > 0.0) {
        definition->payoff.rows[1] = definition_add_spot(definition, &trade->start);
        k[1] = trade->strike_ratio;
    } else {
        k[3] = trade->strike_ratio *
               (trade->past_level > 0.0 ? trade->past_level : spot_today(market, trade, 0));
    }
}
#endif

#endif
