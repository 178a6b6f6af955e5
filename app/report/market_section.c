#include "app/report/sections.h"

#include <math.h>

#include "app/config/dates.h"
#include "app/report/html.h"
#include "app/report/svg.h"
#include "models/market/surface.h"

enum {
    CURVES_DRAWN = 8,        /* as many as there are colours */
    CORRELATIONS_SHOWN = 24, /* rows and columns */
    CURVE_ROWS = 2000
};

bool time_is_date(const struct results *results, double years, long *day)
{
    double days = 365.0 * years;
    if (!date_read(results->manifest.valuation_date, day)) return false;
    *day += lrint(days);
    return fabs(days - rint(days)) < 1e-4;
}

struct when_text when_text(const struct results *results, double years)
{
    struct when_text when;
    long day;
    if (time_is_date(results, years, &day)) date_write(day, when.text);
    else snprintf(when.text, sizeof when.text, "%.6g y", years);
    return when;
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* Draws a curve of zero rates: flat before its first date and behind its last. */
static void draw_curve(struct svg *svg, const struct currency *currency, double end, int series)
{
    enum { POINTS = 80 };
    const struct term_structure *curve = &currency->rate;
    double x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) {
        x[i] = end * (i + 1) / POINTS;
        y[i] = 100.0 * term_accrued(curve, x[i]) / x[i];
    }
    svg_curve(svg, POINTS, x, y, svg_series(series));
    for (int i = 0; i < curve->n; i++) {
        svg_tip(svg, "%s\n%.6g years\n%.4f %%", currency->name, curve->time[i],
                100.0 * curve->accrued[i] / curve->time[i]);
        svg_point(svg, curve->time[i], 100.0 * curve->accrued[i] / curve->time[i], 3.0,
                  svg_series(series));
    }
    svg_key_dot(svg, svg_series(series), currency->name);
}

static void chart_curves(FILE *out, const struct market *market)
{
    int n = market->n_currencies < CURVES_DRAWN ? market->n_currencies : CURVES_DRAWN;
    struct svg_range years = {0.0, 1.0, SVG_LINEAR, 0.0}, rates = SVG_NOTHING;
    struct svg svg;
    for (int c = 0; c < n; c++) {
        const struct term_structure *curve = &market->currencies[c].rate;
        for (int i = 0; i < curve->n; i++) {
            svg_include(&years, curve->time[i]);
            svg_include(&rates, 100.0 * curve->accrued[i] / curve->time[i]);
        }
    }
    if (!(rates.low <= rates.high)) return;
    svg_include(&rates, rates.low - 0.05);
    svg_include(&rates, rates.high + 0.05);
    html_figure(out, "chart-curves", "Zero rates",
                "Continuously compounded, a year; points are the dates of the book's curves.");
    svg_begin(&svg, out, SVG_WHOLE, 280, "Zero rates by maturity");
    svg_axes(&svg, years, svg_rounded(rates), "years", "%");
    for (int c = 0; c < n; c++) draw_curve(&svg, &market->currencies[c], years.high, c);
    svg_figure_end(&svg);
    html_left_out(out, n, market->n_currencies, "curves");
}

static void write_curves(FILE *out, const struct results *results)
{
    const struct market *market = results->market;
    int all = 0;
    for (int c = 0; c < market->n_currencies; c++) all += market->currencies[c].rate.n;
    struct html_rows rows =
        html_rows_begin(out, "curves", "Discount curves", NULL,
                        "currency|to|#years|#zero rate, %~continuously compounded|"
                        "#discount factor|#forward rate, %~from the date before it",
                        all, CURVE_ROWS);
    for (int c = 0; c < market->n_currencies; c++) {
        const struct term_structure *curve = &market->currencies[c].rate;
        for (int i = 0; i < curve->n && html_rows_next(&rows, ""); i++) {
            double time = curve->time[i], accrued = curve->accrued[i];
            double from = i ? curve->time[i - 1] : 0.0, before = i ? curve->accrued[i - 1] : 0.0;
            html_cell_name(out, market->currencies[c].name);
            html_row(out, BEGUN, "%s|#%'.4f|#%'.4f|#%'.6f|#%'.4f", when_text(results, time).text,
                     time, 100.0 * accrued / time, exp(-accrued),
                     100.0 * (accrued - before) / (time - from));
        }
    }
    html_rows_end(&rows, "dates");
}

/* ---- assets ---------------------------------------------------------------------------------- */

/* Returns the Black volatility to a year at the money; NaN of a model that has none. */
static double volatility_of(const struct asset *asset)
{
    if (asset->variance.n) return sqrt(term_accrued(&asset->variance, 1.0));
    return model_has(asset->model, REMEMBERS_VARIANCE) ? sqrt(variance_law(asset).today) : NAN;
}

static void write_assets(FILE *out, const struct results *results)
{
    const struct market *market = results->market;
    struct html_rows rows = html_rows_begin(
        out, "assets", "Assets", NULL,
        "asset|in|#spot|model|#forward~in one year, with cash dividends|"
        "#yield, %~to one year, without them|"
        "#volatility, %~to one year; of a stochastic one today's; of a surface in its leaf|"
        "#dividends~in cash",
        market->n_assets, market->n_assets);
    for (int a = 0; html_rows_next(&rows, ""); a++) {
        const struct asset *asset = &market->assets[a];
        cell_group(out, results, "asset", asset->name);
        html_row(out, BEGUN, "%s|#%'g|%s|#%'g|#%'.3f|#%'.2f|#%'d",
                 market->currencies[asset->currency].name, asset->spot, model_name(asset->model),
                 surface_forward(market, a, 1.0), 100.0 * term_accrued(&asset->yield, 1.0),
                 100.0 * volatility_of(asset), asset->n_dividends);
    }
    html_rows_end(&rows, "");
}

/* ---- correlations ---------------------------------------------------------------------------- */

static void write_correlations(FILE *out, const struct market *market)
{
    int n = market->n_assets < CORRELATIONS_SHOWN ? market->n_assets : CORRELATIONS_SHOWN;
    if (!market->correlation || n < 2) return;
    fputs("<div class=\"table\"><table id=\"correlations\" class=\"heat grid\">\n<caption>"
          "Correlations of the assets' moves</caption>\n<thead><tr><th scope=\"col\"></th>",
          out);
    for (int j = 0; j < n; j++) html_heading(out, market->assets[j].name, true, NULL);
    html_headings_end(out);
    for (int i = 0; i < n; i++) {
        html_row_name(out, market->assets[i].name);
        for (int j = 0; j < n; j++) {
            double value = market->correlation[(size_t)i * (size_t)market->n_assets + (size_t)j];
            int level = i == j ? 0 : (int)lround(5.0 * fabs(value));
            fprintf(out, "<td class=\"n %c%d\">%s</td>",
                    !level        ? 'h'
                    : value < 0.0 ? 'l'
                                  : 'g',
                    level, number_text(value, value == rint(value) ? 0 : 2).text);
        }
        fputs("</tr>\n", out);
    }
    html_table_end(out);
    html_left_out(out, n, market->n_assets, "assets");
}

void page_market(FILE *out, const struct results *results)
{
    fputs("<p>As the book gave it. An asset is a link to its forwards, dividends, volatilities and "
          "trades.</p>\n",
          out);
    chart_curves(out, results->market);
    write_curves(out, results);
    write_assets(out, results);
    write_correlations(out, results->market);
}
