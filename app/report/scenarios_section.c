#include <math.h>
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"

enum {
    ROWS = 1000,    /* scenarios in the table */
    COLUMNS = 24,   /* the total, and assets, or values of a tag */
    GRID_LINES = 5, /* of a chart */
    AXIS = 32,      /* spots and volatilities of a grid */
    SCENARIOS = 60, /* of a chart, beside each other */
    AMOUNT = 84     /* pixels of a number beside its bar */
};

bool has_scenarios(const struct results *results)
{
    return results->risk && results->risk->n_scenarios > 0 && results->risk->n_aggregates > 0;
}

/* ---- cells by colour ------------------------------------------------------------------------- */

/* Writes a cell in one of eleven colours, from l5, all of `most` lost, over h0 to g5, all of it
 * gained; roots, so that small ones differ from none. */
static void write_cell(FILE *out, struct pnl pnl, double most)
{
    html_print(out, "<td class=\"n h %s\">%e/%e</td>", svg_heat(pnl.value, most), pnl.value,
               pnl.std_error);
}

static double largest(int n, const struct pnl *pnl)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(pnl[i].value)); /* NaN is none */
    return most;
}

/* ---- scenarios by asset ---------------------------------------------------------------------- */

void page_scenarios_by(FILE *out, const struct results *results, const char *way)
{
    const struct risk *risk = results->risk;
    /* The whole book, then the aggregates of the way: those that have a column */
    const struct aggregate *columns[COLUMNS];
    int n = 0, all = 0, n_rows = risk->n_scenarios < ROWS ? risk->n_scenarios : ROWS;
    double most = 0.0;
    for (int a = 0; a < risk->n_aggregates; a++) {
        most = fmax(most, largest(risk->n_scenarios, risk->aggregates[a].scenarios));
        if (a && strcmp(risk->aggregates[a].by, way)) continue;
        if (all++ < COLUMNS) columns[n++] = &risk->aggregates[a];
    }
    html_print(out,
               "<div class=\"table\"><table id=\"scenarios-%s\" class=\"heat\">\n<caption>The "
               "book, and its trades by %s, under every scenario</caption>\n<thead><tr><th "
               "scope=\"col\">scenario</th>",
               way, strcmp(way, "asset") ? way : "their first asset");
    for (int i = 0; i < n; i++) {
        html_heading(out, columns[i]->name, true, NULL);
        if (!i) html_heading(out, "std error", true, NULL);
    }
    html_headings_end(out);
    for (int s = 0; s < n_rows; s++) {
        struct pnl total = risk->aggregates[0].scenarios[s];
        html_row_name(out, risk->scenario_names[s]);
        for (int i = 0; i < n; i++) {
            write_cell(out, columns[i]->scenarios[s], most);
            if (!i) html_print(out, "<td class=\"n\">%e/%e</td>", total.std_error, total.std_error);
        }
        fputs("</tr>\n", out);
    }
    html_table_end(out);
    html_left_out(out, n_rows, risk->n_scenarios, "scenarios");
    html_left_out(out, n, all, "columns");
}

/* ---- grids of spot by volatility ------------------------------------------------------------- */

/* A scenario's place in a grid. Its name is "NAME spot +5% vol -2%". */
struct grid_point {
    int name; /* characters of NAME */
    double spot, volatility;
};

static bool read_grid_point(const char *name, struct grid_point *point)
{
    const char *last = NULL;
    int end = 0;
    for (const char *p = name; (p = strstr(p, " spot ")); p++) last = p;
    if (!last ||
        sscanf(last, " spot %lf%% vol %lf%%%n", &point->spot, &point->volatility, &end) != 2)
        return false;
    point->name = (int)(last - name);
    return end && !last[end];
}

/* Consecutive scenarios of one NAME, spot by spot and within it volatility by volatility. */
struct scenario_grid {
    int first, name, n_spots, n_volatilities; /* first: of the scenarios */
    double spots[AXIS], volatilities[AXIS];
};

/* Finds the grid that begins with a scenario; false where none does. */
static bool find_grid(const struct risk *risk, int first, struct scenario_grid *grid)
{
    char *const *names = risk->scenario_names + first;
    struct grid_point begin, here;
    int n = 1, m = 1;
    if (!read_grid_point(names[0], &begin)) return false;
    while (first + n < risk->n_scenarios && read_grid_point(names[n], &here) &&
           here.name == begin.name && !strncmp(names[0], names[n], (size_t)begin.name)) {
        m += here.spot == begin.spot && n == m;
        n++;
    }
    if (m == 1 || n == m || n % m != 0 || m > AXIS || n / m > AXIS) return false;
    *grid = (struct scenario_grid){first, begin.name, n / m, m, {0.0}, {0.0}};
    for (int i = 0; i < n; i++) {
        read_grid_point(names[i], &here);
        grid->spots[i / m] = here.spot;
        grid->volatilities[i % m] = here.volatility;
    }
    return true;
}

static void write_grid(FILE *out, const struct risk *risk, const struct scenario_grid *grid)
{
    const struct pnl *pnl = risk->aggregates[0].scenarios + grid->first;
    const double most = largest(grid->n_spots * grid->n_volatilities, pnl);
    char name[NAME_BYTES + 64];
    snprintf(name, sizeof name, "%.*s", grid->name, risk->scenario_names[grid->first]);
    html_print(out,
               "<div class=\"table\"><table id=\"grid-%d\" class=\"heat grid\">\n<caption>%s: the "
               "book by spot (across) and volatility (down)</caption>\n<thead><tr><th "
               "scope=\"col\">vol \\ spot</th>",
               grid->first, name);
    for (int i = 0; i < grid->n_spots; i++)
        fprintf(out, "<th scope=\"col\" class=\"n\">%+.6g %%</th>", grid->spots[i]);
    html_headings_end(out);
    for (int j = grid->n_volatilities; j-- > 0;) {
        fprintf(out, "<tr><th scope=\"row\">%+.6g %%</th>", grid->volatilities[j]);
        for (int i = 0; i < grid->n_spots; i++)
            write_cell(out, pnl[i * grid->n_volatilities + j], most);
        fputs("</tr>\n", out);
    }
    html_table_end(out);
}

/* Draws profit and loss over the spots at one volatility; `row` of those of the grid. */
static void draw_grid_line(struct svg *svg, const struct risk *risk,
                           const struct scenario_grid *grid, int row, const char *colours)
{
    const struct pnl *pnl = risk->aggregates[0].scenarios + grid->first + row;
    double values[AXIS], errors[AXIS];
    char key[48];
    for (int i = 0; i < grid->n_spots; i++) {
        values[i] = pnl[i * grid->n_volatilities].value;
        errors[i] = pnl[i * grid->n_volatilities].std_error;
    }
    svg_band(svg, grid->n_spots, grid->spots, values, errors, colours);
    svg_curve(svg, grid->n_spots, grid->spots, values, colours);
    for (int i = 0; i < grid->n_spots; i++) {
        svg_tip(svg, "spot %+.6g %%, vol %+.6g %%\n%e/%e ± %e/%e", grid->spots[i],
                grid->volatilities[row], values[i], errors[i], errors[i], errors[i]);
        svg_point(svg, grid->spots[i], values[i], 2.5, colours);
    }
    snprintf(key, sizeof key, "vol %+.6g %%", grid->volatilities[row]);
    svg_key_line(svg, colours, key);
}

/* Draws a grid as lines over the spot, at no more than GRID_LINES volatilities. */
static void draw_grid(FILE *out, const struct results *results, const struct scenario_grid *grid)
{
    const struct pnl *pnl = results->risk->aggregates[0].scenarios + grid->first;
    int n = grid->n_volatilities < GRID_LINES ? grid->n_volatilities : GRID_LINES;
    struct svg_range range = SVG_NOTHING;
    struct svg svg;
    char id[48];
    for (int i = 0; i < grid->n_spots * grid->n_volatilities; i++)
        svg_include(&range, pnl[i].value);
    svg_include(&range, 0.0);
    snprintf(id, sizeof id, "chart-grid-%d", grid->first);
    html_figure(out, id, "The book by spot and volatility",
                "Profit and loss over the move of the spots, a line for a move of the "
                "volatilities; its shade is one standard error.");
    svg_begin(&svg, out, SVG_HALF, 280, "Profit and loss by spot and volatility");
    svg_axes(&svg,
             (struct svg_range){grid->spots[0], grid->spots[grid->n_spots - 1], SVG_LINEAR, 0.0},
             svg_rounded(range), "move of the spots, %", results_total_currency(results));
    svg_rule_y(&svg, 0.0, "ink thin");
    for (int i = 0; i < n; i++)
        draw_grid_line(&svg, results->risk, grid, i * (grid->n_volatilities - 1) / (n - 1),
                       svg_series(i));
    svg_figure_end(&svg);
}

/* Tells each grid of the scenarios, as a chart or as a table. */
static void write_grids(FILE *out, const struct results *results, bool as_chart)
{
    struct scenario_grid grid;
    for (int s = 0; s < results->risk->n_scenarios; s++) {
        if (!find_grid(results->risk, s, &grid)) continue;
        if (as_chart) draw_grid(out, results, &grid);
        else write_grid(out, results->risk, &grid);
        s += grid.n_spots * grid.n_volatilities - 1;
    }
}

/* ---- scenarios beside each other, and the trades that they move ------------------------------ */

/* Lists scenarios that no grid shows, or all where grids show them all. */
static int list_scenarios(const struct risk *risk, int *list)
{
    struct grid_point point;
    int n = 0;
    for (int s = 0; s < risk->n_scenarios && n < SCENARIOS; s++)
        if (!read_grid_point(risk->scenario_names[s], &point)) list[n++] = s;
    for (int s = 0; !n && s < risk->n_scenarios && s < SCENARIOS; s++) list[n++] = s;
    return n;
}

static void chart_scenarios(FILE *out, const struct results *results)
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
        svg_include_error(&range, pnl[s].value, pnl[s].std_error);
    }
    if (!n) return;
    html_figure(out, "chart-scenarios", "The book under every scenario",
                "Value in the scenario less today's, with error bars of one standard error.");
    svg_begin_bars(&svg, out, SVG_HALF, "Profit and loss by scenario", n, names, range);
    svg.right -= AMOUNT;
    svg_axis_x(&svg, results_total_currency(results));
    for (int i = 0; i < n; i++) {
        struct pnl p = pnl[list[i]];
        svg_tip(&svg, "%s\n%e/%e ± %e/%e %s", names[i], p.value, p.std_error, p.std_error,
                p.std_error, results_total_currency(results));
        svg_row_bar(&svg, i, 0.0, p.value, p.std_error, NULL);
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

static void chart_trades(FILE *out, const struct results *results)
{
    int list[SCENARIOS], n = list_scenarios(results->risk, list);
    struct ranking ranking = {0};
    const char *rows[REPORT_RANKED], *columns[SCENARIOS];
    struct svg svg;
    for (int i = 0; i < results->risk->n_trades; i++) {
        double most = 0.0;
        for (int s = 0; s < n; s++) most = fmax(most, fabs(moved_by(results, list[s], i).value));
        if (most > 0.0) rank_item(&ranking, i, most);
    }
    if (!ranking.n) return;
    for (int i = 0; i < ranking.n; i++) rows[i] = results->trades[ranking.items[i]].id;
    for (int s = 0; s < n; s++) columns[s] = results->risk->scenario_names[list[s]];
    html_figure(out, "chart-trades", "The trades that scenarios move most",
                "Profit and loss in the currency of the totals, at today's FX rates.");
    svg_begin_table(&svg, out, n > 12 ? SVG_WHOLE : SVG_HALF,
                    "Profit and loss by trade and scenario", ranking.n, rows, n, columns);
    for (int i = 0; i < ranking.n; i++)
        for (int s = 0; s < n; s++) {
            struct pnl pnl = moved_by(results, list[s], ranking.items[i]);
            svg_tip(&svg, "%s\n%s\n%e/%e %s", rows[i], columns[s], pnl.value, pnl.std_error,
                    results_total_currency(results));
            svg_bar(&svg, s, i, s + 1.0, i + 1.0, svg_heat(pnl.value, ranking.keys[0]));
        }
    svg_figure_end(&svg);
}

void page_scenarios(FILE *out, const struct results *results)
{
    html_print(out,
               "<p>Profit and loss of full revaluation, in %s. Losses are red, gains "
               "blue.</p>\n<div class=\"pair\">\n<div>\n",
               results_total_currency(results));
    chart_scenarios(out, results);
    write_grids(out, results, true);
    fputs("</div>\n", out);
    chart_trades(out, results);
    fputs("</div>\n", out);
    write_grids(out, results, false);
    page_scenarios_by(out, results, "asset");
}
