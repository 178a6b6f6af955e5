#include "models/payoffs/trade.h"

#include <stdlib.h>

static const struct {
    const char *name, *required, *optional;
} products[N_PRODUCTS + 1] = {
#define PAYOFF(NAME, name, required, optional) [PRODUCT_##NAME] = {#name, required, optional},
#include "models/payoffs/payoffs.def"
#undef PAYOFF
    [N_PRODUCTS] = {"", "", ""},
};

const char *product_name(enum product product)
{
    return products[product].name;
}

const char *product_required_keys(enum product product)
{
    return products[product].required;
}

const char *product_optional_keys(enum product product)
{
    return products[product].optional;
}

void trade_free(struct trade *trade)
{
    free(trade->id);
    free(trade->fixings.times);
    free(trade->assets);
    free(trade->today);
    free(trade->monitoring.times);
    free(trade->weights);
    free(trade->resets.times);
    free(trade->observations.times);
    free(trade->initial);
    free(trade->exercise.times);
    *trade = (struct trade){0};
}
