#include <string.h>

#include "app/report/html.h"
#include "app/report/leaves.h"
#include "app/report/sections.h"
#include "models/payoffs/payoff_definition.h"

/* ---- leaves and links to them ---------------------------------------------------------------- */

static void write_id(FILE *out, const char *kind, const char *way, const char *name)
{
    fprintf(out, "%s-", kind);
    if (way) {
        html_slug(out, way);
        putc('=', out);
    }
    html_slug(out, name);
}

static void write_link(FILE *out, const char *kind, const char *way, const char *name)
{
    fputs("<a href=\"#", out);
    write_id(out, kind, way, name);
    fputs("\">", out);
    html_text(out, name);
    fputs("</a>", out);
}

void leaf_begin(FILE *out, const char *kind, const char *way, const char *name)
{
    fputs("<section class=\"leaf\" id=\"", out);
    write_id(out, kind, way, name);
    fputs("\"><h2>", out);
    if (way) {
        html_text(out, way);
        putc(' ', out);
    }
    html_text(out, name);
    fputs("</h2>\n", out);
}

void leaf_end(FILE *out)
{
    fputs("</section>\n", out);
}

void link_trade(FILE *out, const struct results *results, int index)
{
    const char *id = results->trades[index].id;
    if (index < REPORT_TRADES) write_link(out, "trade", NULL, id);
    else html_text(out, id);
}

void link_group(FILE *out, const struct results *results, const char *way, const char *name)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int w = BY_ASSET; w < aggregation->n_ways; w++)
        if (!strcmp(aggregation->ways[w], way)) {
            write_link(out, "group", way, name);
            return;
        }
    html_text(out, name); /* a tag of too many values to add up by */
}

void cell_trade(FILE *out, const struct results *results, int index)
{
    fputs("<th scope=\"row\">", out);
    link_trade(out, results, index);
    fputs("</th>", out);
}

void cell_group(FILE *out, const struct results *results, const char *way, const char *name)
{
    fputs("<th scope=\"row\">", out);
    link_group(out, results, way, name);
    fputs("</th>", out);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void write_trade(FILE *out, const struct results *results, int index)
{
    const struct estimate *estimate = &results->estimates[index];
    fputs("<tr><th>", out);
    link_trade(out, results, index);
    fprintf(out, "<td>%s<td>%s<td>", product_name(results->trades[index].product),
            verdict_name(estimate->verdict));
    html_text(out, results_currency(results, index));
    fputs("<td>", out);
    html_estimate(out, estimate->price, estimate->std_error);
    fputs("<td>", out);
    html_estimate(out, estimate->std_error, estimate->std_error);
    putc('\n', out);
}

static void write_value(FILE *out, const struct results *results, int a)
{
    struct money_total value = results->sums->values[a];
    fputs("<p>", out);
    html_number(out, value.n, 0);
    fputs(value.n == 1 ? " trade is" : " trades are", out);
    fputs(" worth ", out);
    html_pm(out, value.value, value.error, value.error);
    putc(' ', out);
    html_text(out, results_total_currency(results));
    fputs(" at today's FX rates, the error at most.</p>\n", out);
}

static void write_group(FILE *out, const struct results *results, int a)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    const struct aggregate_name *name = &aggregation->names[a];
    const int *of = aggregation->of + (size_t)name->way * (size_t)aggregation->n_trades;
    leaf_begin(out, "group", aggregation->ways[name->way], name->name);
    write_value(out, results, a);
    fputs("<div class=\"table\"><table class=\"trades\"><caption>Trades, in the order of the book"
          "</caption><thead><tr><th>trade<th>type<th>status<th>in<th class=\"n\">price<th "
          "class=\"n\">std error<tbody>\n",
          out);
    for (int i = 0; i < results->n && i < REPORT_TRADES; i++)
        if (of[i] == a) write_trade(out, results, i);
    fputs("</table></div>\n", out);
    leaf_end(out);
}

void page_group_leaves(FILE *out, const struct results *results)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int a = 0; a < aggregation->n && !ferror(out); a++)
        if (aggregation->names[a].way != BY_ALL) write_group(out, results, a);
}
