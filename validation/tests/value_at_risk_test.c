/* Value at risk and shortfall of lists of P&L whose tail is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "app/pricing/pnl/value_at_risk.h"

enum { DAYS = 500, HISTORIES = 400, BLOCKS = 64 };

static double normal(unsigned short state[3])
{
    double radius = sqrt(-2.0 * log(1.0 - erand48(state)));
    return radius * cos(2.0 * acos(-1.0) * erand48(state));
}

static struct value_at_risk tail_of(int n, const struct pnl *days, double confidence,
                                    const struct pnl_blocks *blocks)
{
    struct value_at_risk value_at_risk;
    assert_int_equal(value_at_risk_make(n, days, confidence, blocks, &value_at_risk), STATUS_OK);
    return value_at_risk;
}

static void test_ranks(void **state)
{
    struct pnl days[100];
    for (int i = 0; i < 100; i++) days[i] = (struct pnl){-(double)((i * 37) % 100 + 1), 0.5};
    struct value_at_risk value_at_risk = tail_of(100, days, 0.95, NULL);
    assert_float_equal(value_at_risk.var, 95.0, 1e-12);
    assert_float_equal(value_at_risk.shortfall, 98.0, 1e-9);
    assert_float_equal(value_at_risk.var_error, 0.5, 1e-12);
    assert_float_equal(value_at_risk.shortfall_error, 0.5, 1e-9);
    assert_float_equal(value_at_risk.var_low, 90.0 - 1.959963984540054 * 0.5,
                       1e-9); /* ranks 90 and 100 */
    assert_float_equal(value_at_risk.var_high, 100.0 + 1.959963984540054 * 0.5, 1e-9);
    value_at_risk =
        tail_of(10, days, 0.95, NULL); /* n c = 9.5: half a day's weight is the largest loss's */
    assert_float_equal(value_at_risk.shortfall, value_at_risk.var, 1e-12);
    (void)state;
}

static void test_what_is_unknown(void **state)
{
    struct pnl days[50];
    for (int i = 0; i < 50; i++) days[i] = (struct pnl){i, 0.0};
    assert_true(isinf(tail_of(50, days, 0.99, NULL).var_high));
    assert_false(isinf(tail_of(50, days, 0.9, NULL).var_high));
    days[7].value = NAN;
    assert_true(isnan(tail_of(50, days, 0.9, NULL).var));
    assert_true(isnan(tail_of(0, days, 0.9, NULL).var));
    (void)state;
}

/* The past's own error: days of a normal law, whose tail is known. */
static void test_coverage(void **state)
{
    static struct pnl days[DAYS];
    const double quantile = 1.6448536269514722, mean_beyond = 2.0627128075074257; /* at 95 % */
    int var = 0, shortfall = 0;
    double width = 0.0;
    for (int h = 0; h < HISTORIES; h++) {
        unsigned short seed[3] = {(unsigned short)h, 17, 4711};
        for (int d = 0; d < DAYS; d++) days[d] = (struct pnl){normal(seed), 0.0};
        struct value_at_risk value_at_risk = tail_of(DAYS, days, 0.95, NULL);
        var += value_at_risk.var_low <= quantile && quantile <= value_at_risk.var_high;
        shortfall += value_at_risk.shortfall_low <= mean_beyond &&
                     mean_beyond <= value_at_risk.shortfall_high;
        width += (value_at_risk.var_high - value_at_risk.var_low) / HISTORIES;
    }
    /* 95 % of 400 are 380 with a standard deviation of 4.4; ranks are whole, so the interval holds
     * a little more, and the shortfall's normal law a little less. */
    assert_in_range(var, 367, 396);
    assert_in_range(shortfall, 340, 390);
    assert_true(width > 0.25 && width < 0.5);
    (void)state;
}

/* The simulation's error from blocks: noise that all days share does not average out, that of
 * single days is the error of their mean. */
static void test_blocks(void **state)
{
    static struct pnl days[DAYS];
    static double pnl[BLOCKS][DAYS];
    unsigned short seed[3] = {1, 2, 3};
    for (int d = 0; d < DAYS; d++) days[d] = (struct pnl){-d, 0.0};
    for (int b = 0; b < BLOCKS; b++) {
        double shared = normal(seed);
        for (int d = 0; d < DAYS; d++) pnl[b][d] = -d + shared;
    }
    const struct pnl_blocks shared = {BLOCKS, &pnl[0][0]};
    struct value_at_risk value_at_risk = tail_of(DAYS, days, 0.95, &shared);
    assert_float_equal(value_at_risk.var_error, 1.0 / 8.0, 0.03);
    assert_float_equal(value_at_risk.shortfall_error, value_at_risk.var_error, 1e-9);
    for (int b = 0; b < BLOCKS; b++)
        for (int d = 0; d < DAYS; d++) pnl[b][d] = -d + normal(seed);
    value_at_risk = tail_of(DAYS, days, 0.95, &shared);
    assert_float_equal(value_at_risk.var_error, 1.0 / 8.0, 0.04);
    assert_float_equal(value_at_risk.shortfall_error, 1.0 / 8.0 / 5.0, 0.01); /* 25 days */
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks), cmocka_unit_test(test_what_is_unknown),
        cmocka_unit_test(test_coverage), cmocka_unit_test(test_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
