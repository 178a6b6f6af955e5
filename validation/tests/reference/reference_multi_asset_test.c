/* Options on several assets: parities, limits, and one method against another. Published prices are
 * in validation/cases/published-several.csv, where the reference is held against each. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>

#include "validation/tests/reference/reference_several.h"

/* Call less put is the forward less the strike, for every kind and number of assets. */
TEST(test_put_call_parity)
{
    struct several s;
    several_three(&s);
    several_add(&s, 60.0, 0.02, 0.4, 0.3); /* which empties the correlations */
    several_correlate(&s, 0, 1, 0.5);
    several_correlate(&s, 1, 3, 0.4);
    double forward = 0.0, discount = exp(-0.03 * 0.8), weights[4] = {0.7, -0.2, 0.3, 0.4};
    memcpy(s.weights, weights, sizeof weights);
    for (int n = 1; n <= 4; n++) {
        forward += weights[n - 1] * s.assets[n - 1].spot *
                   exp(0.03 * 0.8 - term_accrued(&s.assets[n - 1].yield, 0.8));
        struct trade call = several_trade(&s, PRODUCT_BASKET, n, 0.8, 75.0), put = call;
        put.option = OPTION_PUT;
        struct reference c = several_price(&s, &call), p = several_price(&s, &put);
        assert_close(c.price - p.price, discount * (forward - 75.0),
                     n <= 3 ? 1e-9 : 4.0 * (c.error + p.error));
    }
}

/* The best and the worst of two are the two: so are calls on them. */
TEST(test_best_and_worst_are_both)
{
    struct several s;
    several_three(&s);
    for (int option = 0; option < 2; option++)
        for (double strike = 70.0; strike < 150.0; strike += 20.0) {
            struct trade best = several_trade(&s, PRODUCT_BASKET, 2, 0.8, strike);
            best.option = (enum option)option;
            best.kind = BASKET_BEST_OF;
            struct trade worst = best, first = best, second = best;
            worst.kind = BASKET_WORST_OF;
            first.product = second.product = PRODUCT_EUROPEAN;
            first.n_assets = second.n_assets = 1;
            second.asset = 1;
            second.assets = &s.indices[1];
            double both = several_price(&s, &best).price + several_price(&s, &worst).price;
            assert_close(both, several_price(&s, &first).price + several_price(&s, &second).price,
                         1e-9);
        }
}

/* max(a, b, c) + min(a, b) + min(b, c) + min(a, c) - min(a, b, c) = a + b + c, and so for calls. */
TEST(test_inclusion_and_exclusion)
{
    struct several s;
    several_three(&s);
    struct trade best = several_trade(&s, PRODUCT_BASKET, 3, 0.8, 105.0);
    best.kind = BASKET_BEST_OF;
    struct trade worst = best;
    worst.kind = BASKET_WORST_OF;
    double sum = several_price(&s, &best).price - several_price(&s, &worst).price, singles = 0.0;
    for (int i = 0; i < 3; i++) {
        int pair[2] = {i, (i + 1) % 3};
        struct trade two = worst, one = worst;
        two.n_assets = 2;
        two.asset = i;
        two.assets = pair;
        one.n_assets = 1;
        one.asset = i;
        one.assets = pair;
        sum += several_price(&s, &two).price;
        singles += several_price(&s, &one).price;
    }
    assert_close(sum, singles, 1e-8);
}

/* The variance of the ratio by quadrature over time, where the volatilities change. */
static double ratio_variance(double t, void *context)
{
    const struct several *s = context;
    double a = t < 0.5 ? 0.2 : 0.3, b = t < 0.5 ? 0.35 : 0.15;
    return a * a + b * b - 2.0 * s->correlation[1] * a * b;
}

TEST(test_exchange_with_bent_volatilities)
{
    struct several s;
    several_three(&s);
    s.weights[1] = -1.0;
    struct trade spread = several_trade(&s, PRODUCT_SPREAD, 2, 0.8, 0.0);
    double variance = 0.0, part, error;
    gsl_function f = {ratio_variance, &s};
    size_t evaluations;
    gsl_integration_qng(&f, 0.0, 0.5, 0.0, 1e-12, &part, &error, &evaluations);
    variance += part;
    gsl_integration_qng(&f, 0.5, 0.8, 0.0, 1e-12, &part, &error, &evaluations);
    variance += part;
    double deviation = sqrt(variance), a = 100.0 * exp(-0.01 * 0.8), b = 95.0 * exp(-0.03 * 0.8);
    double d = log(a / b) / deviation + 0.5 * deviation;
    double expected = a * 0.5 * erfc(-d / sqrt(2.0)) - b * 0.5 * erfc(-(d - deviation) / sqrt(2.0));
    assert_close(several_price(&s, &spread).price, expected, 1e-10);
    spread.strike = 1e-9; /* by quadrature */
    assert_string_equal(several_price(&s, &spread).method, "quadrature");
    assert_close(several_price(&s, &spread).price, expected, 1e-8);
}

/* A geometric basket is exact; one of two equal assets, perfectly correlated, is one asset, as is
 * any basket of them. */
TEST(test_limits)
{
    struct several s;
    several_rates(&s, 0.03, 0.0);
    for (int i = 0; i < 3; i++) {
        several_add(&s, 100.0, 0.01, 0.2, 0.3);
    }
    for (int i = 0; i < 9; i++) s.correlation[i] = 1.0;
    struct trade one = several_trade(&s, PRODUCT_EUROPEAN, 1, 0.8, 103.0);
    double expected = several_price(&s, &one).price;
    for (int kind = 0; kind < 4; kind++)
        for (int n = 1; n <= 3; n++) {
            struct trade basket = several_trade(&s, PRODUCT_BASKET, n, 0.8, 103.0);
            basket.kind = (enum basket_kind)kind;
            for (int i = 0; i < n; i++) s.weights[i] = kind == BASKET_AVERAGE ? 1.0 / n : 1.0;
            struct reference price = several_price(&s, &basket);
            assert_close(price.price, expected, 1e-9 + 2.0 * price.error);
        }
}

/* What a foreign asset is paid one for one: growth at its own rate less its covariance with the
 * rate of exchange. */
static void quanto_market(struct several *s)
{
    several_rates(s, 0.08, 0.05); /* Haug (1998) page 105, at a fixed rate of 1 */
    several_add(s, 100.0, 0.04, 0.2, 0.2)->currency = 1;
    several_add(s, 1.5, 0.05, 0.1, 0.1)->foreign_currency = 1;
    several_correlate(s, 0, 1, 0.3);
}

TEST(test_quanto)
{
    struct several s;
    quanto_market(&s);
    struct trade trade = several_trade(&s, PRODUCT_BASKET, 1, 0.5, 105.0);
    trade.quanto = (struct quanto){1, {1}};
    assert_close(several_price(&s, &trade).price, 3.552, 1e-3);
    trade.option = OPTION_PUT;
    assert_close(several_price(&s, &trade).price, 8.1636, 1e-4);
    trade.product = PRODUCT_EUROPEAN;
    double european = several_price(&s, &trade).price;
    trade.product = PRODUCT_BASKET;
    assert_close(several_price(&s, &trade).price, european, 1e-11);
    trade.n_assets = 2; /* the asset and the rate of exchange, both in the currency paid */
    trade.strike = 0.0;
    trade.option = OPTION_CALL;
    double growth = exp((0.05 - 0.04 - 0.3 * 0.2 * 0.1) * 0.5);
    double forward = 100.0 * growth + 1.5 * exp((0.08 - 0.05) * 0.5);
    assert_close(several_price(&s, &trade).price, exp(-0.08 * 0.5) * forward, 1e-9);
    struct reference out, simulated = several_simulate(&s, &trade);
    assert_close(simulated.price, exp(-0.08 * 0.5) * forward, 4.0 * simulated.error);
    struct message why;
    trade.quanto.n = 0; /* two currencies and nothing between them */
    assert_int_equal(several_try(&s, &trade, &out, &why), STATUS_FAILED);
    assert_non_null(strstr(why.text, "no reference"));
}

/* Three assets paid in the first currency, one of them its own, the second through a rate in that,
 * the third through one that is quoted in the third currency: sums of forwards, the exchange of
 * two, by closed form and by simulation. */
TEST(test_quanto_of_three_currencies)
{
    struct several s;
    several_rates(&s, 0.08, 0.05);
    several_add(&s, 100.0, 0.02, 0.25, 0.25);
    several_add(&s, 110.0, 0.04, 0.2, 0.2)->currency = 1;
    several_add(&s, 90.0, 0.01, 0.3, 0.3)->currency = 2;
    several_add(&s, 1.5, 0.05, 0.1, 0.1)->foreign_currency = 1;
    several_add(&s, 120.0, 0.08, 0.15, 0.15)->foreign_currency = 0;
    s.assets[4].currency = 2;
    several_correlate(&s, 1, 2, 0.5);
    several_correlate(&s, 1, 3, 0.3);
    several_correlate(&s, 2, 4, -0.4);
    several_correlate(&s, 0, 3, 0.2); /* which nothing depends on, as on the next one */
    several_correlate(&s, 1, 4, 0.2);
    double own = 100.0 * exp(0.08 - 0.02), second = 110.0 * exp(0.05 - 0.04 - 0.3 * 0.2 * 0.1),
           third = 90.0 * exp(0.0 - 0.01 - 0.4 * 0.3 * 0.15), discount = exp(-0.08);
    struct trade trade = several_trade(&s, PRODUCT_BASKET, 3, 1.0, 0.0);
    trade.kind = BASKET_AVERAGE;
    trade.quanto = (struct quanto){2, {3, 4}};
    assert_close(several_price(&s, &trade).price, discount * (own + second + third), 1e-8);
    struct reference simulated = several_simulate(&s, &trade);
    assert_close(simulated.price, discount * (own + second + third), 4.0 * simulated.error);
    int pair[2] = {1, 2};
    trade = several_trade(&s, PRODUCT_SPREAD, 2, 1.0, 0.0);
    trade.assets = pair, trade.asset = 1;
    trade.quanto = (struct quanto){2, {3, 4}};
    s.weights[1] = -1.0;
    double variance = 0.04 + 0.09 - 2.0 * 0.5 * 0.2 * 0.3, deviation = sqrt(variance),
           d1 = log(second / third) / deviation + 0.5 * deviation,
           exchange = discount * (second * gsl_cdf_ugaussian_P(d1) -
                                  third * gsl_cdf_ugaussian_P(d1 - deviation));
    assert_close(several_price(&s, &trade).price, exchange, 1e-8);
    simulated = several_simulate(&s, &trade);
    assert_close(simulated.price, exchange, 4.0 * simulated.error);
}

/* Every kind by simulation, on assets whose volatilities change: two, three and four of them. */
TEST(test_simulation_agrees)
{
    struct several s;
    several_three(&s);
    several_add(&s, 102.0, 0.02, 0.3, 0.2); /* which empties the correlations */
    several_correlate(&s, 0, 1, 0.5);
    several_correlate(&s, 1, 3, -0.4);
    several_correlate(&s, 2, 3, 0.3);
    for (int kind = 0; kind < 4; kind++)
        for (int n = 2 + kind % 2; n <= 4; n += 2) {
            struct trade basket = several_trade(&s, PRODUCT_BASKET, n, 0.8,
                                                kind == BASKET_AVERAGE ? 100.0 * n : 100.0);
            basket.kind = (enum basket_kind)kind;
            basket.option = n & 1 ? OPTION_PUT : OPTION_CALL;
            struct reference exact = several_price(&s, &basket),
                             simulated = several_simulate(&s, &basket);
            assert_true(exact.error < 1e-3 * exact.price);
            assert_close(exact.price, simulated.price, 4.0 * simulated.error);
        }
}

/* Cash dividends and jumps: the forward of a sum is known, and a put on it is worth its parity. */
TEST(test_dividends_and_jumps)
{
    struct several s;
    several_three(&s);
    struct cash_dividend dividends[2] = {{0.2, 2.0}, {0.8, 3.0}};
    s.assets[0].n_dividends = 2;
    s.assets[0].dividends = dividends;
    s.assets[1].model = MODEL_MERTON;
    s.assets[1].jumps = (struct jumps){0.8, -0.1, 0.2};
    struct trade call = several_trade(&s, PRODUCT_BASKET, 3, 0.8, 295.0), put = call;
    put.option = OPTION_PUT;
    double growth = exp((0.03 - 0.01) * 0.8), paid = 2.0 * exp((0.03 - 0.01) * 0.6) + 3.0;
    double forward =
        100.0 * growth - paid + 95.0 * exp((0.03 - 0.03) * 0.8) + 110.0 * exp(0.03 * 0.8);
    struct reference c = several_price(&s, &call), p = several_price(&s, &put);
    assert_string_equal(c.method, "monte carlo");
    assert_close(c.price - p.price, exp(-0.03 * 0.8) * (forward - 295.0),
                 4.0 * (c.error + p.error));
    struct trade one = several_trade(&s, PRODUCT_BASKET, 1, 0.8, 95.0), european = one;
    one.asset = european.asset = 1; /* jumps alone: a Fourier integral */
    one.assets = european.assets = &s.indices[1];
    european.product = PRODUCT_EUROPEAN;
    struct reference jumping = several_price(&s, &one);
    assert_close(jumping.price, several_price(&s, &european).price, 4.0 * jumping.error);
}

TEST(test_refusals)
{
    struct several s;
    struct reference out;
    struct message why;
    several_three(&s);
    s.assets[1].currency = 1;
    struct trade basket = several_trade(&s, PRODUCT_BASKET, 2, 0.8, 100.0);
    assert_int_equal(several_try(&s, &basket, &out, &why), STATUS_FAILED);
    assert_non_null(strstr(why.text, "paid in another currency"));
}

/* ---- models whose variance is not known beforehand */

/* One asset under Heston or Bates is a European option, by Fourier integrals. */
TEST(test_one_heston)
{
    for (int jumps = 0; jumps < 2; jumps++) {
        double xi = jumps ? 0.4 : 0.9;
        struct several s;
        several_rates(&s, 0.03, 0.0);
        struct asset *asset = several_add(&s, 100.0, 0.01, 0.2, 0.2);
        asset->model = jumps ? MODEL_BATES : MODEL_HESTON;
        asset->variance.n = 0;
        asset->heston = (struct heston){0.05, 1.8, 0.08, xi, -0.6, SCHEME_QUADRATIC_EXPONENTIAL};
        asset->jumps = (struct jumps){0.6, -0.1, 0.15};
        struct trade basket = several_trade(&s, PRODUCT_BASKET, 1, 1.0, 95.0), european = basket;
        basket.option = european.option = OPTION_PUT;
        european.product = PRODUCT_EUROPEAN;
        struct reference one = several_price(&s, &basket);
        assert_true(one.error < 0.012 * one.price);
        assert_close(one.price, several_price(&s, &european).price, 4.0 * one.error);
    }
}

/* A spread to an asset of Black-Scholes, where a variance that is mostly near zero has to go with
 * the other asset's noise. By Euler's scheme on steps of 1/4000 year, with forwards as controls, it
 * is 6.204 (0.015); two values for all that the variance may become had 6.8 (0.1). */
TEST(test_a_spread_near_zero)
{
    struct several s;
    several_rates(&s, 0.03, 0.0);
    several_add(&s, 100.0, 0.0, 0.2, 0.2);
    several_add(&s, 100.0, 0.0, 0.22, 0.22);
    several_correlate(&s, 0, 1, 0.9);
    s.assets[0].model = MODEL_HESTON;
    s.assets[0].variance = (struct term_structure){0};
    s.assets[0].heston = (struct heston){0.05, 2.0, 0.05, 1.0, -0.9, SCHEME_QUADRATIC_EXPONENTIAL};
    s.weights[1] = -1.0;
    struct trade spread = several_trade(&s, PRODUCT_SPREAD, 2, 1.0, 2.0);

    struct reference price = several_price(&s, &spread);
    print_message("%g (%.2g)\n", price.price, price.error);
    assert_close(price.price, 6.204, 2.5 * price.error + 0.03);
    assert_true(price.error < 0.2);
}

/* Baskets under variances that hardly move and on flat surfaces are those of Black-Scholes, paid at
 * home and at an FX rate. */
TEST(test_limits_of_models)
{
    for (int paid = 0; paid < 2; paid++)
        for (int kind = paid; kind < 4; kind += 2) {
            struct several s;
            double times[1] = {1.0}, strikes[3] = {80.0, 100.0, 120.0}, vols[3] = {0.3, 0.3, 0.3};
            several_rates(&s, 0.08, 0.05);
            for (int i = 0; i < 3; i++)
                several_add(&s, 100.0, 0.02, i < 2 ? 0.3 : 0.15, i < 2 ? 0.3 : 0.15);
            s.assets[0].currency = s.assets[1].currency = paid;
            s.assets[2].foreign_currency = 1;
            several_correlate(&s, 0, 1, 0.5);
            several_correlate(&s, 0, 2, 0.4);
            several_correlate(&s, 1, 2, -0.6);
            struct trade basket = several_trade(&s, PRODUCT_BASKET, 2, 1.0, kind ? 100.0 : 200.0);
            basket.kind = (enum basket_kind)kind;
            basket.quanto = (struct quanto){paid, {2}};
            double expected = several_price(&s, &basket).price;
            s.assets[0].model = MODEL_HESTON;
            s.assets[0].heston =
                (struct heston){0.09, 1.5, 0.09, 1e-3, -0.7, SCHEME_QUADRATIC_EXPONENTIAL};
            s.assets[1].model = MODEL_LOCAL_VOL;
            s.assets[1].surface = (struct surface){1, 3, times, strikes, vols, false};
            s.assets[0].variance = s.assets[1].variance = (struct term_structure){0};
            struct reference price = several_price(&s, &basket);
            assert_string_equal(price.method, "monte carlo");
            assert_close(price.price, expected, 4.0 * price.error);
        }
}

/* ---- autocallables */

static struct trade note_on(struct several *s, int n, struct schedule observations)
{
    struct trade note = several_trade(s, PRODUCT_AUTOCALLABLE, n, 1.0, 0.0);
    note.observations = observations;
    note.notional = 1000.0;
    note.coupon = 0.02;
    note.call_level = 1.05;
    note.coupon_level = 0.9;
    note.protection_level = 0.8;
    return note;
}

TEST(test_autocallable_by_simulation)
{
    struct several s;
    double times[4], levels[3][3] = {{1.05, 0.9, 0.8}, {1.0, 1.0, 0.7}, {0.95, 1.02, 1.1}};
    double years[4] = {0.2, 0.3, 0.27, 0.23};
    several_three(&s);
    for (int variant = 0; variant < 12; variant += 1 + (variant & 1)) {
        struct trade note = note_on(&s, 1, fixture_dates(times, 4, 0.25, variant & 1 ? 0.9 : 1.0));
        note.memory = variant & 2;
        note.past_missed = variant & 2 ? 1 : 0;
        if (variant & 4) note.coupon_years = years;
        note.call_level = levels[variant / 4][0];
        note.coupon_level = levels[variant / 4][1];
        note.protection_level = levels[variant / 4][2];
        struct reference exact = several_price(&s, &note), simulated = several_simulate(&s, &note);
        assert_string_equal(exact.method, "quadrature");
        assert_true(exact.error < 1e-8);
        assert_close(exact.price, simulated.price, 4.0 * simulated.error);
    }
}

/* Notes that are certain, and one that is a bond, a digital and a put. */
TEST(test_autocallable_limits)
{
    struct several s;
    double times[4];
    several_three(&s);
    for (int n = 1; n <= 3; n += 2) {
        struct trade bond = note_on(&s, n, fixture_dates(times, 4, 0.25, 1.0));
        bond.coupon_level = bond.call_level = 50.0;
        bond.protection_level = 0.0;
        assert_close(several_price(&s, &bond).price, 1000.0 * exp(-0.03), 1e-8);
        bond.call_level = bond.coupon_level = 1e-9; /* called at once, with a coupon */
        assert_close(several_price(&s, &bond).price, 1020.0 * exp(-0.03 * 0.25), 1e-8);
        bond.call_level = 50.0; /* all coupons */
        double coupons = 0.0;
        for (int i = 0; i < 4; i++) coupons += 20.0 * exp(-0.03 * times[i]);
        assert_close(several_price(&s, &bond).price, coupons + 1000.0 * exp(-0.03), 1e-8);
        bond.coupon_level = 50.0; /* none of them, and the spot itself where it is low: all of it */
        bond.protection_level = 1e9;
        if (n == 1) assert_close(several_price(&s, &bond).price, 1000.0 * exp(-0.01), 1e-8);
    }
    struct trade note = note_on(&s, 1, fixture_dates(times, 1, 1.0, 1.0));
    note.call_level = 1.3;
    struct trade digital = fixture_trade(PRODUCT_DIGITAL, 90.0),
                 put = fixture_trade(PRODUCT_EUROPEAN, 80.0),
                 jump = fixture_trade(PRODUCT_DIGITAL, 80.0);
    digital.cash = 20.0;
    jump.cash = 200.0; /* what the note loses at the protection */
    put.option = jump.option = OPTION_PUT;
    double parts = 1000.0 * exp(-0.03) + several_price(&s, &digital).price -
                   10.0 * several_price(&s, &put).price;
    assert_close(several_price(&s, &note).price, parts - several_price(&s, &jump).price, 1e-8);
}

/* Observed today, a note on assets that stand at their initial spots is called at a level of 1,
 * whatever the spots: no rounding of a logarithm may come between. */
TEST(test_autocallable_observed_today)
{
    struct several s;
    double times[4];
    for (int i = 0; i < 40; i += 4) {
        several_three(&s);
        for (int a = 0; a < 3; a++) s.initial[a] = s.assets[a].spot += 1.37 * i + 0.11 * a;
        for (int n = 1; n <= 3; n++) {
            struct trade note = note_on(&s, n, fixture_dates(times, 3, 0.0, 1.0));
            note.call_level = note.coupon_level = 1.0;
            struct reference found = several_price(&s, &note);
            assert_close(found.price, 1020.0, 1e-6);
            assert_true(found.error < 1e-6);
            note.call_level = note.coupon_level = 1.0 + 1e-12; /* and just above it is not */
            if (i < 2) assert_true(several_price(&s, &note).price < 1015.0);
        }
    }
}

/* The worst of two equal assets is either; the coupons that memory adds are worth more than
 * nothing. */
TEST(test_autocallable_on_several)
{
    struct several s;
    double times[4];
    several_rates(&s, 0.03, 0.0);
    several_add(&s, 100.0, 0.01, 0.2, 0.3);
    several_add(&s, 50.0, 0.01, 0.2, 0.3);
    several_correlate(&s, 0, 1, 1.0);
    struct trade two = note_on(&s, 2, fixture_dates(times, 4, 0.25, 1.0)), one = two;
    one.n_assets = 1;
    struct reference both = several_price(&s, &two);
    assert_string_equal(both.method, "monte carlo");
    assert_close(both.price, several_price(&s, &one).price, 4.0 * both.error);
    double without = several_price(&s, &one).price;
    one.memory = true;
    assert_true(several_price(&s, &one).price > without + 0.1);
}

/* Of many dates under local volatility steps stop at few: a flat surface has the price that
 * Black-Scholes' steps from date to date have. */
TEST(test_autocallable_on_many_dates)
{
    enum { DATES = 720 };
    struct several s;
    double times[DATES], strikes[] = {50.0, 100.0, 200.0}, vols[] = {0.25, 0.25, 0.25}, once = 1.0;
    several_rates(&s, 0.03, 0.0);
    for (int i = 0; i < 2; i++) several_add(&s, 100.0, 0.01 * i, 0.25, 0.25);
    several_correlate(&s, 0, 1, 0.5);
    struct trade note = note_on(&s, 2, fixture_dates(times, DATES, 1.0 / DATES, 1.0));
    note.coupon = 1e-4;
    struct reference exact = several_price(&s, &note);
    for (int i = 0; i < 2; i++) {
        s.assets[i].model = MODEL_LOCAL_VOL;
        s.assets[i].variance.n = 0;
        s.assets[i].surface = (struct surface){1, 3, &once, strikes, vols, false};
    }
    struct reference local = several_price(&s, &note);
    assert_true(exact.error < 2.0 && local.error < 2.0); /* of 1000 */
    assert_close(local.price, exact.price, 4.0 * hypot(local.error, exact.error));
    note.call_level *= 1.02; /* which both would see */
    assert_true(fabs(several_price(&s, &note).price - exact.price) > 4.0 * exact.error);
}

ALL_TESTS(reference_multi_asset_test)
