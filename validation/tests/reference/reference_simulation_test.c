/* What a reference by simulation says of its own error, and that no market brings it down. */
#include "validation/tests/reference/reference_fixtures.h"
#include "models/payoffs/product_numbers.h"

#include <gsl/gsl_randist.h>

#include "validation/reference/mean_controls.h"
#include "validation/reference/transition.h"

static struct trade far_call(double spot)
{
    return (struct trade){.product = PRODUCT_EUROPEAN,
                          .option = OPTION_CALL,
                          .quanto = -1,
                          .strike = 1e6 * spot,
                          .expiry = 1.0,
                          .cash =
                              1.0}; /* as the book's reader leaves it where there is no such key */
}

/* ---- one payment at least -------------------------------------------------------------------- */

/* Where no path pays, the one that would have is worth its share of the mean. */
TEST(where_no_path_pays_the_error_is_one_payment)
{
    enum { PATHS = 1000 };
    struct fixture f;
    fixture_flat(&f, 100.0, 0.0, 0.0, 0.2);
    struct trade digital = far_call(100.0);
    digital.product = PRODUCT_DIGITAL, digital.payout = PAYOUT_CASH, digital.cash = 10.0;
    struct reference out = fixture_simulate(&f, &digital, PATHS);
    assert_close(out.price, 0.0, 0.0);
    assert_close(out.error, 10.0 / PATHS, 1e-12);
    struct trade touch = {.product = PRODUCT_TOUCH,
                          .touch = TOUCH_ONE,
                          .pay_at = PAY_AT_EXPIRY,
                          .quanto = -1,
                          .barrier = 1e8,
                          .cash = 5.0,
                          .expiry = 1.0,
                          .monitoring = {true, 0, NULL}};
    out = fixture_simulate(&f, &touch, PATHS);
    assert_close(out.price, 0.0, 0.0);
    assert_close(out.error, 5.0 / PATHS, 1e-12);
    struct trade call = far_call(100.0);
    out = fixture_simulate(&f, &call, PATHS);
    assert_close(out.price, 0.0, 0.0);
    assert_true(out.error >= 100.0 / PATHS);
}

/* Cash that a trade does not pay is no part of its error: a spot of a ten-thousandth has as good a
 * reference as one of a hundred. */
TEST(a_small_spot_has_as_good_a_reference)
{
    double error[2];
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        double spot = i ? 1e-4 : 100.0;
        fixture_flat(&f, spot, 0.0, 0.0, 0.2);
        struct trade call = far_call(spot);
        call.strike = spot;
        error[i] = fixture_simulate(&f, &call, 20000).error / spot;
    }
    assert_close(error[1], error[0], 1e-9);
}

/* Nor is the spot, where it is a notional that returns or a variance are paid on. */
TEST(a_small_notional_has_as_good_a_reference)
{
    double error[2], dates[] = {0.5, 1.0};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        double notional = i ? 1e-9 : 1e3;
        fixture_flat(&f, 100.0, 0.0, 0.0, 0.2);
        struct trade swap = {.product = PRODUCT_VARIANCE_SWAP,
                             .quanto = -1,
                             .notional = notional,
                             .strike_volatility = 0.2,
                             .fixings = {false, 2, dates},
                             .expiry = 1.0,
                             .cash = 1.0};
        error[i] = fixture_simulate(&f, &swap, 20000).error / notional;
    }
    assert_close(error[1], error[0], 1e-9);
}

/* ---- controls with a heavy tail -------------------------------------------------------------- */

/* z of the mean of min(X, most), X lognormal of mean 1, with X as its control. */
static double capped_deviate(gsl_rng *rng, double deviation, double most, int n)
{
    struct mean_controls controls = {.n = 1, .known = {0.0, 1.0}};
    double mean, error, d = log(most) / deviation, half = 0.5 * deviation;
    /* E[X; X < most] + most P(X > most) */
    double exact = 0.5 * erfc((half - d) / sqrt(2.0)) + most * 0.5 * erfc((d + half) / sqrt(2.0));
    for (int i = 0; i < n; i++) {
        double x = exp(gsl_ran_gaussian(rng, deviation) - 0.5 * deviation * deviation);
        mean_controls_add(&controls, (double[]){fmin(x, most), x});
    }
    mean_controls_result(&controls, &mean, &error);
    return (mean - exact) / error;
}

/* The mean of such a control is off by what its rarest paths would have brought, and says nothing
 * of a payoff that is capped. */
TEST(a_control_of_a_few_paths_widens_the_error)
{
    enum { TIMES = 200 };
    static const double deviations[] = {0.3, 3.5};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int d = 0; d < 2; d++) {
        double squares = 0.0, largest = 0.0;
        for (int i = 0; i < TIMES; i++) {
            double z = capped_deviate(rng, deviations[d], d ? 20.0 : 2.0, 10000);
            squares += z * z / TIMES;
            largest = fmax(largest, fabs(z));
        }
        print_message("deviation %g: mean square of z %.2f, largest %.2f\n", deviations[d], squares,
                      largest);
        assert_true(squares < 1.5 && largest < 4.5);
        if (!d) assert_true(squares > 0.6); /* an ordinary control is as good as ever */
    }
    gsl_rng_free(rng);
}

/* ---- what began before today ----------------------------------------------------------------- */

/* A forward start whose strike is known is a european option, however long ago that was. */
TEST(what_began_before_today_begins_no_step)
{
    static double returns[] = {0.01, -0.02, 0.005, 0.004, -0.01};
    static double times[] = {0.5, 2.0}, strikes[] = {80.0, 100.0, 120.0};
    static double vols[] = {0.22, 0.2, 0.19, 0.21, 0.2, 0.195};
    static const enum model models[] = {MODEL_HISTORICAL, MODEL_HESTON, MODEL_LOCAL_VOL};
    struct cash_dividend dividend = {0.5, 2.0};
    for (int m = 0; m < 3; m++) {
        struct fixture f;
        struct reference out[2];
        fixture_flat(&f, 100.0, 0.03, 0.0, 0.2);
        f.asset.model = models[m];
        f.asset.n_dividends = 1, f.asset.dividends = &dividend;
        f.asset.heston =
            (struct heston){.v0 = 0.04, .kappa = 1.0, .theta = 0.04, .xi = 0.3, .rho = -0.5};
        f.asset.history =
            (struct history){.n = 5, .returns = returns, .interval = 1.0 / 252.0, .block = 1};
        if (models[m] != MODEL_HISTORICAL) f.asset.variance.n = 0;
        if (models[m] == MODEL_LOCAL_VOL)
            f.asset.surface = (struct surface){2, 3, times, strikes, vols, false};
        for (int i = 0; i < 2; i++) {
            struct trade trade = {.product = i ? PRODUCT_FORWARD_START : PRODUCT_EUROPEAN,
                                  .option = OPTION_CALL,
                                  .quanto = -1,
                                  .strike = i ? 0.0 : 95.0,
                                  .strike_ratio = i ? 0.95 : 0.0,
                                  .past_level = i ? 100.0 : 0.0,
                                  .start = i ? -2.0 : 0.0,
                                  .expiry = 1.0};
            out[i] = fixture_price(&f, &trade);
        }
        print_message("%s: %g and %g\n", model_name(models[m]), out[0].price, out[1].price);
        assert_close(out[1].price, out[0].price, 1e-9);
        assert_close(out[1].error, out[0].error, 1e-9);
    }
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/* An asset with a surface of two expiries and three strikes, and what walks on it. */
struct surfaced {
    struct effort effort;
    struct fixture f;
    struct multi_asset assets;
    struct implied *implied;
};

static void walk_on(double *vols, struct surfaced *s)
{
    static double times[] = {0.5, 2.0}, strikes[] = {80.0, 100.0, 120.0};
    *s = (struct surfaced){0};
    struct fixture *f = &s->f;
    fixture_flat(f, 100.0, 0.03, 0.0, 0.2);
    f->asset.model = MODEL_LOCAL_VOL;
    f->asset.variance.n = 0;
    f->asset.surface = (struct surface){2, 3, times, strikes, vols, false};
    s->effort = fixture_effort();
    s->assets = fixture_assets(f);
    s->assets.effort = &s->effort;
    assert_ok(implied_make(&s->assets, 0, &s->implied));
}

/* Before today a surface has no deviation, nor one that falls to nothing afterwards: the grid for
 * the spot there has no ends. */
TEST(without_a_deviation_there_is_no_grid)
{
    struct surfaced s;
    struct transition step;
    walk_on((double[]){0.22, 0.2, 0.19, 0.21, 0.2, 0.195}, &s);
    assert_ok(transition_make(&s.assets, 0, s.implied, 0.0, 0.25, &step));
    assert_int_equal(transition_make(&s.assets, 0, s.implied, 0.0, -0.25, &step), STATUS_FAILED);
    assert_non_null(strstr(s.effort.why.text, "no deviation at -0.25 years"));
    effort_end(&s.effort);
}

/* The variance of a step from log spot x, over its normals. */
static double variance_of_step(const struct transition *step, double x)
{
    enum { PER_UNIT = 100, POINTS = 10 * PER_UNIT + 1 };
    double sums[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < POINTS; i++) {
        double z = (double)i / PER_UNIT - 5.0, weight = exp(-0.5 * z * z), move;
        struct step_move moved;
        transition_move(step, 1, &x, &z, &moved);
        move = moved.move;
        sums[0] += weight, sums[1] += weight * move, sums[2] += weight * move * move;
    }
    double mean = sums[1] / sums[0];
    return sums[2] / sums[0] - mean * mean;
}

/* A step that is hardly longer than the gaps of its grid has the variance of the surface: sums over
 * many of them, as of a variance swap, are not off by what each of them is. */
TEST(short_steps_have_their_variance)
{
    struct surfaced s;
    walk_on((double[]){0.2, 0.2, 0.2, 0.2, 0.2, 0.2}, &s);
    for (int per_year = 12; per_year <= 1200; per_year *= 10) {
        struct transition step;
        double to = 0.9 + 1.0 / per_year;
        assert_ok(transition_make(&s.assets, 0, s.implied, 0.9, to, &step));
        for (double x = 4.3; x < 5.0; x += 0.1) {
            double variance = per_year * variance_of_step(&step, x);
            print_message("%d a year, from %g: %g\n", per_year, x, variance);
            assert_close(variance, 0.04, per_year > 1000 ? 5e-4 : 5e-5);
        }
    }
    effort_end(&s.effort);
}

TEST_MAIN(reference_simulation_test)
{
    reference_begin();
    return run_own_tests("reference_simulation_test", false, NULL, NULL);
}
