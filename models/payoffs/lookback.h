/* lookback: on the highest (M) or lowest (m) spot of the monitoring, the extreme so far included.
 * Fixed strike: max(M - K, 0) (call), max(K - m, 0) (put); floating strike: max(S - m, 0) (call),
 * max(M - S, 0) (put), S at expiry, which may come after the last date. */
#ifndef PRICER_MODELS_PAYOFFS_LOOKBACK_H
#define PRICER_MODELS_PAYOFFS_LOOKBACK_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 sign, 1 strike, 2 discount factor, 3 floating strike?, 4 on the highest?, 5 the extreme so
 * far (0 or a huge number where there is none). a = highest or lowest log2 S, b = log2 S at expiry
 * (floating strike only). */
HOST_DEVICE double lookback_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double extreme = path_exp2(a), past_extreme = p->k[5];
    double high = extreme > past_extreme ? extreme : past_extreme,
           low = extreme < past_extreme ? extreme : past_extreme;
    extreme = p->k[4] != 0.0 ? high : low;
    double gain = extreme - p->k[1];
    if (p->k[3] != 0.0) gain = path_exp2(b) - extreme;
    gain = p->k[0] * gain;
    return p->k[2] * (gain > 0.0 ? gain : 0.0);
}

#ifndef __CUDACC__
static inline void lookback_define(const struct market *market, const struct trade *trade,
                                   struct payoff_definition *definition)
{
    double *k = definition->payoff.k;
    bool floating = trade->strike_type == STRIKE_FLOATING;
    bool highest = (trade->option == OPTION_CALL) != floating;
    definition_add(definition,
                   (struct functional){.kind = highest ? FUNCTIONAL_HIGH : FUNCTIONAL_LOW,
                                       .dates = trade->monitoring,
                                       .end = trade->expiry});
    k[0] = option_sign(trade->option);
    k[1] = trade->strike;
    k[2] = discount_factor(market, trade, trade->expiry);
    k[4] = highest;
    k[5] = trade->extreme > 0.0 || highest ? trade->extreme : 1e300;
    if (floating) {
        definition->payoff.rows[1] = definition_add_spot(definition, &trade->expiry);
        k[3] = 1.0;
    }
}
#endif

#endif
