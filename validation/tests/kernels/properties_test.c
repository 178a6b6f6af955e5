/* Properties that need no stored answer: put-call parity and in + out = vanilla on the same paths,
 * the forward as a martingale, prices that scale with the market. On the CPU engine, whose bits the
 * GPU has. */
#include "app/pricing/plan/plan_build.h"
#include "kernels/engine.h"
#include "models/payoffs/payoff_definition.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/every_product.h"
#include "validation/tests/test.h"

enum { MOST = 16 };

static struct every_product book;

static int make_book(void **state)
{
    (void)state;
    every_product_make(&book, 0.0);
    return 0;
}

static int free_book(void **state)
{
    (void)state;
    every_product_free(&book);
    return 0;
}

static void price(int n, struct trade *trades, struct tally *tallies)
{
    struct refusal refusals[MOST];
    struct engine_options options = {.kernel = "auto"};
    struct engine_report report = {.kernel = ""};
    struct plan plan;
    assert_ok(plan_build(&book.market, n, trades,
                         &(struct plan_settings){.paths = 1 << 17, .seed = 7, .max_step = 0.02},
                         &plan, refusals));
    for (int i = 0; i < n; i++) assert_string_equal(refusals[i].why.text, "");
    assert_ok(engine_price(&cpu_engine, &plan, &options, tallies, NULL, &report, &said));
    plan_free(&plan);
}

static int each_asset[3] = {0, 1, 2};

static struct trade european(enum option option, double strike)
{
    static char id[] = "european";
    return (struct trade){.id = id,
                          .n_assets = 1,
                          .assets = each_asset,
                          .quanto = -1,
                          .product = PRODUCT_EUROPEAN,
                          .quantity = 1.0,
                          .expiry = 0.9,
                          .option = option,
                          .strike = strike};
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
    static char id[] = "basket";
    struct trade trades[5] = {[4] = european(OPTION_CALL, 97.0)};
    struct tally t[5];
    for (int kind = BASKET_AVERAGE; kind <= BASKET_WORST_OF; kind++) {
        trades[kind] = european(OPTION_CALL, kind == BASKET_GEOMETRIC ? 97.0 : 97.0 * weight[0]);
        trades[kind].product = PRODUCT_BASKET;
        trades[kind].id = id;
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
        struct trade trade = european(OPTION_CALL, 1e-9);
        struct tally t;
        trade.asset = asset;
        trade.assets = &each_asset[asset];
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
