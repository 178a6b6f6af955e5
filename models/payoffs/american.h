/* american: an option that its holder may exercise on given dates, or at any time, on one asset or
 * on a basket. The policy of exercise is fitted beforehand (exercise.h); before it is, the option
 * is held to its last date. */
#ifndef PRICER_MODELS_PAYOFFS_AMERICAN_H
#define PRICER_MODELS_PAYOFFS_AMERICAN_H

#include "models/math/host_device.h"
#include "models/payoffs/payoff.h"

/* a = value today of what exercise brought. */
HOST_DEVICE double american_value(const struct payoff *p, double a, double b, double c)
{
    (void)p, (void)b, (void)c;
    return a;
}

#ifndef __CUDACC__
#include "models/payoffs/payoff_definition.h"

static inline void american_define(const struct market *market, const struct trade *trade,
                                   struct payoff_definition *definition)
{
    (void)market;
    int price = definition_add_basket(definition, trade->exercise);
    struct functional exercise = {
        .kind = FUNCTIONAL_EXERCISE, .dates = trade->exercise, .end = trade->expiry};
    definition->payoff.rows[0] = definition_add_reading(definition, price, exercise);
    if (exercise_is_apart(trade)) {
        int paid = definition_add_basket(definition, trade->exercise);
        struct functional *brings = &definition->functionals[paid];
        brings->within = definition->payoff.rows[0];
        if (brings->kind == FUNCTIONAL_TOP_OF) brings->kind = FUNCTIONAL_BEST_OF;
        if (brings->kind == FUNCTIONAL_BOTTOM_OF) brings->kind = FUNCTIONAL_WORST_OF;
    }
    for (int i = 1; i < 3; i++) definition->payoff.rows[i] = definition->payoff.rows[0];
}
#endif

#endif
