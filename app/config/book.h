/* A book: the market of a night, the trades on it and how to price them, read from a libconfig
 * file. */
#ifndef PRICER_APP_CONFIG_BOOK_H
#define PRICER_APP_CONFIG_BOOK_H

#include "app/config/unpriced.h"
#include "models/base/complaints.h"
#include "app/pricing/settings.h"
#include "app/pricing/risk_request.h"
#include "models/market/market.h"
#include "models/base/status.h"
#include "models/payoffs/trade.h"

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
    int n_files;
    char **files;    /* the book's path as given, then its includes; trades point to these names */
    uint64_t digest; /* of the bytes of these files as they were read */
    /* What is allowed, and worth a line all the same; in the order of the file */
    struct complaints notes;
};

/* Reads the book at `path`. The caller frees it with book_free, and `complaints` (begun as {0})
 * with complaints_free. `complaints` holds every error found, one line each as `file:line: trade
 * 'T7': strike must be > 0, got -5`. An error in a trade's own keys leaves that trade unpriced
 * (settings.on_bad_trade); any other, an unreadable file included, and a book without a trade left,
 * is STATUS_BAD_INPUT: then `book` is empty. STATUS_NO_MEMORY. */
enum status book_load(const char *path, struct book *book, struct complaints *complaints);

/* The same with `n_sets` values put in place of the file's, each `PATH=VALUE` as of `--set`. */
enum status book_load_set(const char *path, int n_sets, const char *const *sets, struct book *book,
                          struct complaints *complaints);

void book_free(struct book *book);

#endif
