/* Prices, through a store: what is stored is not priced again. */
#ifndef PRICER_APP_PRICING_VALUE_STORED_PRICE_H
#define PRICER_APP_PRICING_VALUE_STORED_PRICE_H

#include "app/pricing/base/store.h"
#include "kernels/engine.h"

/* A plan to be priced, and where its numbers are to be put. */
struct plan_pricing {
    const struct store *store; /* NULL: none */
    const struct engine *engine;
    const struct plan *plan;
    const struct engine_options *options;
    struct tally *tallies; /* [contrast, or scenario][trade] */
    double *totals;        /* [chunk][contrast][total]; NULL where the plan has none */
};

/* The same as engine_price(), to the bit; with a store the plan's groups are priced section by
 * section, about a second of work each (a few on a GPU), and those that are stored are not priced
 * again. The report adds the sections up. Errors are those of the engine and of the store. */
enum status stored_price(const struct plan_pricing *pricing, struct engine_report *report,
                         struct message *why);

#endif
