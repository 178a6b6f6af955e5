#include "models/payoffs/payoff_definition.h"

#include "models/payoffs/product_numbers.h"
#include "models/payoffs/products.h"

typedef void define_function(const struct market *, const struct trade *,
                             struct payoff_definition *);

static define_function *const define_functions[N_PAYOFFS] = {
#define PAYOFF(NAME, name, ...) [PRODUCT_##NAME] = name##_define,
#include "models/payoffs/payoffs.def"
#undef PAYOFF
};

void payoff_define(const struct market *market, const struct trade *trade,
                   struct payoff_definition *definition)
{
    *definition = (struct payoff_definition){.trade = trade, .payoff.formula = (int)trade->product};
    define_functions[trade->product](market, trade, definition);
}
