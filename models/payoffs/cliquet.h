/* cliquet: pays, at expiry, notional times the sum of the simple returns of its periods, each held
 * between the local floor and cap, the sum between the global ones. Of a live one the sum begins
 * with the returns of the periods that have ended, and the first period with the level of the last
 * reset. */
#ifndef PRICER_MODELS_PAYOFFS_CLIQUET_H
#define PRICER_MODELS_PAYOFFS_CLIQUET_H

#include "models/payoffs/payoff_definition.h"

/* k: 0 notional times discount factor, 1 floor, 2 cap. a = the sum. */
HOST_DEVICE double cliquet_value(const struct payoff *p, double a, double b, double c)
{
    (void)b, (void)c;
    double sum = a > p->k[1] ? a : p->k[1];
    sum = sum < p->k[2] ? sum : p->k[2];
    return p->k[0] * sum;
}

#ifndef __CUDACC__
static inline void cliquet_define(const struct market *market, const struct trade *trade,
                                  struct payoff_definition *definition)
{
    double *k = definition->payoff.k;
    definition_add(definition, (struct functional){.kind = FUNCTIONAL_RETURNS,
                                                   .dates = trade->resets,
                                                   .end = trade->expiry});
    k[0] = trade->notional * discount_factor(market, trade, trade->expiry);
    k[1] = trade->global_floor;
    k[2] = trade->global_cap;
}
#endif

#endif
