/* References and upper bounds, from the store where they are kept there. */
#ifndef PRICER_APP_PRICING_STORED_CHECK_H
#define PRICER_APP_PRICING_STORED_CHECK_H

#include "app/pricing/estimate.h"
#include "app/pricing/store.h"
#include "app/pricing/exercise/exercise_upper.h"
#include "validation/reference/reference.h"
#include "models/base/stop.h"

/* A reference, wherever it came from. */
struct known_reference {
    double price, error;           /* of one unit */
    char method[REFERENCE_METHOD]; /* "" where there is none */
};

/* reference_price with a whole effort, whose STATUS_FAILED and `why` are remembered as well.
 * STATUS_FILE and one line in `failure`: the store failed. Thread safe. */
enum status reference_or_recall(const struct store *store, const struct market *market,
                                const struct trade *trade, uint64_t seed, const struct stop *stop,
                                struct known_reference *reference, struct message *why,
                                struct message *failure);

/* exercise_upper. */
enum status bound_or_recall(const struct store *store, const struct plan *plan,
                            const struct upper_options *options, struct tally *uppers,
                            struct message *why);

#endif
