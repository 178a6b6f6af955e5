/* What takes the Greeks of the book to each quote to 0: options on the quotes of volatilities, then
 * each asset, then zero bonds to the dates of the curves. */
#include <math.h>

#include "app/pricing/calibration/surface_quotes.h"
#include "app/report/html.h"
#include "app/report/sections.h"
#include "models/market/surface.h"
#include "models/math/normal_cdf.h"

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

/* Returns the Greek of the book in a currency of the market. */
static struct money_total greek_in(const struct results *results, int sensitivity, int currency)
{
    struct money_total total = results_greek(results, sensitivity, 0), converted = {0};
    double rate = conversion_rate(results->market, results->currency, currency);
    money_add(&converted, rate, total.value, total.error);
    converted.n = total.n;
    return converted;
}

/* Writes that so much of an instrument takes a total to 0, one of which has a Greek of `unit`. */
static void write_hedge(FILE *out, const char *quote, const char *instrument,
                        const struct money_total *total, double unit)
{
    if (!total->n || total->value == 0.0 || !(fabs(unit) > 0.0 && isfinite(total->value))) return;
    html_row(out, OF_PAGE, "%s|%s|#%e±%e", quote, instrument, -total->value / unit,
             total->error / fabs(unit));
}

/* Writes the hedge of a column of Greeks, if it is one of volatilities at a quote. */
static void write_call(FILE *out, const struct results *results, int sensitivity)
{
    const struct sensitivity *s = &results->risk->sensitivities[sensitivity];
    struct quoted_call call;
    char instrument[160];
    if (!make_call(results->market, s, &call)) return;
    const struct asset *asset = &results->market->assets[s->asset];
    struct money_total total = greek_in(results, sensitivity, asset->currency);
    snprintf(instrument, sizeof instrument, "calls on %s, strike %.6g, %.6g years", asset->name,
             call.strike, s->bucket);
    write_hedge(out, s->name, instrument, &total, call.vega);
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

/* Does so for a column of spots, the calls being bought. */
static void write_asset(FILE *out, const struct results *results, int sensitivity)
{
    const struct sensitivity *s = &results->risk->sensitivities[sensitivity];
    char instrument[160];
    if (s->greek != GREEK_DELTA) return;
    const struct asset *asset = &results->market->assets[s->asset];
    struct money_total total = greek_in(results, sensitivity, asset->currency);
    int without = total.n;
    add_calls(results, s->asset, &total);
    snprintf(instrument, sizeof instrument, "%s itself%s", asset->name,
             total.n > without ? ", the calls above included" : "");
    write_hedge(out, s->name, instrument, &total, 1.0);
}

/* And for a column of rates to a date. */
static void write_bond(FILE *out, const struct results *results, int sensitivity)
{
    const struct sensitivity *s = &results->risk->sensitivities[sensitivity];
    char instrument[160];
    if (s->greek != GREEK_RHO_BUCKET) return;
    struct money_total total = greek_in(results, sensitivity, s->currency);
    snprintf(instrument, sizeof instrument, "zero bonds that pay 1 %s in %.6g years",
             results->market->currencies[s->currency].name, s->bucket);
    write_hedge(out, s->name, instrument, &total,
                -s->bucket * discount_to(results->market, s->currency, s->bucket));
}

void write_hedges(FILE *out, const struct results *results)
{
    static void (*const writers[])(FILE *, const struct results *, int) = {write_call, write_asset,
                                                                           write_bond};
    enum { N_WRITERS = sizeof writers / sizeof *writers };
    html_table_begin(out, "hedge", "What takes the book's Greek to each quote to 0", NULL,
                     "Greek|by~options are worth what Black's formula says at the quote, cash "
                     "dividends left out; the rates of the options are not in the "
                     "bonds|#bought~less than 0: sold|#std error");
    for (int k = 0; k < N_WRITERS; k++)
        for (int i = 0; i < results->risk->n_sensitivities; i++) writers[k](out, results, i);
    html_table_end(out);
    for (int a = 0; a < results->market->n_assets; a++)
        if (first_greek(results->risk, GREEK_VEGA_QUOTE, a) >= 0 &&
            first_greek(results->risk, GREEK_VEGA_STRIKE, a) < 0)
            html_print(out,
                       "<p>No calls on %s are bought: a quote by delta is that of no one call. "
                       "With the Greek vega_strike they are.</p>\n",
                       results->market->assets[a].name);
}
