/* american: an option that its holder may exercise on given dates, or at any time, on one asset or
 * on a basket. The policy of exercise is fitted beforehand (exercise.h); before it is, the option
 * is held to its last date. */
#ifndef PRICER_MODELS_PAYOFFS_AMERICAN_H
#define PRICER_MODELS_PAYOFFS_AMERICAN_H

#include "models/payoffs/payoff_definition.h"
#include "models/payoffs/product_numbers.h"

/* a = value today of what exercise brought. */
HOST_DEVICE double american_value(const struct payoff *p, double a, double b, double c)
{
    (void)p, (void)b, (void)c;
    return a;
}

/* The slope of what exercise brings in one of its assets: k0 <= b <= k1 where that leads; k2 = 1 /
 * today's spot. a = what moves with the price that leads in what was taken, b = which leads. */
HOST_DEVICE double exercise_slope_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double slope = b >= p->k[0] ? p->k[2] * a : 0.0;
    return b <= p->k[1] ? slope : 0.0;
}

#ifndef __CUDACC__
#include <math.h>

#include "models/observables/observables.h"

/* Makes the definition pay the slope; of the best and the worst of several the row of what `paid`
 * sees is that of who leads. */
static inline void exercise_slope_define(const struct market *market, const struct trade *trade,
                                         int paid, struct payoff_definition *definition)
{
    int i = trade->slope_of - 1;
    bool alone = trade_n_assets(trade) == 1;
    double leader = 0.0 - EXERCISE_TERMS * basket_part(trade, i);
    definition->payoff.formula = FORMULA_EXERCISE_SLOPE;
    definition->payoff.k[0] = alone ? -HUGE_VAL : leader;
    definition->payoff.k[1] = alone ? HUGE_VAL : leader;
    definition->payoff.k[2] = 1.0 / market->assets[trade_asset(trade, i)].spot;
    if (!alone) definition->payoff.rows[1] = paid;
}

static inline void american_define(const struct market *market, const struct trade *trade,
                                   struct payoff_definition *definition)
{
    int paid = 0, price = definition_add_basket(definition, trade->exercise);
    struct functional exercise = {
        .kind = FUNCTIONAL_EXERCISE, .dates = trade->exercise, .end = trade->expiry};
    definition->payoff.rows[0] = definition_add_reading(definition, price, exercise);
    if (exercise_is_apart(trade)) {
        paid = definition_add_basket(definition, trade->exercise);
        struct functional *brings = &definition->functionals[paid];
        brings->within = definition->payoff.rows[0];
        if (brings->kind == FUNCTIONAL_TOP_OF) brings->kind = FUNCTIONAL_BEST_OF;
        if (brings->kind == FUNCTIONAL_BOTTOM_OF) brings->kind = FUNCTIONAL_WORST_OF;
    }
    for (int i = 1; i < 3; i++) definition->payoff.rows[i] = definition->payoff.rows[0];
    if (trade->slope_of) exercise_slope_define(market, trade, paid, definition);
}
#endif

#endif
