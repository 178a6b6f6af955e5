/* Sums over trades whose errors are not known together (app/pricing/base/aggregation.h). */
#include <math.h>
#include <stdlib.h>

#include "app/pricing/base/aggregation.h"

/* Sets of assets, each known by one of them: parent [asset]. */
static int root_of(int *parent, int asset)
{
    while (parent[asset] != asset) asset = parent[asset] = parent[parent[asset]];
    return asset;
}

/* Returns the trade's first asset; `none`, which stands behind all assets, where it has none. */
static int first_asset(const struct trade *trade, int none)
{
    return trade_n_assets(trade) ? trade_asset(trade, 0) : none;
}

static void link_assets(const struct trade *trade, int none, int *parent)
{
    int root = root_of(parent, first_asset(trade, none));
    for (int i = 1; i < trade_n_assets(trade); i++)
        parent[root_of(parent, trade_asset(trade, i))] = root;
    if (trade->quanto >= 0) parent[root_of(parent, trade->quanto)] = root;
}

static void part_assets(const struct trade *trade, int none, int *parent, int *cluster)
{
    parent[none] = none;
    cluster[none] = -1;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        int asset = trade_asset(trade, i);
        parent[asset] = asset;
        cluster[asset] = -1;
    }
    if (trade->quanto >= 0) {
        parent[trade->quanto] = trade->quanto;
        cluster[trade->quanto] = -1;
    }
}

/* Lists trades by their aggregate: trades [n], those of aggregate a from begin[a] on. */
static void list_by_aggregate(int n, const int *aggregate_of, int n_aggregates, int *begin,
                              int *trades)
{
    for (int a = 0; a <= n_aggregates; a++) begin[a] = 0;
    for (int i = 0; i < n; i++)
        if (aggregate_of[i] >= 0) begin[aggregate_of[i] + 1]++;
    for (int a = 0; a < n_aggregates; a++) begin[a + 1] += begin[a];
    for (int i = 0; i < n; i++)
        if (aggregate_of[i] >= 0) trades[begin[aggregate_of[i]]++] = i;
    for (int a = n_aggregates; a > 0; a--) begin[a] = begin[a - 1];
    begin[0] = 0;
}

struct cluster_room {
    int none;
    int *parent, *cluster; /* [asset], then `none` */
    int *begin, *listed;
};

static void cluster_aggregate(const struct trade *trades, int aggregate, int *cluster_of,
                              const struct cluster_room *room, struct clusters *clusters)
{
    const int *listed = room->listed + room->begin[aggregate];
    int n = room->begin[aggregate + 1] - room->begin[aggregate];
    for (int i = 0; i < n; i++)
        part_assets(&trades[listed[i]], room->none, room->parent, room->cluster);
    for (int i = 0; i < n; i++) link_assets(&trades[listed[i]], room->none, room->parent);
    for (int i = 0; i < n; i++) {
        int *cluster =
            &room->cluster[root_of(room->parent, first_asset(&trades[listed[i]], room->none))];
        if (*cluster < 0) {
            *cluster = clusters->n;
            clusters->aggregate[clusters->n++] = aggregate;
        }
        cluster_of[listed[i]] = *cluster;
    }
}

enum status clusters_make(const struct market *market, const struct trade *trades,
                          const struct aggregation *aggregation, struct clusters *clusters)
{
    enum status status = STATUS_OK;
    int n = aggregation->n_trades;
    size_t cells = (size_t)n * (size_t)aggregation->n_ways + 1;
    size_t assets = ((size_t)market->n_assets + 1) * sizeof(int);
    struct cluster_room room = {market->n_assets, malloc(assets), malloc(assets),
                                malloc(((size_t)aggregation->n + 2) * sizeof(int)),
                                malloc(((size_t)n + 1) * sizeof(int))};
    *clusters = (struct clusters){.cluster_of = malloc(cells * sizeof(int)),
                                  .aggregate = malloc(cells * sizeof(int)),
                                  .errors = malloc(cells * sizeof(double))};
    if (!room.parent || !room.cluster || !room.begin || !room.listed || !clusters->cluster_of ||
        !clusters->aggregate || !clusters->errors)
        TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i + 1 < cells; i++) clusters->cluster_of[i] = -1;
    for (int way = 0; way < aggregation->n_ways; way++) {
        size_t at = (size_t)way * (size_t)n;
        list_by_aggregate(n, aggregation->aggregate_of + at, aggregation->n, room.begin,
                          room.listed);
        for (int a = 0; a < aggregation->n; a++)
            cluster_aggregate(trades, a, clusters->cluster_of + at, &room, clusters);
    }
done:
    free(room.parent);
    free(room.cluster);
    free(room.begin);
    free(room.listed);
    return status;
}

void clusters_free(struct clusters *clusters)
{
    free(clusters->cluster_of);
    free(clusters->aggregate);
    free(clusters->errors);
    *clusters = (struct clusters){0};
}

static double number_of(const double *numbers, size_t stride, size_t i)
{
    return *(const double *)(const void *)((const char *)numbers + i * stride);
}

void aggregation_sum(const struct aggregation *aggregation, struct clusters *clusters,
                     const struct summands *summands, struct money_total *totals)
{
    size_t n = (size_t)aggregation->n_trades;
    for (int c = 0; c < clusters->n; c++) clusters->errors[c] = 0.0;
    for (int a = 0; a < aggregation->n; a++) totals[a] = (struct money_total){0};
    for (int way = 0; way < aggregation->n_ways; way++)
        for (size_t i = 0; i < n; i++) {
            int aggregate = aggregation->aggregate_of[(size_t)way * n + i];
            double value = number_of(summands->values, summands->stride, i);
            double error = number_of(summands->errors, summands->stride, i);
            double rate = summands->rates[i];
            if (aggregate < 0 || isnan(value)) continue;
            totals[aggregate].left_out += isnan(rate);
            if (isnan(rate)) continue;
            totals[aggregate].n++;
            totals[aggregate].value += rate * value;
            clusters->errors[clusters->cluster_of[(size_t)way * n + i]] += fabs(rate * error);
        }
    for (int c = 0; c < clusters->n; c++) {
        double *error = &totals[clusters->aggregate[c]].error;
        *error =
            summands->together ? *error + clusters->errors[c] : hypot(*error, clusters->errors[c]);
    }
}
