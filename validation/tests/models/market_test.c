/* Term structures: what is said of them between their dates and beyond is what they do. */
#include "models/market/term_structure.h"
#include "validation/tests/test.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-15 * (1.0 + fabs(b)))

static const double times[3] = {0.5, 1.0, 3.0};

/* Log-linear in discount factors between dates, flat in the forward before the first and beyond the
 * last. */
TEST(rates_give_flat_forwards)
{
    const double zero[3] = {0.02, 0.03, 0.035};
    struct term_structure term;
    assert_ok(term_from_rates(&term, 3, times, zero));
    NEAR(term_accrued(&term, 0.25), 0.02 * 0.25);
    for (int i = 0; i < 3; i++) NEAR(term_accrued(&term, times[i]), zero[i] * times[i]);
    double forward = (0.03 * 1.0 - 0.02 * 0.5) / 0.5;
    NEAR(term_accrued(&term, 0.8), 0.01 + forward * 0.3);
    double last = (0.035 * 3.0 - 0.03 * 1.0) / 2.0;
    NEAR(term_accrued(&term, 10.0), 0.105 + last * 7.0);
    NEAR(exp(-term_accrued(&term, 0.75)), sqrt(exp(-0.01) * exp(-0.03))); /* the mean of logs */
    term_free(&term);
}

TEST(one_rate_is_flat)
{
    const double at[1] = {1.0}, zero[1] = {-0.004};
    struct term_structure term, copy;
    assert_ok(term_from_rates(&term, 1, at, zero));
    assert_ok(term_copy(&copy, &term));
    for (double t = 0.1; t < 30.0; t *= 1.7) {
        NEAR(term_accrued(&term, t), -0.004 * t);
        assert_true(term_accrued(&copy, t) == term_accrued(&term, t));
    }
    term_free(&term);
    term_free(&copy);
}

/* Total variance linear between dates, flat volatility beyond the ends. */
TEST(volatilities_give_linear_variance)
{
    const double vols[3] = {0.30, 0.25, 0.22};
    struct term_structure term;
    int at = -1;
    assert_ok(term_from_volatilities(&term, 3, times, vols, &at));
    NEAR(term_accrued(&term, 0.1), 0.09 * 0.1);
    NEAR(term_accrued(&term, 2.0), 0.5 * (0.0625 * 1.0 + 0.0484 * 3.0));
    NEAR(sqrt((term_accrued(&term, 8.0) - term_accrued(&term, 3.0)) / 5.0), 0.22);
    term_free(&term);
}

TEST(falling_variance_is_refused)
{
    const double vols[3] = {0.30, 0.25, 0.10};
    struct term_structure term;
    int at = -1;
    assert_int_equal(term_from_volatilities(&term, 3, times, vols, &at), STATUS_BAD_INPUT);
    assert_int_equal(at, 2);
}

ALL_TESTS(market_test)
