/* Trades that own their lists, for books that trade_free() frees. */
#ifndef PRICER_VALIDATION_TESTS_OWNED_TRADE_H
#define PRICER_VALIDATION_TESTS_OWNED_TRADE_H

#include <stdlib.h>
#include <string.h>

#include "models/payoffs/product_numbers.h"
#include "models/payoffs/trade.h"

static inline void *copied(const void *from, size_t bytes)
{
    void *copy = malloc(bytes);
    if (!copy) abort();
    return memcpy(copy, from, bytes);
}

/* Returns n dates to `end`, evenly spaced, and today before them where `today`. */
static inline struct schedule dates_to(double end, int n, bool today)
{
    struct schedule schedule = {.n = n + today, .times = calloc((size_t)n + 1, sizeof(double))};
    if (!schedule.times) abort();
    for (int i = 1; i <= n; i++) schedule.times[i - 1 + today] = i * end / n;
    return schedule;
}

static inline struct schedule always(void)
{
    return (struct schedule){.continuous = true};
}

/* Returns a call on n assets, without a name. */
static inline struct trade owned_trade(int product, int n, const int *assets, double strike,
                                       double expiry)
{
    return (struct trade){.product = product,
                          .asset = assets[0],
                          .n_assets = n,
                          .assets = copied(assets, sizeof *assets * (size_t)n),
                          .quantity = 1.0,
                          .expiry = expiry,
                          .option = OPTION_CALL,
                          .strike = strike};
}

#endif
