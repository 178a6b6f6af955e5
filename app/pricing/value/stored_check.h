/* References and upper bounds, from the store where they are kept there. */
#ifndef PRICER_APP_PRICING_VALUE_STORED_CHECK_H
#define PRICER_APP_PRICING_VALUE_STORED_CHECK_H

#include "app/pricing/base/estimate.h"
#include "app/pricing/base/store.h"
#include "app/pricing/value/exercise/exercise_upper.h"
#include "validation/reference/reference.h"
#include "models/base/stop.h"

/* A reference, wherever it came from. */
struct known_reference {
    double price, error;           /* of one unit */
    char method[REFERENCE_METHOD]; /* "" where there is none */
};

/* Makes a reference: reference_price with a whole effort; one that fails has no method. */
enum status reference_make(const struct market *market, const struct trade *trade, uint64_t seed,
                           const struct stop *stop, struct known_reference *reference,
                           struct message *why);

/* Keeps a reference, or why there is none. STATUS_FILE and one line in `failure`. */
enum status reference_keep(const struct store *store, const struct trade *trade, uint64_t seed,
                           const struct known_reference *reference, const struct message *why,
                           struct message *failure);

/* Takes a reference from the store, where it is *there; then STATUS_FAILED and `why` are as it was
 * made. STATUS_FILE and one line in `failure`. */
enum status reference_recall(const struct store *store, const struct trade *trade, uint64_t seed,
                             struct known_reference *reference, bool *there, struct message *why,
                             struct message *failure);

/* Takes it from there, or makes and keeps it. Thread safe. */
enum status reference_or_recall(const struct store *store, const struct market *market,
                                const struct trade *trade, uint64_t seed, const struct stop *stop,
                                struct known_reference *reference, struct message *why,
                                struct message *failure);

/* Lets the followers go on that wait for bounds, where there are any. */
enum status bound_nothing(const struct plan *plan, const struct upper_options *options,
                          struct tally *uppers);

/* exercise_upper. */
enum status bound_or_recall(const struct store *store, const struct plan *plan,
                            const struct upper_options *options, struct tally *uppers,
                            struct message *why);

#endif
