/* References and upper bounds, from the journal where they are stored there. */
#ifndef PRICER_APP_CHECK_JOURNAL_H
#define PRICER_APP_CHECK_JOURNAL_H

#include "app/database/journal.h"
#include "kernels/exercise_upper.h"
#include "validation/reference/reference.h"

/* reference_price with a whole effort, whose STATUS_FAILED and `why` are remembered as well. Its method lives
 * as long as the journal. STATUS_FILE and one line in `failure`: the journal failed. Thread safe. */
enum status reference_or_recall(struct journal *journal, const struct market *market,
                                const struct trade *trade, uint64_t seed, const volatile int *stop,
                                struct reference *reference, struct message *why, struct message *failure);

/* exercise_upper. */
enum status bound_or_recall(struct journal *journal, const struct plan *plan,
                            const struct upper_options *options, struct tally *uppers, struct message *why);

#endif
