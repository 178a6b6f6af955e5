/* Barriers, double barriers and touches: quadrature and images against formulas of other kinds, and
 * simulation. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>

#include "validation/tests/reference/reference_fixtures.h"

/* Reiner and Rubinstein (1991) as Haug (2007), section 4.17.1, prints it: the letters are his. */
struct haug {
    double spot, strike, barrier, rebate, expiry, rate, carry, volatility;
};

static double haug_knock(const struct haug *h, bool call, bool up, bool in)
{
    double S = h->spot, X = h->strike, H = h->barrier, T = h->expiry, r = h->rate, b = h->carry,
           K = h->rebate;
    double phi = call ? 1.0 : -1.0, eta = up ? -1.0 : 1.0, w = h->volatility * sqrt(T),
           v = h->volatility;
    double mu = (b - 0.5 * v * v) / (v * v), lambda = sqrt(mu * mu + 2.0 * r / (v * v));
    double x1 = log(S / X) / w + (1.0 + mu) * w, x2 = log(S / H) / w + (1.0 + mu) * w;
    double y1 = log(H * H / (S * X)) / w + (1.0 + mu) * w, y2 = log(H / S) / w + (1.0 + mu) * w;
    double z = log(H / S) / w + lambda * w, money = S * exp((b - r) * T), cash = exp(-r * T);
    double far = pow(H / S, 2.0 * (mu + 1.0)), near = pow(H / S, 2.0 * mu);
#define N gsl_cdf_ugaussian_P
    double A = phi * money * N(phi * x1) - phi * X * cash * N(phi * (x1 - w));
    double B = phi * money * N(phi * x2) - phi * X * cash * N(phi * (x2 - w));
    double C = phi * money * far * N(eta * y1) - phi * X * cash * near * N(eta * (y1 - w));
    double D = phi * money * far * N(eta * y2) - phi * X * cash * near * N(eta * (y2 - w));
    double E = K * cash * (N(eta * (x2 - w)) - near * N(eta * (y2 - w)));
    double F = K * (pow(H / S, mu + lambda) * N(eta * z) +
                    pow(H / S, mu - lambda) * N(eta * (z - 2.0 * lambda * w)));
#undef N
    bool beyond = (X > H) != up; /* the strike lies on the living side of the barrier */
    if (in && call != up) return (beyond ? C : A - B + D) + E;
    if (in) return (beyond ? B - C + D : A) + E;
    if (call != up) return (beyond ? A - C : B - D) + F;
    return (beyond ? A - B + C - D : 0.0) + F;
}

/* Terms that are flat for any price and not for the eye: three periods, of which the reference has
 * to make steps. */
static void fixture_nearly_flat(struct fixture *f, double spot, double rate, double yield,
                                double volatility)
{
    fixture_terms(
        f, spot, 4, (double[]){0.05, 0.2, 0.45, 1.0}, (double[]){rate, rate, rate, rate},
        (double[]){yield, yield, yield, yield},
        (double[]){volatility, volatility * (1.0 + 1e-10), volatility, volatility * (1.0 - 1e-10)});
}

TEST(test_eight_barriers)
{
    struct fixture flat, nearly;
    fixture_flat(&flat, 100.0, 0.06, 0.02, 0.3);
    fixture_nearly_flat(&nearly, 100.0, 0.06, 0.02, 0.3);
    for (int kind = 0; kind < 8; kind++)
        for (double distance = 1.0; distance < 40.0; distance *= 3.0)
            for (double strike = 80.0; strike < 130.0; strike += 15.0) {
                bool put = kind & 1, up = kind & 2, in = kind & 4;
                struct trade trade = fixture_barrier(up ? DIRECTION_UP : DIRECTION_DOWN,
                                                     100.0 + (up ? distance : -distance), strike);
                trade.option = put;
                trade.knock = in;
                trade.rebate = 4.0;
                trade.pay_at = PAY_AT_HIT;
                struct haug haug = {100.0, strike, trade.barrier, 4.0, 1.0, 0.06, 0.04, 0.3};
                double expected = haug_knock(&haug, !put, up, in);
                struct reference stepped = fixture_price(&nearly, &trade);
                assert_close(fixture_price(&flat, &trade).price, expected, 1e-10);
                assert_close(stepped.price, expected, 2e-8);
                assert_string_equal(stepped.method, "quadrature");
            }
}

/* The density between two walls by the other series, in sines; y runs from 0 at the lower wall to
 * width. */
struct sines {
    double width, start, ratio, variance;           /* ratio: drift per variance */
    double spot, strike, grow_up, grow_down, share; /* of the payoffs */
};

static double sine_density(double y, const struct sines *s)
{
    double sum = 0.0;
    for (int n = 1; n < 200; n++) {
        double k = n * M_PI / s->width;
        sum += sin(k * s->start) * sin(k * y) * exp(-0.5 * k * k * s->variance);
    }
    return 2.0 / s->width * sum *
           exp(s->ratio * (y - s->start) - 0.5 * s->ratio * s->ratio * s->variance);
}

static double sine_alive(double y, void *context)
{
    return sine_density(y, context);
}

static double sine_call(double y, void *context)
{
    const struct sines *s = context;
    return sine_density(y, s) * fmax(s->spot * exp(y) - s->strike, 0.0);
}

/* 1 on both walls and growing at the rate of interest inside: worth 1 paid at the hit, where there
 * is no expiry. */
static double at_walls(double y, const struct sines *s)
{
    return s->share * exp(s->grow_up * y) + (1.0 - s->share) * exp(s->grow_down * y);
}

static double sine_at_walls(double y, void *context)
{
    return sine_density(y, context) * at_walls(y, context);
}

static double integrate(double (*function)(double, void *), void *context, double from, double to)
{
    double value = 0.0, error = 0.0;
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(1000);
    gsl_function integrand = {function, context};
    gsl_integration_qag(&integrand, from, to, 1e-13, 1e-12, 1000, GSL_INTEG_GAUSS31, work, &value,
                        &error);
    gsl_integration_workspace_free(work);
    return value;
}

TEST(test_two_walls)
{
    struct fixture flat, nearly;
    for (double volatility = 0.1; volatility < 0.9; volatility *= 2.0) {
        double v = volatility * volatility, rate = 0.05, ratio = (rate - 0.01) / v - 0.5,
               cash = exp(-rate);
        double lambda = sqrt(ratio * ratio + 2.0 * rate / v);
        struct sines s = {log(130.0 / 75.0), log(100.0 / 75.0), ratio, v, 75.0, 95.0,
                          lambda - ratio,    -lambda - ratio,   0.0};
        double high = exp(s.grow_up * s.width), low = exp(s.grow_down * s.width);
        s.share = (1.0 - low) / (high - low);
        double alive = integrate(sine_alive, &s, 0.0, s.width);
        double call = integrate(sine_call, &s, log(95.0 / 75.0), s.width);
        double hit = at_walls(s.start, &s) - cash * integrate(sine_at_walls, &s, 0.0, s.width);
        fixture_flat(&flat, 100.0, rate, 0.01, volatility);
        fixture_nearly_flat(&nearly, 100.0, rate, 0.01, volatility);
        struct trade trade = fixture_touch(75.0, 130.0);
        trade.product = PRODUCT_DOUBLE_BARRIER;
        trade.strike = 95.0;
        assert_close(fixture_price(&flat, &trade).price, cash * call, 1e-10);
        assert_close(fixture_price(&nearly, &trade).price, cash * call, 1e-8);
        trade.product = PRODUCT_TOUCH;
        trade.touch = TOUCH_NO;
        assert_close(fixture_price(&flat, &trade).price, cash * alive, 1e-12);
        assert_close(fixture_price(&nearly, &trade).price, cash * alive, 1e-9);
        trade.touch = TOUCH_ONE;
        assert_close(fixture_price(&flat, &trade).price, cash * (1.0 - alive), 1e-12);
        trade.pay_at = PAY_AT_HIT;
        assert_close(fixture_price(&flat, &trade).price, hit, 1e-11);
        assert_close(fixture_price(&nearly, &trade).price, hit, 1e-9);
    }
}

/* Cash at the hit where the closed form has an imaginary exponent: the density of the first
 * passage, integrated. */
static double first_passage(double t, void *context)
{
    double rate = -0.02, drift = 0.0, d = *(const double *)context, v = 0.01 * t,
           gap = d - drift * t;
    return t > 0.0 ? exp(-rate * t - 0.5 * gap * gap / v) * d / (t * sqrt(2.0 * M_PI * v)) : 0.0;
}

TEST(test_cash_at_hit_with_negative_rates)
{
    struct fixture flat, nearly;
    fixture_flat(&flat, 100.0, -0.02, -0.025, 0.1);
    fixture_nearly_flat(&nearly, 100.0, -0.02, -0.025, 0.1);
    for (double barrier = 101.0; barrier < 130.0; barrier += 7.0) {
        double distance = log(barrier / 100.0),
               value = integrate(first_passage, &distance, 0.0, 1.0);
        struct trade trade = fixture_touch_up(barrier);
        trade.pay_at = PAY_AT_HIT;
        assert_close(fixture_price(&flat, &trade).price, value, 1e-10);
        assert_close(fixture_price(&nearly, &trade).price, value, 1e-9);
    }
}

/* Volatility that changes while drift per variance does not: on the clock of variance nothing
 * happens. */
TEST(test_clock_of_variance)
{
    struct fixture f, flat;
    double times[] = {0.3, 0.7, 1.0}, volatility[] = {0.1, 0.4, 0.2}, rate[3], yield[3],
           total = 0.0;
    for (int i = 0; i < 3; i++) {
        rate[i] = 0.05;
        yield[i] = 0.05 - 0.8 * volatility[i] * volatility[i];
        total += volatility[i] * volatility[i] * (times[i] - (i ? times[i - 1] : 0.0));
    }
    fixture_terms(&f, 100.0, 3, times, rate, yield, volatility);
    fixture_flat(&flat, 100.0, 0.05, 0.05 - 0.8 * total, sqrt(total));
    struct trade trade = fixture_barrier(DIRECTION_DOWN, 90.0, 95.0);
    trade.rebate = 3.0;
    double expected = fixture_price(&flat, &trade).price;
    assert_close(fixture_price(&f, &trade).price, expected, 1e-10);
    for (int i = 0; i < 3; i++) yield[i] += 1e-10 * (i - 1); /* and with the steps made */
    fixture_terms(&f, 100.0, 3, times, rate, yield, volatility);
    assert_string_equal(fixture_price(&f, &trade).method, "quadrature");
    assert_close(fixture_price(&f, &trade).price, expected, 1e-7);
}

/* Looked at on expiry alone: a call above the barrier and a digital. */
TEST(test_one_date)
{
    struct fixture f;
    double times[] = {1.0};
    fixture_bent(&f, 100.0);
    struct trade trade = fixture_barrier(DIRECTION_DOWN, 105.0, 95.0);
    trade.monitoring = (struct schedule){false, 1, times};
    struct trade call = fixture_trade(PRODUCT_EUROPEAN, 105.0);
    struct trade digital = fixture_trade(PRODUCT_DIGITAL, 105.0);
    digital.cash = 10.0;
    double expected = fixture_price(&f, &call).price + fixture_price(&f, &digital).price;
    assert_close(fixture_price(&f, &trade).price, expected, 1e-10);
}

/* More dates, less value; the continuous price is the limit, and a barrier shifted by 0.5826
 * deviations of a step stands for the dates (Broadie, Glasserman and Kou 1997). */
TEST(test_dates_grow_to_continuous)
{
    struct fixture f;
    double times[1024], before = INFINITY;
    fixture_flat(&f, 100.0, 0.05, 0.02, 0.25);
    struct trade trade = fixture_barrier(DIRECTION_DOWN, 92.0, 100.0), shifted = trade;
    double limit = fixture_price(&f, &trade).price;
    for (int n = 16; n <= 1024; n *= 4) {
        trade.monitoring = fixture_dates(times, n, 1.0 / n, 1.0);
        double price = fixture_price(&f, &trade).price;
        shifted.barrier = 92.0 * exp(-0.5826 * 0.25 / sqrt(n));
        assert_true(price < before && price > limit);
        assert_close(price, fixture_price(&f, &shifted).price, 0.3 / n);
        before = price;
    }
}

TEST(test_hit_already)
{
    struct fixture f;
    double times[] = {0.0, 0.5, 1.0}, later[] = {0.5, 1.0};
    fixture_flat(&f, 100.0, 0.05, 0.02, 0.25);
    double cash = exp(-0.05);
    struct trade trade = fixture_barrier(DIRECTION_DOWN, 105.0, 100.0);
    trade.rebate = 3.0;
    trade.pay_at = PAY_AT_HIT;
    struct trade european = fixture_trade(PRODUCT_EUROPEAN, 100.0);
    double option = fixture_price(&f, &european).price;
    assert_close(fixture_price(&f, &trade).price, 3.0, 1e-12); /* beyond it now: paid at once */
    trade.monitoring = (struct schedule){false, 3, times};
    assert_close(fixture_price(&f, &trade).price, 3.0, 1e-12); /* on a date at time 0 as well */
    trade.monitoring = (struct schedule){false, 2, later};
    assert_true(fixture_price(&f, &trade).price > 3.01); /* it may come back by the first date */
    trade.hit = true;
    assert_close(fixture_price(&f, &trade).price, 0.0, 1e-12); /* paid before today */
    trade.pay_at = PAY_AT_EXPIRY;
    assert_close(fixture_price(&f, &trade).price, 3.0 * cash, 1e-12);
    trade.knock = KNOCK_IN;
    assert_close(fixture_price(&f, &trade).price, option, 1e-11);
    struct trade touch = fixture_touch(90.0, 120.0);
    touch.hit = true;
    assert_close(fixture_price(&f, &touch).price, cash, 1e-12);
    touch.pay_at = PAY_AT_HIT;
    assert_close(fixture_price(&f, &touch).price, 0.0, 1e-12);
    touch.touch = TOUCH_NO;
    assert_close(fixture_price(&f, &touch).price, 0.0, 1e-12);
}

/* Steps of very different lengths, and schedules that end before expiry. */
TEST(test_uneven_dates)
{
    struct fixture f;
    double uneven[] = {0.2, 0.2001, 0.5, 0.75, 0.76};
    fixture_bent(&f, 100.0);
    for (int variant = 0; variant < 4; variant++) {
        struct trade trade = fixture_barrier(DIRECTION_UP, 115.0, 100.0);
        trade.option = variant & 1;
        trade.knock = variant / 2;
        trade.rebate = 5.0;
        trade.pay_at = PAY_AT_HIT;
        trade.monitoring = (struct schedule){false, 5, uneven};
        assert_simulated(&f, &trade, 400000, 1e-8);
    }
}

/* Models that are next to Black and Scholes, and a cash dividend that is next to nothing, are
 * priced by finite differences. */
TEST(test_finite_differences)
{
    struct cash_dividend dividend = {0.4, 1e-9};
    struct trade trades[] = {fixture_barrier(DIRECTION_DOWN, 88.0, 100.0),
                             fixture_barrier(DIRECTION_UP, 110.0, 105.0),
                             fixture_barrier(DIRECTION_UP, 125.0, 95.0),
                             fixture_touch(80.0, 120.0),
                             fixture_touch(80.0, 125.0),
                             fixture_touch_up(118.0)};
    trades[1].knock = KNOCK_IN;
    trades[1].option = OPTION_PUT;
    trades[3].product = PRODUCT_DOUBLE_BARRIER;
    trades[3].strike = 105.0;
    for (int i = 0; i < 6; i++) {
        struct fixture f;
        trades[i].rebate = i == 3 ? 0.0 : 3.0;
        trades[i].cash = 10.0;
        trades[i].pay_at = i == 4 ? PAY_AT_EXPIRY : PAY_AT_HIT;
        fixture_flat(&f, 100.0, 0.05, 0.02, 0.25);
        double exact = fixture_price(&f, &trades[i]).price;
        for (int way = 0; way < 4; way++) {
            struct asset *asset = &f.asset;
            f.asset.model =
                (enum model[]){MODEL_BLACK_SCHOLES, MODEL_MERTON, MODEL_HESTON, MODEL_BATES}[way];
            asset->heston =
                (struct heston){.v0 = 0.0625, .kappa = 1.0, .theta = 0.0625, .xi = 1e-4};
            asset->jumps = (struct jumps){.intensity = 1e-9, .mean = -0.1, .stdev = 0.1};
            asset->dividends = &dividend;
            asset->n_dividends = way == 0;
            struct reference price = fixture_price(&f, &trades[i]);
            assert_string_equal(price.method, "finite differences");
            assert_true(fabs(price.price - exact) < price.error + 1e-6);
            assert_true(price.error < (way < 2 ? 3e-3 : 1e-2));
        }
    }
}

TEST(test_bent_terms_by_simulation)
{
    struct fixture f;
    double weekly[52];
    fixture_bent(&f, 100.0);
    struct trade trades[] = {fixture_barrier(DIRECTION_DOWN, 85.0, 98.0),
                             fixture_barrier(DIRECTION_UP, 125.0, 98.0),
                             fixture_touch(75.0, 135.0),
                             fixture_touch(80.0, 130.0),
                             fixture_touch(80.0, 130.0),
                             fixture_touch_up(118.0)};
    for (int i = 0; i < 6; i++) {
        trades[i].cash = trades[i].rebate = 5.0;
        trades[i].pay_at = i == 4 ? PAY_AT_EXPIRY : PAY_AT_HIT;
    }
    trades[2].product = PRODUCT_DOUBLE_BARRIER;
    trades[2].strike = 98.0;
    trades[2].rebate = 0.0;
    for (int i = 0; i < 6; i++) {
        assert_simulated(&f, &trades[i], 40000, 1e-8);
        trades[i].monitoring = fixture_dates(weekly, 52, 1.0 / 52.0, 1.0);
        assert_simulated(&f, &trades[i], 100000, 1e-8);
    }
}

ALL_TESTS(reference_barrier_test)
