#include <math.h>
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"

enum {
    WORST_DAYS = 10,
    CLASSES = 256, /* of a histogram, at most */
    DAYS = 1000,   /* of a chart, after each other */
    CONFIDENCES = 8
};

bool has_past(const struct results *results)
{
    const struct risk *risk = results->risk;
    return risk && risk->n_days > 0 && risk->n_aggregates > 0;
}

/* ---- value at risk --------------------------------------------------------------------------- */

/* The ends of an interval to the second digit of an error. */
static struct interval_text {
    char text[2 * sizeof(struct number_text) + 16];
} interval_text(double low, double high, double error)
{
    struct interval_text text;
    snprintf(text.text, sizeof text.text, "%s%s%s", estimate_text(low, error).text,
             isinf(high) ? ", no upper end" : " to ",
             isinf(high) ? "" : estimate_text(high, error).text);
    return text;
}

/* Writes the cells behind a row's name. */
static void write_value_at_risk(FILE *out, const char *currency, const struct value_at_risk *tail)
{
    html_row(out, BEGUN, "%s|#%.4g %%|#%e±%e|#%s|#%e±%e|#%s", currency, 100.0 * tail->confidence,
             tail->var, tail->var_error,
             interval_text(tail->var_low, tail->var_high, tail->var_error).text, tail->shortfall,
             tail->shortfall_error,
             interval_text(tail->shortfall_low, tail->shortfall_high, tail->shortfall_error).text);
}

static void begin_values_at_risk(FILE *out, const char *id, const char *caption, const char *owner)
{
    html_table_begin(out, id, caption, owner,
                     "in|#confidence|#value at risk|#std error~of the simulation alone|"
                     "#95 % interval~of the finite past and the simulation together|"
                     "#expected shortfall~mean of the losses beyond|"
                     "#std error~of the simulation alone|"
                     "#95 % interval~of the finite past and the simulation together");
}

/* Writes the tails of the whole book, and of the aggregates of a way; or what these bring to the
 * losses of the whole book. */
static void write_tails(FILE *out, const struct results *results, const char *way,
                        bool contributions)
{
    const struct risk *risk = results->risk;
    for (int a = 0; a < risk->n_aggregates; a++) {
        const struct aggregate *aggregate = &risk->aggregates[a];
        if (strcmp(aggregate->by, way) && strcmp(aggregate->by, "total")) continue;
        for (int k = 0; k < risk->n_confidences; k++) {
            const struct value_at_risk *tail = &aggregate->values_at_risk[k];
            const struct risk_contribution *c = &aggregate->contributions[k];
            if (!isfinite(contributions ? c->component_var : tail->var)) continue;
            fputs("<tr>", out);
            cell_group(out, results, aggregate->by, aggregate->name);
            if (!contributions) write_value_at_risk(out, results_total_currency(results), tail);
            else
                html_row(out, BEGUN, "#%.4g %%|#%e±%e|#%e±%e|#%e±%e|#%e±%e",
                         100.0 * tail->confidence, c->component_var, c->component_var_error,
                         c->incremental_var, c->incremental_var_error, c->component_shortfall,
                         c->component_shortfall_error, c->incremental_shortfall,
                         c->incremental_shortfall_error);
        }
    }
    html_table_end(out);
}

void page_past_by(FILE *out, const struct results *results, const char *way)
{
    begin_values_at_risk(out, table_id("tails", way).text, "Losses of the book, and of its parts",
                         way);
    write_tails(out, results, way, false);
    html_table_begin(out, table_id("contributions", way).text,
                     "What the parts bring to the losses of the whole book", way,
                     "#confidence|"
                     "#component of VaR~its loss on the day of the book's; they add up|"
                     "#std error~of the simulation alone|"
                     "#incremental VaR~what the book's is more than without it|"
                     "#std error|"
                     "#component of ES~its mean loss on the days beyond; they add up|"
                     "#std error|#incremental ES|#std error");
    write_tails(out, results, way, true);
}

/* Returns the tail of a trade in another currency, whose rate stays today's. */
static struct value_at_risk converted(struct value_at_risk value_at_risk, double rate)
{
    double *numbers = &value_at_risk.confidence; /* the first, and no amount */
    for (int i = 1; i < VALUE_AT_RISK_NUMBERS; i++) numbers[i] *= rate;
    return value_at_risk;
}

static void write_trades(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    struct ranking ranking = {0};
    int left_out = 0;
    if (!risk->n_confidences || !risk->values_at_risk) return;
    const struct value_at_risk *last =
        risk->values_at_risk + (size_t)(risk->n_confidences - 1) * (size_t)risk->n_trades;
    for (int i = 0; i < risk->n_trades; i++) {
        struct value_at_risk value_at_risk = converted(last[i], results_rate(results, i));
        rank_item(&ranking, i, value_at_risk.var);
        left_out += isnan(value_at_risk.var) && !isnan(last[i].var);
    }
    begin_values_at_risk(
        out, "trade-tails",
        "Trades by value at risk, the largest first, in one currency at today's FX rates", "trade");
    for (int i = 0; i < ranking.n; i++) {
        int trade = ranking.items[i];
        struct value_at_risk value_at_risk = converted(last[trade], results_rate(results, trade));
        fputs("<tr>", out);
        cell_trade(out, results, trade);
        write_value_at_risk(out, results_total_currency(results), &value_at_risk);
    }
    html_table_end(out);
    write_unconverted(out, results, left_out);
    html_left_out(out, ranking.n, risk->n_trades, "trades");
}

/* ---- charts ---------------------------------------------------------------------------------- */

/* Returns how wide classes are: round, and few enough that the days fill them. */
static double class_width(struct svg_range range, int n)
{
    int wanted = (int)fmin(60.0, ceil(2.0 * sqrt(n)));
    double width = svg_ticks(range, wanted).step;
    return fmax(width, (range.high - range.low) / (CLASSES - 2));
}

/* Draws a line at a loss, and its name in a line of its own above the frame. */
static void draw_loss(struct svg *svg, const char *kind, double confidence, double loss, int line,
                      const char *colours)
{
    char name[64];
    if (!isfinite(loss)) return;
    snprintf(name, sizeof name, "%s %.4g %%", kind, 100.0 * confidence);
    svg_rule_x(svg, -loss, colours);
    svg_text(svg, (struct svg_place){-loss, svg->y.high, 0.0, -5.0 - 14.0 * line, SVG_MIDDLE},
             "bad", name);
}

/* Draws the days after each other, the last ones where there are too many. */
static void chart_days(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const struct pnl *days = risk->aggregates[0].days;
    const char *currency = results_total_currency(results);
    int first = risk->n_days > DAYS ? risk->n_days - DAYS : 0, n = risk->n_days - first;
    int last = risk->n_confidences - 1;
    struct svg_range range = SVG_NOTHING;
    struct svg svg;
    char caption[256] = "The book's profit and loss under the moves of each day.";
    for (int d = first; d < risk->n_days; d++) svg_include(&range, days[d].value);
    if (n < 2 || !(range.high >= range.low)) return;
    if (last >= 0)
        snprintf(caption + strlen(caption), sizeof caption - strlen(caption),
                 " The dashed line is value at risk of %.4g %%.",
                 100.0 * risk->aggregates[0].values_at_risk[last].confidence);
    if (first)
        snprintf(caption + strlen(caption), sizeof caption - strlen(caption),
                 " The last %d of %d days are drawn.", n, risk->n_days);
    svg_include(&range, 0.0);
    html_figure(out, "chart-days", "Profit and loss day by day", caption);
    svg_begin(&svg, out, SVG_HALF, 300.0, "Profit and loss day by day");
    svg_axes(&svg, (struct svg_range){first, risk->n_days, SVG_LINEAR, 0.0}, svg_rounded(range),
             NULL, currency);
    for (int i = 0; i < 5; i++) {
        int d = first + (int)((0.1 + 0.2 * i) * n);
        svg_tick_x(&svg, d + 0.5, risk->day_names[d]);
    }
    for (int d = first; d < risk->n_days; d++) {
        svg_tip(&svg, "%s\n%e/%e ± %e/%e %s", risk->day_names[d], days[d].value, days[d].std_error,
                days[d].std_error, days[d].std_error, currency);
        svg_bar(&svg, d, 0.0, d + 1.0, days[d].value,
                days[d].value < 0.0 ? "loss fine" : "gain fine");
    }
    svg_rule_y(&svg, 0.0, "ink thin");
    if (last >= 0) svg_rule_y(&svg, -risk->aggregates[0].values_at_risk[last].var, "bad dashed");
    svg_figure_end(&svg);
}

static void chart_past(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const struct pnl *days = risk->aggregates[0].days;
    const char *currency = results_total_currency(results);
    int counts[CLASSES] = {0}, n = 0;
    int n_tails = risk->n_confidences < CONFIDENCES ? risk->n_confidences : CONFIDENCES;
    struct svg_range range = SVG_NOTHING, high = {0.0, 0.0, SVG_LINEAR, 0.0};
    struct svg svg;
    for (int d = 0; d < risk->n_days; d++) svg_include(&range, days[d].value);
    for (int d = 0; d < risk->n_days; d++) n += isfinite(days[d].value);
    if (n < 2 || !(range.high > range.low)) return;
    double width = class_width(range, n), first = width * floor(range.low / width);
    for (int d = 0; d < risk->n_days; d++)
        if (isfinite(days[d].value)) counts[(int)((days[d].value - first) / width)]++;
    range = (struct svg_range){first, first + width * ceil((range.high - first) / width),
                               SVG_LINEAR, 0.0};
    for (int i = 0; i < CLASSES; i++) svg_include(&high, counts[i]);
    for (int k = 0; k < n_tails; k++)
        svg_include(&range, -risk->aggregates[0].values_at_risk[k].shortfall);
    html_figure(out, "chart-past", "Profit and loss of the past",
                "Days by profit and loss of the book; lines mark value at risk (VaR) and expected "
                "shortfall (ES).");
    svg_begin(&svg, out, SVG_HALF, 300.0 + 28.0 * n_tails, "Days of the past by profit and loss");
    svg.top += 28.0 * n_tails;
    svg_axes(&svg, range, svg_rounded(high), currency, "days");
    for (int i = 0; i < CLASSES; i++) {
        double low = first + width * i;
        if (!counts[i]) continue;
        svg_tip(&svg, "%'g to %'g %s\n%d of %d days", low, low + width, currency, counts[i],
                risk->n_days);
        svg_bar(&svg, low, 0.0, low + width, counts[i], "accent soft");
    }
    svg_rule_y(&svg, 0.0, "ink thin");
    for (int k = 0; k < n_tails; k++) {
        const struct value_at_risk *v = &risk->aggregates[0].values_at_risk[k];
        draw_loss(&svg, "VaR", v->confidence, v->var, 2 * k, "bad");
        draw_loss(&svg, "ES", v->confidence, v->shortfall, 2 * k + 1, "bad dotted");
    }
    svg_figure_end(&svg);
}

void page_past(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const struct pnl *days = risk->aggregates[0].days;
    struct ranking worst = {0};
    html_print(out,
               "<p>The book revalued under %'d moves of the market in the past, in %s. Value at "
               "risk and expected shortfall are losses.</p>\n<div class=\"pair\">\n",
               risk->n_days, results_total_currency(results));
    chart_past(out, results);
    chart_days(out, results);
    fputs("</div>\n", out);
    page_past_by(out, results, "asset");
    for (int d = 0; d < risk->n_days; d++) rank_item(&worst, d, -days[d].value);
    html_table_begin(out, "worst-days", "The worst days", NULL, "date|#profit and loss|#std error");
    for (int i = 0; i < worst.n && i < WORST_DAYS; i++)
        html_row(out, OF_PAGE, "%s|#%e±%e", risk->day_names[worst.items[i]],
                 days[worst.items[i]].value, days[worst.items[i]].std_error);
    html_table_end(out);
    write_trades(out, results);
}
