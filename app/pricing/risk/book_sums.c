#include "app/pricing/risk/book_sums.h"

#include <math.h>
#include <stdlib.h>

#include "models/payoffs/payoff_definition.h"

/* ---- clusters ------------------------------------------------------------------------------- */

/* Sets of assets, each known by one of them: parent [asset]. */
static int root_of(int *parent, int asset)
{
    while (parent[asset] != asset) asset = parent[asset] = parent[parent[asset]];
    return asset;
}

/* Returns how many assets link a trade to others, and asset i of these: its assets, or `none`,
 * which stands behind all assets, where it has none; then those of its quanto. */
static int count_linked(const struct trade *trade)
{
    return trade_n_involved(trade) + !trade_n_assets(trade);
}

static int linked_asset(const struct trade *trade, int none, int i)
{
    if (trade_n_assets(trade)) return trade_involved(trade, i);
    return i ? trade_involved(trade, i - 1) : none;
}

/* Room for the sets of an aggregate. */
struct cluster_room {
    int none;
    int *parent, *cluster; /* [asset], then `none` */
    int *head, *next;      /* [aggregate] its first trade, [trade] the next one of it; -1: none */
};

static void cluster_aggregate(const struct trade *trades, int aggregate, int *cluster_of,
                              const struct cluster_room *room, struct clusters *clusters)
{
    int none = room->none, *parent = room->parent;
    for (int t = room->head[aggregate]; t >= 0; t = room->next[t])
        for (int i = 0; i < count_linked(&trades[t]); i++) {
            int asset = linked_asset(&trades[t], none, i);
            parent[asset] = asset;
            room->cluster[asset] = -1;
        }
    for (int t = room->head[aggregate]; t >= 0; t = room->next[t]) {
        int root = root_of(parent, linked_asset(&trades[t], none, 0));
        for (int i = 1; i < count_linked(&trades[t]); i++)
            parent[root_of(parent, linked_asset(&trades[t], none, i))] = root;
    }
    for (int t = room->head[aggregate]; t >= 0; t = room->next[t]) {
        int *cluster = &room->cluster[root_of(parent, linked_asset(&trades[t], none, 0))];
        if (*cluster < 0) {
            *cluster = clusters->n;
            clusters->aggregate[clusters->n++] = aggregate;
        }
        cluster_of[t] = *cluster;
    }
}

static enum status clusters_make(const struct market *market, const struct trade *trades,
                                 const struct aggregation *aggregation, struct clusters *clusters)
{
    enum status status = STATUS_OK;
    int n = aggregation->n_trades;
    size_t cells = (size_t)n * (size_t)aggregation->n_ways + 1;
    size_t assets = ((size_t)market->n_assets + 1) * sizeof(int);
    struct cluster_room room = {market->n_assets, malloc(assets), malloc(assets),
                                malloc(((size_t)aggregation->n + 1) * sizeof(int)),
                                malloc(((size_t)n + 1) * sizeof(int))};
    *clusters = (struct clusters){.cluster_of = malloc(cells * sizeof(int)),
                                  .aggregate = malloc(cells * sizeof(int)),
                                  .errors = malloc(cells * sizeof(double))};
    if (!room.parent || !room.cluster || !room.head || !room.next || !clusters->cluster_of ||
        !clusters->aggregate || !clusters->errors)
        TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i + 1 < cells; i++) clusters->cluster_of[i] = -1;
    for (int way = 0; way < aggregation->n_ways; way++) {
        size_t at = (size_t)way * (size_t)n;
        for (int a = 0; a < aggregation->n; a++) room.head[a] = -1;
        for (int i = n - 1; i >= 0; i--) {
            int aggregate = aggregation->aggregate_of[at + (size_t)i];
            if (aggregate < 0) continue;
            room.next[i] = room.head[aggregate];
            room.head[aggregate] = i;
        }
        for (int a = 0; a < aggregation->n; a++)
            cluster_aggregate(trades, a, clusters->cluster_of + at, &room, clusters);
    }
done:
    free(room.parent);
    free(room.cluster);
    free(room.head);
    free(room.next);
    return status;
}

static void clusters_free(struct clusters *clusters)
{
    free(clusters->cluster_of);
    free(clusters->aggregate);
    free(clusters->errors);
    *clusters = (struct clusters){0};
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* Sums values and their errors [trade], NaN: none, at these rates into totals [aggregate].
 * `together`: trades share their random numbers whatever they are on (Sobol points). */
static void sum_up(const struct book_sums *sums, const double *values, const double *errors,
                   const double *rates, bool together, struct money_total *totals)
{
    const struct aggregation *aggregation = &sums->aggregation;
    const struct clusters *clusters = &sums->clusters;
    size_t n = (size_t)aggregation->n_trades;
    for (int c = 0; c < clusters->n; c++) clusters->errors[c] = 0.0;
    for (int a = 0; a < aggregation->n; a++) totals[a] = (struct money_total){0};
    for (int way = 0; way < aggregation->n_ways; way++)
        for (size_t i = 0; i < n; i++) {
            int aggregate = aggregation->aggregate_of[(size_t)way * n + i];
            if (aggregate < 0 || isnan(values[i])) continue;
            totals[aggregate].left_out += isnan(rates[i]);
            if (isnan(rates[i])) continue;
            totals[aggregate].n++;
            totals[aggregate].value += rates[i] * values[i];
            clusters->errors[clusters->cluster_of[(size_t)way * n + i]] +=
                fabs(rates[i] * errors[i]);
        }
    for (int c = 0; c < clusters->n; c++) {
        double *error = &totals[clusters->aggregate[c]].error;
        *error = together ? *error + clusters->errors[c] : hypot(*error, clusters->errors[c]);
    }
    for (int a = 0; a < aggregation->n; a++)
        if (!totals[a].n) totals[a].value = totals[a].error = NAN;
}

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

static void free_values(struct book_sums *sums)
{
    free(sums->values);
    free(sums->greeks);
    sums->values = sums->greeks = NULL;
}

enum status book_sums_make(const struct book_rows *rows, struct book_sums *sums)
{
    enum status status = STATUS_OK;
    double *rates = NULL, *values = NULL;
    int n_greeks = rows->risk ? rows->risk->n_sensitivities : 0;
    free_values(sums);
    if (sums->clusters.cluster_of) aggregation_follow(&sums->aggregation, rows->market);
    else {
        TRY(aggregation_make(rows->market, rows->n, rows->trades, NULL, &sums->aggregation));
        TRY(clusters_make(rows->market, rows->trades, &sums->aggregation, &sums->clusters));
    }
    rates = rates_of(rows, &sums->aggregation);
    values = malloc((2 * (size_t)rows->n + 1) * sizeof *values);
    size_t n = (size_t)sums->aggregation.n;
    sums->values = calloc(n + 1, sizeof *sums->values);
    sums->greeks = calloc(n * (size_t)n_greeks + 1, sizeof *sums->greeks);
    if (!rates || !values || !sums->values || !sums->greeks) TRY(STATUS_NO_MEMORY);
    double *errors = values + rows->n;
    for (int i = 0; i < rows->n; i++) {
        values[i] = rows->estimates[i].price;
        errors[i] = rows->estimates[i].std_error;
    }
    if (rows->n) sum_up(sums, values, errors, rates, rows->points, sums->values);
    for (int s = 0; rows->n && s < n_greeks; s++) {
        for (int i = 0; i < rows->n; i++) {
            const struct greek_value *greek = risk_greek(rows->risk, s, i);
            values[i] = greek->value;
            errors[i] = greek->std_error;
        }
        sum_up(sums, values, errors, rates, false, sums->greeks + (size_t)s * n);
    }
done:
    free(rates);
    free(values);
    if (status) book_sums_free(sums);
    return status;
}

void book_sums_free(struct book_sums *sums)
{
    aggregation_free(&sums->aggregation);
    clusters_free(&sums->clusters);
    free_values(sums);
}
