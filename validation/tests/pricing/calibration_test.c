/* Calibration: surfaces made of known parameters by the reference are recovered, published fits of
 * the DAX are met, and what cannot be fitted is refused. */
#include "app/pricing/calibration/model_fit.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/local_vol_markets.h"
#include "validation/tests/with_references.h"

/* ---- markets --------------------------------------------------------------------------------- */

/* A surface, and its fit: fit_it. */
struct fitted {
    struct fixture of;
    struct surface_quotes quotes;
    struct model_fit fit;
};

static void fitted_begin(struct fitted *f, double spot, int n_times, const double *times,
                         int n_strikes, const double *strikes)
{
    *f = (struct fitted){.quotes = {.n = 0}};
    fixture_begin(&f->of, spot, n_times, times, n_strikes, strikes);
}

static void fitted_end(struct fitted *f)
{
    model_fit_free(&f->fit);
    surface_quotes_free(&f->quotes);
    fixture_end(&f->of);
}

/* Six expiries to three years, nine strikes from 69% to 125% of the spot. */
static void listed(struct fitted *f)
{
    const double times[6] = {1.0 / 12, 0.25, 0.5, 1.0, 2.0, 3.0}, rates[2] = {0.02, 0.03},
                 rate_times[2] = {0.5, 3.0};
    double strikes[9];
    for (int i = 0; i < 9; i++) strikes[i] = 100.0 * exp(0.075 * (i - 5));
    fitted_begin(f, 100.0, 6, times, 9, strikes);
    set_rates(&f->of, 2, rate_times, rates, 0.015);
}

/* dax_surface.h; expiries rounded to weeks (`weeks`) as QuantLib's test-suite/hestonmodel.cpp fits
 * them. */
static void fitted_dax(struct fitted *f, bool weeks)
{
    *f = (struct fitted){.quotes = {.n = 0}};
    dax(&f->of);
    for (int j = 0; weeks && j < 8; j++) f->of.times[j] = (dax_days[j] + 3) / 7 * 7 / 365.0;
}

/* ---- surfaces made of parameters ------------------------------------------------------------- */

/* Every quote of the surface becomes that of the reference's price. */
static void quote_model(struct fitted *f, enum model model, const double *p)
{
    struct asset own = f->of.assets[0];
    f->of.assets[0].model = model;
    f->of.assets[0].heston =
        (struct heston){.v0 = p[0], .kappa = p[1], .theta = p[2], .xi = p[3], .rho = p[4]};
    if (model == MODEL_BATES) f->of.assets[0].jumps = (struct jumps){p[5], p[6], p[7]};
    for (int j = 0; j < own.surface.n_times; j++)
        for (int i = 0; i < own.surface.n_strikes; i++) {
            double t = f->of.times[j], forward = exp(surface_log_forward(&f->of.market, 0, t));
            struct trade trade = option_on(0, f->of.strikes[i] > forward ? OPTION_CALL : OPTION_PUT,
                                           f->of.strikes[i], t);
            f->of.vols[j * own.surface.n_strikes + i] = bisected_volatility(
                trade.option == OPTION_CALL ? 1.0 : -1.0, forward, trade.strike, t,
                reference_for(&f->of.market, &trade).price *
                    exp(term_accrued(&f->of.currencies[0].rate, t)));
        }
    f->of.assets[0] = own;
}

static void fit_it(struct fitted *f, enum model model)
{
    const struct fit_options options = {0};
    assert_ok(surface_quotes_make(&f->of.market, 0, &f->quotes));
    assert_ok(fit_surface(&f->quotes, model, &options, &f->fit, &said));
    assert_ok(model_fit_check(&f->of.market, &f->quotes, NULL, &f->fit, &said));
}

/* ---- the law --------------------------------------------------------------------------------- */

/* The derivatives of every value by every parameter are those of central differences. */
TEST(derivatives_are_right)
{
    const double points[3][N_PARAMETERS] = {{0.05, 2.0, 0.06, 0.7, -0.6, 0.4, -0.1, 0.15},
                                            {0.2, 12.0, 0.08, 3.0, -0.5, 0.1, 0.2, 0.05},
                                            {0.01, 0.3, 0.02, 0.1, 0.4, 3.0, -0.02, 0.03}};
    struct fitted f;
    fitted_dax(&f, false);
    assert_ok(surface_quotes_make(&f.of.market, 0, &f.quotes));
    double *values = calloc((size_t)f.quotes.n * (N_PARAMETERS + 2), sizeof *values);
    double *up = values, *down = up + f.quotes.n, *gradient = down + f.quotes.n;
    for (int point = 0; point < 3; point++) {
        model_values(&f.quotes, N_PARAMETERS, points[point], up, gradient);
        for (int i = 0; i < N_PARAMETERS; i++) {
            double p[N_PARAMETERS], h = 1e-5 * fabs(points[point][i]);
            memcpy(p, points[point], sizeof p);
            p[i] = points[point][i] + h;
            model_values(&f.quotes, N_PARAMETERS, p, up, NULL);
            p[i] = points[point][i] - h;
            model_values(&f.quotes, N_PARAMETERS, p, down, NULL);
            for (int at = 0; at < f.quotes.n; at++) {
                double slope = (up[at] - down[at]) / (2.0 * h),
                       ours = gradient[at * N_PARAMETERS + i];
                if (fabs(slope - ours) > 1e-6 * fabs(slope) + 1e-9 / fabs(points[point][i]))
                    fail_msg("point %d, %s, quote %d: %.12g, by differences %.12g", point,
                             parameter_rows[i].name, at, ours, slope);
            }
        }
    }
    free(values);
    fitted_end(&f);
}

TEST(implied_inverts_black)
{
    for (double t = 0.01; t < 30.0; t *= 3.0)
        for (double volatility = 0.02; volatility < 3.0; volatility *= 1.7)
            for (double d = -5.0; d <= 5.0; d += 0.625) {
                double k = d * volatility * sqrt(t), value = black_value(k, t, volatility);
                if (value < 1e-11 || volatility * sqrt(t) > 6.0) continue;
                double back = black_implied(k, t, value);
                if (fabs(black_value(k, t, back) - value) > 1e-14 + 1e-12 * value)
                    fail_msg("t %g, volatility %g, d %g: got %.15g", t, volatility, d, back);
            }
}

/* ---- round trips ----------------------------------------------------------------------------- */

/* Within 1 basis point of volatility for every quote, and the parameters within a share of
 * themselves. */
static void recover(enum model model, const double *p, double share)
{
    struct fitted f;
    listed(&f);
    quote_model(&f, model, p);
    fit_it(&f, model);
    if (fabs(f.fit.largest) > 1e-4) fail_msg("v0 %g: %.3g of volatility off", p[0], f.fit.largest);
    for (int i = 0; i < f.fit.n; i++)
        if (fabs(f.fit.parameters[i] - p[i]) > share * fabs(p[i]))
            fail_msg("v0 %g: %s is %.6g, not %.6g", p[0], parameter_rows[i].name,
                     f.fit.parameters[i], p[i]);
    fitted_end(&f);
}

TEST(heston_is_recovered)
{
    const double sets[][N_HESTON_PARAMETERS] = {
        {0.04, 1.5, 0.05, 0.6, -0.7},   {0.010, 2.0, 0.012, 0.3, -0.1},
        {0.09, 4.0, 0.04, 1.2, -0.5},   {0.03, 0.4, 0.08, 0.5, -0.85},
        {0.0225, 8.0, 0.04, 1.0, 0.35}, {0.06, 1.0, 0.06, 0.15, -0.3}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) recover(MODEL_HESTON, sets[i], 1e-3);
}

TEST(bates_is_recovered)
{
    const double sets[][N_PARAMETERS] = {{0.03, 1.5, 0.04, 0.5, -0.6, 0.3, -0.15, 0.1},
                                         {0.02, 3.0, 0.03, 0.4, -0.3, 1.5, -0.06, 0.05}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) recover(MODEL_BATES, sets[i], 0.02);
}

/* No smile: volatility of variance at the end of its range, and variance that of the f.quotes. */
TEST(a_flat_surface_has_no_volatility_of_variance)
{
    struct fitted f;
    listed(&f);
    for (int i = 0; i < 54; i++) f.of.vols[i] = 0.2;
    fit_it(&f, MODEL_HESTON);
    assert_true(f.fit.at_bound[PARAMETER_HESTON_XI] && isnan(f.fit.errors[PARAMETER_HESTON_XI]));
    assert_true(fabs(f.fit.parameters[PARAMETER_HESTON_V0] - 0.04) < 1e-4);
    assert_true(f.fit.rmse < 1e-4);
    fitted_end(&f);
}

/* A week before expiry strikes as far as these are fourteen standard deviations out, and their
 * values small and oscillating integrals; the fit is none the worse resolved there (fit_it asks the
 * reference). */
TEST(strikes_far_out_are_resolved)
{
    const double times[2] = {7.0 / 365.0, 0.25}, rate[1] = {0.03};
    double strikes[12];
    struct fitted f;
    for (int i = 0; i < 12; i++) strikes[i] = 65.0 + 7.0 * i;
    fitted_begin(&f, 100.0, 2, times, 12, strikes);
    set_rates(&f.of, 1, &times[1], rate, 0.0);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 12; i++) {
            double k = log(strikes[i] / 100.0), steep = j ? 0.5 : 1.0;
            f.of.vols[j * 12 + i] = 0.2 + steep * (sqrt(k * k + 0.01) - 0.1 - 0.5 * k);
        }
    fit_it(&f, MODEL_HESTON);
    assert_true(f.quotes.list[0].used && fabs(f.quotes.list[0].k) > 14.0 * 0.2 * sqrt(times[0]));
    assert_true(f.quotes.expiries[0].n_nodes > f.quotes.expiries[1].n_nodes);
    fitted_end(&f);
}

/* ---- the DAX --------------------------------------------------------------------------------- */

/* The sum of squared differences in volatility points that QuantLib's own tests expect of the same
 * fit: 177.2 +- 1.0 for Heston (hestonmodel.cpp, "see article by A. Sepp"), 36.6 +- 2.5 for Bates
 * (batesmodel.cpp). */
TEST(published_fits_are_met)
{
    const struct {
        enum model model;
        double expected, tolerance;
    } published[] = {{MODEL_HESTON, 177.2, 1.0}, {MODEL_BATES, 36.6, 2.5}};
    for (int i = 0; i < 2; i++) {
        struct fitted f;
        fitted_dax(&f, true);
        fit_it(&f, published[i].model);
        double sum = 1e4 * f.fit.rmse * f.fit.rmse * f.quotes.n_used;
        print_message("%s: %.3f, published %.1f +- %.1f; %d iterations from %d starts\n",
                      model_name(f.fit.model), sum, published[i].expected, published[i].tolerance,
                      f.fit.iterations, f.fit.starts);
        assert_true(fabs(sum - published[i].expected) <= published[i].tolerance);
        fitted_end(&f);
    }
}

static double squares_at(const struct surface_quotes *quotes, int n, const double *parameters,
                         double *values)
{
    double sum = 0.0;
    model_values(quotes, n, parameters, values, NULL);
    for (int i = 0; i < quotes->n; i++) {
        const struct quote *quote = &quotes->list[i];
        double miss = black_implied(quote->k, quote->time, values[i]) - quote->volatility;
        sum += quote->used ? miss * miss : 0.0;
    }
    return sum;
}

/* Whichever parameter moves by a tenth of its standard error, either way, the fit is worse, and
 * about as much worse as a standard error says at least. */
TEST(a_fit_is_a_minimum)
{
    struct fitted f;
    fitted_dax(&f, false);
    fit_it(&f, MODEL_BATES);
    double *values = calloc((size_t)f.quotes.n, sizeof *values);
    double least = squares_at(&f.quotes, f.fit.n, f.fit.parameters, values);
    double one =
        least / (f.quotes.n_used - f.fit.n); /* a standard error raises the sum by this at least */
    for (int i = 0; i < f.fit.n; i++)
        for (int side = -1; side <= 1; side += 2) {
            double p[N_PARAMETERS];
            assert_true(f.fit.errors[i] > 0.0);
            memcpy(p, f.fit.parameters, sizeof p);
            p[i] += side * 0.1 * f.fit.errors[i];
            assert_true(squares_at(&f.quotes, f.fit.n, p, values) - least > 0.5 * 0.01 * one);
        }
    free(values);
    fitted_end(&f);
}

/* ---- slopes ---------------------------------------------------------------------------------- */

/* Moves a quote of the surface by so much, and fits anew. */
static void fit_moved(struct fitted *f, enum model model, int at, double by, struct model_fit *fit)
{
    const struct fit_options options = {0};
    struct surface_quotes quotes;
    f->of.vols[at] += by;
    assert_ok(surface_quotes_make(&f->of.market, 0, &quotes));
    assert_ok(fit_surface(&quotes, model, &options, fit, &said));
    f->of.vols[at] -= by;
    surface_quotes_free(&quotes);
}

/* The slopes of a fit in its quotes are those of fits of moved surfaces, in what a parameter does
 * beside its standard error. */
static void compare_slopes(struct fitted *f, enum model model, int every, double by, double most)
{
    double slopes[N_PARAMETERS * TIMES_MAX * STRIKES_MAX], furthest = 0.0;
    fit_it(f, model);
    assert_ok(fit_slopes(&f->quotes, &f->fit, slopes));
    for (int at = 3; at < f->quotes.n; at += every) {
        struct model_fit up, down;
        fit_moved(f, model, at, by, &up);
        fit_moved(f, model, at, -by, &down);
        for (int p = 0; p < f->fit.n; p++) {
            double found = (up.parameters[p] - down.parameters[p]) / (2.0 * by);
            double off =
                fabs(found - slopes[p * f->quotes.n + at]) * f->fit.rmse / f->fit.errors[p];
            furthest = fmax(furthest, off);
        }
        model_fit_free(&up);
        model_fit_free(&down);
    }
    print_message("%s: slopes off by at most %.2g\n", model_name(model), furthest);
    assert_true(furthest <= most);
    fitted_end(f);
}

TEST(slopes_are_those_of_fits)
{
    struct fitted f;
    fitted_dax(&f, false);
    compare_slopes(&f, MODEL_HESTON, 35, 2e-4, 5e-4);
    fitted_dax(&f, false);
    compare_slopes(&f, MODEL_BATES, 105, 2e-4, 5e-4);
}

/* ---- what must be noticed -------------------------------------------------------------------- */

/* A quote 100 basis points off shows as just that quote; and the standard errors are no longer
 * those of a perfect f.fit. */
TEST(a_wrong_quote_is_seen)
{
    const double p[N_HESTON_PARAMETERS] = {0.04, 1.5, 0.05, 0.6, -0.7};
    struct fitted f;
    listed(&f);
    quote_model(&f, MODEL_HESTON, p);
    f.of.vols[2 * 9 + 4] += 0.01;
    fit_it(&f, MODEL_HESTON);
    assert_int_equal(f.fit.worst, 2 * 9 + 4);
    assert_true(f.fit.largest < -0.008 && f.fit.largest > -0.0101);
    assert_true(f.fit.errors[PARAMETER_HESTON_V0] > 1e-5);
    fitted_end(&f);
}

/* The reference notices volatilities that are not those of the parameters. */
TEST(the_reference_notices_a_wrong_fit)
{
    const double p[N_HESTON_PARAMETERS] = {0.04, 1.5, 0.05, 0.6, -0.7};
    struct fitted f;
    listed(&f);
    quote_model(&f, MODEL_HESTON, p);
    fit_it(&f, MODEL_HESTON);
    f.fit.parameters[PARAMETER_HESTON_XI] *= 1.001;
    assert_int_equal(model_fit_check(&f.of.market, &f.quotes, NULL, &f.fit, &said), STATUS_FAILED);
    assert_non_null(strstr(said.text, "basis points off the reference's"));
    fitted_end(&f);
}

TEST(what_cannot_be_fitted_is_refused)
{
    const double times[1] = {0.5}, strikes[7] = {80, 90, 100, 110, 120, 500, 900}, rate[1] = {0.02};
    const struct fit_options usual = {0}, short_of_breath = {.iterations = 1},
                             stopped = {.stop = &stop_at_once};
    struct fitted f;
    fitted_begin(&f, 100.0, 1, times, 7, strikes);
    set_rates(&f.of, 1, times, rate, 0.0);
    for (int i = 0; i < 7; i++) f.of.vols[i] = 0.2;
    assert_ok(surface_quotes_make(&f.of.market, 0, &f.quotes));
    assert_int_equal(f.quotes.n_used, 5); /* nothing is paid for strikes of 500 and 900 */
    assert_int_equal(fit_surface(&f.quotes, MODEL_HESTON, &usual, &f.fit, &said), STATUS_BAD_INPUT);
    assert_non_null(
        strstr(said.text, "5 quotes that can be used is too small for the 5 parameters of heston"));
    fitted_end(&f);

    fitted_dax(&f, false);
    assert_ok(surface_quotes_make(&f.of.market, 0, &f.quotes));
    assert_int_equal(fit_surface(&f.quotes, MODEL_HESTON, &short_of_breath, &f.fit, &said),
                     STATUS_FAILED);
    assert_non_null(strstr(said.text, "did not converge"));
    model_fit_free(&f.fit);
    assert_int_equal(fit_surface(&f.quotes, MODEL_BATES, &stopped, &f.fit, &said),
                     STATUS_INTERRUPTED);
    fitted_end(&f);
}

ALL_TESTS_BETWEEN(calibration_test, begin_references, NULL)
