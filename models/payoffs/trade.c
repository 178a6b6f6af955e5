#include "models/payoffs/product_numbers.h"
#include "models/payoffs/trade.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "models/market/market.h"
#include "models/payoffs/scripted.h"

static const struct {
    const char *name, *required, *optional;
    int traits;
} products[N_PRODUCTS + 1] = {
#define PAYOFF(NAME, name, ...) [PRODUCT_##NAME] = {#name, __VA_ARGS__},
#include "models/payoffs/payoffs.def"
#include "models/payoffs/linear.def"
#undef PAYOFF
    [PRODUCT_SCRIPT] = {"script", "", "", 0},
    [N_PRODUCTS] = {"", "", "", 0},
};

const char *product_name(int product)
{
    return products[product].name;
}

const char *trade_type(const struct trade *trade)
{
    return trade->scripted ? trade->scripted->script->name : product_name(trade->product);
}

const char *product_required_keys(int product)
{
    return products[product].required;
}

const char *product_optional_keys(int product)
{
    return products[product].optional;
}

bool product_has(int product, int traits)
{
    return products[product].traits & traits;
}

const struct binding *trade_binding(const struct trade *trade)
{
    return trade->scripted ? &trade->scripted->binding : NULL;
}

bool trade_has(const struct trade *trade, int traits)
{
    return product_has(trade->product, traits) ||
           (trade->scripted && scripted_traits(trade->scripted) & traits);
}

bool trade_has_paths(const struct trade *trade)
{
    return (trade->product < N_PAYOFFS || trade->product == PRODUCT_SCRIPT) && !trade->expired;
}

const struct schedule *trade_schedule(const struct trade *trade, int i)
{
    static const size_t offsets[N_SCHEDULES] = {
#define SCHEDULE(name) offsetof(struct trade, name),
#include "models/payoffs/schedules.def"
#undef SCHEDULE
    };
    return (const struct schedule *)(const void *)((const char *)trade + offsets[i]);
}

const char *trade_tag(const struct trade *trade, const char *name)
{
    for (int i = 0; i < trade->n_tags; i++)
        if (!strcmp(trade->tags[i].name, name)) return trade->tags[i].value;
    return NULL;
}

double trade_first_date(const struct trade *trade)
{
    double first = trade->expired ? 0.0 : trade->expiry;
    for (int i = 0; i < trade->n_owed; i++) {
        double years = trade->owed[i].years;
        if (years > 0.0 && (first <= 0.0 || years < first)) first = years;
    }
    return first;
}

double trade_last_date(const struct trade *trade)
{
    double last = trade->expired ? 0.0 : trade->expiry;
    for (int i = 0; i < trade->n_owed; i++)
        if (trade->owed[i].years > last) last = trade->owed[i].years;
    return last;
}

void trade_fix_today(struct trade *trade, const struct asset *assets)
{
    for (int i = 0; trade->today && i < trade->n_assets; i++)
        trade->today[i] = assets[trade->assets[i]].spot;
}

void trade_free(struct trade *trade)
{
    for (int i = 0; i < trade->n_tags; i++) {
        free(trade->tags[i].name);
        free(trade->tags[i].value);
    }
    free(trade->tags);
    for (int i = 0; i < N_SCHEDULES; i++) free(trade_schedule(trade, i)->times);
    free(trade->id);
    free(trade->assets);
    if (trade->initial != trade->today) free(trade->initial);
    free(trade->today);
    free(trade->weights);
    free(trade->coupon_years);
    free(trade->owed);
    free(trade->expired);
    free(trade->past_event);
    scripted_free(trade->scripted);
    *trade = (struct trade){0};
}
