#include "app/pricing/calibration/surface_quotes.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_integration.h>

#include "models/market/surface.h"
#include "models/math/constants.h"

/* ---- Black's formula ------------------------------------------------------------------------- */

static double normal_below(double x)
{
    return 0.5 * erfc(-x * ROOT_HALF);
}

double black_value(double k, double t, double volatility)
{
    double deviation = volatility * sqrt(t), side = k >= 0.0 ? 1.0 : -1.0;
    double d1 = -k / deviation + 0.5 * deviation;
    return side * (normal_below(side * d1) - exp(k) * normal_below(side * (d1 - deviation)));
}

double black_vega(double k, double t, double volatility)
{
    double deviation = volatility * sqrt(t), d1 = -k / deviation + 0.5 * deviation;
    return sqrt(t) * NORMAL_PEAK * exp(-0.5 * d1 * d1);
}

/* Finds the volatility by Newton's steps on the logarithm of the value, which is nearly straight in
 * 1 / volatility^2, kept inside a bracket. */
double black_implied(double k, double t, double value)
{
    double low = 1e-4, high = 12.0 / fmin(sqrt(t), 1.0);
    double target = log(fmax(value, 1e-12)), volatility = 0.3;
    for (int i = 0; i < 100; i++) {
        double now = black_value(k, t, volatility), vega = black_vega(k, t, volatility);
        double miss = now > 0.0 ? log(now) - target : -INFINITY;
        if (miss > 0.0) high = volatility;
        else low = volatility;
        double next = volatility - miss * now / vega;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - volatility) < 1e-14 * volatility || high - low < 1e-14) break;
        volatility = next;
    }
    return volatility;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Panels of Gauss-Legendre nodes in y = u * standard deviation of the market's log spot. Wide
 * enough that a law with fat tails has faded, dense enough for strikes REACH standard deviations
 * out; where strikes go further, each panel is cut into as many parts as that needs. */
static const struct panel {
    double from, to;
    int nodes;
} panels[] = {
    {0.0, 4.0, 32}, {4.0, 12.0, 40}, {12.0, 28.0, 56}, {28.0, 60.0, 80}, {60.0, 124.0, 96}};
enum {
    N_PANELS = sizeof panels / sizeof *panels,
    N_NODES = 32 + 40 + 56 + 80 + 96,
    REACH = 5,
    PARTS_MAX = 8
};

_Static_assert(N_NODES % NODE_LANES == 0, "every lane gets as many nodes");

/* Makes nodes and weights of all panels. STATUS_NO_MEMORY. */
static enum status make_nodes(int parts, double deviation, double *u, double *weights)
{
    int n = 0;
    for (int i = 0; i < N_PANELS; i++) {
        double width = (panels[i].to - panels[i].from) / parts;
        gsl_integration_glfixed_table *table =
            gsl_integration_glfixed_table_alloc((size_t)panels[i].nodes);
        if (!table) return STATUS_NO_MEMORY;
        for (int j = 0; j < panels[i].nodes * parts; j++, n++) {
            double from = panels[i].from + width * (j / panels[i].nodes);
            gsl_integration_glfixed_point(from / deviation, (from + width) / deviation,
                                          (size_t)(j % panels[i].nodes), &u[n], &weights[n], table);
        }
        gsl_integration_glfixed_table_free(table);
    }
    return STATUS_OK;
}

/* Lewis (A simple option formula for general jump-diffusion and other exponential Levy processes,
 * 2001): with phi(u) = E exp((1/2 + i u) X), q = u^2 + 1/4, call = 1 - e^{k/2} / pi * integral over
 * u > 0 of Re[e^{-iuk} phi(u)] / q. Less the same for Black's law at the quote's own volatility,
 * whose value is known (Andersen and Piterbarg, Interest Rate Modeling, 2010, section 8.4), only
 * the difference is left to quadrature, put and call alike. */
static void make_weights(const struct quote *quote, const double *weights,
                         struct expiry_nodes *expiry, int strike)
{
    double *cosines = expiry->cosines + (size_t)strike * (size_t)expiry->n_nodes;
    double *sines = expiry->sines + (size_t)strike * (size_t)expiry->n_nodes;
    double variance = quote->volatility * quote->volatility * quote->time, sum = quote->value;
    for (int i = 0; i < expiry->n_nodes; i++) {
        double u = expiry->u[i], q = u * u + 0.25,
               weight = exp(0.5 * quote->k) / M_PI * weights[i] / q;
        cosines[i] = weight * cos(u * quote->k);
        sines[i] = weight * sin(u * quote->k);
        sum += cosines[i] * exp(-0.5 * variance * q);
    }
    expiry->bases[strike] = sum;
}

/* ---- quotes ---------------------------------------------------------------------------------- */

static struct quote quote_of(const struct surface *surface, int i, int j, double log_forward)
{
    struct quote quote = {.time = surface->times[i], .strike = surface_strike(surface, i, j)};
    quote.k = log(quote.strike) - log_forward;
    quote.volatility = surface->vols[i * surface->n_strikes + j];
    quote.value = black_value(quote.k, quote.time, quote.volatility);
    quote.vega = black_vega(quote.k, quote.time, quote.volatility);
    quote.used = quote.value >= QUOTE_LEAST_VALUE;
    return quote;
}

const struct quote *quote_at_the_money(const struct surface_quotes *quotes, int expiry)
{
    const struct quote *row = quotes->list + (size_t)expiry * (size_t)quotes->n_strikes,
                       *best = row;
    for (int i = 1; i < quotes->n_strikes; i++)
        if (fabs(row[i].k) < fabs(best->k)) best = &row[i];
    return best;
}

/* Returns the parts of a panel that the furthest used strike asks for. */
static int parts_of(const struct surface_quotes *quotes, int expiry, double deviation)
{
    const struct quote *row = quotes->list + (size_t)expiry * (size_t)quotes->n_strikes;
    double furthest = 0.0;
    for (int i = 0; i < quotes->n_strikes; i++)
        if (row[i].used) furthest = fmax(furthest, fabs(row[i].k) / deviation);
    return (int)fmin(fmax(ceil(furthest / REACH), 1.0), PARTS_MAX);
}

static enum status make_expiry(struct surface_quotes *quotes, int i)
{
    enum status status = STATUS_OK;
    struct expiry_nodes *expiry = &quotes->expiries[i];
    const struct quote *middle = quote_at_the_money(quotes, i);
    double deviation = middle->volatility * sqrt(middle->time);
    int parts = parts_of(quotes, i, deviation);
    size_t n = (size_t)parts * N_NODES, n_strikes = (size_t)quotes->n_strikes;
    double *weights = malloc(n * sizeof *weights);
    expiry->n_nodes = (int)n;
    expiry->u = malloc((n + n_strikes * (2 * n + 1)) * sizeof *expiry->u);
    if (!weights || !expiry->u) TRY(STATUS_NO_MEMORY);
    expiry->cosines = expiry->u + n;
    expiry->sines = expiry->cosines + n_strikes * n;
    expiry->bases = expiry->sines + n_strikes * n;
    TRY(make_nodes(parts, deviation, expiry->u, weights));
    for (int j = 0; j < quotes->n_strikes; j++)
        make_weights(&quotes->list[i * quotes->n_strikes + j], weights, expiry, j);
done:
    free(weights);
    return status;
}

static void make_list(const struct market *market, int asset, struct surface_quotes *quotes)
{
    const struct surface *surface = quoted_surface(&market->assets[asset]);
    for (int i = 0; i < quotes->n; i++) {
        int time = i / quotes->n_strikes;
        double log_forward = surface_log_forward(market, asset, surface->times[time]);
        quotes->list[i] = quote_of(surface, time, i % quotes->n_strikes, log_forward);
        quotes->n_used += quotes->list[i].used;
    }
}

enum status surface_quotes_make(const struct market *market, int asset,
                                struct surface_quotes *quotes)
{
    enum status status = STATUS_OK;
    const struct surface *surface = quoted_surface(&market->assets[asset]);
    int max_nodes = 0;
    *quotes = (struct surface_quotes){.asset = asset,
                                      .n = surface->n_times * surface->n_strikes,
                                      .n_times = surface->n_times,
                                      .n_strikes = surface->n_strikes};
    quotes->list = calloc((size_t)quotes->n, sizeof *quotes->list);
    quotes->expiries = calloc((size_t)quotes->n_times, sizeof *quotes->expiries);
    if (!quotes->list || !quotes->expiries) TRY(STATUS_NO_MEMORY);
    make_list(market, asset, quotes);
    for (int i = 0; i < quotes->n_times; i++) {
        TRY(make_expiry(quotes, i));
        if (quotes->expiries[i].n_nodes > max_nodes) max_nodes = quotes->expiries[i].n_nodes;
    }
    quotes->work = calloc((1 + N_PARAMETERS) * 2 * (size_t)max_nodes, sizeof *quotes->work);
    if (!quotes->work) TRY(STATUS_NO_MEMORY);
done:
    if (status) surface_quotes_free(quotes);
    return status;
}

void surface_quotes_free(struct surface_quotes *quotes)
{
    for (int i = 0; quotes->expiries && i < quotes->n_times; i++) free(quotes->expiries[i].u);
    free(quotes->list);
    free(quotes->expiries);
    free(quotes->work);
    *quotes = (struct surface_quotes){0};
}
