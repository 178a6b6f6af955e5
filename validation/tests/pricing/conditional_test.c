/* Greeks by conditional expectation: the price that they are of is the price, they are right, and
 * their errors are a fraction of those of bumps as wide as jumps need. */
#include "app/pricing/risk/greeks/greek_trades.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/pricing/risk_book.h"

#define TRADES                                                                                     \
    "barrier: id asset option strike barrier direction knock monitoring expiry rebate "            \
    "rebate_at quantity\n"                                                                         \
    "    up_out A call 98 121 up out 52 1 - - -\n"                                                 \
    "    up_in A put 103 106 up in 12 1 2 - -\n"                                                   \
    "    down_out B put 51 40 down out [0.2,0.5,1,1.2] 1.4 1 expiry -3\n"                          \
    "    down_in B call 49 44 down in 26 0.8 - - -\n"                                              \
    "double_barrier: id          asset option strike lower upper knock monitoring expiry\n"        \
    "                between_out A     put    101    80    117   out   12         1\n"             \
    "                between_in  B     call   50     38    66    in    6          1.5\n"           \
    "touch: id asset touch barrier direction cash pay_at monitoring expiry lower upper\n"          \
    "    one_touch A one 92 down 10 expiry 24 0.5 - -\n"                                           \
    "    no_touch EURUSD no - - 10 - 26 0.5 1.03 1.19\n"                                           \
    "barrier: id asset quanto option strike barrier direction knock monitoring expiry\n"           \
    "    paid_in_dollars B {fx='EURUSD';} call 50 63 up out 12 1.5\n"

#define LIFE                                                                                       \
    "observation_times = [0.5, 1.0, 1.5]; call_level = 1.0; coupon = 0.04; coupon_level = 0.85; "  \
    "protection_level = 0.75; notional = 100.0; expiry = 1.5; "

#define AUTOCALLABLES                                                                              \
    "autocallable: id assets initial call_level coupon coupon_level protection_level notional "    \
    "observation_times expiry quantity quanto\n"                                                   \
    "    called ['A'] [101] 1 0.04 0.85 0.75 100 [0.5,1,1.5] 1.5 - -\n"                            \
    "    lives_on ['B'] - 1.05 0.02 - 0.8 50 [0.25,0.5,0.75,1] 1.6 -2 {fx='EURUSD';}\n"

/* Every Greek has a reference and lies within 4 standard errors of it. */
TEST(test_greeks)
{
    struct night night;
    int checked = 0;
    make_checked_night("paths = 262144;" GREEKS, TRADES AUTOCALLABLES, "", &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 0; i < night.book.n_trades; i++) {
            const struct greek_value *greek = risk_greek(&night.risk, s, i);
            if (isnan(greek->value) || !strcmp(greek->method, "after expiry")) continue;
            assert_string_equal(greek->method, "conditional expectation");
            assert_good(&night, s, i, !isnan(greek->reference));
            if (isnan(greek->z)) /* a reference that hardly knows the Greek is no check */
                assert_true(greek->reference_error > 0.5 * fabs(greek->value));
            else assert_good(&night, s, i, fabs(greek->z) < 4.0);
            checked += !isnan(greek->z);
        }
    assert_true(checked >= 75);
    free_night(&night);
}

/* A cash dividend too small to see, with which bumps are wide. */
static void pay_next_to_nothing(struct market *market)
{
    for (int a = 0; a < market->n_assets; a++) {
        struct asset *asset = &market->assets[a];
        asset->dividends = malloc(sizeof *asset->dividends);
        assert_non_null(asset->dividends);
        asset->dividends[0] = (struct cash_dividend){.time = 0.01, .amount = 1e-12 * asset->spot};
        asset->n_dividends = 1;
    }
}

/* Least ratio of the standard errors of wide bumps to these, of any trade. */
static double least_gain(const struct risk *wide, const struct risk *risk, enum greek greek)
{
    double least = HUGE_VAL;
    for (int s = 0; s < risk->n_sensitivities; s++)
        for (int i = 0; i < risk->n_trades && risk->sensitivities[s].greek == greek; i++) {
            const struct greek_value *narrow = risk_greek(risk, s, i), *of = risk_greek(wide, s, i);
            if (isnan(narrow->value) || of->std_error < 1e-9) continue; /* no such risk */
            assert_string_equal(of->method, "central difference");
            least = fmin(least, of->std_error / narrow->std_error);
        }
    return least;
}

TEST(test_errors)
{
    struct night night;
    struct risk wide;
    make_night("paths = 65536;" GREEKS, TRADES AUTOCALLABLES, "", &night);
    pay_next_to_nothing(&night.book.market);
    make(&night.book, 1, &wide);
    double delta = least_gain(&wide, &night.risk, GREEK_DELTA),
           gamma = least_gain(&wide, &night.risk, GREEK_GAMMA),
           theta = least_gain(&wide, &night.risk, GREEK_THETA),
           vega = least_gain(&wide, &night.risk, GREEK_VEGA);
    print_message(
        "errors are smaller at least %.3g (delta), %.3g (gamma), %.3g (vega), %.3g (theta) times\n",
        delta, gamma, vega, theta);
    assert_true(delta > 1.5 && gamma > 10.0 && vega > 1.5 && theta > 6.0);
    risk_free(&wide);
    free_night(&night);
}

#define WORST(id, initials)                                                                        \
    "{ id = '" id "'; type = 'autocallable'; assets = ['A', 'B']; initial = [" initials "]; " LIFE \
    "}"

/* Where the other asset is far above its initial spot, the Greeks are those of one asset, though
 * the normal that is left open is one of both. */
TEST(test_worst_of_one)
{
    struct night one, both;
    make_checked_night(
        "paths = 16384;" GREEKS,
        "{ id = 'one'; type = 'autocallable'; assets = ['A']; initial = [101.0]; " LIFE "}", "",
        &one);
    make_night("paths = 262144;" GREEKS, WORST("both", "101.0, 1.0"), "", &both);
    for (int s = 0; s < one.risk.n_sensitivities; s++) {
        const char *name = one.risk.sensitivities[s].name;
        const struct greek_value *a = risk_greek(&one.risk, s, 0),
                                 *b = greek_named(&both.risk, name, 0);
        assert_string_equal(b->method, "conditional expectation");
        if (!(fabs(b->value - a->reference) <= 4.0 * b->std_error + a->reference_error))
            fail_msg("%s: %g +- %g, reference %g", name, b->value, b->std_error, a->reference);
    }
    assert_true(one.risk.n_sensitivities >= 5);
    free_night(&one);
    free_night(&both);
}

/* Each of both assets the worst on half of the paths: the Greeks of wide bumps, with smaller
 * errors. */
TEST(test_worst_of_two)
{
    struct night night;
    struct risk wide;
    make_night("paths = 262144;" GREEKS, WORST("both", "102.0, 49.0"), "", &night);
    const struct risk *risk = &night.risk;
    pay_next_to_nothing(&night.book.market);
    make(&night.book, 2, &wide);
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct greek_value *a = risk_greek(risk, s, 0), *b = risk_greek(&wide, s, 0);
        if (!(fabs(a->value - b->value) <= 4.5 * hypot(a->std_error, b->std_error)))
            fail_msg("%s: %g +- %g, wide bumps %g +- %g", risk->sensitivities[s].name, a->value,
                     a->std_error, b->value, b->std_error);
    }
    double delta = least_gain(&wide, risk, GREEK_DELTA),
           gamma = least_gain(&wide, risk, GREEK_GAMMA),
           cross = least_gain(&wide, risk, GREEK_CROSS_GAMMA);
    print_message(
        "errors are smaller at least %.3g (delta), %.3g (gamma), %.3g (cross gamma) times\n", delta,
        gamma, cross);
    assert_true(delta > 2.0 && gamma > 4.0 && cross > 1.5);
    risk_free(&wide);
    free_night(&night);
}

static struct tally price(const struct market *market, const struct trade *trade)
{
    const struct plan_settings settings = {.paths = 65536, .seed = 7, .max_step = 0.02};
    struct tally tally;
    price_trades(market, 1, trade, &settings, &tally);
    return tally;
}

/* Whatever the pivot, the mean over its normal has the mean of the payoff and no greater error. */
TEST(test_pivots)
{
    struct book book;
    int n = 0, chosen = 0;
    load("paths = 65536;", TRADES, "", &book);
    for (int i = 0; i < book.n_trades; i++) {
        struct trade trade = book.trades[i];
        const struct schedule *dates = &trade.monitoring;
        const struct reference reference = reference_for(&book.market, &trade);
        double plain = tally_standard_error(price(&book.market, &trade));
        for (int d = 0; d < dates->n; d += 1 + dates->n / 5) {
            trade.pivot = dates->times[d];
            struct tally tally = price(&book.market, &trade);
            double error = tally_standard_error(tally);
            if (!(fabs(tally.mean - reference.price) <= 4.5 * error + reference.error &&
                  error < plain))
                fail_msg("%s, pivot %g: %g +- %g, reference %g, error of the payoff %g", trade.id,
                         trade.pivot, tally.mean, error, reference.price, plain);
            n++;
        }
        double pivot = conditional_pivot(&book.market, &book.trades[i]);
        for (int d = 0; d < dates->n; d++) chosen += pivot == dates->times[d];
    }
    assert_true(n >= 35);
    assert_int_equal(chosen, book.n_trades);
    book_free(&book);
}

/* What jumps all the same: paid at the hit, with a memory, under other models, after a cash
 * dividend, on two assets that are one. */
TEST(test_no_pivot)
{
    struct book book;
    load("paths = 1024;", TRADES, "", &book);
    struct market *market = &book.market;
    struct trade out = book.trades[0], touch = book.trades[6];
    out.rebate = 1.0;
    out.pay_at = touch.pay_at = PAY_AT_HIT;
    assert_true(conditional_pivot(market, &out) == 0.0 && conditional_pivot(market, &touch) == 0.0);
    out = book.trades[0];
    market->assets[0].model = MODEL_HESTON;
    assert_true(conditional_pivot(market, &out) == 0.0);
    market->assets[0].model = MODEL_BLACK_SCHOLES;
    pay_next_to_nothing(market);
    assert_true(conditional_pivot(market, &out) == 0.0);
    market->assets[0].dividends[0].time = 1.1;
    assert_true(conditional_pivot(market, &out) > 0.0);
    book_free(&book);
    load("paths = 1024;", WORST("both", "102.0, 49.0"), "", &book);
    assert_true(conditional_pivot(&book.market, book.trades) == 0.5);
    book.trades[0].memory = true;
    assert_true(conditional_pivot(&book.market, book.trades) == 0.0);
    book.trades[0].memory = false;
    int n = book.market.n_assets;
    book.market.correlation[0 * n + 1] = book.market.correlation[1 * n + 0] = 0.98;
    assert_true(conditional_pivot(&book.market, book.trades) == 0.0);
    book_free(&book);
}

ALL_TESTS(conditional_test)
