/* Surfaces of implied volatilities that the tests of local volatility begin with, the steps of
 * local_vol on them, and expectations by quadrature, backwards over the steps of the production
 * code itself, which has no noise. */
#ifndef PRICER_VALIDATION_TESTS_LOCAL_VOL_MARKETS_H
#define PRICER_VALIDATION_TESTS_LOCAL_VOL_MARKETS_H

#include "app/pricing/base/market_shock.h"
#include "app/pricing/risk/greeks/greek_pools.h"
#include "app/pricing/risk/greeks/greek_errors.h"
#include "models/dynamics/black_scholes.h"
#include "models/dynamics/local_vol.h"
#include "models/dynamics/local_vol_table.h"
#include "models/market/surface.h"
#include "models/math/constants.h"
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "models/math/tally.h"
#include "validation/tests/black.h"
#include "validation/tests/dax_surface.h"
#include "validation/tests/test.h"

/* ---- markets --------------------------------------------------------------------------------- */

enum { TIMES_MAX = 8, STRIKES_MAX = 24, N_ASSETS = 2 };

/* One asset with a surface, and an FX rate into another currency. */
struct fixture {
    struct market market;
    struct currency currencies[2];
    struct asset assets[N_ASSETS];
    double correlation[N_ASSETS * N_ASSETS];
    double times[TIMES_MAX], strikes[STRIKES_MAX], vols[TIMES_MAX * STRIKES_MAX];
    struct implied_surface surface; /* surface_of() */
};

static inline void fixture_begin(struct fixture *f, double spot, int n_times, const double *times,
                                 int n_strikes, const double *strikes)
{
    static char name[] = "INDEX", fx[] = "FX";
    *f = (struct fixture){0};
    f->market = (struct market){.n_currencies = 2,
                                .currencies = f->currencies,
                                .n_assets = N_ASSETS,
                                .assets = f->assets,
                                .correlation = f->correlation};
    memcpy(f->times, times, (size_t)n_times * sizeof *times);
    memcpy(f->strikes, strikes, (size_t)n_strikes * sizeof *strikes);
    f->assets[0] = (struct asset){
        .name = name, .foreign_currency = -1, .spot = spot, .model = MODEL_LOCAL_VOL};
    f->assets[0].surface =
        (struct surface){n_times, n_strikes, f->times, f->strikes, f->vols, false};
    f->assets[1] = (struct asset){.name = fx,
                                  .currency = 1,
                                  .foreign_currency = 0,
                                  .spot = 1.1,
                                  .model = MODEL_BLACK_SCHOLES};
    const double year[1] = {1.0}, vol[1] = {0.1};
    int at;
    assert_ok(term_from_volatilities(&f->assets[1].variance, 1, year, vol, &at));
    f->correlation[0] = f->correlation[3] = 1.0;
    f->correlation[1] = f->correlation[2] = -0.4;
}

static inline void set_rates(struct fixture *f, int n, const double *times, const double *rates,
                             double yield)
{
    const double year[1] = {1.0};
    assert_ok(term_from_rates(&f->currencies[0].rate, n, times, rates));
    assert_ok(term_from_rates(&f->assets[0].yield, 1, year, &yield));
}

static inline void set_rate(struct fixture *f, double rate, double yield)
{
    set_rates(f, 1, (const double[]){1.0}, &rate, yield);
}

/* Makes the surface of its quotes as they are, once. */
static inline const struct implied_surface *surface_of(struct fixture *f)
{
    if (!f->surface.smiles) assert_ok(surface_make(&f->surface, &f->market, 0, &said));
    return &f->surface;
}

static inline void fixture_end(struct fixture *f)
{
    if (f->surface.smiles) surface_free(&f->surface);
    term_free(&f->currencies[0].rate);
    term_free(&f->assets[0].yield);
    term_free(&f->assets[1].variance);
}

static inline void dax(struct fixture *f)
{
    double times[8];
    for (int j = 0; j < 8; j++) times[j] = dax_days[j] / 365.0;
    fixture_begin(f, DAX_SPOT, 8, times, 13, dax_strikes);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 13; i++) f->vols[j * 13 + i] = dax_vols[i][j];
    set_rates(f, 8, times, dax_rates, 0.0);
}

/* Surface SVI without arbitrage (Gatheral and Jacquier 2014, section 4): theta the total variance
 * at the money. */
static inline double ssvi(double theta, double rho, double phi, double k)
{
    double a = phi * k + rho;
    return 0.5 * theta * (1.0 + rho * phi * k + sqrt(a * a + 1.0 - rho * rho));
}

static const double ssvi_times[8] = {7.0 / 365.0, 1.0 / 12.0, 2.0 / 12.0, 0.25, 0.5, 1.0, 1.5, 2.0};

/* An equity index: a skew of 1.1 volatility a unit of log strike at one month, 0.3 at one year. */
static inline void equity(struct fixture *f)
{
    double strikes[19];
    for (int i = 0; i < 19; i++) strikes[i] = 60.0 + 5.0 * i;
    fixture_begin(f, 100.0, 8, ssvi_times, 19, strikes);
    set_rate(f, 0.03, 0.015);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 19; i++) {
            double t = ssvi_times[j], atm = 0.18 + 0.04 * exp(-3.0 * t), theta = atm * atm * t;
            double k = log(strikes[i] / 100.0) - 0.015 * t;
            f->vols[j * 19 + i] = sqrt(ssvi(theta, -0.7, 0.9 / sqrt(theta * (1.0 + theta)), k) / t);
        }
}

/* An exchange rate: a smile about 8% to 9%. */
static inline void exchange_rate(struct fixture *f)
{
    double strikes[13];
    for (int i = 0; i < 13; i++) strikes[i] = 1.09 * exp(0.22 * (i - 6) / 6.0);
    fixture_begin(f, 1.09, 8, ssvi_times, 13, strikes);
    set_rate(f, 0.045, 0.02);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 13; i++) {
            double t = ssvi_times[j], atm = 0.08 + 0.01 * (1.0 - exp(-2.0 * t)),
                   theta = atm * atm * t;
            double k = log(strikes[i] / 1.09) - 0.025 * t;
            f->vols[j * 13 + i] = sqrt(ssvi(theta, -0.15, 1.1 / sqrt(theta), k) / t);
        }
}

/* As steep as a surface without arbitrage gets: the formula with a constant phi, whose density at
 * two years is a seventh of the lognormal one, and local volatilities from 8 % to 150 %. */
static const double steep_vol = 0.3, steep_rho = -0.9, steep_phi = 4.5;

static inline void steep(struct fixture *f)
{
    double strikes[19];
    for (int i = 0; i < 19; i++) strikes[i] = 20.0 + 10.0 * i;
    fixture_begin(f, 100.0, 8, ssvi_times, 19, strikes);
    set_rate(f, 0.0, 0.0);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 19; i++) {
            double theta = steep_vol * steep_vol * ssvi_times[j];
            f->vols[j * 19 + i] =
                sqrt(ssvi(theta, steep_rho, steep_phi, log(strikes[i] / 100.0)) / ssvi_times[j]);
        }
}

static inline void flat(struct fixture *f)
{
    const double times[2] = {0.25, 1.0}, strikes[3] = {80.0, 100.0, 125.0};
    fixture_begin(f, 100.0, 2, times, 3, strikes);
    set_rate(f, 0.03, 0.01);
    for (int i = 0; i < 6; i++) f->vols[i] = 0.2;
}

/* ---- steps ----------------------------------------------------------------------------------- */

enum { STEPS_MAX = 512, WIDTH = LOCAL_VOL_COEFFICIENTS };

/* A grid of steps up to an expiry, by way of the surface's own expiries. */
struct steps {
    int n;
    double times[STEPS_MAX + 1]; /* [0] is today */
    double c[STEPS_MAX][WIDTH];
    struct lookup lookup;
};

static inline enum status try_steps(struct steps *s, const struct market *market, double expiry,
                                    double longest, struct message *why)
{
    const struct surface *surface = &market->assets[0].surface;
    s->n = 0, s->times[0] = 0.0, s->lookup = (struct lookup){0};
    for (int i = 0; i <= surface->n_times; i++) {
        double from = s->times[s->n],
               until = i < surface->n_times ? fmin(surface->times[i], expiry) : expiry;
        int parts = until > from ? (int)ceil((until - from) / longest - 1e-9) : 0;
        for (int j = 0; j < parts; j++) {
            struct time_step time_step = {
                s->times[s->n], j + 1 < parts ? from + (until - from) * (j + 1) / parts : until,
                -1};
            assert_true(s->n < STEPS_MAX);
            enum status status =
                local_vol_coefficients(market, 0, &time_step, s->c[s->n], &s->lookup, why);
            if (status) return status;
            s->times[++s->n] = time_step.to;
        }
    }
    return STATUS_OK;
}

static inline void make_steps(struct steps *s, const struct market *market, double expiry,
                              double longest)
{
    assert_ok(try_steps(s, market, expiry, longest, &said));
}

static inline void free_steps(struct steps *s)
{
    lookup_forget(&s->lookup);
    free(s->lookup.table);
}

/* ---- quadrature ------------------------------------------------------------------------------ */

enum { NODES = 1601, NODES_MOST = 3001, POINTS_MOST = 20001, DELTAS = 7 };

/* What pays on a forward of 1: the option out of the money. */
static inline double payoff(double strike, double spot)
{
    return strike >= 1.0 ? fmax(spot - strike, 0.0) : fmax(strike - spot, 0.0);
}

static inline double implied(double strike, double price, double t)
{
    return bisected_volatility(strike >= 1.0 ? 1.0 : -1.0, 1.0, strike, t, price);
}

/* Strikes over the forward from 10 to 90 delta, by the surface's own volatility. */
static inline void delta_strikes(const struct implied_surface *surface, double t, double *strikes)
{
    for (int i = 0; i < DELTAS; i++) {
        double score = 1.2815515655446004 * (2.0 * i / (DELTAS - 1) - 1.0), k = 0.0;
        for (int j = 0; j < 50; j++) k = score * sqrt(surface_variance(surface, k, t).w);
        strikes[i] = exp(k);
    }
}

/* Nodes of log-moneyness, n of them. */
struct grid {
    int n;
    double low, spacing;
};

static inline struct grid grid_between(int n, double low, double high)
{
    return (struct grid){n, low, (high - low) / (n - 1)};
}

/* Points in z of the first step, of those between, and of the last one. */
struct points {
    int first, between, last;
};

static const struct points few_points = {65, 65, 65};

/* Values today of n options on a forward of 1, and of the forward behind them: expectations
 * backwards over the steps, each by the trapezoidal rule in z (with the normal law's weights it
 * converges faster than any power) and the cubic through four nodes. */
static inline void expectations(const struct fixture *f, const struct steps *s,
                                const struct grid *grid, const struct points *points, int n,
                                const double *strikes, double *values)
{
    static double now[DELTAS + 1][NODES_MOST], next[DELTAS + 1][NODES_MOST];
    static double z[POINTS_MOST], weight[POINTS_MOST];
    for (int i = s->n - 1; i >= 0; i--) {
        bool last = i == s->n - 1;
        double start = surface_log_forward(&f->market, 0, s->times[i]), total = 0.0;
        double end = surface_log_forward(&f->market, 0, s->times[i + 1]);
        int n_points = !i ? points->first : last ? points->last : points->between;
        for (int q = 0; q < n_points; q++) {
            z[q] = 6.4 * (2.0 * q / (n_points - 1) - 1.0);
            total += weight[q] = exp(-0.5 * z[q] * z[q]);
        }
        for (int a = 0; a < (i ? grid->n : 1); a++) {
            double sum[DELTAS + 1] = {0}, from = i ? grid->low + a * grid->spacing : 0.0;
            for (int q = 0; q < n_points; q++) {
                struct path_state state = {.x = (start + from) * LOG2_E};
                local_vol_step(s->c[i], s->lookup.table, &state, &z[q]);
                double y = state.x / LOG2_E - end, place = (y - grid->low) / grid->spacing;
                if (last) {
                    double spot = exp(y);
                    for (int d = 0; d < n; d++) sum[d] += weight[q] * payoff(strikes[d], spot);
                    sum[n] += weight[q] * spot;
                    continue;
                }
                int j = (int)fmin(fmax(floor(place), 1.0), grid->n - 3);
                double t = fmin(fmax(place - j, -1.0), 2.0);
                double l0 = -t * (t - 1) * (t - 2) / 6, l1 = (t + 1) * (t - 1) * (t - 2) / 2;
                double l2 = -(t + 1) * t * (t - 2) / 2, l3 = (t + 1) * t * (t - 1) / 6;
                for (int d = 0; d <= n; d++)
                    sum[d] += weight[q] * (l0 * next[d][j - 1] + l1 * next[d][j] +
                                           l2 * next[d][j + 1] + l3 * next[d][j + 2]);
            }
            for (int d = 0; d <= n; d++) now[d][a] = sum[d] / total;
        }
        memcpy(next, now, sizeof next);
    }
    for (int d = 0; d <= n; d++) values[d] = next[d][0];
}

/* The largest difference of volatility between options at an expiry and the surface. */
static inline double furthest_off(const struct implied_surface *surface, double expiry,
                                  const double *strikes, const double *values)
{
    double worst = 0.0;
    for (int d = 0; d < DELTAS; d++) {
        double error = implied(strikes[d], values[d], expiry) -
                       surface_volatility(surface, log(strikes[d]), expiry);
        if (fabs(error) > fabs(worst)) worst = error;
    }
    return worst;
}

/* The same between the steps and the surface, 10 to 90 delta. */
static inline double round_trip(struct fixture *f, double expiry, double longest)
{
    static struct steps steps;
    const struct implied_surface *surface = surface_of(f);
    double strikes[DELTAS], values[DELTAS + 1];
    make_steps(&steps, &f->market, expiry, longest);
    delta_strikes(surface, expiry, strikes);
    double reach = 15.0 * sqrt(surface_variance(surface, 0.0, expiry).w);
    struct grid grid = grid_between(NODES, -reach, reach);
    expectations(f, &steps, &grid, &few_points, DELTAS, strikes, values);
    free_steps(&steps);
    return furthest_off(surface, expiry, strikes, values);
}

/* Density of ln(S / F). */
static inline double law_density(const struct implied_surface *s, double k, double t)
{
    struct variance_at at = surface_variance(s, k, t);
    double d2 = -k / sqrt(at.w) - 0.5 * sqrt(at.w);
    return surface_density(&at, k) * exp(-0.5 * d2 * d2) / sqrt(2.0 * PI * at.w);
}

#endif
