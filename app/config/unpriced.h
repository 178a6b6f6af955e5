/* Trades of a book that are not priced: refused for what their own keys say, or expired. */
#ifndef PRICER_APP_CONFIG_UNPRICED_H
#define PRICER_APP_CONFIG_UNPRICED_H

#include <stdbool.h>

#include "models/payoffs/trade.h"

struct unpriced_trade {
    int row;       /* place in the book, from 0, among all its trades */
    bool expired;  /* else refused */
    double value;  /* of an expired one: cash still to be paid, for the whole quantity; else NaN */
    char *message; /* complaints about it, or when it expired; owned */
    /* What was read of it: an id that no other has, and of a refused one perhaps no assets,
     * N_PRODUCTS as its product and NaN as its quantity */
    struct trade trade;
};

void unpriced_trades_free(int n, struct unpriced_trade *unpriced);

#endif
