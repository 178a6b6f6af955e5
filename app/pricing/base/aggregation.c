#include "app/pricing/base/aggregation.h"

#include <stdlib.h>
#include <string.h>

#include "models/payoffs/payoff_definition.h"

static const char untagged[] = "(none)";

static const char *value_of(const struct trade *trade, const char *tag)
{
    const char *value = trade_tag(trade, tag);
    return value ? value : untagged;
}

/* ---- trades that are alike ------------------------------------------------------------------- */

/* What trades are compared by: the value of a tag, or where there is none what their cells are. */
struct likeness {
    const struct market *market;
    const struct trade *trades;
    const char *tag;
    const struct aggregation *aggregation;
};

struct sorted_trade {
    const struct likeness *likeness;
    int trade;
};

static int compare_cells(const struct likeness *likeness, int a, int b)
{
    const struct aggregation *aggregation = likeness->aggregation;
    for (int way = BY_ASSET; way < aggregation->n_ways; way++) {
        const int *aggregate_of =
            aggregation->aggregate_of + (size_t)way * (size_t)aggregation->n_trades;
        if (aggregate_of[a] != aggregate_of[b]) return aggregate_of[a] - aggregate_of[b];
    }
    return trade_currency(likeness->market, &likeness->trades[a]) -
           trade_currency(likeness->market, &likeness->trades[b]);
}

static int compare_likeness(const struct sorted_trade *p, const struct sorted_trade *q)
{
    const struct likeness *likeness = p->likeness;
    return likeness->tag ? strcmp(value_of(&likeness->trades[p->trade], likeness->tag),
                                  value_of(&likeness->trades[q->trade], likeness->tag))
                         : compare_cells(likeness, p->trade, q->trade);
}

static int compare_sorted(const void *a, const void *b)
{
    const struct sorted_trade *p = a, *q = b;
    int order = compare_likeness(p, q);
    return order ? order : p->trade - q->trade;
}

/* Finds for each trade the first that is alike: first [trade], -1 where its assets are not known.
 */
static enum status find_first_equal(int n_trades, const struct likeness *likeness, int *first)
{
    int n = 0;
    struct sorted_trade *sorted = malloc(((size_t)n_trades + 1) * sizeof *sorted);
    if (!sorted) return STATUS_NO_MEMORY;
    for (int i = 0; i < n_trades; i++) {
        first[i] = -1;
        if (trade_is_known(&likeness->trades[i])) sorted[n++] = (struct sorted_trade){likeness, i};
    }
    qsort(sorted, (size_t)n, sizeof *sorted, compare_sorted);
    for (int i = 0; i < n; i++) {
        bool new = !i || compare_likeness(&sorted[i], &sorted[i - 1]);
        first[sorted[i].trade] = new ? sorted[i].trade : first[sorted[i - 1].trade];
    }
    free(sorted);
    return STATUS_OK;
}

/* ---- ways and their aggregates --------------------------------------------------------------- */

static enum status add_name(struct aggregation *aggregation, int way, const char *name, int asset)
{
    struct aggregate_name *larger =
        realloc(aggregation->names, (size_t)(aggregation->n + 1) * sizeof *larger);
    if (!larger) return STATUS_NO_MEMORY;
    aggregation->names = larger;
    larger[aggregation->n++] = (struct aggregate_name){way, name, asset};
    return STATUS_OK;
}

static enum status add_way(struct aggregation *aggregation, const char *name)
{
    size_t n = (size_t)aggregation->n_ways, trades = (size_t)aggregation->n_trades;
    const char **ways = realloc(aggregation->ways, (n + 1) * sizeof *ways);
    if (ways) aggregation->ways = ways;
    int *aggregate_of =
        realloc(aggregation->aggregate_of, ((n + 1) * trades + 1) * sizeof *aggregate_of);
    if (aggregate_of) aggregation->aggregate_of = aggregate_of;
    if (!ways || !aggregate_of) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < trades; i++) aggregate_of[n * trades + i] = -1;
    ways[aggregation->n_ways++] = name;
    return STATUS_OK;
}

/* Returns which asset the trade is added up by; behind all of them where it is on none. */
static int place_of(const struct market *market, const struct trade *trade)
{
    return trade->asset < 0 ? market->n_assets : trade->asset;
}

/* Lists the whole book, and the assets that trades are on first, in the market's order. */
static enum status list_assets(const struct market *market, const struct trade *trades,
                               struct aggregation *aggregation)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)aggregation->n_trades;
    int *found = calloc((size_t)market->n_assets + 1, sizeof *found);
    if (!found) return STATUS_NO_MEMORY;
    TRY(add_way(aggregation, "total"));
    TRY(add_name(aggregation, BY_ALL, "total", -1));
    TRY(add_way(aggregation, "asset"));
    for (size_t i = 0; i < n; i++)
        if (trade_is_known(&trades[i])) found[place_of(market, &trades[i])] = 1;
    for (int a = 0; a <= market->n_assets; a++) {
        bool none = a == market->n_assets;
        if (!found[a]) continue;
        found[a] = aggregation->n;
        TRY(add_name(aggregation, BY_ASSET, none ? untagged : market->assets[a].name,
                     none ? -1 : a));
    }
    for (size_t i = 0; i < n; i++) {
        if (!trade_is_known(&trades[i])) continue;
        aggregation->aggregate_of[i] = 0;
        aggregation->aggregate_of[n + i] = found[place_of(market, &trades[i])];
    }
done:
    free(found);
    return status;
}

/* Lists the values of the tag of a way, in the order of the trades. */
static enum status list_values(const struct trade *trades, int way, int *first,
                               struct aggregation *aggregation)
{
    int n = aggregation->n_trades;
    const struct likeness likeness = {.trades = trades, .tag = aggregation->ways[way]};
    int *aggregate_of = aggregation->aggregate_of + (size_t)way * (size_t)n;
    MUST(find_first_equal(n, &likeness, first));
    for (int i = 0; i < n; i++) {
        if (first[i] < 0) continue;
        if (first[i] < i) aggregate_of[i] = aggregate_of[first[i]];
        else {
            aggregate_of[i] = aggregation->n;
            MUST(add_name(aggregation, way, value_of(&trades[i], likeness.tag), -1));
        }
    }
    return STATUS_OK;
}

static enum status list_cells(const struct market *market, const struct trade *trades, int *first,
                              struct aggregation *aggregation)
{
    int n = aggregation->n_trades;
    const struct likeness likeness = {market, trades, NULL, aggregation};
    MUST(find_first_equal(n, &likeness, first));
    aggregation->n_cells = 0;
    for (int i = 0; i < n; i++) {
        bool new = first[i] == i;
        aggregation->cell_of[i] = first[i] < 0 ? -1
                                  : new        ? aggregation->n_cells
                                               : aggregation->cell_of[first[i]];
        if (new) aggregation->first[aggregation->n_cells++] = i;
    }
    return STATUS_OK;
}

static int count_of(const struct aggregation *aggregation, int way)
{
    int n = 0;
    for (int i = 0; i < aggregation->n; i++) n += aggregation->names[i].way == way;
    return n;
}

/* Leaves out the tag that has the most values. */
static void leave_out_tag(struct aggregation *aggregation, struct complaints *notes)
{
    int largest = BY_FIRST_TAG;
    for (int way = BY_FIRST_TAG + 1; way < aggregation->n_ways; way++)
        if (count_of(aggregation, way) > count_of(aggregation, largest)) largest = way;
    if (notes)
        complaints_add(notes, 0,
                       "note: nothing is added up by tag '%s': it has %d values, of which too many "
                       "sums would come",
                       aggregation->ways[largest], count_of(aggregation, largest));
    aggregation->n_ways--;
    for (int way = largest; way < aggregation->n_ways; way++)
        aggregation->ways[way] = aggregation->ways[way + 1];
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool is_listed(const struct aggregation *aggregation, const char *tag)
{
    for (int t = 0; t < aggregation->n_tags; t++)
        if (!strcmp(aggregation->tags[t], tag)) return true;
    return false;
}

/* Lists the tags that trades have, and the ways to add trades up by them. */
static enum status list_tags(const struct trade *trades, struct aggregation *aggregation)
{
    for (int i = 0; i < aggregation->n_trades; i++)
        for (int t = 0; t < trades[i].n_tags; t++) {
            const char *tag = trades[i].tags[t].name;
            size_t n = (size_t)aggregation->n_tags + 1;
            if (is_listed(aggregation, tag)) continue;
            const char **larger = realloc(aggregation->tags, n * sizeof *larger);
            if (!larger) return STATUS_NO_MEMORY;
            aggregation->tags = larger;
            larger[aggregation->n_tags++] = tag;
            MUST(add_way(aggregation, tag));
        }
    return STATUS_OK;
}

enum status aggregation_make(const struct market *market, int n_trades, const struct trade *trades,
                             struct complaints *notes, struct aggregation *aggregation)
{
    enum status status = STATUS_OK;
    size_t room = (size_t)n_trades + 1;
    int *first = malloc(room * sizeof *first);
    *aggregation = (struct aggregation){.n_trades = n_trades,
                                        .cell_of = malloc(room * sizeof(int)),
                                        .first = malloc(room * sizeof(int))};
    if (!first || !aggregation->cell_of || !aggregation->first) TRY(STATUS_NO_MEMORY);
    TRY(list_assets(market, trades, aggregation));
    int n_fixed = aggregation->n;
    TRY(list_tags(trades, aggregation));
    for (bool fits = false; !fits;) {
        aggregation->n = n_fixed;
        for (int way = BY_FIRST_TAG; way < aggregation->n_ways; way++)
            TRY(list_values(trades, way, first, aggregation));
        TRY(list_cells(market, trades, first, aggregation));
        fits =
            aggregation->n_ways == BY_FIRST_TAG ||
            (aggregation->n - n_fixed <= TAG_AGGREGATES_MAX && aggregation->n_cells <= CELLS_MAX);
        if (!fits) leave_out_tag(aggregation, notes);
    }
done:
    free(first);
    return status;
}

void aggregation_follow(struct aggregation *aggregation, const struct market *market)
{
    for (int i = 0; i < aggregation->n; i++) {
        struct aggregate_name *name = &aggregation->names[i];
        if (name->asset >= 0) name->name = market->assets[name->asset].name;
    }
}

void aggregation_free(struct aggregation *aggregation)
{
    free(aggregation->tags);
    free(aggregation->ways);
    free(aggregation->names);
    free(aggregation->aggregate_of);
    free(aggregation->cell_of);
    free(aggregation->first);
    *aggregation = (struct aggregation){0};
}
