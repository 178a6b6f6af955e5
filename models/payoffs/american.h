/* american: an option that its holder may exercise on given dates, or at any time, on one asset or on a
 * basket. The policy of exercise is fitted beforehand (exercise.h); before it is, the option is held to its
 * last date. */
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
#include "models/payoffs/recipe.h"

static inline void american_recipe(const struct market *market, const struct trade *trade,
                                   struct recipe *recipe)
{
    (void)market;
    int price = recipe_ask_basket(recipe, trade->exercise);
    struct request exercise = {.what = OBSERVE_EXERCISE, .dates = trade->exercise, .end = trade->expiry};
    recipe->payoff.seen[0] = recipe_ask_reading(recipe, price, exercise);
    for (int i = 1; i < 3; i++) recipe->payoff.seen[i] = recipe->payoff.seen[0];
}
#endif

#endif
