/* What a reference by simulation says of its own error, and that no market brings it down. */
#include "validation/tests/reference/reference_fixtures.h"
#include "validation/tests/with_references.h"

#include <gsl/gsl_randist.h>

#include "validation/reference/mean_controls.h"
#include "validation/reference/transition.h"

static struct trade far_call(double spot)
{
    struct trade call = fixture_trade(PRODUCT_EUROPEAN, 1e6 * spot);
    call.cash = 1.0; /* as the book's reader leaves it where there is no such key */
    return call;
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
    struct trade touch = fixture_touch_up(1e8);
    touch.touch = TOUCH_ONE, touch.pay_at = PAY_AT_EXPIRY, touch.cash = 5.0;
    out = fixture_simulate(&f, &touch, PATHS);
    assert_close(out.price, 0.0, 0.0);
    assert_close(out.error, 5.0 / PATHS, 1e-12);
    struct trade call = far_call(100.0);
    out = fixture_simulate(&f, &call, PATHS);
    assert_close(out.price, 0.0, 0.0);
    assert_true(out.error >= 100.0 / PATHS);
}

/* What is knocked out pays no more than at its wall: of a call of days it is next to nothing. */
TEST(what_is_knocked_out_pays_little)
{
    struct fixture f;
    fixture_flat(&f, 100.0, 0.0, 0.0, 0.2);
    struct trade call = fixture_trade(PRODUCT_BARRIER, 100.9);
    call.barrier = 101.0, call.direction = DIRECTION_UP, call.monitoring = always;
    call.expiry = 3.0 / 365.0;
    assert_simulated(&f, &call, 10000, 1e-9);
    assert_true(fixture_simulate(&f, &call, 10000).error < 1e-4);
    call.knock = KNOCK_IN;
    assert_true(fixture_simulate(&f, &call, 10000).error >= 100.0 / 10000);
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
        struct trade swap = fixture_trade(PRODUCT_VARIANCE_SWAP, 0.0);
        swap.notional = notional;
        swap.strike_volatility = 0.2;
        swap.fixings = (struct schedule){false, 2, dates};
        swap.cash = 1.0;
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

/* Two controls that differ by next to a constant, one of whose means is known to 0.0015 only, as a
 * table's is: what the difference explains would cost 0.7. */
TEST(controls_that_hardly_differ_are_one)
{
    struct mean_controls controls = {.n = 2, .known = {0.0, 0.0, 0.0015}};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    double mean, error;
    for (int i = 0; i < 40000; i++) {
        double x = gsl_ran_gaussian(rng, 1.0), rest = gsl_ran_gaussian(rng, 1.0);
        mean_controls_add(&controls, (double[]){x + 0.5 * rest, x, x + 1e-3 * rest});
    }
    gsl_rng_free(rng);
    mean_controls_result(&controls, &mean, &error);
    assert_close(mean, 0.0, 4.0 * error);
    assert_true(error < 0.003);
}

/* A cliquet of two-month periods over ten years under Andersen's first set (Journal of
 * Computational Finance 11(3), 2008), whose variance is mostly near zero and long remembered: by
 * exact draws of the variance it is 20.946 (0.006). */
TEST(a_long_cliquet_near_zero)
{
    struct fixture f;
    double times[60];
    for (int i = 0; i < 60; i++) times[i] = i / 6.0;
    struct trade trade = fixture_trade(PRODUCT_CLIQUET, 0.0);
    fixture_flat(&f, 100.0, 0.03, 0.01, 0.2);
    trade.expiry = 10.0;
    f.asset.model = MODEL_HESTON;
    f.asset.variance.n = 0;
    f.asset.heston = (struct heston){0.04, 0.5, 0.04, 1.0, -0.9, 0};
    trade.resets = (struct schedule){false, 60, times};
    trade.local_floor = -0.0316227766016838, trade.local_cap = 0.03794733192202055;
    trade.global_floor = 0.0, trade.global_cap = 0.31622776601683794;
    trade.notional = 100.0;
    struct reference out = fixture_price(&f, &trade);
    print_message("%g (%.2g)\n", out.price, out.error);
    assert_close(out.price, 20.946, 3.0 * out.error);
    assert_true(out.error < 0.15);
}

/* ---- what began before today ----------------------------------------------------------------- */

/* A forward start whose strike is known is a european option, however long ago that was. */
TEST(what_began_before_today_begins_no_step)
{
    static const enum model models[] = {MODEL_HISTORICAL, MODEL_HESTON, MODEL_LOCAL_VOL};
    struct cash_dividend dividend = {0.5, 2.0};
    for (int m = 0; m < 3; m++) {
        struct fixture f;
        struct reference out[2];
        fixture_model(&f, models[m]);
        f.asset.n_dividends = 1, f.asset.dividends = &dividend;
        for (int i = 0; i < 2; i++) {
            struct trade trade = fixture_trade(PRODUCT_EUROPEAN, 95.0);
            if (i) {
                trade = fixture_trade(PRODUCT_FORWARD_START, 0.0);
                trade.strike_ratio = 0.95, trade.past_level = 100.0, trade.start = -2.0;
            }
            out[i] = fixture_price(&f, &trade);
        }
        print_message("%s: %g and %g\n", model_name(models[m]), out[0].price, out[1].price);
        assert_close(out[1].price, out[0].price, 1e-9);
        assert_close(out[1].error, out[0].error, 1e-9);
    }
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/* An asset with a surface of two expiries and three strikes, and what walks on it; these are its
 * volatilities, where they are not to be those of fixture_model(). */
struct surfaced {
    struct effort effort;
    struct fixture f;
    struct multi_asset assets;
    struct implied *implied;
};

static void walk_on(struct surfaced *s, double *vols)
{
    *s = (struct surfaced){0};
    fixture_model(&s->f, MODEL_LOCAL_VOL);
    if (vols) s->f.asset.surface.vols = vols;
    s->effort = fixture_effort();
    s->assets = fixture_assets(&s->f);
    s->assets.effort = &s->effort;
    assert_ok(implied_make(&s->assets, 0, &s->implied));
}

/* Before today a surface has no deviation, nor one that falls to nothing afterwards: the grid for
 * the spot there has no ends. */
TEST(without_a_deviation_there_is_no_grid)
{
    struct surfaced s;
    struct transition step;
    walk_on(&s, NULL);
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
    walk_on(&s, (double[]){0.2, 0.2, 0.2, 0.2, 0.2, 0.2});
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

/* A step over an expiry has the variance of both sides: behind it next to nothing happens for
 * years, or so much in a day that it is 84 times what went before. */
TEST(a_step_has_the_variance_about_an_expiry)
{
    static const double until[] = {2.0, 0.5 + 1.0 / 365.0}, total[] = {0.0202, 0.0292};
    for (int i = 0; i < 2; i++) {
        struct surfaced s;
        struct transition step;
        double last = sqrt(total[i] / until[i]), x = log(100.0);
        walk_on(&s, (double[]){0.2, 0.2, 0.2, last, last, last});
        s.f.asset.surface.times = (double[]){0.5, until[i]};
        assert_ok(implied_make(&s.assets, 0, &s.implied));
        assert_ok(transition_make(&s.assets, 0, s.implied, 0.45, 0.55, &step));
        double expected = implied_variance(s.implied, 0.0, 0.55) - 0.018;
        double variance = variance_of_step(&step, x);
        print_message("%g, expected %g\n", variance, expected);
        assert_close(variance / expected, 1.0, 3e-3);
        effort_end(&s.effort);
    }
}

/* One step of two years on a skewed surface has the forward as its mean: between normals its moves
 * are chords, which lie beside their curve. */
TEST(a_long_step_has_its_forward)
{
    enum { PER_UNIT = 1000, POINTS = 14 * PER_UNIT + 1 };
    struct surfaced s;
    struct transition step;
    double sum = 0.0, all = 0.0, x = log(100.0);
    walk_on(&s, (double[]){0.3, 0.22, 0.19, 0.28, 0.22, 0.195});
    assert_ok(transition_make(&s.assets, 0, s.implied, 0.0, 2.0, &step));
    for (int i = 0; i < POINTS; i++) {
        double z = (double)i / PER_UNIT - 7.0, weight = exp(-0.5 * z * z);
        struct step_move moved;
        transition_move(&step, 1, &x, &z, &moved);
        all += weight, sum += weight * exp(x + moved.move);
    }
    assert_close(sum / all, asset_own_forward(&s.assets, 0, 2.0), 1e-3);
    effort_end(&s.effort);
}

ALL_TESTS_BETWEEN(reference_simulation_test, begin_references, NULL)
