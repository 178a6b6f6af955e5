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

/* Returns how many assets link a trade to others, and asset i of these: its assets, or `none`,
 * which stands behind all assets, where it has none; then that of its quanto. */
static int count_linked(const struct trade *trade)
{
    return (trade_n_assets(trade) ? trade_n_assets(trade) : 1) + (trade->quanto >= 0);
}

static int linked_asset(const struct trade *trade, int none, int i)
{
    if (i < trade_n_assets(trade)) return trade_asset(trade, i);
    return i ? trade->quanto : none;
}

/* Room for the sets of an aggregate. */
struct cluster_room {
    int none;
    int *parent, *cluster; /* [asset], then `none` */
    int *head, *next;      /* [aggregate] its first trade, [trade] the next one of it; -1: none */
};

/* Lists the trades of each aggregate of a way, in their order. */
static void list_by_aggregate(const struct aggregation *aggregation, const int *aggregate_of,
                              const struct cluster_room *room)
{
    for (int a = 0; a < aggregation->n; a++) room->head[a] = -1;
    for (int i = aggregation->n_trades - 1; i >= 0; i--) {
        if (aggregate_of[i] < 0) continue;
        room->next[i] = room->head[aggregate_of[i]];
        room->head[aggregate_of[i]] = i;
    }
}

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

enum status clusters_make(const struct market *market, const struct trade *trades,
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
        list_by_aggregate(aggregation, aggregation->aggregate_of + at, &room);
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
    for (int a = 0; a < aggregation->n; a++)
        if (!totals[a].n) totals[a].value = totals[a].error = NAN;
}
