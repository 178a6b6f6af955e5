/* Early exercise: published prices, limits, parities, and one method against another.
 *
 * Sources: QuantLib's test-suite at commit 2a13d455 (americanoption.cpp, basketoption.cpp,
 * quantooption.cpp, mclongstaffschwartzengine.cpp), which copies Andersen, Lake and Offengenden
 * (2015), the finite differences of Longstaff and Schwartz (2001; 50 dates a year, four figures,
 * two of them off by up to 6e-3), and a table of six-month puts, good to 1.6e-3. C-AMER-LS and
 * C-AMER-QDP are values of a binomial tree. Best of two: Glasserman (2004, page 462) and Andersen
 * and Broadie (2004), whose interval for a spot of 100 is 13.892 to 13.934. */
#include "validation/tests/reference/reference_several.h"

struct row {
    const char *id;
    enum option option;
    double spot, rate, yield, volatility, expiry, strike;
    int dates; /* of exercise, evenly spaced; 0: at every moment */
    double expected, tolerance;
};

/* clang-format off */
static const struct row rows[] = {
    {"AMER-ALO-002", OPTION_PUT, 100, 0.075, 0.05, 0.25, 1, 100, 0, 8.5849357888, 1e-6},
    {"AMER-QDP-004", OPTION_CALL, 100, 0.05, 0, 0.25, 1, 100, 0, 12.3359989303687, 5e-7},
    {"C-AMER-QDP-003", OPTION_CALL, 100, 0, 0.025, 0.25, 1, 100, 0, 8.8654, 1e-4},
    {"C-AMER-LS", OPTION_PUT, 36, 0.06, 0, 0.2, 1, 40, 0, 4.4867, 5e-5},
    {"AMER-LS2001-001", OPTION_PUT, 36, 0.06, 0, 0.2, 1, 40, 50, 4.478, 6e-3},
    {"AMER-LS2001-003", OPTION_PUT, 36, 0.06, 0, 0.4, 1, 40, 50, 7.101, 6e-3},
    {"AMER-PUT6M-002", OPTION_PUT, 85, 0.06, 0, 0.4, 0.5, 100, 0, 18.0374, 1.6e-3},
    {"AMER-PUT6M-009", OPTION_PUT, 120, 0.06, 0, 0.4, 0.5, 100, 0, 4.0611, 1.6e-3},
};
/* clang-format on */

static void check(const char *id, struct reference price, double expected, double tolerance)
{
    if (fabs(price.price - expected) > tolerance + price.error)
        print_message("%s: %.10f +- %.1e, expected %.10f\n", id, price.price, price.error,
                      expected);
    assert_true(fabs(price.price - expected) <= tolerance + price.error);
}

TEST(test_published)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct several s;
        double times[100];
        several_rates(&s, row->rate, 0.0);
        several_add(&s, row->spot, row->yield, row->volatility, row->volatility);
        struct trade trade = several_trade(&s, PRODUCT_AMERICAN, 1, row->expiry, row->strike);
        trade.option = row->option;
        trade.exercise = always;
        if (row->dates)
            trade.exercise =
                fixture_dates(times, row->dates, row->expiry / row->dates, row->expiry);
        struct reference price = several_price(&s, &trade);
        assert_true(price.error < 2e-5 * row->strike / 40.0);
        check(row->id, price, row->expected, row->tolerance);
    }
}

/* QUANTO-AM-001, by finite differences of 100 times 400 nodes: nine months from 21 April 2019, a
 * dividend after six. */
TEST(test_published_quanto_with_dividend)
{
    struct several s;
    struct cash_dividend dividend = {183.0 / 365.0, 8.0};
    several_rates(&s, 0.025, 0.075);
    struct asset *asset = several_add(&s, 100.0, 0.03, 0.3, 0.3);
    asset->currency = 1;
    asset->n_dividends = 1;
    asset->dividends = &dividend;
    several_add(&s, 1.0, 0.075, 0.15, 0.15)->foreign_currency = 1;
    several_correlate(&s, 0, 1, -0.75);
    struct trade trade = several_trade(&s, PRODUCT_AMERICAN, 1, 275.0 / 365.0, 105.0);
    trade.exercise = always;
    trade.quanto = (struct quanto){1, {1}};
    check("QUANTO-AM-001", several_price(&s, &trade), 8.90611734, 1e-4);
}

/* Jumps are explicit, and grew from step to step where more than five fell into one: -5e6. The
 * price by convolutions of the six steps' densities. */
TEST(test_many_jumps)
{
    struct several s;
    double times[6];
    several_rates(&s, 0.03, 0.0);
    struct asset *asset = several_add(&s, 100.0, 0.04, 0.1, 0.1);
    asset->model = MODEL_MERTON;
    asset->jumps = (struct jumps){.intensity = 300.0, .mean = -0.005, .stdev = 0.015};
    struct trade trade = several_trade(&s, PRODUCT_AMERICAN, 1, 1.0, 102.0);
    trade.option = OPTION_PUT;
    trade.exercise = fixture_dates(times, 6, 1.0 / 6.0, 1.0);
    struct reference price = several_price(&s, &trade);
    assert_true(price.error < 0.5);
    assert_close(price.price, 12.793404, 0.2);
}

TEST(test_best_of_two)
{
    struct several s;
    double times[9];
    several_rates(&s, 0.05, 0.0);
    for (int i = 0; i < 2; i++) several_add(&s, 80.0, 0.1, 0.2, 0.2);
    struct trade trade = several_trade(&s, PRODUCT_AMERICAN, 2, 3.0, 100.0);
    s.weights[0] = s.weights[1] = 1.25; /* of 100 each, as published */
    trade.kind = BASKET_BEST_OF;
    trade.exercise = fixture_dates(times, 9, 1.0 / 3.0, 3.0);
    struct reference price = several_price(&s, &trade);
    assert_true(price.error < 2e-4);
    check("best of two", price, 13.902, 1e-2);
}

/* One date is European, and so is a call on what pays nothing; bent curves and every kind of
 * basket. */
TEST(test_european_limits)
{
    for (int kind = 0; kind < 4; kind++)
        for (int option = 0; option < 2; option++) {
            struct several s;
            double end = 0.8;
            several_three(&s);
            struct trade american =
                several_trade(&s, PRODUCT_AMERICAN, kind == BASKET_GEOMETRIC ? 3 : 2, end, 100.0);
            american.kind = (enum basket_kind)kind;
            american.option = (enum option)option;
            american.exercise = (struct schedule){.n = 1, .times = &end};
            if (kind == BASKET_AVERAGE) s.weights[0] = 0.6, s.weights[1] = 0.4;
            if (kind >= BASKET_BEST_OF) s.weights[0] = 1.1, s.weights[1] = 0.9;
            struct trade european = american;
            european.product = PRODUCT_BASKET;
            check("one date", several_price(&s, &american), several_price(&s, &european).price,
                  1e-6);
        }
    struct several s;
    several_rates(&s, 0.03, 0.0);
    several_add(&s, 100.0, 0.0, 0.2, 0.35);
    struct trade call = several_trade(&s, PRODUCT_AMERICAN, 1, 0.8, 95.0), european = call;
    call.exercise = always;
    european.product = PRODUCT_EUROPEAN;
    check("no dividend", several_price(&s, &call), several_price(&s, &european).price, 1e-6);
}

/* A call on what pays one dividend is exercised just before it or at the end. */
TEST(test_one_dividend)
{
    struct several s;
    struct cash_dividend dividend = {0.5, 6.0};
    double dates[2] = {0.5 - 1e-7, 0.8};
    several_rates(&s, 0.05, 0.0);
    struct asset *asset = several_add(&s, 100.0, 0.0, 0.25, 0.35);
    asset->n_dividends = 1;
    asset->dividends = &dividend;
    struct trade american = several_trade(&s, PRODUCT_AMERICAN, 1, 0.8, 95.0), bermudan = american;
    american.exercise = always;
    bermudan.exercise = (struct schedule){.n = 2, .times = dates};
    double expected = several_price(&s, &bermudan).price;
    check("one dividend", several_price(&s, &american), expected, 2e-5);
    dates[0] = 0.5; /* on the date itself the spot has fallen already */
    assert_true(several_price(&s, &bermudan).price < expected - 0.05);
    bermudan.exercise = (struct schedule){.n = 1, .times = dates + 1};
    struct trade basket = bermudan; /* held to the end: against simulation */
    basket.product = PRODUCT_BASKET;
    struct reference simulated = several_simulate(&s, &basket);
    assert_close(several_price(&s, &bermudan).price, simulated.price, 4.0 * simulated.error);
}

/* A call on S struck at K with rate r and yield q is a put on K struck at S with rate q and yield r
 * (McDonald and Schroder 1998). */
TEST(test_put_call_symmetry)
{
    struct several s, mirrored;
    several_rates(&s, 0.03, 0.0);
    several_add(&s, 105.0, 0.06, 0.2, 0.35);
    several_rates(&mirrored, 0.06, 0.0);
    several_add(&mirrored, 98.0, 0.03, 0.2, 0.35);
    struct trade call = several_trade(&s, PRODUCT_AMERICAN, 1, 0.8, 98.0);
    struct trade put = several_trade(&mirrored, PRODUCT_AMERICAN, 1, 0.8, 105.0);
    call.exercise = put.exercise = always;
    put.option = OPTION_PUT;
    check("symmetry", several_price(&s, &call), several_price(&mirrored, &put).price, 1e-5);
}

/* Two methods on one option: the worst of an asset and another far above it, of which one alone
 * counts. */
TEST(test_plane_against_line)
{
    struct several s;
    double times[6];
    several_rates(&s, 0.06, 0.0);
    several_add(&s, 100.0, 0.02, 0.2, 0.3);
    several_add(&s, 100000.0, 0.01, 0.25, 0.2);
    several_correlate(&s, 0, 1, -0.4);
    struct trade two = several_trade(&s, PRODUCT_AMERICAN, 2, 0.9, 104.0), one = two;
    two.exercise = one.exercise = fixture_dates(times, 6, 0.15, 0.9);
    two.option = one.option = OPTION_PUT;
    two.kind = BASKET_WORST_OF;
    one.n_assets = 1;
    struct reference plane = several_price(&s, &two), line = several_price(&s, &one);
    assert_string_equal(plane.method, "convolution");
    assert_string_equal(line.method, "finite differences");
    assert_true(plane.error < 2e-3);
    check("plane", plane, line.price, line.error);
}

/* An exchange of one asset for another is, in units of the second, a call on the ratio struck at 1,
 * with the second's yield as its rate (Margrabe 1978): the strike of the plane is all but 0. */
TEST(test_exchange_against_line)
{
    struct several s, ratio;
    double times[6];
    several_rates(&s, 0.06, 0.0);
    several_add(&s, 100.0, 0.08, 0.2, 0.3);
    several_add(&s, 95.0, 0.03, 0.25, 0.2);
    several_correlate(&s, 0, 1, 0.4);
    s.weights[1] = -1.0;
    several_rates(&ratio, 0.03, 0.0);
    double first = sqrt(0.2 * 0.2 + 0.25 * 0.25 - 2.0 * 0.4 * 0.2 * 0.25);
    double second = sqrt(0.3 * 0.3 + 0.2 * 0.2 - 2.0 * 0.4 * 0.3 * 0.2);
    several_add(&ratio, 100.0 / 95.0, 0.08, first, second);
    struct trade two = several_trade(&s, PRODUCT_AMERICAN, 2, 0.9, 1e-6);
    struct trade one = several_trade(&ratio, PRODUCT_AMERICAN, 1, 0.9, 1.0);
    two.exercise = one.exercise = fixture_dates(times, 6, 0.15, 0.9);
    struct reference plane = several_price(&s, &two), line = several_price(&ratio, &one);
    assert_true(plane.error < 5e-3);
    check("exchange", plane, 95.0 * line.price, 95.0 * line.error + 2e-6);
    one.exercise =
        (struct schedule){.n = 1, .times = times + 5}; /* and exercise before the end does count */
    assert_true(plane.price > 95.0 * several_price(&ratio, &one).price + 0.1);
}

/* More dates are worth more, and all moments most; never less than the gain now. */
TEST(test_more_dates_are_worth_more)
{
    struct several s;
    double times[24], before = 0.0;
    several_three(&s);
    struct trade put = several_trade(&s, PRODUCT_AMERICAN, 1, 0.8, 108.0);
    put.option = OPTION_PUT;
    for (int n = 1; n <= 24; n *= 2) {
        put.exercise = fixture_dates(times, n, 0.8 / n, 0.8);
        double price = several_price(&s, &put).price;
        assert_true(price > before);
        before = price;
    }
    put.exercise = always;
    assert_true(several_price(&s, &put).price > before);
    put.strike = 300.0;
    assert_close(several_price(&s, &put).price, 200.0, 1e-9);
}

TEST(test_refusals)
{
    struct several s;
    struct reference out;
    struct message why;
    several_three(&s);
    struct trade trade = several_trade(&s, PRODUCT_AMERICAN, 3, 0.8, 100.0);
    trade.exercise = always;
    trade.kind = BASKET_BEST_OF;
    assert_int_equal(several_try(&s, &trade, &out, &why), STATUS_FAILED);
    assert_non_null(strstr(why.text, "no reference for an american on more than two assets"));
    trade.n_assets = 1;
    s.assets[0].model = MODEL_HISTORICAL;
    assert_int_equal(several_try(&s, &trade, &out, &why), STATUS_FAILED);
    assert_non_null(strstr(why.text, "no reference for an american under historical"));
    s.assets[0].model = MODEL_MERTON;
    trade.n_assets = 2;
    assert_int_equal(several_try(&s, &trade, &out, &why), STATUS_FAILED);
    assert_non_null(strstr(why.text, "on several assets under another model than Black-Scholes"));
}

/* ---- other models */

/* The puts of Clarke and Parrott (1999), as Ikonen and Toivanen (2004) and later authors have them
 * to about 2e-4: kappa 5, theta 0.16, xi 0.9, rho 0.1, rate 0.1, a quarter, strike 10. */
TEST(test_published_heston)
{
    static const double expected[2][5] = {{2.0000, 1.1076, 0.5202, 0.2138, 0.0821},
                                          {2.0784, 1.3337, 0.7961, 0.4483, 0.2428}};
    for (int v = 0; v < 2; v++)
        for (int i = 0; i < 5; i++) {
            struct several s;
            several_rates(&s, 0.1, 0.0);
            struct asset *asset = several_add(&s, 8.0 + i, 0.0, 0.3, 0.3);
            asset->model = MODEL_HESTON;
            asset->variance = (struct term_structure){0};
            asset->heston = (struct heston){v ? 0.25 : 0.0625,           5.0, 0.16, 0.9, 0.1,
                                            SCHEME_QUADRATIC_EXPONENTIAL};
            struct trade put = several_trade(&s, PRODUCT_AMERICAN, 1, 0.25, 10.0);
            put.option = OPTION_PUT;
            put.exercise = always;
            struct reference price = several_price(&s, &put);
            assert_true(price.error < 1e-3);
            check("Clarke and Parrott", price, expected[v][i], 2e-4);
        }
}

/* Gives an asset one of four other models: Heston, Bates, Merton, a smile. */
static void other_model(struct asset *asset, int which, struct surface smile)
{
    static const enum model models[4] = {MODEL_HESTON, MODEL_BATES, MODEL_MERTON, MODEL_LOCAL_VOL};
    asset->model = models[which];
    asset->heston = (struct heston){0.06, 2.0, 0.09, 0.5, -0.7, SCHEME_QUADRATIC_EXPONENTIAL};
    asset->jumps = (struct jumps){0.7, -0.1, 0.15};
    if (which == 3) asset->surface = smile;
    if (which != 2) asset->variance = (struct term_structure){0};
}

/* One date is European: Fourier integrals, the surface itself. A call on what pays
 * nothing is never exercised. */
TEST(test_european_limits_of_models)
{
    double end = 0.8, times[2] = {0.4, 1.0}, strikes[3] = {80.0, 100.0, 120.0};
    double vols[6] = {0.35, 0.3, 0.27, 0.33, 0.3, 0.28};
    for (int which = 0; which < 4; which++)
        for (int option = 0; option < 2; option++) {
            struct several s;
            several_rates(&s, 0.04, 0.0);
            struct asset *asset = several_add(&s, 100.0, option ? 0.03 : 0.0, 0.2, 0.35);
            other_model(asset, which, (struct surface){2, 3, times, strikes, vols, false});
            struct trade american = several_trade(&s, PRODUCT_AMERICAN, 1, end, 95.0),
                         european = american;
            american.option = european.option = (enum option)option;
            european.product = PRODUCT_EUROPEAN;
            if (option) american.exercise = (struct schedule){.n = 1, .times = &end};
            else american.exercise = always;
            struct reference price = several_price(&s, &american);
            assert_true(price.error < 2e-3 * price.price);
            check("european limit", price, several_price(&s, &european).price, 1e-3);
        }
}

/* For days one jump leads to a strike that nothing else leads to. */
TEST(test_european_limits_of_jumps)
{
    double end = 5.0 / 365.0;
    for (int which = 1; which < 3; which++)
        for (int option = 0; option < 2; option++)
            for (int always_so = 0; always_so < 2; always_so++) {
                struct several s;
                several_rates(&s, 0.04, 0.0);
                struct asset *asset = several_add(&s, 100.0, 0.03, 0.2, 0.35);
                other_model(asset, which, (struct surface){0});
                double strike = option == OPTION_PUT ? 75.0 : 130.0;
                struct trade american = several_trade(&s, PRODUCT_AMERICAN, 1, end, strike),
                             european = american;
                american.option = european.option = (enum option)option;
                european.product = PRODUCT_EUROPEAN;
                american.exercise = always_so ? always : (struct schedule){.n = 1, .times = &end};
                double expected = several_price(&s, &european).price;
                check("european limit", several_price(&s, &american), expected, 0.02 * expected);
            }
}

/* Without jumps, with a variance that hardly moves and on a flat surface: the put of Black and
 * Scholes, with a dividend and dates of exercise or at every moment, paid at home or at an FX rate.
 */
TEST(test_black_scholes_limits)
{
    double times[1] = {1.0}, strikes[3] = {80.0, 100.0, 120.0}, vols[3] = {0.3, 0.3, 0.3}, dates[4];
    struct cash_dividend dividend = {0.3, 4.0};
    static const int variants[4] = {0, 3, 5,
                                    6}; /* each model once, dates and quantos in each way */
    for (int v = 0; v < 4; v++) {
        int which = variants[v];
        struct several s;
        several_rates(&s, 0.04, 0.07);
        struct asset *asset = several_add(&s, 100.0, 0.01, 0.3, 0.3);
        several_add(&s, 1.2, 0.07, 0.15, 0.15)->foreign_currency = 1;
        several_correlate(&s, 0, 1, -0.5);
        asset->currency = which & 1;
        asset->n_dividends = which % 4 < 2;
        asset->dividends = &dividend;
        struct trade put = several_trade(&s, PRODUCT_AMERICAN, 1, 0.8, 105.0);
        put.option = OPTION_PUT;
        put.quanto = (struct quanto){which & 1, {1}};
        put.exercise = which & 2 ? fixture_dates(dates, 4, 0.2, 0.8) : always;
        double expected = several_price(&s, &put).price;
        other_model(asset, which / 2, (struct surface){1, 3, times, strikes, vols, false});
        asset->jumps.intensity = 0.0;
        asset->heston.v0 = asset->heston.theta = 0.09;
        asset->heston.xi = 1e-3;
        struct reference price = several_price(&s, &put);
        assert_string_equal(price.method, "finite differences");
        check("black-scholes limit", price, expected, 2e-3);
    }
}

ALL_TESTS(reference_american_test)
