#include <math.h>

#include "app/pricing/calibration/model_fit.h"
#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"
#include "models/market/surface.h"

enum { POINTS = 100, TABLE_ROWS = 60 };

static void write_parameters(FILE *out, struct asset *asset)
{
    const struct heston *h = &asset->heston;
    if (model_takes(asset->model, TAKES_HESTON)) {
        for (int i = 0; i < N_HESTON_PARAMETERS; i++)
            html_print(out, "<dt>%s<dd>%'g", parameter_rows[i].name,
                       *asset_parameter(asset, (enum parameter)i));
        html_print(out, "<dt>Feller's condition<dd>%s, 2 kappa theta / xi² is %s",
                   2.0 * h->kappa * h->theta > h->xi * h->xi ? "holds" : "does not hold",
                   number_text(2.0 * h->kappa * h->theta / (h->xi * h->xi), 2).text);
    }
    if (model_takes(asset->model, TAKES_JUMPS))
        html_print(out, "<dt>jumps a year<dd>%'g<dt>their mean<dd>%'g<dt>their deviation<dd>%'g",
                   asset->jumps.intensity, asset->jumps.mean, asset->jumps.stdev);
    if (asset->history.n)
        html_print(out, "<dt>past returns<dd>%'d<dt>block, days<dd>%'d", asset->history.n,
                   asset->history.block);
}

/* ---- the forward ----------------------------------------------------------------------------- */

static double last_of(const struct term_structure *term)
{
    return term->n ? term->time[term->n - 1] : 0.0;
}

static double horizon(const struct market *market, const struct asset *asset)
{
    const struct surface *surface = &asset->surface;
    double end = fmax(1.0, fmax(last_of(&asset->yield), last_of(&asset->variance)));
    if (surface->n_times) end = fmax(end, surface->times[surface->n_times - 1]);
    if (asset->n_dividends) end = fmax(end, asset->dividends[asset->n_dividends - 1].time);
    return fmax(end, fmin(5.0, last_of(&market->currencies[asset->currency].rate)));
}

/* A quantity of an asset by date. */
struct dated_chart {
    const char *name, *title, *note, *label, *unit;
    double margin; /* of the greatest and the least, above and below */
};

/* Draws a curve of n points up to the last of them, for more to be drawn upon. */
static void begin_chart(struct svg *svg, const struct dated_chart *chart, int index, int n,
                        const double *x, const double *y)
{
    struct svg_range range = SVG_NOTHING;
    char id[40];
    for (int i = 0; i < n; i++) svg_include(&range, y[i]);
    svg_include(&range, (1.0 - chart->margin) * range.low);
    svg_include(&range, (1.0 + chart->margin) * range.high);
    snprintf(id, sizeof id, "chart-%s-%d", chart->name, index);
    html_figure(svg->out, id, chart->title, chart->note);
    svg_begin(svg, svg->out, SVG_HALF, 260, chart->label);
    svg_axes(svg, (struct svg_range){0.0, x[n - 1], SVG_LINEAR, 0.0}, svg_rounded(range), "years",
             chart->unit);
    svg_curve(svg, n, x, y, "accent");
}

static void chart_forward(FILE *out, const struct market *market, int index)
{
    const struct asset *asset = &market->assets[index];
    const struct dated_chart chart = {"forward",
                                      "Forward",
                                      "The mean of the spot, which cash dividends let fall.",
                                      "Forward by date",
                                      market->currencies[asset->currency].name,
                                      0.005};
    double x[POINTS + 1], y[POINTS + 1], end = horizon(market, asset);
    struct svg svg = {.out = out};
    for (int i = 0; i <= POINTS; i++) {
        x[i] = end * i / POINTS;
        y[i] = surface_forward(market, index, x[i]);
    }
    begin_chart(&svg, &chart, index, POINTS + 1, x, y);
    for (int i = 0; i < asset->n_dividends; i++) {
        double time = asset->dividends[i].time;
        svg_tip(&svg, "dividend %.6g\nat %.6g years", asset->dividends[i].amount, time);
        svg_point(&svg, time, surface_forward(market, index, time), 3.0, "warn");
    }
    svg_figure_end(&svg);
}

static enum status write_forwards(FILE *out, const struct results *results, int index)
{
    const struct market *market = results->market;
    const struct asset *asset = &market->assets[index];
    const struct term_structure *rate = &market->currencies[asset->currency].rate;
    struct term_structure both = {0};
    MUST(term_sum(&both, rate, &asset->yield));
    html_leaf_table(out, "Forwards, at the dates of the curves", NULL,
                    "to|#forward|#rate, %|#yield, %|#discount factor");
    int shown = both.n < TABLE_ROWS ? both.n : TABLE_ROWS;
    for (int i = 0; i < shown; i++) {
        double t = both.time[i];
        html_row(out, OF_LEAF, "%s|%.7g|%.4f|%.4f|%.6f", when_text(results, t).text,
                 surface_forward(market, index, t), 100.0 * term_accrued(rate, t) / t,
                 100.0 * term_accrued(&asset->yield, t) / t, exp(-term_accrued(rate, t)));
    }
    html_leaf_table_end(out);
    html_left_out(out, shown, both.n, "dates");
    term_free(&both);
    return STATUS_OK;
}

/* ---- volatility by date ---------------------------------------------------------------------- */

static void chart_volatility(FILE *out, const struct market *market, int index)
{
    const struct asset *asset = &market->assets[index];
    const struct term_structure *variance = &asset->variance;
    const struct dated_chart chart = {
        "volatility",         "Volatility",    "To each date; points are the book's.",
        "Volatility by date", "volatility, %", 0.05};
    double x[POINTS], y[POINTS], end = horizon(market, asset);
    struct svg svg = {.out = out};
    if (!variance->n) return;
    for (int i = 0; i < POINTS; i++) {
        x[i] = end * (i + 1) / POINTS;
        y[i] = 100.0 * sqrt(term_accrued(variance, x[i]) / x[i]);
    }
    begin_chart(&svg, &chart, index, POINTS, x, y);
    for (int i = 0; i < variance->n; i++) {
        double volatility = 100.0 * sqrt(variance->accrued[i] / variance->time[i]);
        svg_tip(&svg, "to %.6g years\n%.4f %%", variance->time[i], volatility);
        svg_point(&svg, variance->time[i], volatility, 3.0, "ink");
    }
    svg_figure_end(&svg);
}

enum status write_asset_market(FILE *out, const struct results *results, int asset)
{
    const struct market *market = results->market;
    struct asset *a = &market->assets[asset];
    html_print(out, "<h3>Market</h3>\n<dl><dt>in<dd>%s", market->currencies[a->currency].name);
    if (a->foreign_currency >= 0)
        html_print(out, "<dt>foreign currency<dd>%s", market->currencies[a->foreign_currency].name);
    fprintf(out, "<dt>spot<dd>%.15g<dt>model<dd>%s", a->spot, model_name(a->model));
    write_parameters(out, a);
    fputs("</dl>\n<div class=\"pair\">\n", out);
    chart_forward(out, market, asset);
    chart_volatility(out, market, asset);
    fputs("</div>\n", out);
    MUST(write_forwards(out, results, asset));
    int shown = a->n_dividends < TABLE_ROWS ? a->n_dividends : TABLE_ROWS;
    if (!shown) return STATUS_OK;
    html_leaf_table(out, "Cash dividends", NULL, "on|#amount");
    for (int i = 0; i < shown; i++)
        html_row(out, OF_LEAF, "%s|%.15g", when_text(results, a->dividends[i].time).text,
                 a->dividends[i].amount);
    html_leaf_table_end(out);
    html_left_out(out, shown, a->n_dividends, "dividends");
    return STATUS_OK;
}
