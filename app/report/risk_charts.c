/* The charts of Greeks, scenarios and the past. */
#include <math.h>
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"

enum {
    ASSETS = 20,    /* of a chart of one Greek */
    SCENARIOS = 60, /* beside each other */
    CLASSES = 256,  /* of a histogram, at most */
    DAYS = 1000,    /* after each other */
    CONFIDENCES = 8,
    AMOUNT = 84 /* pixels of a number beside its bar */
};

/* Begins the bars of rows of names. */
static void begin_bars(struct svg *svg, FILE *out, double width, const char *label, int n,
                       const char *const *names)
{
    svg_begin(svg, out, width, SVG_ABOVE + n * SVG_ROW + SVG_BELOW, label);
    svg_rows(svg, n, names);
}

/* Draws a bar from 0, with its error. The tip is the caller's. */
static void draw_bar(struct svg *svg, int row, double value, double error)
{
    svg_bar(svg, 0.0, row + 0.16, value, row + 0.84, value < 0.0 ? "loss" : "gain");
    svg_line(svg, value - error, row + 0.5, value + error, row + 0.5, "ink");
}

/* ---- Greeks ---------------------------------------------------------------------------------- */

/* Ranks the assets' sums of one Greek, the largest first. */
static struct ranking rank_assets(const struct results *results, enum greek greek)
{
    struct ranking ranking = {0};
    for (int s = 0; s < results->risk->n_sensitivities; s++) {
        struct money_total total = results_greek(results, s, 0);
        if (results->risk->sensitivities[s].greek != greek || !total.n) continue;
        rank_item(&ranking, s, fabs(total.value * greek_step(results, s)));
    }
    if (ranking.n > ASSETS) ranking.n = ASSETS;
    return ranking;
}

static void draw_greek(FILE *out, const struct results *results, enum greek greek,
                       const struct ranking *ranking)
{
    const char *names[ASSETS], *currency = results_total_currency(results);
    struct svg_range range = {0};
    struct svg svg;
    char label[NAME_BYTES + 128];
    double values[ASSETS], errors[ASSETS];
    for (int i = 0; i < ranking->n; i++) {
        int s = ranking->items[i];
        struct money_total total = results_greek(results, s, 0);
        values[i] = total.value * greek_step(results, s);
        errors[i] = total.error * greek_step(results, s);
        names[i] = results->market->assets[results->risk->sensitivities[s].asset].name;
        svg_include(&range, values[i] - errors[i]);
        svg_include(&range, values[i] + errors[i]);
    }
    snprintf(label, sizeof label, "%s by asset", greek_rows[greek].name);
    begin_bars(&svg, out, SVG_THIRD, label, ranking->n, names);
    svg_x(&svg, svg_rounded(range));
    svg_heading(&svg, greek_rows[greek].name);
    snprintf(label, sizeof label, "%s per %s", currency, greek_rows[greek].step);
    svg_axis_x(&svg, label);
    for (int i = 0; i < ranking->n; i++) {
        svg_tip(&svg, "%s\n%s %s %s\nper %s\n\xc2\xb1 %s at most", names[i], greek_rows[greek].name,
                estimate_text(values[i], errors[i]).text, currency, greek_rows[greek].step,
                estimate_text(errors[i], errors[i]).text);
        draw_bar(&svg, i, values[i], errors[i]);
    }
    svg_rule_x(&svg, 0.0, "ink thin");
    svg_end(&svg);
}

void chart_greeks(FILE *out, const struct results *results)
{
    bool begun = false;
    for (int g = 0; g < N_GREEKS; g++) {
        struct ranking ranking = rank_assets(results, (enum greek)g);
        if (greek_rows[g].scope != SCOPE_ASSET || !ranking.n) continue;
        if (!begun)
            html_figure(out, "chart-greeks", "Greeks by asset",
                        "Money for a small move of the market, in the currency of the totals; the "
                        "line is what the standard error comes to at most.");
        begun = true;
        draw_greek(out, results, (enum greek)g, &ranking);
    }
    if (begun) html_figure_end(out);
}

/* ---- scenarios ------------------------------------------------------------------------------- */

/* Lists scenarios that no grid shows, or all where grids show them all. */
static int list_scenarios(const struct risk *risk, int *list)
{
    int n = 0;
    for (int s = 0; s < risk->n_scenarios && n < SCENARIOS; s++)
        if (!is_of_grid(risk->scenario_names[s])) list[n++] = s;
    for (int s = 0; !n && s < risk->n_scenarios && s < SCENARIOS; s++) list[n++] = s;
    return n;
}

void chart_scenarios(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const struct pnl *pnl = risk->aggregates[0].scenarios;
    int listed[SCENARIOS], list[SCENARIOS], n_listed = list_scenarios(risk, listed), n = 0;
    const char *names[SCENARIOS];
    struct svg_range range = {0};
    struct svg svg;
    for (int i = 0; i < n_listed; i++) {
        int s = listed[i];
        if (!isfinite(pnl[s].value)) continue;
        names[n] = risk->scenario_names[s];
        list[n++] = s;
        svg_include(&range, pnl[s].value - pnl[s].std_error);
        svg_include(&range, pnl[s].value + pnl[s].std_error);
    }
    if (!n) return;
    html_figure(out, "chart-scenarios", "The book under every scenario",
                "Value in the scenario less today's, with error bars of one standard error.");
    begin_bars(&svg, out, SVG_HALF, "Profit and loss by scenario", n, names);
    svg_x(&svg, svg_rounded(range));
    svg.right -= AMOUNT;
    svg_axis_x(&svg, results_total_currency(results));
    for (int i = 0; i < n; i++) {
        struct pnl p = pnl[list[i]];
        svg_tip(&svg, "%s\n%s \xc2\xb1 %s %s", names[i], estimate_text(p.value, p.std_error).text,
                estimate_text(p.std_error, p.std_error).text, results_total_currency(results));
        draw_bar(&svg, i, p.value, p.std_error);
        svg_text(&svg, (struct svg_place){svg.x.high, i + 0.5, AMOUNT + 14.0, 4.0, SVG_END}, "tick",
                 estimate_text(p.value, p.std_error).text);
    }
    svg_rule_x(&svg, 0.0, "ink thin");
    svg_figure_end(&svg);
}

/* Returns a trade's P&L in the reporting currency, at today's FX rates; NaN where none leads
 * there. */
static struct pnl moved_by(const struct results *results, int scenario, int trade)
{
    const struct risk *risk = results->risk;
    struct pnl pnl = risk->scenarios[(size_t)scenario * (size_t)risk->n_trades + (size_t)trade];
    double rate = results_rate(results, trade);
    return (struct pnl){pnl.value * rate, pnl.std_error * rate};
}

static struct ranking rank_moved(const struct results *results, int n, const int *list)
{
    struct ranking ranking = {0};
    for (int i = 0; i < results->risk->n_trades; i++) {
        double most = 0.0;
        for (int s = 0; s < n; s++) most = fmax(most, fabs(moved_by(results, list[s], i).value));
        if (most > 0.0) rank_item(&ranking, i, most);
    }
    return ranking;
}

void chart_trades(FILE *out, const struct results *results)
{
    int list[SCENARIOS], n = list_scenarios(results->risk, list);
    const struct ranking ranking = rank_moved(results, n, list);
    const char *rows[REPORT_RANKED], *columns[SCENARIOS];
    struct svg svg;
    if (!ranking.n) return;
    for (int i = 0; i < ranking.n; i++) rows[i] = results->trades[ranking.items[i]].id;
    for (int s = 0; s < n; s++) columns[s] = results->risk->scenario_names[list[s]];
    html_figure(out, "chart-trades", "The trades that scenarios move most",
                "Profit and loss in the currency of the totals, at today's FX rates.");
    svg_begin(&svg, out, n > 12 ? SVG_WHOLE : SVG_HALF,
              SVG_ABOVE + ranking.n * SVG_CELL + svg_columns_room(n, columns),
              "Profit and loss by trade and scenario");
    svg_table(&svg, ranking.n, rows, n, columns);
    for (int i = 0; i < ranking.n; i++)
        for (int s = 0; s < n; s++) {
            struct pnl pnl = moved_by(results, list[s], ranking.items[i]);
            svg_tip(&svg, "%s\n%s\n%s %s", rows[i], columns[s],
                    estimate_text(pnl.value, pnl.std_error).text, results_total_currency(results));
            svg_bar(&svg, s, i, s + 1.0, i + 1.0, svg_heat(pnl.value, ranking.keys[0]));
        }
    svg_figure_end(&svg);
}

/* ---- the past -------------------------------------------------------------------------------- */

/* Returns how wide classes are: round, and few enough that the days fill them. */
static double class_width(struct svg_range range, int n)
{
    int wanted = (int)fmin(60.0, ceil(2.0 * sqrt(n)));
    double width = svg_ticks(range, wanted).step;
    return fmax(width, (range.high - range.low) / (CLASSES - 2));
}

static void draw_classes(struct svg *svg, const struct risk *risk, double first, double width,
                         const int *counts, const char *currency)
{
    for (int i = 0; i < CLASSES; i++) {
        double low = first + width * i;
        if (!counts[i]) continue;
        svg_tip(svg, "%s to %s %s\n%d of %d days", plain_text(low).text,
                plain_text(low + width).text, currency, counts[i], risk->n_days);
        svg_bar(svg, low, 0.0, low + width, counts[i], "accent soft");
    }
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

static void draw_losses(struct svg *svg, const struct risk *risk, int n)
{
    for (int k = 0; k < n; k++) {
        const struct value_at_risk *v = &risk->aggregates[0].values_at_risk[k];
        draw_loss(svg, "VaR", v->confidence, v->var, 2 * k, "bad");
        draw_loss(svg, "ES", v->confidence, v->shortfall, 2 * k + 1, "bad dotted");
    }
}

/* Draws the days after each other, the last ones where there are too many. */
static void draw_days(struct svg *svg, const struct risk *risk, int first, const char *currency)
{
    const struct pnl *days = risk->aggregates[0].days;
    for (int d = first; d < risk->n_days; d++) {
        svg_tip(svg, "%s\n%s \xc2\xb1 %s %s", risk->day_names[d],
                estimate_text(days[d].value, days[d].std_error).text,
                estimate_text(days[d].std_error, days[d].std_error).text, currency);
        svg_bar(svg, d, 0.0, d + 1.0, days[d].value,
                days[d].value < 0.0 ? "loss fine" : "gain fine");
    }
}

void chart_days(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const char *currency = results_total_currency(results);
    int first = risk->n_days > DAYS ? risk->n_days - DAYS : 0, n = risk->n_days - first;
    int last = risk->n_confidences - 1;
    struct svg_range range = SVG_NOTHING;
    struct svg svg;
    char caption[256] = "The book's profit and loss under the moves of each day.";
    for (int d = first; d < risk->n_days; d++)
        svg_include(&range, risk->aggregates[0].days[d].value);
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
    draw_days(&svg, risk, first, currency);
    svg_rule_y(&svg, 0.0, "ink thin");
    if (last >= 0) svg_rule_y(&svg, -risk->aggregates[0].values_at_risk[last].var, "bad dashed");
    svg_figure_end(&svg);
}

void chart_past(FILE *out, const struct results *results)
{
    const struct risk *risk = results->risk;
    const struct pnl *days = risk->aggregates[0].days;
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
    svg_axes(&svg, range, svg_rounded(high), results_total_currency(results), "days");
    draw_classes(&svg, risk, first, width, counts, results_total_currency(results));
    svg_rule_y(&svg, 0.0, "ink thin");
    draw_losses(&svg, risk, n_tails);
    svg_figure_end(&svg);
}
