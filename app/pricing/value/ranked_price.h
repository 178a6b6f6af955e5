/* Prices by all ranks of a run: its pieces are batches of paths, or groups. */
#ifndef PRICER_APP_PRICING_VALUE_RANKED_PRICE_H
#define PRICER_APP_PRICING_VALUE_RANKED_PRICE_H

#include "kernels/engine.h"

/* One plan on its way through the ranks. */
struct ranked_plan {
    const struct engine *engine;
    const struct plan *plan; /* whole, as every rank has it */
    const struct engine_options *options;
    uint64_t key;
    struct tally *tallies; /* [contrast, or scenario][trade] */
    double *totals;        /* [chunk][contrast][total]; NULL where the plan has none */
};

/* Does what engine_price() does of a section of the plan, some of its groups in their order; after
 * the `last` the followers go on. A section may be empty. Errors are those of the engine. */
enum status ranked_price(const struct ranked_plan *ranked, const struct plan *section, bool last,
                         struct engine_report *report, struct message *why);

/* Does what the leader asks of the plan; tallies and totals are filled where
 * options->everywhere. */
enum status ranked_follow(const struct ranked_plan *ranked, struct message *why);

#endif
