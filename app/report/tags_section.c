#include <math.h>
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"

enum { GREEK_ROWS = 2000 };

bool has_tags(const struct results *results)
{
    return results->sums->aggregation.n_ways > BY_FIRST_TAG;
}

static bool is_of(const struct aggregation *aggregation, int a, int way)
{
    return aggregation->names[a].way == way || aggregation->names[a].way == BY_ALL;
}

static int count_greeks(const struct results *results, int way)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    int n = 0;
    for (int a = 0; a < aggregation->n; a++)
        for (int s = 0; is_of(aggregation, a, way) && s < results->risk->n_sensitivities; s++)
            n += results_greek(results, s, a).n > 0;
    return n;
}

static void write_greeks(FILE *out, const struct results *results, int way)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    const struct table_id id = table_id("greeks", aggregation->ways[way]);
    struct html_rows rows = html_rows_begin(out, id.text, "Sums of Greeks", aggregation->ways[way],
                                            "Greek|#trades|#sum|#std error at most|"
                                            "#in money~for the move at the right|for a move of",
                                            count_greeks(results, way), GREEK_ROWS);
    for (int a = 0; a < aggregation->n; a++)
        for (int i = 0; is_of(aggregation, a, way) && i < results->risk->n_sensitivities; i++) {
            const struct sensitivity *s = &results->risk->sensitivities[i];
            struct money_total greek = results_greek(results, i, a);
            double step = greek_step(results, i);
            if (!greek.n || !html_rows_next(&rows, "")) continue;
            cell_group(out, results, aggregation->ways[aggregation->names[a].way],
                       aggregation->names[a].name);
            html_row(out, BEGUN, "%s|#%'d|#%e±%e|#%e/%e|per %s", s->name, greek.n, greek.value,
                     greek.error, greek.value * step, greek.error * step,
                     greek_rows[s->greek].step);
        }
    html_rows_end(&rows, "sums");
}

void page_tags(FILE *out, const struct results *results)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    html_print(out, "<p>In %s.</p>\n", results_total_currency(results));
    for (int way = BY_FIRST_TAG; way < aggregation->n_ways; way++) {
        html_print(out, "<h3>%s</h3>\n", aggregation->ways[way]);
        html_table_begin(out, table_id("values", aggregation->ways[way]).text, "Sum of the prices",
                         aggregation->ways[way],
                         "#trades|#value~at today's FX rates|"
                         "#std error at most~what it comes to where the errors of trades that "
                         "share assets all go together");
        for (int a = 0; a < aggregation->n; a++) {
            struct money_total value = results->sums->values[a];
            if (!is_of(aggregation, a, way)) continue;
            fputs("<tr>", out);
            cell_group(out, results, aggregation->ways[aggregation->names[a].way],
                       aggregation->names[a].name);
            html_row(out, BEGUN, "#%'d|#%e/%e|#%e/%e", value.n, value.value, value.error,
                     value.error, value.error);
        }
        html_table_end(out);
        if (has_greeks(results)) write_greeks(out, results, way);
        if (has_scenarios(results)) page_scenarios_by(out, results, aggregation->ways[way]);
        if (has_past(results)) page_past_by(out, results, aggregation->ways[way]);
    }
}

/* ---- the leaf of a group --------------------------------------------------------------------- */

static void write_value(FILE *out, const struct results *results, int a)
{
    struct money_total value = results->sums->values[a];
    if (!value.n) return;
    html_print(out, "<p>%'d %s worth ", value.n, value.n == 1 ? "trade is" : "trades are");
    html_pm(out, value.value, value.error, value.error);
    html_print(out, " %s at today's FX rates, the error at most.</p>\n",
               results_total_currency(results));
}

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

enum status page_group_leaves(FILE *out, const struct results *results)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int i = 0; i < results->market->n_assets && !ferror(out); i++) {
        const char *name = results->market->assets[i].name;
        int a = aggregation->n - 1; /* of trades that have it as their first */
        while (a >= 0 && (aggregation->names[a].way != BY_ASSET ||
                          strcmp(aggregation->names[a].name, name) != 0))
            a--;
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
