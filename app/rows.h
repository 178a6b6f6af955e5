/* The rows of the results: every trade of the book in its order, those that were not priced among the others.
 */
#ifndef PRICER_APP_ROWS_H
#define PRICER_APP_ROWS_H

#include "app/config/book.h"
#include "app/estimate.h"
#include "app/risk/risk.h"

struct rows {
    int n;
    const struct trade *trades;       /* [n] */
    const struct estimate *estimates; /* [n] */
    struct trade *own_trades;         /* where there are trades set aside; what they point to is not owned */
    struct estimate *own_estimates;
};

/* Puts the trades set aside between those of `estimates`, which are of book->trades, and gives them rows
 * without numbers in `risk`. STATUS_NO_MEMORY. The caller frees with rows_free, whatever is returned. */
enum status rows_make(const struct book *book, const struct estimate *estimates, struct risk *risk,
                      struct rows *rows);

void rows_free(struct rows *rows);

#endif
