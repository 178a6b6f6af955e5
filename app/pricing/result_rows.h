/* The rows of the results: every trade of the book in its order, those that were not priced among
 * the others. */
#ifndef PRICER_APP_PRICING_RESULT_ROWS_H
#define PRICER_APP_PRICING_RESULT_ROWS_H

#include "app/pricing/book.h"
#include "app/pricing/estimate.h"
#include "app/pricing/risk.h"

struct result_rows {
    int n;
    const struct trade *trades;       /* [n] */
    const struct estimate *estimates; /* [n] */
    struct trade *own_trades; /* where there are unpriced trades; what they point to is not owned */
    struct estimate *own_estimates;
};

/* Puts the unpriced trades between those of `estimates`, which are of book->trades, and gives them
 * rows without numbers in `risk`. STATUS_NO_MEMORY. The caller frees with result_rows_free,
 * whatever is returned. */
enum status result_rows_make(const struct book *book, const struct estimate *estimates,
                             struct risk *risk, struct result_rows *rows);

void result_rows_free(struct result_rows *rows);

#endif
