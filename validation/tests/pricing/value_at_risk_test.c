/* Value at risk and shortfall of lists of P&L whose tail is known. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>

#include "app/pricing/risk/pnl/value_at_risk.h"
#include "validation/tests/test.h"

enum { DAYS = 500, BLOCKS = 64 };

static double normal(unsigned short state[3])
{
    double radius = sqrt(-2.0 * log(1.0 - erand48(state)));
    return radius * cos(2.0 * acos(-1.0) * erand48(state));
}

static struct value_at_risk tail_of(int n, const struct pnl *days, double confidence, int n_blocks,
                                    const double *blocks)
{
    struct value_at_risk value_at_risk;
    const struct past_days past = {n, days, n_blocks, blocks};
    assert_ok(value_at_risk_make(&past, confidence, &value_at_risk));
    return value_at_risk;
}

TEST(test_ranks)
{
    struct pnl days[100];
    for (int i = 0; i < 100; i++) days[i] = (struct pnl){-(double)((i * 37) % 100 + 1), 0.5};
    struct value_at_risk value_at_risk = tail_of(100, days, 0.95, 0, NULL);
    assert_float_equal(value_at_risk.var, 95.0, 1e-12);
    assert_float_equal(value_at_risk.shortfall, 98.0, 1e-9);
    assert_float_equal(value_at_risk.var_error, 0.5, 1e-12);
    assert_float_equal(value_at_risk.shortfall_error, 0.5, 1e-9);
    assert_float_equal(value_at_risk.var_low, 90.0 - 1.959963984540054 * 0.5,
                       1e-9); /* ranks 90 and 100 */
    assert_float_equal(value_at_risk.var_high, 100.0 + 1.959963984540054 * 0.5, 1e-9);
    value_at_risk =
        tail_of(10, days, 0.95, 0, NULL); /* n c = 9.5: half a day's weight is the largest loss's */
    assert_float_equal(value_at_risk.shortfall, value_at_risk.var, 1e-12);
}

/* The error of a mean of few values is wider, so that 1.96 of it hold as Student's quantile does.
 */
TEST(test_few_values)
{
    static const double values[] = {3.0, -1.0, 2.0, 7.0, -4.0, 0.0, 1.0, 5.0};
    for (size_t n = 2; n <= sizeof values / sizeof *values; n++) {
        double plain = gsl_stats_sd(values, 1, n) / sqrt((double)n);
        double wide = gsl_cdf_tdist_Pinv(0.975, (double)n - 1.0) / 1.959963984540054;
        double factor = blocks_mean(n, values).std_error / plain;
        print_message("%zu values: %.4f times, Student %.4f\n", n, factor, wide);
        assert_true(factor > wide && factor < (n == 2 ? 1.39 : 1.041) * wide);
    }
    assert_true(isinf(blocks_mean(1, values).std_error));
}

TEST(test_what_is_unknown)
{
    struct pnl days[50];
    for (int i = 0; i < 50; i++) days[i] = (struct pnl){i, 0.0};
    assert_true(isinf(tail_of(50, days, 0.99, 0, NULL).var_high));
    assert_false(isinf(tail_of(50, days, 0.9, 0, NULL).var_high));
    days[7].value = NAN;
    assert_true(isnan(tail_of(50, days, 0.9, 0, NULL).var));
    for (int i = 0; i < 50; i++) days[i] = (struct pnl){0.0, 0.0};
    assert_false(signbit(tail_of(50, days, 0.9, 0, NULL).var));
    assert_true(isnan(tail_of(0, days, 0.9, 0, NULL).var));
}

/* A day's loss: normal, or Student's with four degrees of freedom. */
static double loss_of(bool heavy, unsigned short state[3])
{
    double loss = normal(state);
    if (!heavy) return loss;
    double chi = -2.0 * log((1.0 - erand48(state)) * (1.0 - erand48(state)));
    return loss * sqrt(4.0 / chi);
}

/* The past's own error: days of laws whose tails are known. The interval of value at risk holds it
 * at least as often as it says, for ranks are whole; that of the shortfall 93 to 97 times of 100.
 * From few days beyond it has no upper end, and from eight on each end has its share. */
TEST(test_coverage)
{
    static const struct law {
        bool heavy;
        double confidence, var, shortfall;
    } laws[] = {{false, 0.95, 1.6448536269514722, 2.0627128075074257},
                {false, 0.99, 2.3263478740408408, 2.665214220345806},
                {true, 0.95, 2.1318467863266499, 3.2028700018437917},
                {true, 0.99, 3.7469473879791968, 5.2205831366021503}};
    static const int lengths[] = {250, 1000};
    enum { HISTORIES = 1600 };
    static struct pnl days[1000];
    int failures = 0;
    for (int at = 0; at < 8; at++) {
        const struct law *law = &laws[at / 2];
        int n = lengths[at % 2], var = 0, above = 0, below = 0;
        bool open = n * (1.0 - law->confidence) < 8.0;
        unsigned short seed[3] = {(unsigned short)at, 17, 4711};
        for (int h = 0; h < HISTORIES; h++) {
            for (int d = 0; d < n; d++) days[d] = (struct pnl){-loss_of(law->heavy, seed), 0.0};
            struct value_at_risk found = tail_of(n, days, law->confidence, 0, NULL);
            assert_true(open == (isinf(found.shortfall_high) != 0));
            var += found.var_low <= law->var && law->var <= found.var_high;
            above += law->shortfall > found.shortfall_high;
            below += law->shortfall < found.shortfall_low;
        }
        double held = 1.0 - (double)(above + below) / HISTORIES;
        bool good = held > 0.93 && held < 0.97 && var > 0.945 * HISTORIES &&
                    (open || (above < 0.05 * HISTORIES && below < 0.05 * HISTORIES));
        print_message("%s%d days, %g, %s: %.3f, %.3f above, %.3f below; value at risk %.3f\n",
                      good ? "" : "BAD: ", n, law->confidence, law->heavy ? "Student" : "normal",
                      held, (double)above / HISTORIES, (double)below / HISTORIES,
                      (double)var / HISTORIES);
        failures += !good;
    }
    assert_int_equal(failures, 0);
}

/* The simulation's error from blocks: noise that all days share does not average out, that of
 * single days is the error of their mean. */
TEST(test_blocks)
{
    static struct pnl days[DAYS];
    static double pnl[BLOCKS][DAYS];
    unsigned short seed[3] = {1, 2, 3};
    for (int d = 0; d < DAYS; d++) days[d] = (struct pnl){-d, 0.0};
    for (int b = 0; b < BLOCKS; b++) {
        double shared = normal(seed);
        for (int d = 0; d < DAYS; d++) pnl[b][d] = -d + shared;
    }
    struct value_at_risk value_at_risk = tail_of(DAYS, days, 0.95, BLOCKS, &pnl[0][0]);
    assert_float_equal(value_at_risk.var_error, 1.0 / 8.0, 0.03);
    assert_float_equal(value_at_risk.shortfall_error, value_at_risk.var_error, 1e-9);
    for (int b = 0; b < BLOCKS; b++)
        for (int d = 0; d < DAYS; d++) pnl[b][d] = -d + normal(seed);
    value_at_risk = tail_of(DAYS, days, 0.95, BLOCKS, &pnl[0][0]);
    assert_float_equal(value_at_risk.var_error, 1.0 / 8.0, 0.04);
    assert_float_equal(value_at_risk.shortfall_error, 1.0 / 8.0 / 5.0, 0.01); /* 25 days */
}

ALL_TESTS(value_at_risk_test)
