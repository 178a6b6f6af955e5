#include "app/pricing/risk/book_sums.h"

#include <math.h>
#include <stdlib.h>

#include "models/payoffs/payoff_definition.h"

/* Returns the rates of the trades' currencies into that of the sums, NaN where none leads there;
 * the caller frees. */
static double *rates_of(const struct book_rows *rows, const struct aggregation *aggregation)
{
    double *rates = malloc(((size_t)rows->n + 1) * sizeof *rates);
    for (int i = 0; rates && i < rows->n; i++) {
        int cell = aggregation->cell_of[i], first = cell < 0 ? i : aggregation->first[cell];
        rates[i] = first < i  ? rates[first]
                   : cell < 0 ? NAN
                              : conversion_rate(rows->market,
                                                trade_currency(rows->market, &rows->trades[i]),
                                                rows->currency);
    }
    return rates;
}

static enum status sum_greeks(const struct book_rows *rows, const double *rates,
                              struct clusters *clusters, struct book_sums *sums)
{
    const struct risk *risk = rows->risk;
    struct greek_value *greeks = malloc(((size_t)rows->n + 1) * sizeof *greeks); /* of one column */
    const struct summands summands = {&greeks->value, &greeks->std_error, sizeof *greeks, rates,
                                      false};
    for (int s = 0; greeks && s < risk->n_sensitivities; s++) {
        for (int i = 0; i < rows->n; i++) greeks[i] = *risk_greek(risk, s, i);
        aggregation_sum(&sums->aggregation, clusters, &summands,
                        sums->greeks + (size_t)s * (size_t)sums->aggregation.n);
    }
    free(greeks);
    return greeks ? STATUS_OK : STATUS_NO_MEMORY;
}

static void free_values(struct book_sums *sums)
{
    free(sums->values);
    free(sums->greeks);
    sums->values = sums->greeks = NULL;
}

enum status book_sums_make(const struct book_rows *rows, struct book_sums *sums)
{
    enum status status = STATUS_OK;
    double *rates = NULL;
    int n_greeks = rows->risk ? rows->risk->n_sensitivities : 0;
    free_values(sums);
    if (sums->clusters.cluster_of) aggregation_follow(&sums->aggregation, rows->market);
    else {
        TRY(aggregation_make(rows->market, rows->n, rows->trades, NULL, &sums->aggregation));
        TRY(clusters_make(rows->market, rows->trades, &sums->aggregation, &sums->clusters));
    }
    rates = rates_of(rows, &sums->aggregation);
    size_t n = (size_t)sums->aggregation.n;
    sums->values = calloc(n + 1, sizeof *sums->values);
    sums->greeks = calloc(n * (size_t)n_greeks + 1, sizeof *sums->greeks);
    if (!rates || !sums->values || !sums->greeks) TRY(STATUS_NO_MEMORY);
    const struct summands prices = {&rows->estimates->price, &rows->estimates->std_error,
                                    sizeof *rows->estimates, rates, rows->points};
    if (rows->n) aggregation_sum(&sums->aggregation, &sums->clusters, &prices, sums->values);
    if (n_greeks && rows->n) TRY(sum_greeks(rows, rates, &sums->clusters, sums));
done:
    free(rates);
    if (status) book_sums_free(sums);
    return status;
}

void book_sums_free(struct book_sums *sums)
{
    aggregation_free(&sums->aggregation);
    clusters_free(&sums->clusters);
    free_values(sums);
}
