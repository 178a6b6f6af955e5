/* Local volatility: the surface of implied volatilities, arbitrage in it, and whether local_vol's
 * steps give it back.
 *
 * Expectations under the steps are computed in two ways: by quadrature, backwards over the steps of
 * the production code itself, which has no noise; and by simulation with the project's normals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "app/pricing/greeks/market_shock.h"
#include "app/pricing/greeks/greek_pools.h"
#include "app/pricing/greeks/table_roughness.h"
#include "models/dynamics/black_scholes.h"
#include "models/dynamics/local_vol.h"
#include "models/dynamics/local_vol_table.h"
#include "models/market/surface.h"
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "models/math/tally.h"
#include "validation/tests/dax_surface.h"

#define LOG2_E 1.4426950408889634
#define ROOT_HALF 0.70710678118654752

/* ---- markets --------------------------------------------------------------------------------- */

enum { TIMES_MAX = 8, STRIKES_MAX = 24, N_ASSETS = 2 };

/* One asset with a surface, and an FX rate into another currency. */
struct fixture {
    struct market market;
    struct currency currencies[2];
    struct asset assets[N_ASSETS];
    double correlation[N_ASSETS * N_ASSETS];
    double times[TIMES_MAX], strikes[STRIKES_MAX], vols[TIMES_MAX * STRIKES_MAX];
};

static void fixture_begin(struct fixture *f, double spot, int n_times, const double *times,
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
    f->assets[0].surface = (struct surface){n_times, n_strikes, f->times, f->strikes, f->vols};
    f->assets[1] = (struct asset){.name = fx,
                                  .currency = 1,
                                  .foreign_currency = 0,
                                  .spot = 1.1,
                                  .model = MODEL_BLACK_SCHOLES};
    const double year[1] = {1.0}, vol[1] = {0.1};
    int at;
    assert_int_equal(term_from_volatilities(&f->assets[1].variance, 1, year, vol, &at), STATUS_OK);
    f->correlation[0] = f->correlation[3] = 1.0;
    f->correlation[1] = f->correlation[2] = -0.4;
}

static void set_rates(struct fixture *f, int n, const double *times, const double *rates,
                      double yield)
{
    const double year[1] = {1.0};
    assert_int_equal(term_from_rates(&f->currencies[0].rate, n, times, rates), STATUS_OK);
    assert_int_equal(term_from_rates(&f->assets[0].yield, 1, year, &yield), STATUS_OK);
}

static void fixture_end(struct fixture *f)
{
    term_free(&f->currencies[0].rate);
    term_free(&f->assets[0].yield);
    term_free(&f->assets[1].variance);
}

static void dax(struct fixture *f)
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
static double ssvi(double theta, double rho, double phi, double k)
{
    double a = phi * k + rho;
    return 0.5 * theta * (1.0 + rho * phi * k + sqrt(a * a + 1.0 - rho * rho));
}

static const double ssvi_times[8] = {7.0 / 365.0, 1.0 / 12.0, 2.0 / 12.0, 0.25, 0.5, 1.0, 1.5, 2.0};

/* An equity index: a skew of 1.1 volatility a unit of log strike at one month, 0.3 at one year. */
static void equity(struct fixture *f)
{
    double strikes[19];
    for (int i = 0; i < 19; i++) strikes[i] = 60.0 + 5.0 * i;
    fixture_begin(f, 100.0, 8, ssvi_times, 19, strikes);
    const double rate[1] = {0.03}, year[1] = {1.0};
    set_rates(f, 1, year, rate, 0.015);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 19; i++) {
            double t = ssvi_times[j], atm = 0.18 + 0.04 * exp(-3.0 * t), theta = atm * atm * t;
            double k = log(strikes[i] / 100.0) - 0.015 * t;
            f->vols[j * 19 + i] = sqrt(ssvi(theta, -0.7, 0.9 / sqrt(theta * (1.0 + theta)), k) / t);
        }
}

/* An exchange rate: a smile about 8% to 9%. */
static void exchange_rate(struct fixture *f)
{
    double strikes[13];
    for (int i = 0; i < 13; i++) strikes[i] = 1.09 * exp(0.22 * (i - 6) / 6.0);
    fixture_begin(f, 1.09, 8, ssvi_times, 13, strikes);
    const double rate[1] = {0.045}, year[1] = {1.0};
    set_rates(f, 1, year, rate, 0.02);
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

static void steep(struct fixture *f)
{
    double strikes[19];
    for (int i = 0; i < 19; i++) strikes[i] = 20.0 + 10.0 * i;
    fixture_begin(f, 100.0, 8, ssvi_times, 19, strikes);
    const double rate[1] = {0.0}, year[1] = {1.0};
    set_rates(f, 1, year, rate, 0.0);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 19; i++) {
            double theta = steep_vol * steep_vol * ssvi_times[j];
            f->vols[j * 19 + i] =
                sqrt(ssvi(theta, steep_rho, steep_phi, log(strikes[i] / 100.0)) / ssvi_times[j]);
        }
}

static void flat(struct fixture *f)
{
    const double times[2] = {0.25, 1.0}, strikes[3] = {80.0, 100.0, 125.0}, rate[1] = {0.03},
                 year[1] = {1.0};
    fixture_begin(f, 100.0, 2, times, 3, strikes);
    set_rates(f, 1, year, rate, 0.01);
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

static enum status try_steps(struct steps *s, const struct market *market, double expiry,
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

static void make_steps(struct steps *s, const struct market *market, double expiry, double longest)
{
    struct message why = {""};
    assert_int_equal(try_steps(s, market, expiry, longest, &why), STATUS_OK);
}

static void free_steps(struct steps *s)
{
    lookup_forget(&s->lookup);
    free(s->lookup.table);
}

/* ---- Black's formula on a forward of 1 ------------------------------------------------------- */

static double normal_below(double x)
{
    return 0.5 * erfc(-x * ROOT_HALF);
}

/* The option out of the money. */
static double black(double strike, double deviation)
{
    double side = strike >= 1.0 ? 1.0 : -1.0, d1 = -log(strike) / deviation + 0.5 * deviation;
    return side * (normal_below(side * d1) - strike * normal_below(side * (d1 - deviation)));
}

static double payoff(double strike, double spot)
{
    return strike >= 1.0 ? fmax(spot - strike, 0.0) : fmax(strike - spot, 0.0);
}

static double vega(double strike, double deviation, double t)
{
    double d1 = -log(strike) / deviation + 0.5 * deviation;
    return exp(-0.5 * d1 * d1) / sqrt(2.0 * PI) * sqrt(t);
}

static double implied(double strike, double price, double t)
{
    double low = 1e-4, high = 5.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (black(strike, middle * sqrt(t)) > price) high = middle;
        else low = middle;
    }
    return 0.5 * (low + high);
}

/* ---- quadrature ------------------------------------------------------------------------------ */

enum { NODES = 1601, NODES_MOST = 3001, POINTS = 65, DELTAS = 7 };

/* Strikes over the forward from 10 to 90 delta, by the surface's own volatility. */
static void delta_strikes(const struct implied_surface *surface, double t, double *strikes)
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

static struct grid grid_between(int n, double low, double high)
{
    return (struct grid){n, low, (high - low) / (n - 1)};
}

/* Values today of options on a forward of 1, and of the forward: expectations backwards over the
 * steps, each by the trapezoidal rule in z (with the normal law's weights it converges faster than
 * any power) and the cubic through four nodes. */
static void expectations(const struct fixture *f, const struct steps *s, const struct grid *grid,
                         const double *strikes, double *values)
{
    enum { FORWARD = DELTAS, ALL };
    static double now[ALL][NODES_MOST], next[ALL][NODES_MOST];
    double z[POINTS], weight[POINTS], total = 0.0;
    for (int q = 0; q < POINTS; q++) {
        z[q] = 6.4 * (2.0 * q / (POINTS - 1) - 1.0);
        total += weight[q] = exp(-0.5 * z[q] * z[q]);
    }
    for (int i = s->n - 1; i >= 0; i--) {
        double start = surface_log_forward(&f->market, 0, s->times[i]);
        double end = surface_log_forward(&f->market, 0, s->times[i + 1]);
        for (int a = 0; a < (i ? grid->n : 1); a++) {
            double sum[ALL] = {0}, from = i ? grid->low + a * grid->spacing : 0.0;
            for (int q = 0; q < POINTS; q++) {
                struct path_state state = {.x = (start + from) * LOG2_E};
                local_vol_step(s->c[i], s->lookup.table, &state, &z[q]);
                double y = state.x / LOG2_E - end, place = (y - grid->low) / grid->spacing;
                if (i == s->n - 1) {
                    for (int d = 0; d < DELTAS; d++)
                        sum[d] += weight[q] * payoff(strikes[d], exp(y));
                    sum[FORWARD] += weight[q] * exp(y);
                    continue;
                }
                int j = (int)fmin(fmax(floor(place), 1.0), grid->n - 3);
                double t = fmin(fmax(place - j, -1.0), 2.0);
                double l0 = -t * (t - 1) * (t - 2) / 6, l1 = (t + 1) * (t - 1) * (t - 2) / 2;
                double l2 = -(t + 1) * t * (t - 2) / 2, l3 = (t + 1) * t * (t - 1) / 6;
                for (int d = 0; d < ALL; d++)
                    sum[d] += weight[q] * (l0 * next[d][j - 1] + l1 * next[d][j] +
                                           l2 * next[d][j + 1] + l3 * next[d][j + 2]);
            }
            for (int d = 0; d < ALL; d++) now[d][a] = sum[d] / total;
        }
        memcpy(next, now, sizeof next);
    }
    for (int d = 0; d < ALL; d++) values[d] = next[d][0];
}

/* The largest difference of volatility between the steps and the surface, 10 to 90 delta. */
static double round_trip(const struct fixture *f, double expiry, double longest)
{
    static struct steps steps;
    struct implied_surface surface;
    struct message why = {""};
    double strikes[DELTAS], values[DELTAS + 1], worst = 0.0;
    assert_int_equal(surface_make(&surface, &f->market, 0, &why), STATUS_OK);
    make_steps(&steps, &f->market, expiry, longest);
    delta_strikes(&surface, expiry, strikes);
    double reach = 15.0 * sqrt(surface_variance(&surface, 0.0, expiry).w);
    struct grid grid = grid_between(NODES, -reach, reach);
    expectations(f, &steps, &grid, strikes, values);
    for (int d = 0; d < DELTAS; d++) {
        double error = implied(strikes[d], values[d], expiry) -
                       surface_volatility(&surface, log(strikes[d]), expiry);
        if (fabs(error) > fabs(worst)) worst = error;
    }
    free_steps(&steps);
    surface_free(&surface);
    return worst;
}

/* ---- tests: the surface ---------------------------------------------------------------------- */

static double quote_error(const struct fixture *f, const struct implied_surface *surface, int j,
                          int i)
{
    const struct surface *q = &f->assets[0].surface;
    double k = log(q->strikes[i]) - surface_log_forward(&f->market, 0, q->times[j]);
    return surface_volatility(surface, k, q->times[j]) - q->vols[j * q->n_strikes + i];
}

/* Quotes free of arbitrage are met exactly; the local variance is that of finite differences of
 * call prices.
 */
static void a_clean_surface_goes_through_its_quotes(void **state)
{
    (void)state;
    struct fixture f;
    struct implied_surface s;
    struct message why = {""};
    equity(&f);
    assert_int_equal(surface_make(&s, &f.market, 0, &why), STATUS_OK);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 19; i++) assert_true(fabs(quote_error(&f, &s, j, i)) < 1e-12);
    surface_free(&s);
    fixture_end(&f);
}

/* Call on a forward of 1 at absolute log-moneyness k. */
static double call(const struct implied_surface *s, double k, double t)
{
    double deviation = sqrt(surface_variance(s, k, t).w), d1 = -k / deviation + 0.5 * deviation;
    return normal_below(d1) - exp(k) * normal_below(d1 - deviation);
}

/* Dupire's own formula on undiscounted calls C(K, t) at constant K / F: sigma^2 = 2 C_t / (K^2
 * C_KK). */
static void local_variance_is_dupires(void **state)
{
    (void)state;
    struct fixture f;
    struct implied_surface s;
    struct message why = {""};
    exchange_rate(&f);
    assert_int_equal(surface_make(&s, &f.market, 0, &why), STATUS_OK);
    for (double t = 0.05; t < 3.0; t *= 1.7)
        for (double score = -2.0; score <= 2.0; score += 0.23) {
            double h = 1e-3 * sqrt(surface_variance(&s, 0.0, t).w), dt = 1e-4 * t;
            double k = score * sqrt(surface_variance(&s, 0.0, t).w), strike = exp(k);
            double up = log(strike * (1.0 + h)), down = log(strike * (1.0 - h));
            double curve = (call(&s, up, t) - 2.0 * call(&s, k, t) + call(&s, down, t)) / (h * h);
            double slope = (call(&s, k, t + dt) - call(&s, k, t - dt)) / (2.0 * dt);
            double expected = 2.0 * slope / curve;
            assert_true(fabs(surface_local_variance(&s, k, t) / expected - 1.0) < 2e-3);
        }
    surface_free(&s);
    fixture_end(&f);
}

/* Density of ln(S / F). */
static double law_density(const struct implied_surface *s, double k, double t)
{
    struct variance_at at = surface_variance(s, k, t);
    double d2 = -k / sqrt(at.w) - 0.5 * sqrt(at.w);
    return surface_density(&at, k) * exp(-0.5 * d2 * d2) / sqrt(2.0 * PI * at.w);
}

/* Real quotes: those with arbitrage in them move, but by no more than a bid and an ask are apart,
 * and the others do not; the density is positive everywhere and adds up to 1 with mean 1. */
static void real_quotes_are_smoothed_a_little(void **state)
{
    (void)state;
    struct fixture f;
    struct implied_surface s;
    struct message why = {""};
    dax(&f);
    assert_int_equal(surface_make(&s, &f.market, 0, &why), STATUS_OK);
    for (int j = 0; j < 8; j++) {
        const struct smile *smile = &s.smiles[j];
        double sum = 0.0, mean = 0.0, h = 2e-4;
        assert_true(smile->moved < 0.003);
        if (j == 1 || j == 2)
            for (int i = 0; i < 13; i++) assert_true(fabs(quote_error(&f, &s, j, i)) < 1e-12);
        for (double k = -6.0; k < 4.0; k += h) {
            struct variance_at at = surface_variance(&s, k, smile->time);
            double density = law_density(&s, k, smile->time);
            assert_true(surface_density(&at, k) > 0.0);
            sum += h * density;
            mean += h * density * exp(k);
        }
        assert_true(fabs(sum - 1.0) < 1e-5 && fabs(mean - 1.0) < 1e-5);
    }
    surface_free(&s);
    fixture_end(&f);
}

/* A move of the quotes moves the surface by as much, smoothed or not: bumps for Greeks depend on
 * it. */
static void surfaces_move_with_their_quotes(void **state)
{
    (void)state;
    struct fixture f;
    struct implied_surface before, after;
    struct message why = {""};
    dax(&f);
    assert_int_equal(surface_make(&before, &f.market, 0, &why), STATUS_OK);
    for (int i = 0; i < 8 * 13; i++) f.vols[i] += 1e-6;
    assert_int_equal(surface_make(&after, &f.market, 0, &why), STATUS_OK);
    for (int j = 0; j < 8; j++)
        for (double k = -0.2; k <= 0.2; k += 0.01) {
            double t = f.times[j],
                   move = surface_volatility(&after, k, t) - surface_volatility(&before, k, t);
            assert_true(fabs(move - 1e-6) < 1e-6);
        }
    surface_free(&before);
    surface_free(&after);
    fixture_end(&f);
}

static void butterfly_arbitrage_is_named(void **state)
{
    (void)state;
    struct fixture f;
    struct message why = {""};
    equity(&f);
    assert_int_equal(surface_check(&f.market, 0, &why), STATUS_OK);
    f.vols[5 * 19 + 8] += 0.03; /* one year, strike 100 */
    assert_int_equal(surface_check(&f.market, 0, &why), STATUS_BAD_INPUT);
    print_message("%s\n", why.text);
    assert_non_null(strstr(
        why.text, "'INDEX': butterfly arbitrage in the volatilities of expiry 1 near strike"));
    double strike = atof(strstr(why.text, "near strike ") + strlen("near strike "));
    assert_true(strike >= 95.0 && strike <= 105.0);
    double c[WIDTH];
    struct lookup lookup = {0};
    struct time_step time_step = {0.0, 0.02, -1};
    assert_int_equal(local_vol_coefficients(&f.market, 0, &time_step, c, &lookup, &why),
                     STATUS_FAILED);
    lookup_forget(&lookup);
    free(lookup.table);
    fixture_end(&f);
}

static void calendar_arbitrage_is_named(void **state)
{
    (void)state;
    struct fixture f;
    struct message why = {""};
    equity(&f);
    for (int i = 0; i < 19; i++) f.vols[6 * 19 + i] *= 0.75; /* 1.5 years */
    assert_int_equal(surface_check(&f.market, 0, &why), STATUS_BAD_INPUT);
    print_message("%s\n", why.text);
    assert_non_null(strstr(
        why.text,
        "'INDEX': calendar arbitrage between the volatilities of expiries 1 and 1.5 near strike"));
    fixture_end(&f);
}

/* ---- tests: the steps ------------------------------------------------------------------------ */

/* With one volatility for all, a path is black_scholes's on the same normals. */
static void a_flat_surface_is_black_scholes(void **state)
{
    (void)state;
    struct fixture f;
    static struct steps steps;
    flat(&f);
    make_steps(&steps, &f.market, 1.3, 0.02);
    for (uint64_t path = 0; path < 500; path++) {
        struct path_state local = {.x = log2(100.0)}, exact = local;
        double clock = 0.0;
        for (int i = 0; i < steps.n; i++) {
            double h = steps.times[i + 1] - steps.times[i], variance = 0.04 * h;
            double z =
                (double)normal_from_bits(philox_block(1, path, 0, (uint32_t)i).word0, normal_cubic);
            double c[2] = {(0.02 * h - 0.5 * variance) * LOG2_E, sqrt(variance) * LOG2_E};
            local_vol_step(steps.c[i], steps.lookup.table, &local, &z);
            black_scholes_step(c, NULL, &exact, &z);
            clock += c[1] * c[1];
        }
        assert_true(fabs(local.x - exact.x) < 3e-6);
        assert_true(fabs(local.clock / clock - 1.0) < 1e-5);
    }
    free_steps(&steps);
    fixture_end(&f);
}

/* Paid in another currency, ln S drifts by minus correlation times both volatilities. */
static void a_quanto_drifts(void **state)
{
    (void)state;
    struct fixture f;
    struct message why = {""};
    struct lookup lookup = {0};
    double own[WIDTH], paid[WIDTH], z = 0.3, h = 0.05;
    flat(&f);
    struct time_step time_step = {0.4, 0.4 + h, -1}, quanto = {0.4, 0.4 + h, 1};
    assert_int_equal(local_vol_coefficients(&f.market, 0, &time_step, own, &lookup, &why),
                     STATUS_OK);
    assert_int_equal(local_vol_coefficients(&f.market, 0, &quanto, paid, &lookup, &why), STATUS_OK);
    struct path_state a = {.x = log2(103.0)}, b = a;
    local_vol_step(own, lookup.table, &a, &z);
    local_vol_step(paid, lookup.table, &b, &z);
    assert_true(fabs((b.x - a.x) / LOG2_E - 0.4 * 0.2 * 0.1 * h) < 1e-8); /* floats */
    f.assets[1].model = MODEL_HESTON;
    assert_int_equal(local_vol_coefficients(&f.market, 0, &quanto, paid, &lookup, &why),
                     STATUS_FAILED);
    assert_non_null(strstr(why.text, "black_scholes"));
    lookup_forget(&lookup);
    free(lookup.table);
    fixture_end(&f);
}

/* Mean of S'/F' over S/F, and variance of ln S, over one step from one place. */
static void one_step(const struct fixture *f, const struct time_step *time_step, double y,
                     double *growth, double *variance)
{
    struct lookup lookup = {0};
    struct message why = {""};
    double c[WIDTH], total = 0.0, sum = 0.0, squares = 0.0, mean = 0.0;
    double start = surface_log_forward(&f->market, 0, time_step->from),
           end = surface_log_forward(&f->market, 0, time_step->to);
    assert_int_equal(local_vol_coefficients(&f->market, 0, time_step, c, &lookup, &why), STATUS_OK);
    for (int q = 0; q < POINTS; q++) {
        double z = 6.4 * (2.0 * q / (POINTS - 1) - 1.0), weight = exp(-0.5 * z * z);
        struct path_state state = {.x = (start + y) * LOG2_E};
        local_vol_step(c, lookup.table, &state, &z);
        double move = state.x / LOG2_E - end - y;
        total += weight, sum += weight * move, squares += weight * move * move,
            mean += weight * exp(move);
    }
    *growth = mean / total;
    *variance = squares / total - sum / total * sum / total;
    lookup_forget(&lookup);
    free(lookup.table);
}

/* What European options cannot see: from every place a step has the forward for its mean and
 * Dupire's variance for its own, to a relative error of first order in the step: on average over
 * places, for the spline through quotes bends at each of them. */
static void each_step_is_a_martingale_with_dupires_variance(void **state)
{
    (void)state;
    void (*const make[2])(struct fixture *) = {equity, exchange_rate};
    const double most[2] = {0.008, 0.025};
    for (int m = 0; m < 2; m++) {
        struct fixture f;
        struct implied_surface s;
        struct message why = {""};
        make[m](&f);
        assert_int_equal(surface_make(&s, &f.market, 0, &why), STATUS_OK);
        double drift[3] = {0}, excess[3] = {0};
        enum { PLACES = 31 };
        for (int l = 0; l < 3; l++) {
            double h = 0.08 / pow(2.0, l), deviation = sqrt(surface_variance(&s, 0.0, 0.6).w);
            struct time_step time_step = {0.6, 0.6 + h, -1};
            for (int i = 0; i < PLACES; i++) {
                double y = deviation * (0.1 * i - 1.5), growth, variance;
                double local = h * surface_local_variance(&s, y, 0.6 + 0.5 * h);
                one_step(&f, &time_step, y, &growth, &variance);
                drift[l] += fabs(growth - 1.0) / local / PLACES;
                excess[l] += fabs(variance / local - 1.0) / PLACES;
            }
            print_message(
                "steps of %.2f: drift %.4f of the variance, variance off by %.4f of itself\n", h,
                drift[l], excess[l]);
        }
        assert_true(drift[2] < most[m] && drift[2] < drift[1] && drift[1] < drift[0]);
        assert_true(excess[0] < 0.04 && excess[1] < 0.6 * excess[0] && excess[2] < 0.6 * excess[1]);
        surface_free(&s);
        fixture_end(&f);
    }
}

/* European options pin the law of every date down, so the variance of moves between dates is right
 * where a step's mean is: an error d in it adds -2 E[Y d]. Held to a part of the step's variance,
 * on rough quotes too. */
static void moves_between_dates_have_their_variance(void **state)
{
    (void)state;
    const struct {
        const char *name;
        void (*make)(struct fixture *);
        double most;
    } markets[3] = {
        {"equity", equity, 5e-4}, {"exchange rate", exchange_rate, 2e-3}, {"DAX", dax, 9e-3}};
    const double dates[2] = {0.5, 0.9};
    enum { PLACES = 121 };
    for (int m = 0; m < 3; m++)
        for (int e = 0; e < 2; e++) {
            struct fixture f;
            struct implied_surface s;
            struct message why = {""};
            struct time_step time_step = {dates[e], dates[e] + 0.02, -1};
            double excess = 0.0, all = 0.0;
            markets[m].make(&f);
            assert_int_equal(surface_make(&s, &f.market, 0, &why), STATUS_OK);
            double w = surface_variance(&s, 0.0, time_step.from).w;
            for (int i = 0; i < PLACES; i++) {
                double y = -0.5 * w + sqrt(w) * 0.05 * (i - PLACES / 2), growth, variance;
                double density = law_density(&s, y, time_step.from);
                one_step(&f, &time_step, y, &growth, &variance);
                excess -= 2.0 * density * y * (growth - 1.0);
                all += density * 0.02 * surface_local_variance(&s, y, time_step.from + 0.01);
            }
            print_message(
                "%-14s date %.1f: variance of a step's move too large by %.5f of itself\n",
                markets[m].name, dates[e], excess / all);
            assert_true(fabs(excess / all) < markets[m].most);
            surface_free(&s);
            fixture_end(&f);
        }
}

/* The least slope of rows first .. last over that of their function's line: of its
 * parabolas, at both ends. */
static double least_slope(const float *table, int first, int last, double per_cell, double line)
{
    double least = HUGE_VAL;
    for (int r = first; r <= last; r++)
        for (int end = -1; end <= 1; end += 2) {
            double slope =
                (double)local_vol_correction(local_vol_row(table, r), 0.5f * (float)end).slope;
            least = fmin(least, (line + slope * per_cell) / line);
        }
    return least;
}

/* P and Q increase everywhere, even where a rough surface leaves hardly any density. */
static void tables_increase(void **state)
{
    (void)state;
    static struct steps steps;
    struct fixture f;
    double p = HUGE_VAL, q = HUGE_VAL;
    dax(&f);
    make_steps(&steps, &f.market, 1.9, 0.02);
    for (int i = 0; i < steps.n; i++) {
        const double *c = steps.c[i];
        int first = local_vol_first(c) + LOCAL_VOL_ROW_ZERO, of_q = first + LOCAL_VOL_P_ROWS,
            end = first + LOCAL_VOL_ROWS;
        p = fmin(p, least_slope(steps.lookup.table, first, of_q - 1,
                                (double)local_vol_float(c, LOCAL_VOL_P_CELLS),
                                (double)local_vol_float(c, LOCAL_VOL_P_SLOPE)));
        q = fmin(q, least_slope(steps.lookup.table, of_q, end - 1,
                                (double)local_vol_float(c, LOCAL_VOL_Q_CELLS),
                                (double)local_vol_float(c, LOCAL_VOL_Q_SLOPE)));
    }
    print_message("least slope of P %.3f, of Q %.3f of their lines\n", p, q);
    assert_true(p > 0.05 && q > 0.02);
    free_steps(&steps);
    fixture_end(&f);
}

/* One lookup serves several assets and legs in any order: each step is what it is alone. */
static void steps_do_not_depend_on_the_ones_before(void **state)
{
    (void)state;
    struct fixture f, other;
    struct asset both[2];
    struct message why = {""};
    struct lookup shared = {0};
    const struct time_step legs[4] = {
        {0.3, 0.32, -1}, {0.32, 0.34, -1}, {0.1, 0.2, -1}, {0.0, 0.05, -1}};
    equity(&f);
    exchange_rate(&other);
    both[0] = f.assets[0], both[1] = other.assets[0];
    f.market.assets = both;
    for (int i = 0; i < 8; i++) {
        struct lookup alone = {0};
        double c[WIDTH], d[WIDTH];
        int begin = shared.n;
        assert_int_equal(local_vol_coefficients(&f.market, i % 2, &legs[i / 2], c, &shared, &why),
                         STATUS_OK);
        assert_int_equal(local_vol_coefficients(&f.market, i % 2, &legs[i / 2], d, &alone, &why),
                         STATUS_OK);
        struct path_state s = {.x = surface_log_forward(&f.market, i % 2, legs[i / 2].from) *
                                    LOG2_E},
                          t = s;
        double z = 0.7;
        local_vol_step(c, shared.table, &s, &z);
        local_vol_step(d, alone.table, &t, &z);
        assert_int_equal(shared.n - begin, alone.n);
        assert_true(fabs(s.x - t.x) < 1e-5 && fabs(s.clock / t.clock - 1.0) < 1e-3);
        lookup_forget(&alone);
        free(alone.table);
    }
    lookup_forget(&shared);
    free(shared.table);
    f.market.assets = f.assets;
    fixture_end(&f);
    fixture_end(&other);
}

/* European options give the surface back, at quoted expiries and between, whatever the step: within
 * a fifth of a basis point where quotes are smooth, within one where they are rough. */
static void european_options_give_the_surface_back(void **state)
{
    (void)state;
    struct fixture f;
    struct {
        const char *name;
        void (*make)(struct fixture *);
        double most; /* of volatility */
    } markets[3] = {
        {"equity", equity, 2e-5}, {"exchange rate", exchange_rate, 2e-5}, {"DAX", dax, 1e-4}};
    const double expiries[4] = {0.06, 0.25, 0.8, 1.9}, longest[3] = {0.08, 0.02, 0.004};
    for (int m = 0; m < 3; m++)
        for (int e = 0; e < 4; e++)
            for (int l = 0; l < 3; l++) {
                if (e == 3 && l == 1 && m == 1) continue;
                if (l == 2 && m != 2) continue; /* daily: the rough one */
                markets[m].make(&f);
                double worst = round_trip(&f, expiries[e], longest[l]);
                print_message("%-14s expiry %.2f, steps of %.3f: at most %6.2f basis points\n",
                              markets[m].name, expiries[e], longest[l], 1e4 * worst);
                assert_true(fabs(worst) <
                            (expiries[e] / longest[l] < 2.0 ? 5e-4 : markets[m].most));
                fixture_end(&f);
            }
}

/* Places that the law of ln S / F leaves below or above with less than 1e-11. */
static double far_out(const struct implied_surface *surface, double t, double side)
{
    double k = 0.0, step = 0.2 * sqrt(surface_variance(surface, 0.0, t).w);
    for (double d2 = 0.0; fabs(d2) < 7.0 + side * sqrt(surface_variance(surface, k, t).w);
         k += side * step) {
        double deviation = sqrt(surface_variance(surface, k, t).w);
        d2 = -k / deviation - 0.5 * deviation;
    }
    return k;
}

/* A steep surface too is given back at any step length, and its forward. At the quotes, that is at
 * the formula's own volatilities: a strike between them is the spline's. */
static void a_steep_surface_is_given_back(void **state)
{
    (void)state;
    static struct steps steps;
    const double expiries[2] = {1.0, 2.0}, longest[2] = {0.25, 0.02};
    const double strikes[DELTAS] = {0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2};
    for (int e = 0; e < 2; e++)
        for (int l = 0; l < 2; l++) {
            struct fixture f;
            struct implied_surface surface;
            struct message why = {""};
            double values[DELTAS + 1], worst = 0.0, t = expiries[e],
                                       theta = steep_vol * steep_vol * t;
            steep(&f);
            assert_int_equal(surface_make(&surface, &f.market, 0, &why), STATUS_OK);
            struct grid grid =
                grid_between(NODES_MOST, far_out(&surface, t, -1.0), far_out(&surface, t, 1.0));
            make_steps(&steps, &f.market, t, longest[l]);
            expectations(&f, &steps, &grid, strikes, values);
            for (int d = 0; d < DELTAS; d++) {
                double exact = sqrt(ssvi(theta, steep_rho, steep_phi, log(strikes[d])) / t);
                double error = implied(strikes[d], values[d], t) - exact;
                if (fabs(error) > fabs(worst)) worst = error;
            }
            print_message("steep, expiry %.1f, steps of %.2f: at most %5.2f basis points, forward "
                          "off by %.1e\n",
                          t, longest[l], 1e4 * worst, values[DELTAS] - 1.0);
            assert_true(fabs(worst) < 1.5e-4 && fabs(values[DELTAS] - 1.0) < 6e-5);
            free_steps(&steps);
            surface_free(&surface);
            fixture_end(&f);
        }
}

/* Where the forward is an expectation of what hardly ever happens, the tables lose it: the date and
 * the asset are named. */
static void what_cannot_be_followed_is_refused(void **state)
{
    (void)state;
    static struct steps steps;
    const double ten[1] = {10.0}, strikes[3] = {50.0, 100.0, 200.0}, rate[1] = {0.0},
                 vols[2] = {1.5, 3.5};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        struct message why = {""};
        fixture_begin(&f, 100.0, 1, ten, 3, strikes);
        set_rates(&f, 1, ten, rate, 0.0);
        for (int j = 0; j < 3; j++) f.vols[j] = vols[i];
        enum status status = try_steps(&steps, &f.market, 10.0, 0.25, &why);
        print_message("%s\n", why.text);
        assert_int_equal(status, i ? STATUS_FAILED : STATUS_OK);
        if (i)
            assert_non_null(
                strstr(why.text, "asset 'INDEX': local_vol cannot follow its volatilities to 7"));
        free_steps(&steps);
        fixture_end(&f);
    }
}

/* Surfaces drawn at random: the formula with parameters up to the bounds of no arbitrage, phi
 * constant or a power of theta (Gatheral and Jacquier 2014, theorem 4.2: theta phi (1 + |rho|) <= 4
 * and theta phi^2 (1 + |rho|) <= 4, here a little beyond the second, which is not necessary). */
static double drawn(uint64_t *state, double low, double high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

static void random_surface(struct fixture *f, uint64_t *state)
{
    const double vols[5] = {0.1, 0.2, 0.3, 0.4, 0.6}, lows[4] = {10.0, 20.0, 40.0, 60.0};
    const double rate[1] = {drawn(state, -0.01, 0.06)}, year[1] = {1.0};
    double strikes[24], low = lows[(int)drawn(state, 0.0, 4.0)], high = drawn(state, 150.0, 300.0);
    double vol = vols[(int)drawn(state, 0.0, 5.0)], rho = drawn(state, -0.95, 0.95),
           gamma = drawn(state, 0.1, 0.5);
    double eta = drawn(state, 0.5, 1.0) * 2.0 / (1.0 + fabs(rho)),
           constant = drawn(state, 0.0, 2.0) < 1.0;
    double phi2 = drawn(state, 2.0, 6.0) / (2.0 * vol * vol * (1.0 + fabs(rho)));
    double phi_most = fmin(sqrt(phi2), 3.9 / (2.0 * vol * vol * (1.0 + fabs(rho))));
    for (int i = 0; i < 24; i++) strikes[i] = low * pow(high / low, i / 23.0);
    fixture_begin(f, 100.0, 8, ssvi_times, 24, strikes);
    set_rates(f, 1, year, rate, 0.0);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 24; i++) {
            double t = ssvi_times[j], theta = vol * vol * t,
                   k = log(strikes[i] / 100.0) - rate[0] * t;
            double phi = constant != 0.0 ? phi_most
                                         : eta * pow(theta, -gamma) * pow(1.0 + theta, gamma - 1.0);
            f->vols[j * 24 + i] = sqrt(ssvi(theta, rho, phi, k) / t);
        }
    print_message("vol %.1f, rho %5.2f, %s, strikes %.0f to %.0f: ", vol, rho,
                  constant != 0.0 ? "phi constant" : "power law", low, high);
}

/* Whatever the surface: European options within a basis point of it, or refused with the date. */
static void random_surfaces_are_given_back_or_refused(void **state)
{
    (void)state;
    static struct steps steps;
    const double expiries[3] = {0.25, 1.0, 2.0}, longest[4] = {0.25, 0.08, 0.02, 0.01};
    uint64_t draws = 12;
    int right = 0, refused = 0, arbitrage = 0;
    for (int n = 0; n < 60; n++) {
        struct fixture f;
        struct implied_surface surface;
        struct message why = {""};
        double strikes[DELTAS], values[DELTAS + 1], worst = 0.0;
        random_surface(&f, &draws);
        double t = expiries[(int)drawn(&draws, 0.0, 3.0)],
               step = longest[(int)drawn(&draws, 0.0, 4.0)];
        if (surface_make(&surface, &f.market, 0, &why)) {
            print_message("%s\n", why.text);
            arbitrage++;
        } else {
            if (try_steps(&steps, &f.market, t, step, &why)) {
                print_message("%s\n", why.text);
                assert_non_null(strstr(why.text, "years: the mean of the spot"));
                refused++;
            } else {
                struct grid grid =
                    grid_between(NODES_MOST, far_out(&surface, t, -1.0), far_out(&surface, t, 1.0));
                delta_strikes(&surface, t, strikes);
                expectations(&f, &steps, &grid, strikes, values);
                for (int d = 0; d < DELTAS; d++) {
                    double error = implied(strikes[d], values[d], t) -
                                   surface_volatility(&surface, log(strikes[d]), t);
                    if (fabs(error) > fabs(worst)) worst = error;
                }
                print_message("expiry %.2f, steps of %.2f: %5.2f basis points, forward %.1e\n", t,
                              step, 1e4 * worst, values[DELTAS] - 1.0);
                assert_true(fabs(worst) < 1e-4);
                right++;
            }
            free_steps(&steps);
            surface_free(&surface);
        }
        fixture_end(&f);
    }
    print_message("%d right, %d refused, %d with arbitrage\n", right, refused, arbitrage);
    assert_true(right >= 30);
}

/* Simulated with the project's normals. Control variate: the same option on the black_scholes path
 * of its own implied volatility with the same normals. */
static void simulation_gives_the_surface_back(void **state)
{
    (void)state;
    enum { PATHS = 1 << 17 };
    static struct steps steps;
    struct fixture f;
    struct implied_surface surface;
    struct message why = {""};
    double strikes[DELTAS], expiry = 1.0;
    struct tally tallies[DELTAS] = {0}, clock = {0}, mean = {0};
    dax(&f);
    assert_int_equal(surface_make(&surface, &f.market, 0, &why), STATUS_OK);
    make_steps(&steps, &f.market, expiry, 0.02);
    delta_strikes(&surface, expiry, strikes);
    double forward = surface_log_forward(&f.market, 0, expiry), vols[DELTAS];
    for (int d = 0; d < DELTAS; d++)
        vols[d] = surface_volatility(&surface, log(strikes[d]), expiry);
    for (uint64_t path = 0; path < PATHS; path++) {
        struct path_state s = {.x = log2(f.assets[0].spot)};
        double w = 0.0;
        for (int i = 0; i < steps.n; i++) {
            uint32_t word = philox_block(20, path / 2, 0, (uint32_t)i).word0;
            double z = (double)normal_from_bits(path % 2 ? ~word : word, normal_cubic);
            local_vol_step(steps.c[i], steps.lookup.table, &s, &z);
            w += z * sqrt(steps.times[i + 1] - steps.times[i]);
        }
        double y = s.x / LOG2_E - forward;
        for (int d = 0; d < DELTAS; d++) {
            double control =
                payoff(strikes[d], exp(vols[d] * w - 0.5 * vols[d] * vols[d] * expiry));
            tallies[d] = tally_add(tallies[d], payoff(strikes[d], exp(y)) - control);
        }
        mean = tally_add(mean, exp(y));
        clock = tally_add(clock, s.clock / (LOG2_E * LOG2_E));
    }
    for (int d = 0; d < DELTAS; d++) {
        double slope = vega(strikes[d], vols[d] * sqrt(expiry), expiry);
        double error = tallies[d].mean / slope, se = tally_standard_error(tallies[d]) / slope;
        print_message("strike %.4f of the forward: %6.2f basis points, standard error %.2f\n",
                      strikes[d], 1e4 * error, 1e4 * se);
        assert_true(se < 5e-4);
        assert_true(fabs(error) < 5e-4 + 4.0 * se);
    }
    assert_true(fabs(mean.mean - 1.0) < 4.0 * tally_standard_error(mean));
    /* The clock is the variance that a path accrues: its mean is -2 E[ln S / F], here from the
     * surface's own law. */
    double expected = 0.0, spacing = 1e-3;
    for (double k = -6.0; k < 4.0; k += spacing)
        expected -= 2.0 * spacing * k * law_density(&surface, k, expiry);
    print_message("accrued variance %.5f, -2 E[ln S/F] %.5f\n", clock.mean, expected);
    assert_true(fabs(clock.mean / expected - 1.0) < 0.015);
    free_steps(&steps);
    surface_free(&surface);
    fixture_end(&f);
}

/* ---- tests: differences of prices ------------------------------------------------------------ */

/* The value today of a call, by quadrature so fine that what is left of a difference is the tables'
 * own: both the first step's only place and the payoff's kink ask for many z. */
static double fine_call(const struct fixture *f, double strike, double expiry)
{
    enum { FEW = 129, MANY = 20001, MANY_LAST = 3001 };
    static double now[NODES], next[NODES], z[MANY], weight[MANY];
    static struct steps s;
    make_steps(&s, &f->market, expiry, 0.02);
    double reach = 10.0 * asset_volatility(&f->assets[0], expiry) * sqrt(expiry);
    double spacing = 2.0 * reach / (NODES - 1), discount;
    for (int i = s.n - 1; i >= 0; i--) {
        int n = !i ? MANY : i == s.n - 1 ? MANY_LAST : FEW;
        double start = surface_log_forward(&f->market, 0, s.times[i]), total = 0.0;
        double end = surface_log_forward(&f->market, 0, s.times[i + 1]);
        for (int q = 0; q < n; q++) {
            z[q] = 6.4 * (2.0 * q / (n - 1) - 1.0);
            total += weight[q] = exp(-0.5 * z[q] * z[q]);
        }
        for (int a = 0; a < (i ? NODES : 1); a++) {
            double from = i ? a * spacing - reach : 0.0, sum = 0.0;
            for (int q = 0; q < n; q++) {
                struct path_state state = {.x = (start + from) * LOG2_E};
                local_vol_step(s.c[i], s.lookup.table, &state, &z[q]);
                double place = (state.x / LOG2_E - end + reach) / spacing;
                if (i == s.n - 1) {
                    sum += weight[q] * fmax(exp(state.x / LOG2_E) - strike, 0.0);
                    continue;
                }
                int j = (int)fmin(fmax(floor(place), 1.0), NODES - 3);
                double t = fmin(fmax(place - j, -1.0), 2.0), inner = (t - 1) * (t - 2),
                       outer = (t + 1) * t;
                sum += weight[q] *
                       (-t * inner / 6 * next[j - 1] + (t + 1) * inner / 2 * next[j] -
                        outer * (t - 2) / 2 * next[j + 1] + outer * (t - 1) / 6 * next[j + 2]);
            }
            now[a] = sum / total;
        }
        memcpy(next, now, sizeof next);
    }
    free_steps(&s);
    discount = exp(-term_accrued(&f->currencies[0].rate, expiry));
    return discount * next[0];
}

/* The same by Black's formula at the surface's volatility. */
static double exact_call(const struct fixture *f, double strike, double expiry)
{
    struct implied_surface surface;
    struct message why = {""};
    assert_int_equal(surface_make(&surface, &f->market, 0, &why), STATUS_OK);
    double forward = exp(surface_log_forward(&f->market, 0, expiry)), k = strike / forward;
    double deviation = surface_volatility(&surface, log(k), expiry) * sqrt(expiry);
    double d1 = -log(k) / deviation + 0.5 * deviation;
    surface_free(&surface);
    return exp(-term_accrued(&f->currencies[0].rate, expiry)) * forward *
           (normal_below(d1) - k * normal_below(d1 - deviation));
}

typedef double value_function(const struct fixture *, double, double);

/* The value with the spot up by this part of itself, and the rate by so much. */
static double moved(value_function *value, const struct fixture *f, double strike, double expiry,
                    double spot, double rate)
{
    struct fixture there = *f;
    double accrued[TIMES_MAX], *kept = there.currencies[0].rate.accrued;
    struct term_structure *curve = &there.currencies[0].rate;
    for (int i = 0; i < curve->n; i++) accrued[i] = kept[i] + rate * curve->time[i];
    curve->accrued = accrued, curve->beyond += rate;
    there.market.currencies = there.currencies, there.market.assets = there.assets;
    there.assets[0].surface.times = there.times, there.assets[0].surface.strikes = there.strikes;
    there.assets[0].surface.vols = there.vols;
    there.assets[0].spot *= 1.0 + spot;
    return value(&there, strike, expiry);
}

enum { DELTA, GAMMA, RHO, DIFFERENCES };

/* How far bumps go: of the spot over itself, narrow for delta and wide for gamma, and of the rate.
 */
struct bumped_by {
    double narrow, wide, rate;
};

/* Bumps of 2^20 paths. */
static struct bumped_by bumps_for(const struct fixture *f, const struct greek_pool *pool)
{
    struct bump_sizes sizes = pool_bump_sizes(pool, 1 << 20);
    double deviation = asset_volatility(&f->assets[0], pool->years) * sqrt(pool->years);
    return (struct bumped_by){sizes.delta * deviation, sizes.spot * deviation, sizes.rate};
}

static void differences(value_function *value, const struct fixture *f, double strike,
                        double expiry, struct bumped_by by, double greeks[DIFFERENCES])
{
    double spot = f->assets[0].spot, today = moved(value, f, strike, expiry, 0.0, 0.0);
    greeks[DELTA] = (moved(value, f, strike, expiry, by.narrow, 0.0) -
                     moved(value, f, strike, expiry, -by.narrow, 0.0)) /
                    (2.0 * by.narrow * spot);
    greeks[GAMMA] = (moved(value, f, strike, expiry, by.wide, 0.0) - 2.0 * today +
                     moved(value, f, strike, expiry, -by.wide, 0.0)) /
                    (by.wide * by.wide * spot * spot);
    greeks[RHO] = (moved(value, f, strike, expiry, 0.0, by.rate) -
                   moved(value, f, strike, expiry, 0.0, -by.rate)) /
                  (2.0 * by.rate);
}

/* Delta, gamma and rho as the program takes them at 2^20 paths: tables made anew for each market
 * move prices as Black's formula does, strikes keeping their volatilities. Gamma to 1 %, delta and
 * rho to 0.05 %. */
static void greeks_are_the_surfaces(void **state)
{
    (void)state;
    void (*const make[3])(struct fixture *) = {equity, exchange_rate, dax};
    const double expiry = 0.25, place = 1.01;
    struct greek_pool pool = {.years = 0.25, .first_date = expiry, .on_tables = true};
    for (int m = 0; m < 3; m++) {
        struct fixture f;
        double greeks[2][DIFFERENCES];
        make[m](&f);
        double forward = exp(surface_log_forward(&f.market, 0, expiry));
        double deviation = asset_volatility(&f.assets[0], pool.years) * sqrt(pool.years);
        double strike = forward * pow(place, deviation / 0.1);
        for (int e = 0; e < 2; e++)
            differences(e ? exact_call : fine_call, &f, strike, expiry, bumps_for(&f, &pool),
                        greeks[e]);
        double delta = greeks[0][0] / greeks[1][0] - 1.0, gamma = greeks[0][1] / greeks[1][1] - 1.0;
        double rho = greeks[0][2] / greeks[1][2] - 1.0;
        print_message("market %d, strike %.4f: delta off by %.4f %%, gamma %.3f %%, rho %.4f %%\n",
                      m, strike, 100.0 * delta, 100.0 * gamma, 100.0 * rho);
        assert_true(fabs(delta) < 5e-4 && fabs(gamma) < 0.01 && fabs(rho) < 5e-4);
        fixture_end(&f);
    }
}

/* The part of a Greek's error that tables bring, as the program counts it. */
static double counted(const struct fixture *f, double expiry, int difference, struct bumped_by by)
{
    int asset = 0;
    const struct trade trade = {.product = PRODUCT_EUROPEAN,
                                .n_assets = 1,
                                .assets = &asset,
                                .quanto = -1,
                                .expiry = expiry};
    double spot = f->assets[0].spot, first = 0.5 / (by.narrow * spot), rate = 0.5 / by.rate;
    double second = 1.0 / (by.wide * by.wide * spot * spot);
    const struct {
        struct sensitivity on;
        struct contrast contrast;
    } all[DIFFERENCES] = {
        [DELTA] = {{.greek = GREEK_DELTA}, {2, {{1, first}, {2, -first}}}},
        [GAMMA] = {{.greek = GREEK_GAMMA}, {3, {{1, second}, {0, -2.0 * second}, {2, second}}}},
        [RHO] = {{.greek = GREEK_RHO}, {2, {{1, rate}, {2, -rate}}}}};
    return contrast_roughness(&f->market, &trade, surface_roughness(&f->market, 0, expiry), 0.02,
                              &all[difference].on, &all[difference].contrast);
}

/* Over a year the DAX's tables bring more to Greeks than arithmetic does: within three of the
 * errors that are counted for them. */
static void errors_of_greeks_count_the_tables(void **state)
{
    (void)state;
    const struct greek_pool pool = {.years = 1.0, .first_date = 1.0, .on_tables = true};
    const char *const names[DIFFERENCES] = {"delta", "gamma", "rho"};
    struct fixture f;
    double tables[DIFFERENCES], exact[DIFFERENCES];
    dax(&f);
    struct bumped_by by = bumps_for(&f, &pool);
    differences(fine_call, &f, 4200.0, 1.0, by, tables);
    differences(exact_call, &f, 4200.0, 1.0, by, exact);
    for (int d = 0; d < DIFFERENCES; d++) {
        double error = counted(&f, 1.0, d, by), z = (tables[d] - exact[d]) / error;
        print_message("DAX, one year: %s off by %.3f %%, error %.3f %%, z %.2f\n", names[d],
                      100.0 * (tables[d] / exact[d] - 1.0), 100.0 * error / exact[d], z);
        assert_true(fabs(z) <= 3.0);
    }
    fixture_end(&f);
}

/* On smooth surfaces they are little: of a gamma, of a delta and of a rho. */
static void smooth_tables_bring_little_error(void **state)
{
    (void)state;
    void (*const make[2])(struct fixture *) = {equity, exchange_rate};
    const struct greek_pool pool = {.years = 1.0, .first_date = 1.0, .on_tables = true};
    const double most[DIFFERENCES] = {[DELTA] = 2e-4, [GAMMA] = 3e-3, [RHO] = 3e-4};
    for (int m = 0; m < 2; m++) {
        struct fixture f;
        double exact[DIFFERENCES];
        make[m](&f);
        struct bumped_by by = bumps_for(&f, &pool);
        differences(exact_call, &f, f.assets[0].spot, 1.0, by, exact);
        for (int d = 0; d < DIFFERENCES; d++) {
            double part = counted(&f, 1.0, d, by) / exact[d];
            print_message("market %d, one year: error of %.4f %%\n", m, 100.0 * part);
            assert_true(part < most[d] && part > 0.0);
        }
        fixture_end(&f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest longer[] = {
        cmocka_unit_test(random_surfaces_are_given_back_or_refused)};
    if (argc > 1 && !strcmp(argv[1], "--long")) return cmocka_run_group_tests(longer, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_surface_goes_through_its_quotes),
        cmocka_unit_test(local_variance_is_dupires),
        cmocka_unit_test(real_quotes_are_smoothed_a_little),
        cmocka_unit_test(surfaces_move_with_their_quotes),
        cmocka_unit_test(butterfly_arbitrage_is_named),
        cmocka_unit_test(calendar_arbitrage_is_named),
        cmocka_unit_test(a_flat_surface_is_black_scholes),
        cmocka_unit_test(a_quanto_drifts),
        cmocka_unit_test(each_step_is_a_martingale_with_dupires_variance),
        cmocka_unit_test(moves_between_dates_have_their_variance),
        cmocka_unit_test(tables_increase),
        cmocka_unit_test(steps_do_not_depend_on_the_ones_before),
        cmocka_unit_test(european_options_give_the_surface_back),
        cmocka_unit_test(a_steep_surface_is_given_back),
        cmocka_unit_test(what_cannot_be_followed_is_refused),
        cmocka_unit_test(greeks_are_the_surfaces),
        cmocka_unit_test(errors_of_greeks_count_the_tables),
        cmocka_unit_test(smooth_tables_bring_little_error),
        cmocka_unit_test(simulation_gives_the_surface_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
