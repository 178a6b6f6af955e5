/* models/dynamics: each scheme's own promises, one step by quadrature and many by Monte Carlo.
 *
 * Given v, a step's law is a function of the normal zv alone once the spot's own normal zs is
 * integrated by hand, so its mean, variance and martingale property are checked by a trapezoid rule
 * without noise. Monte Carlo over whole paths then checks what steps add up to: forwards and
 * moments of v (closed forms of Cox, Ingersoll and Ross, 1985), within 4 standard errors. Prices
 * are those of heston_bias_test and published_cases_test. */
#include "models/math/exact.h"
#include "models/dynamics/coefficients.h"
#include "models/dynamics/dividend.h"
#include "models/dynamics/dynamics.h"
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/test.h"

#define LN2 0.693147180559945309417

/* ---- markets --------------------------------------------------------------------------------- */

/* One asset, an FX rate and two currencies: the asset's, number 0, and the FX rate's own, number 1.
 * It points to itself, and there is nothing to free. */
struct setting {
    struct flat_assets flat;
    struct currency currencies[2];
    double other_rate, fx_yield;
};

static void set_up(struct setting *s, enum model model, double rate, double yield)
{
    flat_assets_make(&s->flat, 2, model, rate, yield, 0.2);
    s->other_rate = 0.01, s->fx_yield = rate;
    s->currencies[0] = s->flat.one.currency;
    s->currencies[1] = (struct currency){.rate = flat_curve(&s->other_rate)};
    struct asset *fx = &s->flat.assets[1];
    *fx = (struct asset){.name = "fx", .currency = 1, .foreign_currency = 0, .spot = 1.2};
    fx->model = MODEL_BLACK_SCHOLES;
    fx->yield = flat_curve(&s->fx_yield);
    flat_volatility(&s->flat, 1, 0.15);
    s->flat.market.n_currencies = 2, s->flat.market.currencies = s->currencies;
}

/* Coefficients of the step from..to of the asset. */
static void coefficients(const struct setting *s, double from, double to, int quanto, double *c)
{
    struct lookup lookup = {0};
    const struct time_step time_step = {from, to, quanto};
    memset(c, 0, MODEL_COEFFICIENTS_MAX * sizeof(double));
    if (model_step_coefficients(&s->flat.market, 0, &time_step, c, &lookup, &said))
        fail_msg("%s", said.text);
    assert_null(lookup.table);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* The processor's own fma where it has one; elsewhere a library's, with the same bits but slow. */
#ifdef __x86_64__
#define OWN_FMA __attribute__((target_clones("arch=haswell", "default")))
#else
#define OWN_FMA
#endif

enum { MOST_STEPS = 512 };

/* Ends of `paths` paths of n equal steps; noise[p], where given, is the sum of the path's first
 * normals. */
OWN_FMA static void walk(const struct setting *s, double expiry, int n, int quanto, int paths,
                         struct path_state *ends, double *noise)
{
    static double c[MOST_STEPS][MODEL_COEFFICIENTS_MAX];
    const struct asset *asset = &s->flat.assets[0];
    const int factors = model_factors(asset->model);
    assert_true(n <= MOST_STEPS);
    for (int j = 0; j < n; j++) coefficients(s, expiry * j / n, expiry * (j + 1) / n, quanto, c[j]);
    for (int p = 0; p < paths; p++) {
        struct philox_words w[MODEL_FACTORS_MAX];
        model_begin(asset, &ends[p]);
        if (noise) noise[p] = 0.0;
        for (int j = 0; j < n; j++) {
            double z[MODEL_FACTORS_MAX] = {0};
            for (int f = 0; f < factors; f++) {
                if (j % 4 == 0)
                    w[f] = philox_block(20261121, (uint64_t)p, (uint32_t)f, (uint32_t)(j / 4));
                const uint32_t words[4] = {w[f].word0, w[f].word1, w[f].word2, w[f].word3};
                z[f] = (double)normal_from_bits(words[j % 4], normal_cubic);
            }
            if (noise) noise[p] += z[0];
            switch (asset->model) {
#define MODEL(NAME, name, n_factors, n_coefficients, ...)                                          \
    case MODEL_##NAME:                                                                             \
        name##_step(c[j], NULL, &ends[p], z);                                                      \
        break;
#include "models/dynamics/models.def"
#undef MODEL
            default: break;
            }
        }
    }
}

struct moments {
    double mean, variance, error; /* error: standard error of the mean */
};

static struct moments moments_of(const double *values, int n)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++) sum += values[i];
    const double mean = sum / n;
    for (int i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
    return (struct moments){mean, squares / (n - 1), sqrt(squares / (n - 1) / n)};
}

static void assert_mean(const char *what, const double *values, int n, double expected, double bias)
{
    const struct moments m = moments_of(values, n);
    const double off = m.mean - expected;
    print_message("%s: %.6f, expected %.6f, off %.2g, standard error %.2g\n", what, m.mean,
                  expected, off, m.error);
    assert_true(fabs(off) <= 4.0 * m.error + bias);
}

static void spots_of(const struct path_state *ends, int n, double *spots)
{
    for (int i = 0; i < n; i++) spots[i] = exact_exp2(ends[i].x);
}

enum { PATHS = 1 << 15 };
static struct path_state ends[PATHS];
static double values[PATHS], noise[PATHS];

/* ---- Heston parameters ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    struct heston heston;
    double expiry, rate;
    int steps;
} hestons[] = {
    {"Andersen 1", {0.04, 0.5, 0.04, 1.0, -0.9, 0}, 10.0, 0.0, 80},
    {"Andersen 2", {0.04, 0.3, 0.04, 0.9, -0.5, 0}, 15.0, 0.0, 120},
    {"Andersen 3", {0.09, 1.0, 0.09, 1.0, -0.3, 0}, 5.0, 0.05, 40},
    {"calm", {0.04, 1.5, 0.06, 0.3, 0.0, 0}, 2.0, 0.02, 24},
    {"rho up", {0.02, 2.0, 0.04, 0.5, 0.5, 0}, 2.0, 0.02, 32},
    {"no mean", {0.04, 1.0, 0.0, 0.5, -0.7, 0}, 1.0, 0.02, 16},
    {"whole", {0.04, 1.0, 0.04, 0.5, -1.0, 0}, 1.0, 0.02, 16},
    {"fixed", {0.04, 1.0, 0.09, 0.0, -0.7, 0}, 1.0, 0.02, 4},
    {"small xi", {0.04, 1.0, 0.09, 1e-6, -0.7, 0}, 1.0, 0.02, 16},
};
enum { N_HESTONS = sizeof hestons / sizeof hestons[0] };

static double mean_after(const struct heston *h, double v, double t)
{
    return h->theta + (v - h->theta) * exp(-h->kappa * t);
}

static double variance_after(const struct heston *h, double v, double t)
{
    const double e = exp(-h->kappa * t), x2 = h->xi * h->xi / h->kappa;
    return v * x2 * (e - e * e) + 0.5 * h->theta * x2 * (1.0 - e) * (1.0 - e);
}

/* ---- one step of Heston, by quadrature ------------------------------------------------------- */

/* E v', Var v' and E[S'/S] e^(-growth) over a step from v. With zs = 0, w = rho zv and u = rest zv;
 * the mean over zs is exp(variance / 2), the variance being (1 - rho^2) times what the clock grows
 * by. */
OWN_FMA static void integrate_step(const double *c, double v, double growth, double result[3])
{
    const int n = 20000;
    const double far = 9.0, width = 2.0 * far / n, rho = (double)heston_float(c, HESTON_RHO),
                 rest = (double)heston_float(c, HESTON_REST);
    const double m =
        v + v * (double)heston_float(c, HESTON_CHANGE) +
        (double)heston_float(c, HESTON_LEVEL); /* a centre near the mean, so that little cancels */
    double mass = 0.0, first = 0.0, second = 0.0, spot = 0.0;
    for (int i = 0; i <= n; i++) {
        const double zv = -far + width * i, z[2] = {rho * zv, rest * zv};
        const double weight = exp(-0.5 * zv * zv);
        struct path_state s = {0.0, v, 0.0};
        heston_step(c, NULL, &s, z);
        mass += weight;
        first += weight * (s.v - m);
        second += weight * (s.v - m) * (s.v - m);
        spot += weight * exp(LN2 * s.x + 0.5 * LN2 * LN2 * rest * rest * s.clock - growth);
    }
    first /= mass;
    result[0] = m + first;
    result[1] = second / mass - first * first;
    result[2] = spot / mass;
}

TEST(heston_step_keeps_its_moments)
{
    double worst_mean = 0.0, worst_variance = 0.0, worst_spot = 0.0;
    for (int i = 0; i < N_HESTONS; i++) {
        struct setting s;
        double c[MODEL_COEFFICIENTS_MAX], got[3];
        const struct heston *h = &hestons[i].heston;
        set_up(&s, MODEL_HESTON, 0.03, 0.01);
        s.flat.assets[0].heston = *h;
        const double longest = model_longest_step(&s.flat.assets[0], HUGE_VAL, 0.5);
        const double steps[] = {longest, 0.02 < longest ? 0.02 : longest, 1.0 / 252.0, 1e-7};
        const double starts[] = {0.0, 1e-6, 1e-4, 3e-3, 0.04, 0.5, 4.0};
        for (int k = 0; k < 4; k++) {
            coefficients(&s, 0.0, steps[k], -1, c);
            for (int j = 0; j < 7; j++) {
                const double mean = mean_after(h, starts[j], steps[k]);
                const double variance = variance_after(h, starts[j], steps[k]);
                integrate_step(c, starts[j], 0.02 * steps[k], got);
                worst_mean = fmax(worst_mean, fabs(got[0] - mean) / (mean + 1e-9));
                worst_variance = fmax(worst_variance, fabs(got[1] - variance) /
                                                          (variance + 1e-9 * mean * mean + 1e-24));
                worst_spot = fmax(worst_spot, fabs(got[2] - 1.0));
            }
        }
    }
    print_message("relative errors over a step: E v' %.3g, Var v' %.3g, E S'/S %.3g\n", worst_mean,
                  worst_variance, worst_spot);
    assert_true(worst_mean <= 2e-6);
    assert_true(worst_variance <= 4e-5); /* where v' is hardly ever off 0; the floats' tail */
    assert_true(worst_spot <= 1e-7);
}

/* ---- many steps ------------------------------------------------------------------------------ */

TEST(heston_keeps_forwards_and_moments)
{
    for (int i = 0; i < N_HESTONS; i++) {
        struct setting s;
        char what[64];
        const struct heston *h = &hestons[i].heston;
        const double t = hestons[i].expiry;
        set_up(&s, MODEL_HESTON, hestons[i].rate, 0.01);
        s.flat.assets[0].heston = *h;
        walk(&s, t, hestons[i].steps, -1, PATHS, ends, NULL);
        spots_of(ends, PATHS, values);
        snprintf(what, sizeof what, "%s: spot", hestons[i].name);
        assert_mean(what, values, PATHS, 100.0 * exp((hestons[i].rate - 0.01) * t), 1e-9);
        const double mean = mean_after(h, h->v0, t), variance = variance_after(h, h->v0, t);
        for (int p = 0; p < PATHS; p++) values[p] = ends[p].v;
        snprintf(what, sizeof what, "%s: v", hestons[i].name);
        assert_mean(what, values, PATHS, mean, 1e-7 * mean); /* floats */
        for (int p = 0; p < PATHS; p++) values[p] = (ends[p].v - mean) * (ends[p].v - mean);
        snprintf(what, sizeof what, "%s: variance of v", hestons[i].name);
        assert_mean(what, values, PATHS, variance, 1e-9);
        const double moving = -(h->v0 - h->theta) * expm1(-h->kappa * t) / h->kappa;
        const double turn =
            h->kappa * t / hestons[i].steps; /* the trapezoid rule adds turn^2 / 12 of it */
        for (int p = 0; p < PATHS; p++) values[p] = ends[p].clock * LN2 * LN2;
        snprintf(what, sizeof what, "%s: integral of v", hestons[i].name);
        assert_mean(what, values, PATHS, h->theta * t + moving,
                    fabs(moving) * turn * turn / 12.0 + 1e-9);
    }
}

/* Without a random variance, every scheme length is Black and Scholes with the variance that v
 * accrues. */
TEST(no_vol_of_vol_is_black_scholes)
{
    struct setting s;
    set_up(&s, MODEL_HESTON, 0.03, 0.01);
    s.flat.assets[0].heston =
        (struct heston){0.09, 1.3, 0.04, 0.0, -0.7, SCHEME_QUADRATIC_EXPONENTIAL};
    double c[MODEL_COEFFICIENTS_MAX], v = 0.09, worst = 0.0;
    struct path_state path;
    model_begin(&s.flat.assets[0], &path);
    double x = path.x;
    for (int j = 0; j < 6; j++) {
        const double dt = 0.02 + 0.3 * j, z[2] = {1.3 - 0.7 * j, -0.4 + 0.6 * j};
        const double accrued = 0.04 * dt - (v - 0.04) * expm1(-1.3 * dt) / 1.3;
        coefficients(&s, 1.0, 1.0 + dt, -1, c);
        heston_step(c, NULL, &path, z);
        x += (0.02 * dt - 0.5 * accrued + sqrt(accrued) * z[0]) / LN2;
        v = 0.04 + (v - 0.04) * exp(-1.3 * dt);
        worst = fmax(worst, fmax(fabs(path.x - x), fabs(path.v - v)));
    }
    print_message("xi = 0 against Black and Scholes: %.3g\n", worst);
    assert_true(worst < 2e-7); /* floats */
}

/* ---- black_scholes --------------------------------------------------------------------------- */

/* The coefficients are these expressions to the bit: prices on record depend on it. */
TEST(black_scholes_is_what_it_was)
{
    struct setting s;
    const double times[] = {0.25, 1.0, 3.0}, rates[] = {0.031, 0.027, 0.035},
                 vols[] = {0.31, 0.27, 0.24};
    int at;
    set_up(&s, MODEL_BLACK_SCHOLES, 0.0, 0.0);
    assert_ok(term_from_rates(&s.currencies[0].rate, 3, times, rates));
    assert_ok(term_from_volatilities(&s.flat.assets[0].variance, 3, times, vols, &at));
    double r0 = 0.0, q0 = 0.0, v0 = 0.0, from = 0.0, c[MODEL_COEFFICIENTS_MAX];
    for (int j = 1; j <= 97; j++) {
        const double t = j / 23.0;
        const double r = term_accrued(&s.currencies[0].rate, t),
                     q = term_accrued(&s.flat.assets[0].yield, t),
                     v = term_accrued(&s.flat.assets[0].variance, t);
        const double variance = v - v0 > 0.0 ? v - v0 : 0.0;
        coefficients(&s, from, t, -1, c);
        assert_true(c[0] == ((r - r0) - (q - q0) - 0.5 * variance) / LN2);
        assert_true(c[1] == sqrt(variance) / LN2);
        r0 = r, q0 = q, v0 = v, from = t;
    }
    assert_true(isinf(model_longest_step(&s.flat.assets[0], HUGE_VAL, 0.02)));
    term_free(&s.currencies[0].rate);
    term_free(&s.flat.assets[0].variance);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

/* P(N >= k) of Poisson's law, from its own sum in long double. */
static double at_least(double mean, int k)
{
    long double term = expl(-(long double)mean), sum = 0.0L;
    for (int j = 0; j < 60; j++, term *= mean / (long double)j)
        if (j >= k) sum += term;
    return (double)sum;
}

TEST(jumps_are_counted_by_poisson)
{
    for (double mean = 0.25; mean > 1e-9; mean /= 7.0) {
        struct setting s;
        double c[MODEL_COEFFICIENTS_MAX];
        set_up(&s, MODEL_MERTON, 0.03, 0.01);
        s.flat.assets[0].jumps = (struct jumps){0.5, -0.1, 0.15};
        coefficients(&s, 0.0, mean / 0.5, -1, c);
        for (int k = 1; k <= JUMP_THRESHOLDS; k++) {
            const double threshold = c[MERTON_THRESHOLD + k - 1], tail = at_least(mean, k);
            if (isinf(threshold)) assert_true(tail <= 0x1p-33 * (1.0 + 1e-9));
            else assert_true(fabs(0.5 * erfc(threshold / sqrt(2.0)) / tail - 1.0) < 1e-9);
        }
    }
}

/* The share of words whose normal exceeds the threshold: exact, for normals increase with their
 * words. */
static double words_above(double threshold)
{
    uint64_t low = 0, high = 1ull << 32; /* the first such word is in low..high */
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if ((double)normal_from_bits((uint32_t)middle, normal_cubic) > threshold) high = middle;
        else low = middle + 1;
    }
    return (double)((1ull << 32) - low) * 0x1p-32;
}

TEST(normals_of_32_bits_count_jumps)
{
    struct setting s;
    double c[MODEL_COEFFICIENTS_MAX];
    set_up(&s, MODEL_MERTON, 0.03, 0.01);
    s.flat.assets[0].jumps = (struct jumps){2.0, -0.1, 0.15};
    assert_true(model_longest_step(&s.flat.assets[0], HUGE_VAL, 0.02) == 0.125);
    coefficients(&s, 0.0, 0.125, -1, c);
    for (int k = 0; k <= JUMP_THRESHOLDS; k++) {
        const double z[3] = {0.0, k == 0 ? -6.3 : c[MERTON_THRESHOLD + k - 1] + 1e-9};
        struct path_state path = {0};
        merton_step(c, NULL, &path, z);
        assert_true(fabs((path.x - c[MERTON_DRIFT]) / c[MERTON_JUMP_MEAN] - k) < 1e-12);
        if (k == 0) continue;
        const double p = words_above(c[MERTON_THRESHOLD + k - 1]), expected = at_least(0.25, k);
        print_message("P(at least %d jumps): %.6g, expected %.6g\n", k, p, expected);
        assert_true(fabs(p - expected) <= 5e-6 * expected + 0x1p-32);
    }
}

/* ---- quanto ---------------------------------------------------------------------------------- */

/* Puts the asset into the currency that the FX rate is quoted in, at the same interest: the worth
 * of its money is then the rate turned round. */
static void turn_round(struct setting *s)
{
    s->flat.assets[0].currency = 1;
    s->other_rate = 0.03;
    s->currencies[1].rate = flat_curve(&s->other_rate);
}

/* Growth of the forward under a quanto where volatilities are known: by a fine sum that knows no
 * pillars. */
TEST(quanto_growth_is_the_integral)
{
    const enum model models[] = {MODEL_BLACK_SCHOLES, MODEL_MERTON};
    const double asset_times[] = {0.2, 0.7, 1.6}, asset_vols[] = {0.35, 0.25, 0.3};
    const double fx_times[] = {0.1, 0.5, 0.7, 1.2}, fx_vols[] = {0.08, 0.12, 0.15, 0.14};
    for (int i = 0; i < 2; i++) {
        struct setting s;
        double plain[MODEL_COEFFICIENTS_MAX], quanto[MODEL_COEFFICIENTS_MAX], sum = 0.0;
        const int n = 200000;
        int at;
        set_up(&s, models[i], 0.03, 0.01);
        s.flat.assets[0].jumps = (struct jumps){0.1, -0.1, 0.15};
        s.flat.correlation[1] = s.flat.correlation[2] = -0.4;
        assert_ok(
            term_from_volatilities(&s.flat.assets[0].variance, 3, asset_times, asset_vols, &at));
        assert_ok(term_from_volatilities(&s.flat.assets[1].variance, 4, fx_times, fx_vols, &at));
        coefficients(&s, 0.05, 2.05, -1, plain);
        coefficients(&s, 0.05, 2.05, 1, quanto);
        for (int j = 0; j < n; j++) {
            const double t = 0.05 + 2.0 * j / n, u = 0.05 + 2.0 * (j + 1) / n;
            sum += sqrt((term_accrued(&s.flat.assets[0].variance, u) -
                         term_accrued(&s.flat.assets[0].variance, t)) *
                        (term_accrued(&s.flat.assets[1].variance, u) -
                         term_accrued(&s.flat.assets[1].variance, t)));
        }
        print_message("quanto %s: growth %.9f, expected %.9f\n", model_name(models[i]),
                      (quanto[0] - plain[0]) * LN2, 0.4 * sum);
        assert_true(fabs((quanto[0] - plain[0]) * LN2 - 0.4 * sum) < 1e-7);
        assert_true(!memcmp(quanto + 1, plain + 1, sizeof quanto - sizeof quanto[0]));
        turn_round(&s);
        coefficients(&s, 0.05, 2.05, 1, quanto);
        assert_true(fabs((quanto[0] - plain[0]) * LN2 + 0.4 * sum) < 1e-7);
        assert_true(!memcmp(quanto + 1, plain + 1, sizeof quanto - sizeof quanto[0]));
        for (int a = 0; a < 2; a++) term_free(&s.flat.assets[a].variance);
    }
}

/* The other road: paths of the asset's own measure, weighted by exp(-sigma W - sigma^2 T/2), sigma
 * and W the FX rate's, W = corr times the asset's own noise + something independent, which is
 * integrated by hand; the last is paid through the rate turned round. */
TEST(quanto_of_stochastic_volatility)
{
    static double own[PATHS], weighted[PATHS];
    const enum model models[] = {MODEL_HESTON, MODEL_BATES, MODEL_HESTON, MODEL_HESTON};
    const double corr = 0.6, sigma = 0.25, t = 2.0;
    const int n = 50;
    for (int i = 0; i < 4; i++) {
        struct setting s;
        set_up(&s, models[i], 0.03, 0.01);
        if (i == 3) turn_round(&s);
        s.flat.assets[0].heston = (struct heston){0.04, 1.5, 0.06, 0.5, -0.7, i == 2};
        s.flat.assets[0].jumps = (struct jumps){0.5, -0.1, 0.0};
        s.flat.correlation[1] = s.flat.correlation[2] = corr;
        flat_volatility(&s.flat, 1, sigma);
        walk(&s, t, n, -1, PATHS, ends, noise);
        for (int p = 0; p < PATHS; p++) {
            const double pull = (i == 3 ? -corr : corr) * sigma, w = noise[p] * sqrt(t / n);
            weighted[p] = exp(-pull * w - 0.5 * pull * pull * t);
            own[p] = weighted[p] * ends[p].v;
            weighted[p] *= exact_exp2(ends[p].x);
        }
        const struct moments spot = moments_of(weighted, PATHS), v = moments_of(own, PATHS);
        walk(&s, t, n, 1, PATHS, ends, NULL);
        spots_of(ends, PATHS, values);
        const struct moments got = moments_of(values, PATHS);
        for (int p = 0; p < PATHS; p++) values[p] = ends[p].v;
        const struct moments got_v = moments_of(values, PATHS);
        print_message("quanto %s: spot %.4f, weighted %.4f (%.4f), without %.4f; v %.6f, weighted "
                      "%.6f (%.6f)\n",
                      model_name(models[i]), got.mean, spot.mean, hypot(got.error, spot.error),
                      100.0 * exp(0.02 * t), got_v.mean, v.mean, hypot(got_v.error, v.error));
        assert_true(fabs(got.mean - spot.mean) < 4.0 * hypot(got.error, spot.error));
        assert_true(fabs(got_v.mean - v.mean) < 4.0 * hypot(got_v.error, v.error));
        assert_true(fabs(got.mean - 100.0 * exp(0.02 * t)) > 20.0 * got.error); /* it can be seen */
    }
}

/* Bates: the spot is shifted by the same whether the model has jumps, and whether the step has one.
 */
TEST(quanto_of_bates_leaves_jumps_alone)
{
    struct setting s;
    double clock = 0.0, c[2][2][MODEL_COEFFICIENTS_MAX],
           moved[2][2][2]; /* [jumps of the model][quanto], [with a jump] */
    set_up(&s, MODEL_BATES, 0.03, 0.01);
    s.flat.assets[0].heston =
        (struct heston){0.04, 1.5, 0.06, 0.5, 0.0, SCHEME_QUADRATIC_EXPONENTIAL};
    s.flat.correlation[1] = s.flat.correlation[2] = 0.6;
    for (int jumps = 0; jumps < 2; jumps++)
        for (int quanto = 0; quanto < 2; quanto++) {
            s.flat.assets[0].jumps = (struct jumps){2.0 * jumps, -0.1, 0.2};
            coefficients(&s, 0.0, 0.1, quanto ? 1 : -1, c[jumps][quanto]);
            for (int jumped = 0; jumped < 2; jumped++) {
                struct path_state path = {0.0, 0.04, 0.0};
                bates_step(c[jumps][quanto], NULL, &path,
                           (double[4]){0.3, -0.2, jumped ? 1.5 : -1.0, 0.7});
                moved[jumps][quanto][jumped] = path.x;
                clock = path.clock; /* of all eight alike */
            }
        }
    const double shift = moved[0][1][0] - moved[0][0][0];
    assert_true(fabs(shift + 0.6 * 0.15 * sqrt(0.1 * clock)) < 1e-8); /* floats */
    assert_true(fabs(moved[1][1][0] - moved[1][0][0] - shift) < 1e-8);
    assert_true(fabs(moved[1][1][1] - moved[1][0][1] - shift) < 1e-8 &&
                moved[1][1][1] != moved[1][1][0]);
}

static void refused(const struct setting *s, double to, int quanto, const char *part)
{
    double c[MODEL_COEFFICIENTS_MAX];
    struct lookup lookup = {0};
    const struct time_step time_step = {0.0, to, quanto};
    assert_int_equal(model_step_coefficients(&s->flat.market, 0, &time_step, c, &lookup, &said),
                     STATUS_FAILED);
    if (!strstr(said.text, part)) fail_msg("'%s' does not say '%s'", said.text, part);
}

TEST(a_dividend_leaves_a_millionth_at_least)
{
    const double amounts[] = {1.0, 99.0, 99.9, 100.0, 1e6};
    for (int i = 0; i < 5; i++) {
        double left = exp2(after_dividend(log2(100.0), amounts[i])),
               right = fmax(100.0 - amounts[i], 1e-4);
        if (!(fabs(left - right) < 1e-10))
            print_error("a dividend of %g leaves %g of 100, not %g\n", amounts[i], left, right);
        assert_true(fabs(left - right) < 1e-10);
    }
}

/* The mean of v after steps of the longest length nears theta, as that of the process does. */
TEST(no_step_is_too_long_for_euler)
{
    struct setting s;
    set_up(&s, MODEL_HESTON, 0.03, 0.01);
    s.flat.assets[0].heston = (struct heston){0.04, 358.0, 0.2, 0.6, -0.6, SCHEME_FULL_TRUNCATION};
    assert_true(model_longest_step(&s.flat.assets[0], HUGE_VAL, 0.2) *
                    s.flat.assets[0].heston.kappa <=
                1.0);
    assert_true(model_longest_step(&s.flat.assets[0], HUGE_VAL, 0.001) == 0.001);
}

TEST(what_cannot_be_done_is_refused)
{
    struct setting s;
    set_up(&s, MODEL_BATES, 0.03, 0.01);
    s.flat.assets[0].heston =
        (struct heston){0.04, 1.5, 0.06, 2.0, -0.9, SCHEME_QUADRATIC_EXPONENTIAL};
    s.flat.assets[0].jumps = (struct jumps){10.0, -0.1, 0.1};
    refused(&s, 0.1, -1, "jumps a year");
    s.flat.assets[0].jumps.intensity = 0.1;
    refused(&s, 0.5, -1, "too long for the quadratic-exponential scheme");
    const double longest = model_longest_step(&s.flat.assets[0], HUGE_VAL, 0.5);
    assert_true(longest < 0.2 && longest > 0.1);
    assert_true(model_longest_step(&s.flat.assets[0], HUGE_VAL, 0.02) == 0.02);
    s.flat.assets[1].currency = 0;
    s.flat.assets[1].foreign_currency = 1;
    coefficients(&s, 0.0, longest, 1, (double[MODEL_COEFFICIENTS_MAX]){0});
    s.flat.assets[0].currency = 7;
    refused(&s, 0.01, 1, "not one of the asset's currency");
    s.flat.assets[0].currency = 1;
    s.flat.assets[1].model = MODEL_HESTON;
    refused(&s, 0.01, 1, "black_scholes");
    refused(&s, 0.01, 0, "not an FX rate");
}

/* ---- float logarithms ------------------------------------------------------------------------ */

TEST(float_logarithms_have_their_errors)
{
    double log_error = 0.0, log1p_error = 0.0, exponential_error = 0.0;
    for (int i = 0; i <= 200000; i++) {
        const float x = float_of_bits(0x00800000u + (uint32_t)i * 10000u); /* 1e-38 to 1e36 */
        const double exact = log((double)x);
        log_error = fmax(log_error, fabs((double)path_log(x) - exact) - 0x1p-24 * fabs(exact));
        const float y = (float)(-0.27 + 0.54 * i / 200000.0);
        if (y != 0.0f)
            log1p_error = fmax(log1p_error, fabs((double)path_log1p(y) / log1p((double)y) - 1.0));
        const float z = (float)(-0.85 + 7.45 * i / 200000.0);
        const double exponential = -log(0.5 * erfc((double)z / sqrt(2.0)));
        exponential_error =
            fmax(exponential_error,
                 fabs((double)path_exponential(z) - exponential) / fmax(1.0, exponential));
    }
    print_message("path_log %.3g, path_log1p %.3g, path_exponential %.3g\n", log_error, log1p_error,
                  exponential_error);
    assert_true(log_error <= 2.5e-7);
    assert_true(log1p_error <= 2e-7);
    assert_true(exponential_error <= 7e-7);
    assert_true(path_exponential(-9.0f) == path_exponential(-0.85f));
    assert_true(path_exponential(9.0f) == path_exponential(6.6f));
}

/* Andersen and Piterbarg's closed form against the integral that it is of, B = tan(u): where the
 * second moment ends, and where it never does. */
TEST(second_moments_end_in_time)
{
    static const double kappa[] = {1.5, 0.4, 0.5, 0.1, 3.0}, xi[] = {1.5, 1.5, 2.0, 0.2, 1.0},
                        rho[] = {0.5, 0.5, 0.9, 0.9, 1.0};
    struct heston heston = {.v0 = 0.04, .theta = 0.04};
    enum { POINTS = 20000 };
    for (int row = 0; row < 5; row++) {
        double sum = 0.0, a = 2.0 * rho[row] * xi[row] - kappa[row];
        heston.kappa = kappa[row], heston.xi = xi[row], heston.rho = rho[row];
        for (int i = 0; i < POINTS; i++) {
            double b = tan((i + 0.5) / POINTS * 1.57079632679489661923);
            sum += (1.0 + b * b) / (1.0 + a * b + 0.5 * xi[row] * xi[row] * b * b);
        }
        sum *= 1.57079632679489661923 / POINTS;
        assert_true(fabs(heston_square_ends(&heston) / sum - 1.0) < 1e-6);
    }
    heston.kappa = 0.4, heston.xi = 1.5, heston.rho = 0.5;
    assert_true(fabs(heston_square_ends(&heston) - 1.13) < 0.01);
    heston.rho = -0.9, heston.kappa = 2.0; /* a root that B stays below */
    assert_true(heston_square_ends(&heston) == HUGE_VAL);
    heston.xi = 0.0, heston.rho = 0.5;
    assert_true(heston_square_ends(&heston) == HUGE_VAL);
    heston.kappa = 0.5, heston.xi = 0.5 / (2.0 - sqrt(2.0)), heston.rho = 1.0; /* one double root */
    assert_true(fabs(heston_square_ends(&heston) * (2.0 * heston.xi - 0.5) / 2.0 - 1.0) < 1e-6);
}

ALL_TESTS(dynamics_test)
