#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"

static void write_value(FILE *out, const struct results *results, int a)
{
    struct money_total value = results->sums->values[a];
    if (!value.n) return;
    html_print(out, "<p>%'d %s worth ", value.n, value.n == 1 ? "trade is" : "trades are");
    html_pm(out, value.value, value.error, value.error);
    html_print(out, " %s at today's FX rates, the error at most.</p>\n",
               results_total_currency(results));
}

/* Writes the trades of aggregate a. */
static void write_trades(FILE *out, const struct results *results, int a)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    int way = aggregation->names[a].way;
    const int *of = aggregation->aggregate_of + (size_t)way * (size_t)aggregation->n_trades;
    fputs("<div class=\"table\"><table class=\"trades\"><caption>Trades, in the order of the book"
          "</caption><thead><tr><th>trade<th>type<th>status<th>in<th class=\"n\">price<th "
          "class=\"n\">std error<tbody>\n",
          out);
    for (int i = 0; i < results->n && i < REPORT_TRADES; i++) {
        const struct estimate *e = &results->estimates[i];
        if (of[i] != a) continue;
        fputs("<tr><th>", out);
        link_trade(out, results, i);
        html_print(out, "<td>%s<td>%s<td>%s<td>%e/%e<td>%e/%e\n", trade_type(&results->trades[i]),
                   verdict_name(e->verdict), results_currency(results, i), e->price, e->std_error,
                   e->std_error, e->std_error);
    }
    fputs("</table></div>\n", out);
}

/* Returns the aggregate of a name; -1 where no trade is in it. */
static int find_aggregate(const struct aggregation *aggregation, int way, const char *name)
{
    for (int a = 0; a < aggregation->n; a++)
        if (aggregation->names[a].way == way && !strcmp(aggregation->names[a].name, name)) return a;
    return -1;
}

enum status page_group_leaves(FILE *out, const struct results *results)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int i = 0; i < results->market->n_assets && !ferror(out); i++) {
        const char *name = results->market->assets[i].name;
        int a = find_aggregate(aggregation, BY_ASSET, name); /* which have it as their first */
        leaf_begin(out, "group", "asset", name);
        if (a >= 0) write_value(out, results, a);
        MUST(write_asset_market(out, results, i));
        MUST(write_asset_smiles(out, results, i));
        if (a >= 0) write_trades(out, results, a);
        leaf_end(out);
    }
    for (int a = 0; a < aggregation->n && !ferror(out); a++) {
        int way = aggregation->names[a].way;
        if (way < BY_FIRST_TAG) continue;
        leaf_begin(out, "group", aggregation->ways[way], aggregation->names[a].name);
        write_value(out, results, a);
        write_trades(out, results, a);
        leaf_end(out);
    }
    return STATUS_OK;
}
