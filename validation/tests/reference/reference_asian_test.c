/* The convolution of arithmetic Asians. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>

#include "validation/tests/reference/reference_fixtures.h"

static struct trade asian(enum option option, enum strike_type strike_type, double strike)
{
    struct trade trade = fixture_trade(PRODUCT_ASIAN, strike);
    trade.option = option;
    trade.strike_type = strike_type;
    return trade;
}

TEST(test_one_fixing_is_european)
{
    struct fixture f;
    double times[] = {1.0};
    fixture_bent(&f, 100.0);
    for (int put = 0; put < 2; put++) {
        struct trade trade = asian(put, STRIKE_FIXED, 103.0), european = trade;
        trade.fixings = (struct schedule){false, 1, times};
        european.product = PRODUCT_EUROPEAN;
        assert_close(fixture_price(&f, &trade).price, fixture_price(&f, &european).price, 1e-11);
        trade.strike_type = STRIKE_FLOATING;
        assert_close(fixture_price(&f, &trade).price, 0.0, 1e-11);
        double today[] = {0.0};
        european.strike = 100.0;
        trade.fixings = (struct schedule){false, 1, today};
        assert_close(fixture_price(&f, &trade).price, fixture_price(&f, &european).price, 1e-11);
    }
}

/* Two fixings by one adaptive integral over the first move: given it, the average is a shifted
 * lognormal. */
static double two_fixings(double move, void *context)
{
    (void)context;
    double first = 100.0 * exp(0.5 * (0.05 - 0.02 - 0.02) + 0.2 * sqrt(0.5) * move);
    double forward = 0.5 * first * exp(0.5 * 0.03), strike = 101.0 - 0.5 * first,
           deviation = 0.2 * sqrt(0.5);
    double value = forward - strike;
    if (strike > 0.0) {
        double d = log(forward / strike) / deviation + 0.5 * deviation;
        value = forward * gsl_cdf_ugaussian_P(d) - strike * gsl_cdf_ugaussian_P(d - deviation);
    }
    return exp(-0.05) * value * exp(-0.5 * move * move) / sqrt(2.0 * acos(-1.0));
}

TEST(test_two_fixings_by_adaptive_quadrature)
{
    struct fixture f;
    double times[] = {0.5, 1.0}, value, error;
    fixture_flat(&f, 100.0, 0.05, 0.02, 0.2);
    struct trade trade = asian(OPTION_CALL, STRIKE_FIXED, 101.0);
    trade.fixings = (struct schedule){false, 2, times};
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(500);
    gsl_function function = {two_fixings, NULL};
    gsl_integration_qag(&function, -9.0, 9.0, 1e-12, 1e-12, 500, GSL_INTEG_GAUSS31, work, &value,
                        &error);
    gsl_integration_workspace_free(work);
    assert_close(fixture_price(&f, &trade).price, value, 1e-10);
}

/* Call less put is the forward value of the average less strike, in every variant. */
TEST(test_parity)
{
    struct fixture f;
    double times[40], mean = 0.0;
    fixture_bent(&f, 100.0);
    struct schedule fixings = fixture_dates(times, 40, 0.0, 0.95);
    for (int i = 0; i < 40; i++)
        mean += 100.0 * exp(term_accrued(&f.currency.rate, times[i]) -
                            term_accrued(&f.asset.yield, times[i]));
    mean = (mean + 10 * 98.0) / 50.0;
    double discount = exp(-term_accrued(&f.currency.rate, 1.0)),
           spot = 100.0 * exp(-term_accrued(&f.asset.yield, 1.0));
    for (int floating = 0; floating < 2; floating++) {
        struct trade call = asian(OPTION_CALL, floating, 96.0), put;
        call.fixings = fixings;
        call.past_count = 10;
        call.past_average = 98.0;
        put = call;
        put.option = OPTION_PUT;
        double difference = fixture_price(&f, &call).price - fixture_price(&f, &put).price;
        double forward = floating ? spot - discount * mean : discount * (mean - 96.0);
        assert_close(difference, forward, 1e-10);
    }
}

/* A floating call on (spot, rate, yield) is a fixed put struck at spot on (spot, yield, rate) with
 * the fixings read backwards (Henderson and Wojakowski 2002). */
TEST(test_floating_is_fixed_turned_round)
{
    struct fixture f, turned;
    double times[20], backwards[20];
    for (double volatility = 0.05; volatility < 1.5; volatility *= 2.0) {
        fixture_flat(&f, 100.0, 0.06, 0.01, volatility);
        fixture_flat(&turned, 100.0, 0.01, 0.06, volatility);
        struct trade floating = asian(OPTION_CALL, STRIKE_FLOATING, 0.0),
                     fixed = asian(OPTION_PUT, STRIKE_FIXED, 100.0);
        floating.fixings = fixture_dates(times, 20, 0.1, 0.9);
        for (int i = 0; i < 20; i++) backwards[19 - i] = 1.0 - times[i];
        fixed.fixings = (struct schedule){false, 20, backwards};
        assert_close(fixture_price(&f, &floating).price, fixture_price(&turned, &fixed).price,
                     1e-9);
    }
}

TEST(test_geometric_is_below)
{
    struct fixture f;
    double times[52];
    fixture_bent(&f, 100.0);
    for (double strike = 60.0; strike < 160.0; strike += 10.0) {
        struct trade arithmetic = asian(OPTION_CALL, STRIKE_FIXED, strike), geometric;
        arithmetic.fixings = fixture_dates(times, 52, 1.0 / 52.0, 1.0);
        geometric = arithmetic;
        geometric.averaging = AVERAGING_GEOMETRIC;
        assert_true(fixture_price(&f, &geometric).price < fixture_price(&f, &arithmetic).price);
    }
}

/* Nothing left to fix: the payoff is known, or spot against a known strike. */
TEST(test_all_fixed)
{
    struct fixture f;
    fixture_flat(&f, 100.0, 0.05, 0.02, 0.3);
    struct trade trade = asian(OPTION_CALL, STRIKE_FIXED, 90.0), european = trade;
    trade.past_count = 4;
    trade.past_average = 97.0;
    assert_close(fixture_price(&f, &trade).price, 7.0 * exp(-0.05), 1e-12);
    trade.strike_type = STRIKE_FLOATING;
    european.product = PRODUCT_EUROPEAN;
    european.strike = 97.0;
    assert_close(fixture_price(&f, &trade).price, fixture_price(&f, &european).price, 1e-11);
}

/* Seasoned so far that the strike is passed for certain: a forward. */
TEST(test_strike_already_passed)
{
    struct fixture f;
    double times[] = {0.5, 1.0};
    fixture_flat(&f, 100.0, 0.05, 0.02, 0.3);
    struct trade trade = asian(OPTION_CALL, STRIKE_FIXED, 70.0);
    trade.past_count = 6;
    trade.past_average = 120.0;
    trade.fixings = (struct schedule){false, 2, times};
    double mean = (6.0 * 120.0 + 100.0 * exp(0.015) + 100.0 * exp(0.03)) / 8.0;
    assert_close(fixture_price(&f, &trade).price, exp(-0.05) * (mean - 70.0), 1e-10);
    trade.option = OPTION_PUT;
    assert_close(fixture_price(&f, &trade).price, 0.0, 1e-12);
}

/* Fixings that share a date, days without variance and steps of very different lengths. */
TEST(test_uneven_fixings)
{
    struct fixture f;
    double uneven[] = {0.0, 1e-6, 0.3, 0.30001, 0.9};
    for (int quiet = 0; quiet < 2; quiet++) {
        fixture_terms(&f, 100.0, 3, (double[]){0.2, 0.5, 1.0}, (double[]){0.05, 0.01, 0.03},
                      (double[]){0.0, 0.04, 0.01}, (double[]){0.2, quiet ? 0.0 : 0.1, 0.4});
        for (int variant = 0; variant < 4; variant++) {
            struct trade trade = asian(variant & 1, variant / 2, 100.0);
            trade.fixings = (struct schedule){false, 5, uneven};
            assert_simulated(&f, &trade, 300000, 1e-8);
        }
    }
}

TEST(test_seasoned_by_simulation)
{
    struct fixture f;
    double times[50];
    fixture_bent(&f, 100.0);
    for (int variant = 0; variant < 4; variant++) {
        struct trade trade = asian(variant & 1, variant / 2, 102.0);
        trade.past_count = 20;
        trade.past_average = 108.0;
        trade.fixings = fixture_dates(times, 50, 0.02, 0.9);
        assert_simulated(&f, &trade, 60000, 1e-8);
    }
}

TEST(test_many_fixings_and_volatilities)
{
    struct fixture f;
    double times[1000], before = 0.0;
    for (double volatility = 0.01; volatility < 2.1; volatility *= 2.0) {
        fixture_flat(&f, 100.0, 0.05, 0.02, volatility);
        struct trade trade = asian(OPTION_CALL, STRIKE_FIXED, 100.0);
        trade.fixings = fixture_dates(times, 1000, 0.001, 1.0);
        struct reference price = fixture_price(&f, &trade);
        assert_true(price.error < 1e-9 && price.price > before);
        before = price.price;
    }
}

ALL_TESTS(reference_asian_test)
