/* A small market and a book with every product and every kind of observable, for tests of engines
 * and kernels. */
#ifndef PRICER_VALIDATION_TESTS_EVERY_PRODUCT_H
#define PRICER_VALIDATION_TESTS_EVERY_PRODUCT_H

#include <stddef.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"

enum { EVERY_PRODUCT_TRADES = 160 };

struct every_product {
    struct market market;
    struct currency
        currencies[3];      /* the last has a negative rate: payments at the hit need the wave */
    struct asset assets[5]; /* of the currencies 0, 1, 2, 0, 0; those of 0 are correlated */
    double correlation[25];
    int n_trades;
    struct trade trades[EVERY_PRODUCT_TRADES];
    char ids[EVERY_PRODUCT_TRADES][24];
};

/* Returns the market with spots so many times as high; assets [n_assets] become its own. */
static inline struct market with_spots(const struct market *market, double times,
                                       struct asset *assets)
{
    struct market moved = *market;
    moved.assets = assets;
    for (int a = 0; a < market->n_assets; a++) {
        assets[a] = market->assets[a];
        assets[a].spot *= times;
    }
    return moved;
}

/* Parts of a book of so few trades on each asset that their walk carries all that paths remember.
 */
enum { BOOK_PARTS = 5 };

/* Returns which of the trades are in a part: `in` of struct plan_settings. NULL, all of them, for
 * part BOOK_PARTS. Valid until the next call. */
static inline const bool *trades_of_part(int n_trades, int part)
{
    static bool in[EVERY_PRODUCT_TRADES];
    for (int i = 0; i < n_trades; i++) in[i] = i % BOOK_PARTS == part;
    return part < BOOK_PARTS ? in : NULL;
}

/* Fills it; `volatility_error` scales every volatility (0 for none). Free with every_product_free.
 */
void every_product_make(struct every_product *book, double volatility_error);
void every_product_free(struct every_product *book);

#endif
