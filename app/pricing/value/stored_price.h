/* Prices, through a store: what is stored is not priced again. */
#ifndef PRICER_APP_PRICING_VALUE_STORED_PRICE_H
#define PRICER_APP_PRICING_VALUE_STORED_PRICE_H

#include "app/pricing/base/store.h"
#include "kernels/engine.h"
#include "models/base/bytes.h"

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

/* ---- by all ranks of a run (ranked_price.c) -------------------------------------------------- */

/* Adds the tallies of some groups of a plan to bytes, one scenario set after the other; and reads
 * them back: false where some are missing. */
enum status tallies_put(const struct plan *groups, const struct tally *tallies, struct bytes *to);
bool tallies_take(const struct plan *groups, struct bytes *from, struct tally *tallies);

/* Does what engine_price() does of a section of a plan, some of its groups in their order; after
 * the `last` the followers go on. A section may be empty. `key` names the plan among ranks. Errors
 * are those of the engine. */
enum status ranked_price(const struct plan_pricing *pricing, uint64_t key,
                         const struct plan *section, bool last, struct engine_report *report,
                         struct message *why);

/* Does what the leader asks of the plan; tallies and totals are filled where
 * options->everywhere. */
enum status ranked_follow(const struct plan_pricing *pricing, uint64_t key, struct message *why);

#endif
