/* Lookbacks: recursion and closed forms against each other, against touches, and against
 * simulation. */
#include <gsl/gsl_integration.h>

#include "validation/tests/reference/reference_fixtures.h"

static struct trade lookback(enum option option, enum strike_type strike_type, double strike)
{
    struct trade trade = fixture_trade(PRODUCT_LOOKBACK, strike);
    trade.option = option;
    trade.strike_type = strike_type;
    trade.monitoring = always;
    return trade;
}

TEST(test_one_date_is_european)
{
    struct fixture f;
    double times[] = {1.0};
    fixture_bent(&f, 100.0);
    for (int put = 0; put < 2; put++) {
        struct trade trade = lookback(put, STRIKE_FIXED, 97.0), european = trade;
        trade.monitoring = (struct schedule){false, 1, times};
        european.product = PRODUCT_EUROPEAN;
        assert_close(fixture_price(&f, &trade).price, fixture_price(&f, &european).price, 1e-11);
        trade.strike_type = STRIKE_FLOATING; /* struck at the very spot it pays */
        assert_close(fixture_price(&f, &trade).price, 0.0, 1e-11);
        trade.extreme = 103.0; /* unless the extreme so far is better */
        european.strike = 103.0;
        european.option = put ? OPTION_PUT : OPTION_CALL;
        assert_close(fixture_price(&f, &trade).price, fixture_price(&f, &european).price, 1e-11);
    }
}

/* E[(M - K)+] is the integral over u > K of the probability of touching u: the barriers' machine
 * must agree.
 */
static double by_touches(const struct fixture *f, const struct trade *trade, double from, double to)
{
    struct trade touch = fixture_touch_up(0.0);
    touch.monitoring = trade->monitoring;
    if (trade->option == OPTION_PUT) touch.direction = DIRECTION_DOWN;
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(100);
    double sum = 0.0;
    for (size_t i = 0; i < 100; i++) {
        double log_level, weight;
        gsl_integration_glfixed_point(log(from), log(to), i, &log_level, &weight, rule);
        touch.barrier = exp(log_level);
        sum += weight * touch.barrier * fixture_price(f, &touch).price;
    }
    gsl_integration_glfixed_table_free(rule);
    return sum;
}

TEST(test_against_touches)
{
    struct fixture f;
    double times[12];
    for (int variant = 0; variant < 8; variant++) {
        bool put = variant & 1, dates = variant & 2;
        if (variant & 4) fixture_bent(&f, 100.0);
        else fixture_flat(&f, 100.0, 0.03, 0.05, 0.3);
        double strike = put ? 92.0 : 108.0;
        struct trade trade = lookback(put, STRIKE_FIXED, strike);
        if (dates) trade.monitoring = fixture_dates(times, 12, 1.0 / 12.0, 1.0);
        double expected =
            put ? by_touches(&f, &trade, 8.0, strike) : by_touches(&f, &trade, strike, 1200.0);
        assert_close(fixture_price(&f, &trade).price, expected, 1e-8);
    }
}

/* Flat terms as one closed form, and cut into steps that hardly differ. */
TEST(test_steps_against_closed_form)
{
    struct fixture flat, nearly;
    for (int curves = 0; curves < 3; curves++) {
        double rate = curves == 0 ? 0.06 : 0.02, yield = curves == 1 ? 0.05 : 0.02, v = 0.25;
        fixture_flat(&flat, 100.0, rate, yield, v);
        fixture_terms(
            &nearly, 100.0, 4, (double[]){0.05, 0.2, 0.45, 1.0}, (double[]){rate, rate, rate, rate},
            (double[]){yield, yield - 1e-10, yield, yield + 1e-10}, (double[]){v, v, v, v});
        for (int variant = 0; variant < 8; variant++) {
            struct trade trade = lookback(variant & 1, variant / 2 & 1, 101.0);
            if (variant & 4)
                trade.extreme = (trade.option == OPTION_CALL) == (trade.strike_type == STRIKE_FIXED)
                                    ? 104.0
                                    : 95.0;
            struct reference whole = fixture_price(&flat, &trade),
                             stepped = fixture_price(&nearly, &trade);
            assert_string_equal(whole.method, "closed form");
            assert_string_equal(stepped.method, "quadrature");
            assert_close(stepped.price, whole.price, 2e-8);
        }
    }
}

/* The formula divides by rate - yield: on both sides of where it stops doing so, and at zero, it is
 * one smooth curve. */
TEST(test_rate_near_yield)
{
    struct fixture f;
    for (int put = 0; put < 2; put++) {
        struct trade trade = lookback(put, STRIKE_FLOATING, 0.0);
        double price[7];
        for (int i = 0; i < 7; i++) {
            fixture_flat(&f, 100.0, 0.05, 0.05 + 4e-5 * (i - 3), 0.2); /* the switch is at 1e-4 */
            price[i] = fixture_price(&f, &trade).price;
        }
        for (int i = 0; i + 3 < 7; i++) {
            double third = price[i + 3] - 3.0 * price[i + 2] + 3.0 * price[i + 1] - price[i];
            assert_close(third, 0.0, 1e-9);
        }
    }
}

TEST(test_dates_grow_to_continuous)
{
    struct fixture f;
    double times[1024];
    fixture_bent(&f, 100.0);
    for (int variant = 0; variant < 4; variant++) {
        struct trade trade = lookback(variant & 1, variant / 2, 100.0);
        double limit = fixture_price(&f, &trade).price, before = 0.0, gap = INFINITY;
        for (int n = 16; n <= 1024; n *= 4) {
            trade.monitoring = fixture_dates(times, n, 1.0 / n, 1.0);
            double price = fixture_price(&f, &trade).price;
            assert_true(price > before && price < limit);
            assert_true(limit - price < 0.6 * gap); /* halves with four times the dates */
            gap = limit - price;
            before = price;
        }
    }
}

TEST(test_by_simulation)
{
    struct fixture f;
    double times[20];
    fixture_bent(&f, 100.0);
    for (int variant = 0; variant < 24; variant++) {
        struct trade trade = lookback(variant & 1, variant / 2 & 1, 102.0);
        bool maximum = (trade.option == OPTION_CALL) == (trade.strike_type == STRIKE_FIXED);
        int so_far = variant / 8; /* none, one that binds, one that does not */
        if (so_far) trade.extreme = maximum == (so_far == 1) ? 107.0 : 94.0;
        bool dates = variant & 4;
        if (dates) trade.monitoring = fixture_dates(times, 20, so_far == 2 ? 0.0 : 0.05, 1.0);
        assert_simulated(&f, &trade, 100000, 1e-8);
    }
}

/* Dates that end at 60 % of the life: the option then ends worthless on many paths. */
TEST(test_dates_end_early)
{
    struct fixture f;
    double times[14];
    for (int variant = 0; variant < 24; variant++) {
        struct trade trade = lookback(variant & 1, STRIKE_FLOATING, 0.0);
        int so_far = variant / 8; /* none, one that binds, one that spot has passed */
        if (so_far) trade.extreme = (trade.option == OPTION_PUT) == (so_far == 1) ? 112.0 : 91.0;
        if (variant & 2) fixture_bent(&f, 100.0);
        else fixture_flat(&f, 100.0, 0.02, 0.05, 0.3);
        bool today = variant & 4;
        trade.monitoring = fixture_dates(times, 14, today ? 0.0 : 0.05, 0.6);
        assert_simulated(&f, &trade, 150000, 1e-8);
    }
}

/* One date: a forward start, or a European struck at spot today or at the extreme so far. */
TEST(test_one_early_date)
{
    struct fixture f;
    fixture_bent(&f, 100.0);
    for (int variant = 0; variant < 6; variant++) {
        double date = variant < 2 ? 0.25 : 0.0;
        struct trade trade = lookback(variant & 1, STRIKE_FLOATING, 0.0), same = trade;
        trade.monitoring = (struct schedule){false, 1, &date};
        same.product = PRODUCT_FORWARD_START;
        same.start = date;
        same.strike_ratio = 1.0;
        if (variant >= 4) {
            same.product = PRODUCT_EUROPEAN;
            trade.extreme = same.strike = variant & 1 ? 104.0 : 95.0;
        }
        struct reference price = fixture_price(&f, &trade);
        assert_string_equal(price.method, "closed form");
        assert_close(price.price, fixture_price(&f, &same).price, 1e-11);
    }
}

/* As the last date nears expiry the clamp matters less and less. */
TEST(test_last_date_nears_expiry)
{
    struct fixture f;
    double times[12];
    fixture_flat(&f, 100.0, 0.03, 0.01, 0.25);
    for (int put = 0; put < 2; put++) {
        struct trade trade = lookback(put, STRIKE_FLOATING, 0.0);
        trade.monitoring = fixture_dates(times, 12, 1.0 / 12.0, 1.0);
        double limit = fixture_price(&f, &trade).price;
        for (double rest = 1e-2; rest > 1e-5; rest *= 0.1) {
            times[11] = 1.0 - rest;
            assert_close(fixture_price(&f, &trade).price, limit, 5.0 * sqrt(rest));
        }
        assert_close(fixture_price(&f, &trade).price, limit, 0.02);
    }
}

/* Without variance spot is its forward, before, between and after the dates. */
TEST(test_early_without_variance)
{
    struct fixture f;
    double times[2] = {0.1, 0.6};
    struct trade trade = lookback(OPTION_PUT, STRIKE_FLOATING, 0.0);
    trade.monitoring = (struct schedule){false, 2, times};
    fixture_flat(&f, 100.0, 0.0, 0.1, 0.0);
    assert_close(fixture_price(&f, &trade).price, 100.0 * (exp(-0.01) - exp(-0.1)), 1e-11);
    trade.extreme = 101.0;
    assert_close(fixture_price(&f, &trade).price, 101.0 - 100.0 * exp(-0.1), 1e-11);
    trade.option = OPTION_CALL; /* spot ends below what it was on every date */
    trade.extreme = 0.0;
    assert_close(fixture_price(&f, &trade).price, 0.0, 1e-11);
}

ALL_TESTS(reference_lookback_test)
