/* double_barrier: a barrier option with a barrier below and one above the spot; touching either
 * counts. */
#ifndef PRICER_MODELS_PAYOFFS_DOUBLE_BARRIER_H
#define PRICER_MODELS_PAYOFFS_DOUBLE_BARRIER_H

#include "models/payoffs/barrier.h"

HOST_DEVICE double double_barrier_value(const struct payoff *p, double a, double b, double c)
{
    return barrier_value(p, a, b, c);
}

#ifndef __CUDACC__
static inline void double_barrier_define(const struct market *market, const struct trade *trade,
                                         struct payoff_definition *definition)
{
    barrier_define(market, trade, definition);
}
#endif

#endif
