#include "models/payoffs/payoff_definition.h"

#include "models/payoffs/product_numbers.h"
#include "models/payoffs/products.h"

typedef void define_function(const struct market *, const struct trade *,
                             struct payoff_definition *);

static define_function *const define_functions[N_PRODUCTS] = {
#define PAYOFF(NAME, name, ...) [PRODUCT_##NAME] = name##_define,
#include "models/payoffs/payoffs.def"
#undef PAYOFF
    [PRODUCT_SCRIPT] = script_define,
};

void payoff_define(const struct market *market, const struct trade *trade,
                   struct payoff_definition *definition)
{
    int formula = trade->product == PRODUCT_SCRIPT ? (int)FORMULA_SCRIPT : trade->product;
    *definition = (struct payoff_definition){.trade = trade, .payoff.formula = formula};
    define_functions[trade->product](market, trade, definition);
}
