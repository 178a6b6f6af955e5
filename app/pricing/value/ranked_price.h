/* Prices by all ranks of a run: its pieces are batches of paths, or groups. */
#ifndef PRICER_APP_PRICING_VALUE_RANKED_PRICE_H
#define PRICER_APP_PRICING_VALUE_RANKED_PRICE_H

#include "app/pricing/value/stored_price.h"
#include "models/base/bytes.h"

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
