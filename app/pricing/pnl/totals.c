#include "app/pricing/pnl/totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/pnl/currency_conversion.h"
#include "models/payoffs/payoff_definition.h"

static enum status add_aggregate(struct risk *risk, const char *name)
{
    struct aggregate *larger =
        realloc(risk->aggregates, (size_t)(risk->n_aggregates + 1) * sizeof *larger);
    if (!larger) return STATUS_NO_MEMORY;
    risk->aggregates = larger;
    larger[risk->n_aggregates] = (struct aggregate){.name = strdup(name)};
    return larger[risk->n_aggregates++].name ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Aggregates of the assets that trades are on, in the market's order: aggregate_of [asset]. */
static enum status list_aggregates(const struct market *market, int n_trades,
                                   const struct trade *trades, struct risk *risk, int *aggregate_of)
{
    enum status status = STATUS_OK;
    for (int a = 0; a < market->n_assets; a++) aggregate_of[a] = -1;
    for (int i = 0; i < n_trades; i++) aggregate_of[trade_asset(&trades[i], 0)] = 0;
    TRY(add_aggregate(risk, "total"));
    for (int a = 0; a < market->n_assets; a++) {
        if (aggregate_of[a] < 0) continue;
        aggregate_of[a] = risk->n_aggregates;
        TRY(add_aggregate(risk, market->assets[a].name));
    }
done:
    return status;
}

/* Index of the total, added where it is new; there are at most as many as trades. */
static int total_index(struct totals *totals, struct total wanted)
{
    for (int i = totals->n - 1; i >= 0; i--)
        if (totals->totals[i].aggregate == wanted.aggregate &&
            totals->totals[i].currency == wanted.currency)
            return i;
    totals->totals[totals->n] = wanted;
    return totals->n++;
}

enum status totals_make(const struct market *market, int n_trades, const struct trade *trades,
                        struct risk *risk, struct totals *totals)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)n_trades + 1;
    int *aggregate_of = malloc(((size_t)market->n_assets + 1) * sizeof *aggregate_of);
    *totals = (struct totals){.totals = calloc(n, sizeof *totals->totals),
                              .total_of = calloc(n, sizeof *totals->total_of),
                              .quantities = calloc(n, sizeof *totals->quantities)};
    if (!aggregate_of || !totals->totals || !totals->total_of || !totals->quantities)
        TRY(STATUS_NO_MEMORY);
    TRY(list_aggregates(market, n_trades, trades, risk, aggregate_of));
    for (int i = 0; i < n_trades; i++) {
        int currency = trade_currency(market, &trades[i]);
        bool known = !isnan(conversion_rate(market, currency, risk->currency));
        totals->quantities[i] = trades[i].quantity;
        totals->n_left_out += !known;
        totals->total_of[i] =
            known ? total_index(totals,
                                (struct total){aggregate_of[trade_asset(&trades[i], 0)], currency})
                  : -1;
    }
done:
    free(aggregate_of);
    if (status) totals_free(totals);
    return status;
}

void totals_free(struct totals *totals)
{
    free(totals->totals);
    free(totals->total_of);
    free(totals->quantities);
    *totals = (struct totals){0};
}
