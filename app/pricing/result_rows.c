#include "app/pricing/result_rows.h"

#include <math.h>
#include <stdlib.h>

/* The estimate of a trade that was set aside. */
static struct estimate unpriced_estimate(const struct unpriced_trade *unpriced)
{
    double error = unpriced->expired ? 0.0 : NAN;
    return (struct estimate){.price = unpriced->value,
                             .std_error = error,
                             .reference = NAN,
                             .reference_error = NAN,
                             .variance_ratio = NAN,
                             .upper = NAN,
                             .upper_error = NAN,
                             .z = NAN,
                             .reference_method = "",
                             .verdict = unpriced->expired ? VERDICT_EXPIRED : VERDICT_REFUSED,
                             .message = unpriced->message};
}

enum status result_rows_make(const struct book *book, const struct estimate *estimates,
                             struct risk *risk, struct result_rows *rows)
{
    enum status status = STATUS_OK;
    int n = book->n_trades + book->n_unpriced, *row_of = NULL;
    *rows = (struct result_rows){.n = n, .trades = book->trades, .estimates = estimates};
    if (!book->n_unpriced) return STATUS_OK;
    rows->trades = rows->own_trades = calloc((size_t)n, sizeof *rows->own_trades);
    rows->estimates = rows->own_estimates = calloc((size_t)n, sizeof *rows->own_estimates);
    row_of = calloc((size_t)n, sizeof *row_of);
    if (!rows->own_trades || !rows->own_estimates || !row_of) TRY(STATUS_NO_MEMORY);
    for (int row = 0, priced = 0, unpriced = 0; row < n; row++) {
        if (unpriced < book->n_unpriced && book->unpriced[unpriced].row == row) {
            rows->own_trades[row] = book->unpriced[unpriced].trade;
            rows->own_estimates[row] = unpriced_estimate(&book->unpriced[unpriced++]);
        } else {
            row_of[priced] = row;
            rows->own_trades[row] = book->trades[priced];
            rows->own_estimates[row] = estimates[priced++];
        }
    }
    TRY(risk_spread(risk, n, row_of));
done:
    free(row_of);
    return status;
}

void result_rows_free(struct result_rows *rows)
{
    free(rows->own_trades);
    free(rows->own_estimates);
    *rows = (struct result_rows){0};
}
