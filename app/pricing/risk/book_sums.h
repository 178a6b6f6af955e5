/* What the trades of a book come to, by aggregate: values and Greeks, in the currency of the
 * totals. P&L and tails, whose errors are known, are in struct risk. */
#ifndef PRICER_APP_PRICING_RISK_BOOK_SUMS_H
#define PRICER_APP_PRICING_RISK_BOOK_SUMS_H

#include "app/pricing/base/aggregation.h"
#include "app/pricing/base/estimate.h"
#include "app/pricing/base/risk.h"

/* Of what sums are made. */
struct book_rows {
    const struct market *market;
    int n;
    const struct trade *trades;       /* [n] */
    const struct estimate *estimates; /* [n] */
    int currency;                     /* of the sums */
    const struct risk *risk;          /* NULL: no Greeks */
    bool points;                      /* prices come of Sobol points, which all trades share */
};

/* The trades of an aggregate in clusters: two trades that have an asset in common, or are linked by
 * others that have, are in one. Trades of different clusters draw different random numbers
 * (kernels/plan.h), so that their errors are independent; within a cluster they may go together
 * fully, and the error of a sum is at most
 *
 *     sqrt(sum over clusters of (sum over trades of |rate| std_error)^2). */
struct clusters {
    int n;
    int *cluster_of; /* [way][trade]; -1 of a trade whose assets are not known */
    int *aggregate;  /* [cluster] that it belongs to */
    double *errors;  /* [cluster] room for sums */
};

struct book_sums {
    struct aggregation aggregation;
    struct clusters clusters;
    struct money_total *values; /* [aggregate] */
    /* [sensitivity][aggregate] money for each unit of the same denominator, so that trades of all
     * currencies add */
    struct money_total *greeks;
};

/* Makes them, at today's FX rates. `sums` begins as zeros, or is that of rows of the same trades on
 * a market of the same assets: how these are added up is then kept. STATUS_NO_MEMORY. Free with
 * book_sums_free, whatever is returned. */
enum status book_sums_make(const struct book_rows *rows, struct book_sums *sums);
void book_sums_free(struct book_sums *sums);

#endif
