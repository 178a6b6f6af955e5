/* Europeans, digitals, forward starts, geometric Asians, and what the front door checks. */
#include <pthread.h>

#include "validation/tests/reference/reference_fixtures.h"

TEST(test_own_interpolation_agrees_with_the_market)
{
    struct fixture f;
    fixture_bent(&f, 100.0);
    const struct multi_asset assets = fixture_assets(&f);
    for (double t = 0.0; t < 3.0; t += 1.0 / 512.0) {
        assert_close(-log(asset_discount(&assets, t)), term_accrued(&f.currency.rate, t), 1e-15);
        assert_close(asset_variance(&assets, 0, t), term_accrued(&f.asset.variance, t), 1e-15);
        double growth = term_accrued(&f.currency.rate, t) - term_accrued(&f.asset.yield, t);
        assert_close(asset_growth(&assets, 0, t), growth, 1e-15);
    }
}

TEST(test_put_call_parity)
{
    struct fixture f;
    fixture_bent(&f, 100.0);
    for (double strike = 1.0; strike < 500.0; strike *= 1.7) {
        struct trade call = {.product = PRODUCT_EUROPEAN, .expiry = 0.8, .strike = strike},
                     put = call;
        put.option = OPTION_PUT;
        double discount = exp(-term_accrued(&f.currency.rate, 0.8));
        double forward = 100.0 * exp(-term_accrued(&f.asset.yield, 0.8)) / discount;
        double difference = fixture_price(&f, &call).price - fixture_price(&f, &put).price;
        assert_close(difference, discount * (forward - strike), 1e-11);
    }
}

/* A digital in cash is minus the slope of the call in its strike; one in the asset less strike
 * cashes is the call. */
TEST(test_digitals_against_calls)
{
    struct fixture f;
    fixture_bent(&f, 100.0);
    struct trade call = {.product = PRODUCT_EUROPEAN, .expiry = 0.8, .strike = 104.0}, above = call,
                 below = call;
    struct trade cash = {.product = PRODUCT_DIGITAL, .expiry = 0.8, .strike = 104.0, .cash = 1.0},
                 asset = cash;
    asset.payout = PAYOUT_ASSET;
    above.strike += 1e-3;
    below.strike -= 1e-3;
    double slope = (fixture_price(&f, &below).price - fixture_price(&f, &above).price) / 2e-3;
    assert_close(fixture_price(&f, &cash).price, slope, 1e-8);
    double parts = fixture_price(&f, &asset).price - 104.0 * fixture_price(&f, &cash).price;
    assert_close(parts, fixture_price(&f, &call).price, 1e-11);
}

/* A dividend on the expiry comes before what is paid: it raises the strike, and is taken off an
 * asset that is paid. */
TEST(test_dividends_on_the_expiry)
{
    struct fixture f;
    struct cash_dividend dividends[] = {{0.3, 2.0}, {0.8, 5.0}};
    fixture_bent(&f, 100.0);
    for (int i = 0; i < 12; i++) {
        struct trade on = {.product = i % 6 < 2 ? PRODUCT_EUROPEAN : PRODUCT_DIGITAL,
                           .expiry = 0.8,
                           .strike = 95.0,
                           .option = i % 2 ? OPTION_PUT : OPTION_CALL,
                           .payout = i % 6 < 4 ? PAYOUT_CASH : PAYOUT_ASSET,
                           .cash = 1.0};
        struct trade raised = on, fall = on;
        raised.strike = fall.strike = 100.0, fall.payout = PAYOUT_CASH, fall.cash = 5.0;
        f.asset.dividends = i < 6 ? &dividends[1] : dividends;
        f.asset.n_dividends = i < 6 ? 1 : 2;
        double price = fixture_price(&f, &on).price;
        f.asset.n_dividends--;
        double expected = fixture_price(&f, &raised).price;
        if (on.payout == PAYOUT_ASSET) expected -= fixture_price(&f, &fall).price;
        assert_close(price, expected, 1e-10);
    }
}

TEST(test_forward_start_today_is_european)
{
    struct fixture f;
    fixture_bent(&f, 80.0);
    struct trade forward = {.product = PRODUCT_FORWARD_START, .expiry = 0.7, .strike_ratio = 1.1};
    struct trade european = {.product = PRODUCT_EUROPEAN, .expiry = 0.7, .strike = 88.0};
    assert_close(fixture_price(&f, &forward).price, fixture_price(&f, &european).price, 1e-12);
    forward.start = 0.4;
    assert_simulated(&f, &forward, 1000000, 1e-8);
}

TEST(test_geometric_asians_by_simulation)
{
    struct fixture f;
    double times[13];
    fixture_bent(&f, 100.0);
    for (int variant = 0; variant < 8; variant++) {
        struct trade trade = fixture_trade(PRODUCT_ASIAN, 97.0);
        trade.averaging = AVERAGING_GEOMETRIC;
        trade.option = variant & 1 ? OPTION_PUT : OPTION_CALL;
        trade.strike_type = variant & 2 ? STRIKE_FLOATING : STRIKE_FIXED;
        if (variant & 4) {
            trade.past_count = 6;
            trade.past_average = 105.0;
        }
        trade.fixings = fixture_dates(times, 13, 0.0, variant & 4 ? 0.9 : 1.0);
        assert_simulated(&f, &trade, 300000, 1e-8);
    }
}

TEST(test_without_volatility)
{
    struct fixture f;
    fixture_flat(&f, 100.0, 0.05, 0.02, 0.0);
    struct trade call = fixture_trade(PRODUCT_EUROPEAN, 90.0);
    assert_close(fixture_price(&f, &call).price, 100.0 * exp(-0.02) - 90.0 * exp(-0.05), 1e-12);
    struct trade lookback = fixture_trade(PRODUCT_LOOKBACK, 90.0);
    lookback.monitoring = always;
    assert_close(fixture_price(&f, &lookback).price, 100.0 * exp(-0.02) - 90.0 * exp(-0.05), 1e-10);
    struct trade touch = fixture_touch_up(102.0);
    touch.pay_at = PAY_AT_HIT;
    assert_close(fixture_price(&f, &touch).price, exp(-0.05 * log(1.02) / 0.03), 1e-10);
}

TEST(test_refusals)
{
    struct fixture f;
    struct reference out;
    struct message why = {""};
    fixture_flat(&f, 100.0, 0.05, 0.02, 0.2);
    double late[] = {0.5, 1.5};
    struct trade trade = {
        .product = PRODUCT_ASIAN, .expiry = 1.0, .strike = 90.0, .fixings = {false, 2, late}};
    assert_int_equal(reference_price(&f.market, &trade, 1, NULL, &out, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "1.5"));
    f.asset.spot = NAN;
    trade.product = PRODUCT_EUROPEAN;
    assert_int_equal(reference_price(&f.market, &trade, 1, NULL, &out, &why), STATUS_FAILED);
}

/* The same prices, to the last bit, whatever runs beside. */
static void *price_often(void *context)
{
    double *prices = context, times[12];
    struct fixture f;
    fixture_bent(&f, 100.0);
    for (int i = 0; i < 20; i++) {
        struct trade trade = {.product = PRODUCT_LOOKBACK, .expiry = 1.0, .strike = 95.0 + i};
        trade.monitoring = fixture_dates(times, 12, 1.0 / 12.0, 1.0);
        struct reference out;
        struct message why;
        prices[i] = reference_price(&f.market, &trade, 1, NULL, &out, &why) ? NAN : out.price;
    }
    return NULL;
}

TEST(test_threads)
{
    double prices[3][20];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, price_often, prices[i]), 0);
    price_often(prices[2]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) assert_memory_equal(prices[i], prices[2], sizeof prices[2]);
    assert_true(prices[2][0] > prices[2][19]);
}

ALL_TESTS(reference_closed_test)
