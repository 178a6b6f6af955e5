/* Which total a trade is counted in, and the money of totals in the reporting currency. */
#ifndef PRICER_APP_PRICING_PNL_TOTALS_H
#define PRICER_APP_PRICING_PNL_TOTALS_H

#include "app/pricing/risk.h"
#include "models/market/market.h"
#include "models/base/status.h"
#include "models/payoffs/trade.h"

/* Trades on the same (first) asset that pay in the same currency. */
struct total {
    int aggregate; /* index into risk->aggregates: that of the asset */
    int currency;
};

/* The totals of a book. */
struct totals {
    int n;
    struct total *totals; /* [n]; owned */
    /* [trade] index into `totals`; -1 where no FX rate leads to the reporting currency */
    int *total_of;
    double *quantities; /* [trade]; owned, as `total_of` is */
    int n_left_out;     /* trades with -1 */
};

/* Sorts the trades into totals and names risk->aggregates, the whole book first; their arrays stay
 * NULL. Free with totals_free. STATUS_NO_MEMORY. */
enum status totals_make(const struct market *market, int n_trades, const struct trade *trades,
                        struct risk *risk, struct totals *totals);
void totals_free(struct totals *totals);

#endif
