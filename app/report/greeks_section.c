#include <math.h>

#include "app/pricing/calibration/surface_quotes.h"
#include "app/pricing/risk/greeks/greek_check.h"
#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/svg.h"
#include "models/market/delta_quotes.h"
#include "models/market/surface.h"
#include "models/math/normal_cdf.h"

enum { ASSETS = 20 }; /* of a chart of one Greek */

bool has_greeks(const struct results *results)
{
    return results->risk && results->risk->n_sensitivities > 0;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The move that the report speaks of, of what a slope is in. */
static double step_of(const struct results *results, const struct sensitivity *s, enum slope slope)
{
    struct shock shock = sensitivity_shock(s, slope, slope_rows[slope].step);
    bool relative = shock.kind == SHOCK_SPOT;
    return shock.amount * (relative ? results->market->assets[shock.target].spot : 1.0);
}

double greek_step(const struct results *results, int sensitivity)
{
    const struct sensitivity *s = &results->risk->sensitivities[sensitivity];
    return step_of(results, s, greek_rows[s->greek].first) *
           step_of(results, s, greek_rows[s->greek].second);
}

static void write_totals(FILE *out, const struct results *results)
{
    int left_out = 0;
    html_table_begin(
        out, "greek-totals", "Greeks of the book, in one currency at today's FX rates", NULL,
        "Greek|in|#trades|"
        "#sum~derivative of the value: per unit of spot, 1.00 of volatility or rate, a year|"
        "#std error at most~what they come to where the errors of trades that share assets all go "
        "together|"
        "#in money~for the move at the right|for a move of");
    for (int i = 0; i < results->risk->n_sensitivities; i++) {
        const struct sensitivity *s = &results->risk->sensitivities[i];
        struct money_total total = results_greek(results, i, 0);
        double step = greek_step(results, i);
        if (total.left_out > left_out) left_out = total.left_out;
        if (total.n)
            html_row(out, OF_PAGE, "%s|%s|#%'d|#%e±%e|#%e/%e|per %s", s->name,
                     results_total_currency(results), total.n, total.value, total.error,
                     total.value * step, total.error * step, greek_rows[s->greek].step);
    }
    html_table_end(out);
    write_unconverted(out, results, left_out);
}

/* ---- the chart ------------------------------------------------------------------------------- */

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
        svg_include_error(&range, values[i], errors[i]);
    }
    snprintf(label, sizeof label, "%s by asset", greek_rows[greek].name);
    svg_begin_bars(&svg, out, SVG_THIRD, label, ranking->n, names, range);
    svg_heading(&svg, greek_rows[greek].name);
    snprintf(label, sizeof label, "%s per %s", currency, greek_rows[greek].step);
    svg_axis_x(&svg, label);
    for (int i = 0; i < ranking->n; i++) {
        svg_tip(&svg, "%s\n%s %e/%e %s\nper %s\n± %e/%e at most", names[i], greek_rows[greek].name,
                values[i], errors[i], currency, greek_rows[greek].step, errors[i], errors[i]);
        svg_row_bar(&svg, i, 0.0, values[i], errors[i], NULL);
    }
    svg_rule_x(&svg, 0.0, "ink thin");
    svg_end(&svg);
}

static void chart_greeks(FILE *out, const struct results *results)
{
    bool begun = false;
    for (int g = 0; g < N_GREEKS; g++) {
        struct ranking ranking = {0}; /* of the assets' sums, the largest first */
        for (int s = 0; s < results->risk->n_sensitivities; s++) {
            struct money_total total = results_greek(results, s, 0);
            if (results->risk->sensitivities[s].greek == (enum greek)g && total.n)
                rank_item(&ranking, s, fabs(total.value * greek_step(results, s)));
        }
        if (ranking.n > ASSETS) ranking.n = ASSETS;
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

/* ---- vegas of the book at the quotes of each surface, an expiry a row and a quote a column --- */

/* Returns the first column of a Greek of an asset; -1 where there is none. */
static int first_greek(const struct risk *risk, enum greek greek, int asset)
{
    for (int s = 0; s < risk->n_sensitivities; s++)
        if (risk->sensitivities[s].greek == greek && risk->sensitivities[s].asset == asset)
            return s;
    return -1;
}

/* Writes a row of vegas, which begin with the column `first` or, where that is -1, are the sums [n
 * + 1] of those before, to which it adds what it writes; of strikes also the sum of the row. */
static void write_expiry(FILE *out, const struct results *results, int first, int n, bool strikes,
                         struct money_total *sums)
{
    struct money_total all = {0};
    char years[40] = "all";
    if (first >= 0)
        snprintf(years, sizeof years, "%.6g", results->risk->sensitivities[first].bucket);
    html_row_name(out, years);
    for (int j = 0; j < n; j++) {
        struct money_total vega = first < 0 ? sums[j] : results_greek(results, first + j, 0);
        double step = first < 0 ? 1.0 : greek_step(results, first + j);
        html_cell(out, estimate_text(vega.value * step, vega.error * step).text, true);
        money_add(&all, step, vega.value, vega.error);
        money_add(&sums[j], step, vega.value, vega.error);
    }
    if (first < 0) all = sums[n];
    money_add(&sums[n], 1.0, all.value, all.error);
    if (strikes) html_cell(out, estimate_text(all.value, all.error).text, true);
    fputs("</tr>\n", out);
}

/* Writes a matrix of vegas of an asset: at strikes, which have a sum, or of quotes by delta. */
static void write_matrix(FILE *out, const struct results *results, enum greek greek, int asset)
{
    enum { MOST_COLUMNS = 64 };
    const struct surface *surface = quoted_surface(&results->market->assets[asset]);
    struct money_total sums[MOST_COLUMNS + 1] = {{0}};
    int first = first_greek(results->risk, greek, asset), n = surface->n_strikes;
    bool strikes = greek == GREEK_VEGA_STRIKE;
    char id[40];
    if (first < 0) return;
    if (n > MOST_COLUMNS) {
        html_left_out(out, 0, n, "strikes of a surface");
        return;
    }
    snprintf(id, sizeof id, "%s-matrix-%d", strikes ? "vega" : "quote", asset + 1);
    html_headings(out, id,
                  strikes ? "Vega by expiry and strike, for 1 vol point at one quote"
                          : "Vega by expiry and quote, for 1 vol point of one quote");
    html_heading(out, results->market->assets[asset].name, false, "years to the expiry");
    for (int j = 0; j < n; j++) {
        char strike[40];
        if (surface->strikes_by_time) snprintf(strike, sizeof strike, "strike %d", j + 1);
        else if (strikes) snprintf(strike, sizeof strike, "%.6g", surface_strike(surface, 0, j));
        html_heading(out, strikes ? strike : delta_quote_names[j], true,
                     strikes && surface->strikes_by_time ? "each expiry has its own" : NULL);
    }
    if (strikes) html_heading(out, "all", true, NULL);
    html_headings_end(out);
    for (int i = 0; i < surface->n_times; i++)
        write_expiry(out, results, first + i * n, n, strikes, sums);
    write_expiry(out, results, -1, n, strikes, sums);
    html_table_end(out);
}

/* ---- hedges: options on quotes, then assets, then zero bonds --------------------------------- */

/* A call at a quote of a volatility, worth what Black's formula says. */
struct quoted_call {
    double strike, vega, delta; /* of one unit, in the asset's currency; vega per 1.00 */
};

static double discount_to(const struct market *market, int currency, double years)
{
    return exp(-term_accrued(&market->currencies[currency].rate, years));
}

/* Makes the call on the quote that a column moves: of a surface at its strike, of volatilities to a
 * date at the forward. False where the model says that such a call hangs on more than the quote. */
static bool make_call(const struct market *market, const struct sensitivity *s,
                      struct quoted_call *call)
{
    const struct asset *asset = s->asset < 0 ? NULL : &market->assets[s->asset];
    bool at_strike = s->greek == GREEK_VEGA_STRIKE;
    if (!at_strike && s->greek != GREEK_VEGA_BUCKET) return false;
    const struct surface *surface = quoted_surface(asset);
    if (at_strike != (surface->n_times > 0)) return false; /* strikes say more than dates */
    if (!surface->n_times && asset->model != MODEL_BLACK_SCHOLES) return false;
    double years = s->bucket, forward = exp(surface_log_forward(market, s->asset, years));
    double volatility = at_strike ? surface->vols[s->date * surface->n_strikes + s->at]
                                  : sqrt(term_accrued(&asset->variance, years) / years);
    double value = forward * discount_to(market, asset->currency, years),
           deviation = volatility * sqrt(years);
    call->strike = at_strike ? s->strike : forward;
    double k = log(call->strike / forward);
    call->vega = value * black_vega(k, years, volatility);
    call->delta = value / asset->spot * normal_cdf(0.5 * deviation - k / deviation);
    return true;
}

static struct money_total greek_in(const struct results *results, int sensitivity, int currency)
{
    struct money_total total = results_greek(results, sensitivity, 0), converted = {0};
    double rate = conversion_rate(results->market, results->currency, currency);
    money_add(&converted, rate, total.value, total.error);
    converted.n = total.n;
    return converted;
}

/* Adds to a delta what the calls on an asset bring that take its vegas to 0. */
static void add_calls(const struct results *results, int asset, struct money_total *delta)
{
    for (int i = 0; i < results->risk->n_sensitivities; i++) {
        const struct sensitivity *s = &results->risk->sensitivities[i];
        struct quoted_call call;
        if (s->asset != asset || !make_call(results->market, s, &call) || !(call.vega > 0.0))
            continue;
        struct money_total vega = greek_in(results, i, results->market->assets[asset].currency);
        if (vega.n) money_add(delta, call.delta / call.vega, -vega.value, vega.error);
    }
}

/* Instruments of hedges, in the order in which they are bought. */
enum instrument { CALL, ASSET, BOND, N_INSTRUMENTS };

/* Writes how much of an instrument takes the Greek of a column to 0, if it is one of its quotes. */
static void write_hedge(FILE *out, const struct results *results, int sensitivity,
                        enum instrument instrument)
{
    const struct market *market = results->market;
    const struct sensitivity *s = &results->risk->sensitivities[sensitivity];
    const struct asset *asset = s->asset < 0 ? NULL : &market->assets[s->asset];
    struct quoted_call call;
    char name[160];
    double unit = 1.0; /* the Greek of one */
    if (instrument == CALL    ? !make_call(market, s, &call)
        : instrument == ASSET ? s->greek != GREEK_DELTA
                              : s->greek != GREEK_RHO_BUCKET)
        return;
    struct money_total total =
        greek_in(results, sensitivity, instrument == BOND ? s->currency : asset->currency);
    int without = total.n;
    if (instrument == CALL) {
        unit = call.vega;
        snprintf(name, sizeof name, "calls on %s, strike %.6g, %.6g years", asset->name,
                 call.strike, s->bucket);
    } else if (instrument == ASSET) {
        add_calls(results, s->asset, &total);
        snprintf(name, sizeof name, "%s itself%s", asset->name,
                 total.n > without ? ", the calls above included" : "");
    } else {
        unit = -s->bucket * discount_to(market, s->currency, s->bucket);
        snprintf(name, sizeof name, "zero bonds that pay 1 %s in %.6g years",
                 market->currencies[s->currency].name, s->bucket);
    }
    if (total.n && total.value != 0.0 && fabs(unit) > 0.0 && isfinite(total.value))
        html_row(out, OF_PAGE, "%s|%s|#%e±%e", s->name, name, -total.value / unit,
                 total.error / fabs(unit));
}

static void write_hedges(FILE *out, const struct results *results)
{
    html_table_begin(out, "hedge", "What takes the book's Greek to each quote to 0", NULL,
                     "Greek|by~options are worth what Black's formula says at the quote, cash "
                     "dividends left out; the rates of the options are not in the "
                     "bonds|#bought~less than 0: sold|#std error");
    for (int k = 0; k < N_INSTRUMENTS; k++)
        for (int i = 0; i < results->risk->n_sensitivities; i++)
            write_hedge(out, results, i, (enum instrument)k);
    html_table_end(out);
    for (int a = 0; a < results->market->n_assets; a++)
        if (first_greek(results->risk, GREEK_VEGA_QUOTE, a) >= 0 &&
            first_greek(results->risk, GREEK_VEGA_STRIKE, a) < 0)
            html_print(out,
                       "<p>No calls on %s are bought: a quote by delta is that of no one call. "
                       "With the Greek vega_strike they are.</p>\n",
                       results->market->assets[a].name);
}

/* ---- every Greek of every trade -------------------------------------------------------------- */

/* Writes those beyond the limit, or the others. */
static void write_rows(struct html_rows *rows, const struct results *results, bool beyond,
                       double limit)
{
    for (int i = 0; i < results->n; i++)
        for (int s = 0; s < results->risk->n_sensitivities; s++) {
            const struct greek_value *g = risk_greek(results->risk, s, i);
            if (!isfinite(g->value) || (fabs(g->z) > limit) != beyond ||
                !html_rows_next(rows, beyond ? "beyond" : ""))
                continue;
            cell_trade(rows->out, results, i);
            html_row(rows->out, BEGUN, "%s|%s|#%e±%e|#%e/%e|#%'.2f|#%'g|%s",
                     results->risk->sensitivities[s].name, results_currency(results, i), g->value,
                     g->std_error, g->reference, g->std_error, g->z, g->bump, g->method);
        }
}

void page_greeks(FILE *out, const struct results *results)
{
    struct greek_counts c = greeks_count(results->risk);
    if (c.checked)
        fprintf(out,
                "<p%s>%s Greeks were compared with those of the reference; %s of them beyond %.2f "
                "standard errors.</p>\n",
                c.beyond ? "" : " class=\"good\"", number_text(c.checked, 0).text,
                c.beyond ? number_text(c.beyond, 0).text : "none", c.limit);
    chart_greeks(out, results);
    write_totals(out, results);
    for (int a = 0; a < results->market->n_assets; a++) {
        write_matrix(out, results, GREEK_VEGA_STRIKE, a);
        write_matrix(out, results, GREEK_VEGA_QUOTE, a);
    }
    write_hedges(out, results);
    struct html_rows rows = html_rows_begin(
        out, "all-greeks",
        c.beyond ? "Greeks of every trade, those beyond the limit first" : "Greeks of every trade",
        NULL,
        "trade|Greek|in|#value~for the whole quantity|#std error|#reference|#z|"
        "#bump~by how much the market was moved|by",
        c.all, REPORT_GREEKS);
    write_rows(&rows, results, true, c.limit);
    write_rows(&rows, results, false, c.limit);
    html_rows_end(&rows, "Greeks");
}
