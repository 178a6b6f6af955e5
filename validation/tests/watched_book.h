/* A book of trades that see the same few dates, more of them than a walk carries: what they
 * remember comes by looking back (struct look of kernels/plan.h). */
#ifndef PRICER_VALIDATION_TESTS_WATCHED_BOOK_H
#define PRICER_VALIDATION_TESTS_WATCHED_BOOK_H

#include "app/pricing/base/book.h"

enum { WATCHED_TRADES = 84, WATCHED_NOTE = 72 }; /* trades; the number of an autocallable */

/* Loads it: WATCHED_TRADES trades on one asset, or on two, whose first is under heston where
 * `clocked`, so that barriers watched at every moment read its clock. Free with book_free. Aborts
 * where it cannot. */
void watched_book_load(bool clocked, struct book *book);

/* Tells whether a trade is one of the few whose dates are all that any trade on its assets sees. */
bool watched_keeps_dates(int trade);

#endif
