/* A book: the market of a night, the trades on it and how to price them. Who reads it from a file
 * is app/config/load_book.h. */
#ifndef PRICER_APP_PRICING_BASE_BOOK_H
#define PRICER_APP_PRICING_BASE_BOOK_H

#include <stdbool.h>

#include "app/pricing/base/settings.h"
#include "models/base/complaints.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"
#include "models/scripts/script.h"

/* A trade that is not priced: refused for what its own keys say, or expired and owed nothing. */
struct unpriced_trade {
    int row;       /* place in the book, from 0, among all its trades */
    bool expired;  /* else refused */
    char *message; /* complaints about it, or when it expired; owned */
    /* What was read of it: an id that no other has, and of a refused one perhaps no assets,
     * N_PRODUCTS as its product and NaN as its quantity */
    struct trade trade;
};

/* The market, the trades, the settings; and where they are from. */
struct book {
    char *name;              /* the file's own path where it gives none */
    char valuation_date[11]; /* "2026-11-20"; empty where not given */
    struct settings settings;
    struct risk_request risk; /* the group `risk`, and settings.greeks */
    struct market market;
    int n_trades; /* that are to be priced; 0 only where all have expired */
    struct trade *trades;
    int n_unpriced;
    struct unpriced_trade *unpriced; /* [n_unpriced] the others, in the book's order */
    int n_scripts;
    struct script **scripts; /* [n_scripts] that trades point to; owned */
    int n_files;
    char **files;    /* the book's path as given, then its includes; trades point to these names */
    uint64_t digest; /* of the bytes of these files as they were read */
    /* What is allowed, and worth a line all the same; in the order of the file */
    struct complaints notes;
};

void book_free(struct book *book);

#endif
