#include "models/payoffs/recipe.h"

#include "models/payoffs/products.h"

typedef void recipe_function(const struct market *, const struct trade *, struct recipe *);

static recipe_function *const recipes[N_PRODUCTS] = {
#define PAYOFF(NAME, name, required, optional) [PRODUCT_##NAME] = name##_recipe,
#include "models/payoffs/payoffs.def"
#undef PAYOFF
};

void recipe_of(const struct market *market, const struct trade *trade, struct recipe *recipe)
{
    *recipe = (struct recipe){.trade = trade, .payoff.formula = (int)trade->product};
    recipes[trade->product](market, trade, recipe);
}
