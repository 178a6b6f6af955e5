/* variance_swap: pays, at expiry, notional times the realised variance less the square of the
 * strike volatility. Realised is the sum of squared returns of ln S from the last fixing on (from
 * today's spot where there was none), with what has passed before, over all years: (past variance *
 * past years + sum) / (past years + expiry). */
#ifndef PRICER_MODELS_PAYOFFS_VARIANCE_SWAP_H
#define PRICER_MODELS_PAYOFFS_VARIANCE_SWAP_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 notional times discount factor, 1 variance a year of one unit of a, 2 variance a year that
 * has passed already less that of the strike. a = sum of squared returns of log2 S. */
HOST_DEVICE double variance_swap_value(const struct payoff *p, double a, double b, double c)
{
    (void)b, (void)c;
    return p->k[0] * fma(p->k[1], a, p->k[2]);
}

#ifndef __CUDACC__
static inline void variance_swap_define(const struct market *market, const struct trade *trade,
                                        struct payoff_definition *definition)
{
    double *k = definition->payoff.k, years = trade->past_years + trade->expiry;
    definition_add(definition,
                   (struct functional){.kind = FUNCTIONAL_SQUARES, .dates = trade->fixings});
    k[0] = trade->notional * discount_factor(market, trade, trade->expiry);
    k[1] = LN2 * LN2 / years;
    k[2] = trade->past_variance * trade->past_years / years -
           trade->strike_volatility * trade->strike_volatility;
}
#endif

#endif
