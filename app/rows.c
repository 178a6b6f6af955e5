#include "app/rows.h"

#include <math.h>
#include <stdlib.h>

/* The estimate of a trade that was set aside. */
static struct estimate aside_estimate(const struct aside *aside)
{
    double error = aside->expired ? 0.0 : NAN;
    return (struct estimate){.price = aside->value,
                             .std_error = error,
                             .reference = NAN,
                             .reference_error = NAN,
                             .variance_ratio = NAN,
                             .upper = NAN,
                             .upper_error = NAN,
                             .z = NAN,
                             .reference_method = "",
                             .verdict = aside->expired ? VERDICT_EXPIRED : VERDICT_REFUSED,
                             .message = aside->message};
}

enum status rows_make(const struct book *book, const struct estimate *estimates, struct risk *risk,
                      struct rows *rows)
{
    enum status status = STATUS_OK;
    int n = book->n_trades + book->n_asides, *row_of = NULL;
    *rows = (struct rows){.n = n, .trades = book->trades, .estimates = estimates};
    if (!book->n_asides) return STATUS_OK;
    rows->trades = rows->own_trades = calloc((size_t)n, sizeof *rows->own_trades);
    rows->estimates = rows->own_estimates = calloc((size_t)n, sizeof *rows->own_estimates);
    row_of = calloc((size_t)n, sizeof *row_of);
    if (!rows->own_trades || !rows->own_estimates || !row_of) TRY(STATUS_NO_MEMORY);
    for (int row = 0, priced = 0, aside = 0; row < n; row++) {
        if (aside < book->n_asides && book->asides[aside].row == row) {
            rows->own_trades[row] = book->asides[aside].trade;
            rows->own_estimates[row] = aside_estimate(&book->asides[aside++]);
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

void rows_free(struct rows *rows)
{
    free(rows->own_trades);
    free(rows->own_estimates);
    *rows = (struct rows){0};
}
