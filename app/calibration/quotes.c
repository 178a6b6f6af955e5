#include "app/calibration/quotes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_integration.h>

#include "models/market/surface.h"

/* ---- Black's formula -------------------------------------------------------------------------------------
 */

static double normal_below(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752);
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
    return sqrt(t) * 0.39894228040143268 * exp(-0.5 * d1 * d1);
}

/* Newton's steps on the logarithm of the value, which is nearly straight in 1 / volatility^2, kept inside a
 * bracket. */
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

/* ---- nodes -----------------------------------------------------------------------------------------------
 */

/* Panels of Gauss-Legendre nodes in y = u * standard deviation of the market's log spot. Wide enough that a
 * law with fat tails has faded, dense enough for strikes five standard deviations out. */
static const struct panel {
    double from, to;
    int nodes;
} panels[] = {{0.0, 4.0, 32}, {4.0, 12.0, 40}, {12.0, 28.0, 56}, {28.0, 60.0, 80}, {60.0, 124.0, 96}};
enum { N_PANELS = sizeof panels / sizeof *panels, N_NODES = 32 + 40 + 56 + 80 + 96 };

/* Nodes and weights of all panels. STATUS_NO_MEMORY. */
static enum status make_nodes(double *y, double *weights)
{
    int n = 0;
    for (int i = 0; i < N_PANELS; i++) {
        gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc((size_t)panels[i].nodes);
        if (!table) return STATUS_NO_MEMORY;
        for (int j = 0; j < panels[i].nodes; j++, n++)
            gsl_integration_glfixed_point(panels[i].from, panels[i].to, (size_t)j, &y[n], &weights[n], table);
        gsl_integration_glfixed_table_free(table);
    }
    return STATUS_OK;
}

/* Lewis (A simple option formula for general jump-diffusion and other exponential Levy processes, 2001): with
 * phi(u) = E exp((1/2 + i u) X), q = u^2 + 1/4, call = 1 - e^{k/2} / pi * integral over u > 0 of Re[e^{-iuk}
 * phi(u)] / q. Less the same for Black's law at the quote's own volatility, whose value is known (Andersen
 * and Piterbarg, Interest Rate Modeling, 2010, section 8.4), only the difference is left to quadrature, put
 * and call alike. */
static void make_weights(struct quotes *quotes, int at, const double *u, const double *weights)
{
    struct quote *quote = &quotes->list[at];
    double *cosines = quotes->cosines + (size_t)at * N_NODES, *sines = quotes->sines + (size_t)at * N_NODES;
    double variance = quote->volatility * quote->volatility * quote->time, sum = quote->value;
    for (int i = 0; i < N_NODES; i++) {
        double q = u[i] * u[i] + 0.25, weight = exp(0.5 * quote->k) / M_PI * weights[i] / q;
        cosines[i] = weight * cos(u[i] * quote->k);
        sines[i] = weight * sin(u[i] * quote->k);
        sum += cosines[i] * exp(-0.5 * variance * q);
    }
    quotes->bases[at] = sum;
}

/* ---- quotes ----------------------------------------------------------------------------------------------
 */

static struct quote quote_of(const struct surface *surface, int i, int j, double log_forward)
{
    struct quote quote = {.time = surface->times[i], .strike = surface->strikes[j]};
    quote.k = log(quote.strike) - log_forward;
    quote.volatility = surface->vols[i * surface->n_strikes + j];
    quote.value = black_value(quote.k, quote.time, quote.volatility);
    quote.vega = black_vega(quote.k, quote.time, quote.volatility);
    quote.used = quote.value >= QUOTE_LEAST;
    return quote;
}

static void make_expiry(const struct market *market, int asset, int i, const double *y, const double *weights,
                        struct quotes *quotes)
{
    const struct surface *surface = &market->assets[asset].surface;
    double log_forward = surface_log_forward(market, asset, surface->times[i]), scaled[N_NODES];
    double *u = quotes->u + (size_t)i * N_NODES;
    int first = i * quotes->n_strikes, middle = first;
    for (int j = 0; j < quotes->n_strikes; j++) {
        quotes->list[first + j] = quote_of(surface, i, j, log_forward);
        quotes->n_used += quotes->list[first + j].used;
        if (fabs(quotes->list[first + j].k) < fabs(quotes->list[middle].k)) middle = first + j;
    }
    double deviation = quotes->list[middle].volatility * sqrt(surface->times[i]);
    for (int node = 0; node < N_NODES; node++) {
        u[node] = y[node] / deviation;
        scaled[node] = weights[node] / deviation;
    }
    for (int j = 0; j < quotes->n_strikes; j++) make_weights(quotes, first + j, u, scaled);
}

enum status quotes_make(const struct market *market, int asset, struct quotes *quotes)
{
    const struct surface *surface = &market->assets[asset].surface;
    double y[N_NODES], weights[N_NODES];
    size_t n_times = (size_t)surface->n_times, n = n_times * (size_t)surface->n_strikes;
    *quotes = (struct quotes){
        .n = (int)n, .n_times = surface->n_times, .n_strikes = surface->n_strikes, .n_nodes = N_NODES};
    quotes->list = calloc(n, sizeof *quotes->list);
    quotes->numbers = calloc((n_times + 2 * n) * N_NODES + n, sizeof *quotes->numbers);
    quotes->work = calloc((1 + N_PARAMETERS) * 2 * N_NODES, sizeof *quotes->work);
    if (!quotes->list || !quotes->numbers || !quotes->work || make_nodes(y, weights)) {
        quotes_free(quotes);
        return STATUS_NO_MEMORY;
    }
    quotes->u = quotes->numbers;
    quotes->cosines = quotes->u + n_times * N_NODES;
    quotes->sines = quotes->cosines + n * N_NODES;
    quotes->bases = quotes->sines + n * N_NODES;
    for (int i = 0; i < surface->n_times; i++) make_expiry(market, asset, i, y, weights, quotes);
    return STATUS_OK;
}

void quotes_free(struct quotes *quotes)
{
    free(quotes->list);
    free(quotes->numbers);
    free(quotes->work);
    *quotes = (struct quotes){0};
}

/* ---- values ----------------------------------------------------------------------------------------------
 */

enum { LANES = 8 }; /* sums side by side, for vectors */
_Static_assert(N_NODES % LANES == 0, "every lane gets as many nodes");

/* The characteristic function of an expiry at its nodes, then its derivatives by every parameter: real and
 * imaginary parts in rows of `work`. */
static void make_rows(const struct quotes *quotes, int expiry, int n, const double *parameters, bool derived)
{
    const double *u = quotes->u + (size_t)expiry * N_NODES;
    double t = quotes->list[expiry * quotes->n_strikes].time;
    for (int node = 0; node < N_NODES; node++) {
        double complex gradient[N_PARAMETERS] = {0};
        double complex phi = cexp(law_exponent(n, parameters, t, u[node], derived ? gradient : NULL));
        quotes->work[node] = creal(phi);
        quotes->work[N_NODES + node] = cimag(phi);
        for (int i = 0; derived && i < n; i++) {
            double complex by = phi * gradient[i];
            quotes->work[(2 * i + 2) * N_NODES + node] = creal(by);
            quotes->work[(2 * i + 3) * N_NODES + node] = cimag(by);
        }
    }
}

static double sum_of(const struct quotes *quotes, int at, int row)
{
    const double *real = quotes->work + (size_t)(2 * row) * N_NODES, *imaginary = real + N_NODES;
    const double *cosines = quotes->cosines + (size_t)at * N_NODES;
    const double *sines = quotes->sines + (size_t)at * N_NODES;
    double sums[LANES] = {0.0}, sum = 0.0;
    for (int i = 0; i < N_NODES; i += LANES)
        for (int j = 0; j < LANES; j++)
            sums[j] += cosines[i + j] * real[i + j] + sines[i + j] * imaginary[i + j];
    for (int j = 0; j < LANES; j++) sum += sums[j];
    return sum;
}

void quotes_values(const struct quotes *quotes, int n_parameters, const double *parameters, double *values,
                   double *gradient)
{
    for (int i = 0; i < quotes->n_times; i++) {
        make_rows(quotes, i, n_parameters, parameters, gradient != NULL);
        for (int at = i * quotes->n_strikes; at < (i + 1) * quotes->n_strikes; at++) {
            values[at] = quotes->bases[at] - sum_of(quotes, at, 0);
            for (int p = 0; gradient && p < n_parameters; p++)
                gradient[at * n_parameters + p] = -sum_of(quotes, at, p + 1);
        }
    }
}
