/* Properties that need no stored answer: put-call parity and in + out = vanilla on the same paths,
 * the forward as a martingale, prices that scale with the market. On the CPU engine, whose bits the
 * GPU has. */
#include "models/payoffs/payoff_definition.h"
#include "validation/tests/every_product_book.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"

static const struct plan_settings settings = {.paths = 1 << 17, .seed = 7, .max_step = 0.02};

static void price(int n, const struct trade *trades, struct tally *tallies)
{
    price_trades(&book.market, n, trades, &settings, tallies);
}

static struct trade european(enum option option, double strike)
{
    return option_on(0, option, strike, 0.9);
}

static double discounted_forward(const struct trade *trade)
{
    const struct asset *asset = &book.assets[trade->asset];
    return asset->spot * exp(-term_accrued(&asset->yield, trade->expiry));
}

/* A basket of one asset is that asset: times its weight, but for the geometric mean, which divides
 * by the sum of the weights. */
TEST(a_basket_of_one_asset_is_an_option_on_it)
{
    static double weight[] = {1.7};
    struct trade trades[5] = {[4] = european(OPTION_CALL, 97.0)};
    struct tally t[5];
    for (int kind = BASKET_AVERAGE; kind <= BASKET_WORST_OF; kind++) {
        trades[kind] = european(OPTION_CALL, kind == BASKET_GEOMETRIC ? 97.0 : 97.0 * weight[0]);
        trades[kind].product = PRODUCT_BASKET;
        trades[kind].kind = (enum basket_kind)kind;
        trades[kind].weights = weight;
    }
    price(5, trades, t);
    for (int kind = BASKET_AVERAGE; kind <= BASKET_WORST_OF; kind++) {
        double times = kind == BASKET_GEOMETRIC ? 1.0 : weight[0];
        assert_true(fabs(t[kind].mean - times * t[4].mean) <= 1e-11 * 100.0);
    }
}

/* call - put = discounted (S - K) on every path, so the means agree to rounding. A call struck near
 * 0 is S itself. */
TEST(puts_and_calls_are_at_parity)
{
    struct trade trades[3] = {european(OPTION_CALL, 97.0), european(OPTION_PUT, 97.0),
                              european(OPTION_CALL, 1e-9)};
    struct tally t[3];
    price(3, trades, t);
    double strike = 97.0 * discount_factor(&book.market, &trades[0], trades[0].expiry);
    assert_true(fabs(t[0].mean - t[1].mean - (t[2].mean - strike)) <= 1e-11 * 100.0);
}

TEST(the_forward_is_a_martingale)
{
    for (int asset = 0; asset < 3; asset++) {
        struct trade trade = option_on(asset, OPTION_CALL, 1e-9, 0.9);
        struct tally t;
        price(1, &trade, &t);
        double z = (t.mean - discounted_forward(&trade)) / tally_standard_error(t);
        assert_true(fabs(z) <= 4.0);
        assert_true(tally_standard_error(t) <= 1e-3 * book.assets[asset].spot);
    }
}

/* Both kinds of monitoring, both directions: what knocks in is what does not knock out. */
TEST(in_and_out_make_a_vanilla)
{
    double dates[5] = {0.1, 0.3, 0.5, 0.7, 0.9};
    for (int kind = 0; kind < 4; kind++) {
        struct trade trades[3] = {european(OPTION_PUT, 102.0), european(OPTION_PUT, 102.0),
                                  european(OPTION_PUT, 102.0)};
        struct tally t[3];
        for (int i = 0; i < 2; i++) {
            trades[i].product = PRODUCT_BARRIER;
            trades[i].knock = i ? KNOCK_IN : KNOCK_OUT;
            trades[i].direction = kind & 1 ? DIRECTION_UP : DIRECTION_DOWN;
            trades[i].barrier = kind & 1 ? 113.0 : 88.0;
            trades[i].monitoring =
                (struct schedule){.continuous = kind & 2, .n = kind & 2 ? 0 : 5, .times = dates};
        }
        price(3, trades, t);
        assert_true(t[0].mean > 0.01 && t[1].mean > 0.01);
        assert_true(fabs(t[0].mean + t[1].mean - t[2].mean) <= 1e-11 * 100.0);
    }
}

/* Twice the spot, strikes and barriers: log2 S moves by exactly 1, so every price doubles to the
 * last bit. */
TEST(prices_scale_with_the_market)
{
    struct trade trades[3] = {european(OPTION_CALL, 97.0), european(OPTION_PUT, 104.0),
                              european(OPTION_CALL, 100.0)};
    struct tally once[3], twice[3];
    trades[2].product = PRODUCT_BARRIER;
    trades[2].direction = DIRECTION_UP;
    trades[2].barrier = 128.0;
    trades[2].monitoring.continuous = true;
    price(3, trades, once);
    book.assets[0].spot *= 2.0;
    for (int i = 0; i < 3; i++) trades[i].strike *= 2.0, trades[i].barrier *= 2.0;
    price(3, trades, twice);
    book.assets[0].spot /= 2.0;
    for (int i = 0; i < 3; i++)
        assert_true(fabs(twice[i].mean - 2.0 * once[i].mean) <= 1e-12 * 200.0);
}

/* A volatility next to nothing: every path ends at the forward. */
TEST(no_volatility_gives_the_forward)
{
    const double at[1] = {1.0}, vols[1] = {1e-9};
    struct trade trades[2] = {european(OPTION_CALL, 97.0), european(OPTION_PUT, 97.0)};
    struct term_structure kept = book.assets[0].variance;
    struct tally t[2];
    int bad;
    assert_ok(term_from_volatilities(&book.assets[0].variance, 1, at, vols, &bad));
    price(2, trades, t);
    term_free(&book.assets[0].variance);
    book.assets[0].variance = kept;
    double value = discounted_forward(&trades[0]) -
                   97.0 * discount_factor(&book.market, &trades[0], trades[0].expiry);
    assert_true(value > 1.0);
    assert_true(fabs(t[0].mean - value) <= 1e-8 && t[1].mean == 0.0);
}

ALL_TESTS_BETWEEN(properties_test, make_book, free_book)
