/* How the trades of a book are added up: all together, by their first asset, and by each tag.
 *
 * A *cell* holds the trades of one asset, one currency and one value of each tag: what is added up
 * in cells, chunk by chunk of paths, can be added further to every aggregate. */
#ifndef PRICER_APP_PRICING_BASE_AGGREGATION_H
#define PRICER_APP_PRICING_BASE_AGGREGATION_H

#include "models/base/complaints.h"
#include "models/base/status.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Ways to add trades up: these, then one for each tag. */
enum { BY_ALL, BY_ASSET, BY_FIRST_TAG };

/* Most aggregates of tags, and most cells: the tag of the most values is left out beyond. */
enum { TAG_AGGREGATES_MAX = 1024, CELLS_MAX = 16384 };

struct aggregate_name {
    int way;
    const char *name; /* "total", an asset, a value of a tag, or "(none)" of trades without it */
    int asset;        /* index into the market's; -1 of others */
};

struct aggregation {
    int n_trades;
    int n_tags;
    const char **tags; /* [n_tags] all that trades have, also those that nothing is added up by */
    int n_ways;
    const char **ways; /* [n_ways] "total", "asset", then names of tags; the market's and trades' */
    int n;
    struct aggregate_name *names; /* [n] way after way: the total, assets in the market's order, */
    int *aggregate_of; /* [way][trade] index into names; -1 of a trade whose assets are not known */
    int n_cells;
    int *cell_of; /* [trade], -1 as above */
    int *first;   /* [cell] its first trade */
};

/* Lists them. A tag that is left out is noted in `notes`, which may be NULL. STATUS_NO_MEMORY. Free
 * with aggregation_free, whatever is returned. */
enum status aggregation_make(const struct market *market, int n_trades, const struct trade *trades,
                             struct complaints *notes, struct aggregation *aggregation);
void aggregation_free(struct aggregation *aggregation);

/* Takes the names of another market, of the same assets. */
void aggregation_follow(struct aggregation *aggregation, const struct market *market);

/* Sums of one number over the trades of each aggregate. */
struct money_total {
    int n;        /* trades in it */
    int left_out; /* that no FX rate leads from */
    double value; /* NAN where there are none, as its error is */
    double error; /* what it is at most (app/pricing/risk/book_sums.h) */
};

#endif
