/* asian: an option on the arithmetic or geometric average A of the fixings, past ones included.
 * Fixed strike: max(A - K, 0) or max(K - A, 0); floating strike: max(S - A, 0) or max(A - S, 0), S
 * at expiry. */
#ifndef PRICER_MODELS_PAYOFFS_ASIAN_H
#define PRICER_MODELS_PAYOFFS_ASIAN_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 sign, 1 strike, 2 discount factor, 3 one over the number of all fixings, 4 what the past
 * fixings add to the average (geometric: to its log2), 5 floating strike?, 6 geometric? a = sum
 * of S (geometric: of log2 S) over the fixings to come, b = log2 S at expiry (floating strike
 * only). */
HOST_DEVICE double asian_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double average = fma(a, p->k[3], p->k[4]);
    if (p->k[6] != 0.0) average = path_exp2(average);
    double gain = average - p->k[1];
    if (p->k[5] != 0.0) gain = path_exp2(b) - average;
    gain = p->k[0] * gain;
    return p->k[2] * (gain > 0.0 ? gain : 0.0);
}

#ifndef __CUDACC__
static inline void asian_define(const struct market *market, const struct trade *trade,
                                struct payoff_definition *definition)
{
    double *k = definition->payoff.k, past = trade->past_count, all = past + trade->fixings.n;
    bool geometric = trade->averaging == AVERAGING_GEOMETRIC;
    definition_add(definition,
                   (struct functional){.kind = geometric ? FUNCTIONAL_LOG_SUM : FUNCTIONAL_SUM,
                                       .dates = trade->fixings});
    k[0] = option_sign(trade->option);
    k[1] = trade->strike;
    k[2] = discount_factor(market, trade, trade->expiry);
    k[3] = 1.0 / all;
    if (trade->past_count)
        k[4] = past * (geometric ? exact_log2(trade->past_average) : trade->past_average) / all;
    k[6] = geometric;
    if (trade->strike_type == STRIKE_FLOATING) {
        definition->payoff.rows[1] = definition_add_spot(definition, &trade->expiry);
        k[5] = 1.0;
    }
}
#endif

#endif
