#include "app/pricing/calibration/surface_quotes.h"

#include <complex.h>
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
        struct quote *quote = &quotes->list[i];
        quote->time = surface->times[time];
        quote->strike = surface_strike(surface, time, i % quotes->n_strikes);
        quote->k = log(quote->strike) - surface_log_forward(market, asset, quote->time);
        quote->volatility = surface->vols[i];
        quote->value = black_value(quote->k, quote->time, quote->volatility);
        quote->vega = black_vega(quote->k, quote->time, quote->volatility);
        quote->used = quote->value >= QUOTE_LEAST_VALUE;
        quotes->n_used += quote->used;
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

/* ---- model prices: characteristic functions, with their derivatives by every parameter ---------
 */

/* Heston (1993), as in Albrecher, Mayer, Schoutens and Tistaert (The little Heston trap, Wilmott,
 * January 2007), so that the logarithm stays on its main branch. With h = 1/2 + i u, q = u^2 + 1/4,
 * b = kappa - rho xi h, d^2 = b^2 + xi^2 q, E = e^{-d t}, M = d (1 + E) + b (1 - E): exponent = v0
 * D + theta C,  D = -q (1 - E) / M,  C = kappa / xi^2 ((b - d) t - 2 ln(M / (2 d))). The
 * derivatives by kappa, xi and rho follow by the chain rule; that they pay in a calibration is the
 * point of Y. Cui, S. del Bano Rollin and G. Germano, Full and fast calibration of the Heston
 * stochastic volatility model, European Journal of Operational Research 263 (2017) 625-638. */
struct riccati {
    double q, t;
    double complex b, d, E, M, C, D;
};

static struct riccati riccati_at(const double *p, double t, double u)
{
    double kappa = p[PARAMETER_HESTON_KAPPA], xi = p[PARAMETER_HESTON_XI],
           rho = p[PARAMETER_HESTON_RHO];
    struct riccati r = {.q = u * u + 0.25, .t = t, .b = kappa - rho * xi * (0.5 + I * u)};
    r.d = csqrt(r.b * r.b + xi * xi * r.q);
    r.E = cexp(-r.d * t);
    r.M = r.d * (1.0 + r.E) + r.b * (1.0 - r.E);
    r.D = -r.q * (1.0 - r.E) / r.M;
    r.C = kappa / (xi * xi) * ((r.b - r.d) * t - 2.0 * clog(r.M / (2.0 * r.d)));
    return r;
}

/* Returns the derivative of v0 D + theta kappa / xi^2 (...), kappa / xi^2 held, in the direction
 * that moves b by `b_by` and xi by `xi_by`. */
static double complex riccati_moved(const struct riccati *r, const double *p, double complex b_by,
                                    double xi_by)
{
    double xi = p[PARAMETER_HESTON_XI],
           scale = p[PARAMETER_HESTON_THETA] * p[PARAMETER_HESTON_KAPPA] / (xi * xi);
    double complex d_by = (r->b * b_by + xi * r->q * xi_by) / r->d, E_by = -r->t * r->E * d_by;
    double complex M_by = d_by * (1.0 + r->E) + r->d * E_by + b_by * (1.0 - r->E) - r->b * E_by;
    double complex D_by = r->q * (E_by + (1.0 - r->E) * M_by / r->M) / r->M;
    double complex L_by = (b_by - d_by) * r->t - 2.0 * (M_by / r->M - d_by / r->d);
    return p[PARAMETER_HESTON_V0] * D_by + scale * L_by;
}

static double complex heston_exponent(const double *p, double t, double u, double complex *gradient)
{
    struct riccati r = riccati_at(p, t, u);
    double complex h = 0.5 + I * u, drift = p[PARAMETER_HESTON_THETA] * r.C;
    if (gradient) {
        double kappa = p[PARAMETER_HESTON_KAPPA], xi = p[PARAMETER_HESTON_XI],
               rho = p[PARAMETER_HESTON_RHO];
        gradient[PARAMETER_HESTON_V0] = r.D;
        gradient[PARAMETER_HESTON_THETA] = r.C;
        gradient[PARAMETER_HESTON_KAPPA] = drift / kappa + riccati_moved(&r, p, 1.0, 0.0);
        gradient[PARAMETER_HESTON_XI] = -2.0 * drift / xi + riccati_moved(&r, p, -rho * h, 1.0);
        gradient[PARAMETER_HESTON_RHO] = riccati_moved(&r, p, -xi * h, 0.0);
    }
    return p[PARAMETER_HESTON_V0] * r.D + drift;
}

/* Jumps of Merton (1976), as D. Bates (Jumps and stochastic volatility, Review of Financial Studies
 * 9 (1996) 69-107) adds them: intensity t (E e^{h J} - 1 - h (E e^J - 1)), J normal. */
static double complex jump_exponent(const double *p, double t, double u, double complex *gradient)
{
    double mean = p[PARAMETER_JUMP_MEAN], stdev = p[PARAMETER_JUMP_STDEV],
           rate = p[PARAMETER_JUMP_INTENSITY] * t;
    double complex h = 0.5 + I * u, growth = cexp(h * (mean + 0.5 * h * stdev * stdev));
    double log_growth = mean + 0.5 * stdev * stdev;
    double complex one = growth - 1.0 - h * expm1(log_growth);
    if (gradient) {
        gradient[PARAMETER_JUMP_INTENSITY] = t * one;
        gradient[PARAMETER_JUMP_MEAN] = rate * h * (growth - exp(log_growth));
        gradient[PARAMETER_JUMP_STDEV] = rate * h * stdev * (h * growth - exp(log_growth));
    }
    return rate * one;
}

/* Computes the characteristic function of an expiry at its nodes, then its derivatives by every
 * parameter: real and imaginary parts in rows of `work`. */
static void make_rows(const struct expiry_nodes *expiry, double t, int n, const double *parameters,
                      bool derived, double *work)
{
    int n_nodes = expiry->n_nodes;
    for (int node = 0; node < n_nodes; node++) {
        double complex gradient[N_PARAMETERS] = {0};
        double complex *slopes = derived ? gradient : NULL;
        double complex exponent = heston_exponent(parameters, t, expiry->u[node], slopes);
        if (n > N_HESTON_PARAMETERS)
            exponent += jump_exponent(parameters, t, expiry->u[node], slopes);
        double complex phi = cexp(exponent);
        work[node] = creal(phi);
        work[n_nodes + node] = cimag(phi);
        for (int i = 0; derived && i < n; i++) {
            double complex by = phi * gradient[i];
            work[(2 * i + 2) * n_nodes + node] = creal(by);
            work[(2 * i + 3) * n_nodes + node] = cimag(by);
        }
    }
}

static double sum_of(const struct expiry_nodes *expiry, int strike, const double *real)
{
    int n = expiry->n_nodes;
    const double *imaginary = real + n;
    const double *cosines = expiry->cosines + (size_t)strike * (size_t)n;
    const double *sines = expiry->sines + (size_t)strike * (size_t)n;
    double sums[NODE_LANES] = {0.0}, sum = 0.0;
    for (int i = 0; i < n; i += NODE_LANES)
        for (int j = 0; j < NODE_LANES; j++)
            sums[j] += cosines[i + j] * real[i + j] + sines[i + j] * imaginary[i + j];
    for (int j = 0; j < NODE_LANES; j++) sum += sums[j];
    return sum;
}

void model_values(const struct surface_quotes *quotes, int n_parameters, const double *parameters,
                  double *values, double *gradient)
{
    for (int i = 0; i < quotes->n_times; i++) {
        const struct expiry_nodes *expiry = &quotes->expiries[i];
        int first = i * quotes->n_strikes;
        double t = quotes->list[first].time;
        make_rows(expiry, t, n_parameters, parameters, gradient != NULL, quotes->work);
        for (int j = 0; j < quotes->n_strikes; j++) {
            values[first + j] = expiry->bases[j] - sum_of(expiry, j, quotes->work);
            for (int p = 0; gradient && p < n_parameters; p++)
                gradient[(first + j) * n_parameters + p] =
                    -sum_of(expiry, j, quotes->work + (2 * p + 2) * expiry->n_nodes);
        }
    }
}
