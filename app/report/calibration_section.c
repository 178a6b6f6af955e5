#include <math.h>

#include "app/pricing/calibration/model_fit.h"
#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"
#include "models/market/surface.h"

enum { SMILES = 8, POINTS = 60, QUOTE_ROWS = 400 };

/* ---- quotes beside the surface in use -------------------------------------------------------- */

static double used_volatility(const struct implied_surface *surface, int expiry, int strike)
{
    const struct smile *smile = &surface->smiles[expiry];
    return sqrt(surface_smile(surface, expiry, smile->k[strike]).w / smile->time);
}

/* Draws an expiry: its quotes, and the smile through them. */
static void draw_smile(struct svg *svg, const struct surface *quotes,
                       const struct implied_surface *surface, int expiry, int series)
{
    const struct smile *smile = &surface->smiles[expiry];
    int last = surface->n_strikes - 1;
    double x[POINTS], y[POINTS], forward = surface_strike(quotes, expiry, 0) / exp(smile->k[0]);
    char key[40];
    for (int i = 0; i < POINTS; i++) {
        double k = smile->k[0] + (smile->k[last] - smile->k[0]) * i / (POINTS - 1);
        x[i] = forward * exp(k);
        y[i] = 100.0 * sqrt(surface_smile(surface, expiry, k).w / smile->time);
    }
    svg_curve(svg, POINTS, x, y, svg_series(series));
    for (int j = 0; j <= last; j++) {
        double quote = 100.0 * quotes->vols[(size_t)expiry * (size_t)quotes->n_strikes + (size_t)j];
        svg_tip(svg, "%.6g years, strike %.6g\nquote %.3f %%\nin use %.3f %%", smile->time,
                surface_strike(quotes, expiry, j), quote,
                100.0 * used_volatility(surface, expiry, j));
        svg_point(svg, surface_strike(quotes, expiry, j), quote, 2.5, svg_series(series));
    }
    snprintf(key, sizeof key, "%.3gy", smile->time);
    svg_key_line(svg, svg_series(series), key);
}

/* Begins the chart of a surface, with axes that hold all of it. */
static void begin_smiles(FILE *out, struct svg *svg, int index, const char *caption,
                         const struct surface *surface)
{
    struct svg_range strikes = SVG_NOTHING, volatilities = SVG_NOTHING;
    char id[40];
    for (int i = 0; i < surface->n_times * surface->n_strikes; i++) {
        svg_include(&volatilities, 100.0 * surface->vols[i]);
        svg_include(&strikes,
                    surface_strike(surface, i / surface->n_strikes, i % surface->n_strikes));
    }
    svg_include(&volatilities, volatilities.low - 1.0); /* a flat smile looks flat */
    svg_include(&volatilities, volatilities.high + 1.0);
    snprintf(id, sizeof id, "chart-smiles-%d", index);
    html_figure(out, id, "Smiles", caption);
    svg_begin(svg, out, SVG_WHOLE, 320, "Implied volatility by strike");
    svg_axes(svg, strikes, svg_rounded(volatilities), "strike", "volatility, %");
}

static void write_distances(FILE *out, const struct results *results, const struct surface *quotes,
                            const struct implied_surface *surface)
{
    html_leaf_table(out, "The surface in use beside its quotes, in basis points of volatility",
                    NULL, "expiry|#quotes|#root mean square|#largest");
    for (int t = 0; t < quotes->n_times; t++) {
        double mean = 0.0, largest = 0.0; /* of squares; with its sign */
        for (int j = 0; j < quotes->n_strikes; j++) {
            double d = used_volatility(surface, t, j) -
                       quotes->vols[(size_t)t * (size_t)quotes->n_strikes + (size_t)j];
            mean += d * d / quotes->n_strikes;
            if (fabs(d) > fabs(largest)) largest = d;
        }
        html_row(out, OF_LEAF, "%s|%d|%.2f|%+.2f", when_text(results, quotes->times[t]).text,
                 quotes->n_strikes, 1e4 * sqrt(mean), 1e4 * largest);
    }
    html_leaf_table_end(out);
}

static void write_quotes(FILE *out, const struct results *results, const struct surface *quotes,
                         const struct implied_surface *surface)
{
    int n = quotes->n_times * quotes->n_strikes, shown = n < QUOTE_ROWS ? n : QUOTE_ROWS;
    html_leaf_table(out, "Quotes", NULL, "expiry|#strike|#quote, %|#in use, %|#difference, bp");
    for (int i = 0; i < shown; i++) {
        int t = i / quotes->n_strikes, j = i % quotes->n_strikes;
        double used = used_volatility(surface, t, j);
        html_row(out, OF_LEAF, "%s|%.7g|%.4f|%.4f|%+.2f", when_text(results, quotes->times[t]).text,
                 surface_strike(quotes, t, j), 100.0 * quotes->vols[i], 100.0 * used,
                 1e4 * (used - quotes->vols[i]));
    }
    html_leaf_table_end(out);
    html_left_out(out, shown, n, "quotes");
}

static enum status write_surface(FILE *out, const struct results *results, int index)
{
    const struct surface *quotes = &results->market->assets[index].surface;
    struct implied_surface surface = {0};
    struct message why = {""};
    struct svg svg;
    enum status status = surface_make(&surface, results->market, index, &why);
    if (status == STATUS_BAD_INPUT) {
        html_print(out, "<p class=\"note\">%s</p>\n", why.text);
        return STATUS_OK;
    }
    if (!status) {
        int n = quotes->n_times, shown = n < SMILES ? n : SMILES;
        begin_smiles(out, &svg, index, "Points are the book's quotes, lines the surface in use.",
                     quotes);
        for (int i = 0; i < shown; i++) /* all, or some of them evenly */
            draw_smile(&svg, quotes, &surface, n <= SMILES ? i : i * (n - 1) / (SMILES - 1), i);
        svg_figure_end(&svg);
        html_left_out(out, shown, n, "expiries");
        write_distances(out, results, quotes, &surface);
        write_quotes(out, results, quotes, &surface);
    }
    surface_free(&surface);
    return status;
}

/* ---- the smile of a model -------------------------------------------------------------------- */

enum { MODEL_TIMES = 3, MODEL_STRIKES = 25 };

/* An asset alone in a market, with a surface to be filled by its model. */
struct model_smiles {
    struct asset asset;
    struct market market;
    double times[MODEL_TIMES], strikes[MODEL_TIMES * MODEL_STRIKES],
        vols[MODEL_TIMES * MODEL_STRIKES];
};

/* Lays out strikes of two deviations either side of the forward. */
static void lay_out(const struct market *market, int index, struct model_smiles *smiles)
{
    static const double times[MODEL_TIMES] = {0.25, 1.0, 3.0};
    struct variance_law law = variance_law(&market->assets[index]);
    double guess = fmin(1.0, fmax(0.05, sqrt(0.5 * (law.today + law.usual))));
    for (int t = 0; t < MODEL_TIMES; t++) {
        double forward = exp(surface_log_forward(market, index, times[t]));
        smiles->times[t] = times[t];
        for (int j = 0; j < MODEL_STRIKES; j++) {
            double deviations = 4.0 * j / (MODEL_STRIKES - 1) - 2.0;
            smiles->strikes[t * MODEL_STRIKES + j] =
                forward * exp(deviations * guess * sqrt(times[t]));
            smiles->vols[t * MODEL_STRIKES + j] = guess;
        }
    }
    smiles->asset = market->assets[index];
    smiles->asset.surface = (struct surface){.n_times = MODEL_TIMES,
                                             .n_strikes = MODEL_STRIKES,
                                             .times = smiles->times,
                                             .strikes = smiles->strikes,
                                             .vols = smiles->vols,
                                             .strikes_by_time = true};
    smiles->market = *market;
    smiles->market.n_assets = 1;
    smiles->market.assets = &smiles->asset;
    smiles->market.correlation = NULL;
}

static void draw_model(FILE *out, const struct model_smiles *smiles, int index)
{
    struct svg svg;
    begin_smiles(out, &svg, index,
                 "Implied volatilities of the model with the book's parameters; the book holds no "
                 "quotes that they were fitted to.",
                 &smiles->asset.surface);
    for (int t = 0; t < MODEL_TIMES; t++) {
        double y[MODEL_STRIKES];
        char key[40];
        for (int j = 0; j < MODEL_STRIKES; j++) y[j] = 100.0 * smiles->vols[t * MODEL_STRIKES + j];
        svg_curve(&svg, MODEL_STRIKES, smiles->strikes + t * MODEL_STRIKES, y, svg_series(t));
        snprintf(key, sizeof key, "%.3gy", smiles->times[t]);
        svg_key_line(&svg, svg_series(t), key);
    }
    svg_figure_end(&svg);
}

enum status write_asset_smiles(FILE *out, const struct results *results, int asset)
{
    struct model_smiles smiles;
    struct surface_quotes quotes = {0};
    double values[MODEL_TIMES * MODEL_STRIKES], parameters[N_PARAMETERS];
    const struct asset *a = &results->market->assets[asset];
    if (a->surface.n_times) return write_surface(out, results, asset);
    /* There is no smile where the model's characteristic function is of no use (model_values.c). */
    if (!model_takes(a->model, TAKES_HESTON) || !(a->heston.xi > 0.02 && a->heston.kappa > 0.0))
        return STATUS_OK;
    lay_out(results->market, asset, &smiles);
    for (int i = 0; i < N_PARAMETERS; i++)
        parameters[i] = *asset_parameter(&smiles.asset, (enum parameter)i);
    enum status status = surface_quotes_make(&smiles.market, 0, &quotes);
    if (!status) {
        model_values(&quotes, fit_parameters(a->model), parameters, values, NULL);
        for (int i = 0; i < MODEL_TIMES * MODEL_STRIKES; i++)
            smiles.vols[i] = black_implied(quotes.list[i].k, quotes.list[i].time, values[i]);
        draw_model(out, &smiles, asset);
    }
    surface_quotes_free(&quotes);
    return status;
}
