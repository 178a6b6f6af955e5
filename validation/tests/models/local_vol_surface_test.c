/* The surface of implied volatilities: its quotes, its local variance, and arbitrage in it. */
#include "validation/tests/local_vol_markets.h"

static double quote_error(const struct fixture *f, const struct implied_surface *surface, int j,
                          int i)
{
    const struct surface *q = &f->assets[0].surface;
    double k = log(q->strikes[i]) - surface_log_forward(&f->market, 0, q->times[j]);
    return surface_volatility(surface, k, q->times[j]) - q->vols[j * q->n_strikes + i];
}

/* Quotes free of arbitrage are met exactly; the local variance is that of finite differences of
 * call prices. */
TEST(a_clean_surface_goes_through_its_quotes)
{
    struct fixture f;
    equity(&f);
    const struct implied_surface *s = surface_of(&f);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 19; i++) assert_true(fabs(quote_error(&f, s, j, i)) < 1e-12);
    fixture_end(&f);
}

/* Call on a forward of 1 at absolute log-moneyness k. */
static double call(const struct implied_surface *s, double k, double t)
{
    return black_option(1.0, 1.0, exp(k), sqrt(surface_variance(s, k, t).w));
}

/* Dupire's own formula on undiscounted calls C(K, t) at constant K / F: sigma^2 = 2 C_t / (K^2
 * C_KK). */
TEST(local_variance_is_dupires)
{
    struct fixture f;
    exchange_rate(&f);
    const struct implied_surface *s = surface_of(&f);
    for (double t = 0.05; t < 3.0; t *= 1.7)
        for (double score = -2.0; score <= 2.0; score += 0.23) {
            double h = 1e-3 * sqrt(surface_variance(s, 0.0, t).w), dt = 1e-4 * t;
            double k = score * sqrt(surface_variance(s, 0.0, t).w), strike = exp(k);
            double up = log(strike * (1.0 + h)), down = log(strike * (1.0 - h));
            double curve = (call(s, up, t) - 2.0 * call(s, k, t) + call(s, down, t)) / (h * h);
            double slope = (call(s, k, t + dt) - call(s, k, t - dt)) / (2.0 * dt);
            double expected = 2.0 * slope / curve;
            assert_true(fabs(surface_local_variance(s, k, t) / expected - 1.0) < 2e-3);
        }
    fixture_end(&f);
}

/* Volatilities without a smile have the forward variance between two expiries, that of a day with
 * news, 84 times what went before, and that of weeks in which next to nothing happens. */
TEST(local_variance_is_the_forward_variance)
{
    static const double times[] = {0.5, 0.5 + 1.0 / 365.0, 0.75}, strikes[] = {80, 100, 120};
    static const double total[] = {0.02, 0.0292, 0.0293};
    struct fixture f;
    fixture_begin(&f, 100.0, 3, times, 3, strikes);
    set_rate(&f, 0.03, 0.01);
    for (int j = 0; j < 9; j++) f.vols[j] = sqrt(total[j / 3] / times[j / 3]);
    const struct implied_surface *s = surface_of(&f);
    for (int j = 1; j < 3; j++)
        for (double k = -0.3; k < 0.4; k += 0.1) {
            double t = 0.5 * (times[j - 1] + times[j]);
            double forward = (total[j] - total[j - 1]) / (times[j] - times[j - 1]);
            assert_true(fabs(surface_local_variance(s, k, t) / forward - 1.0) < 1e-9);
        }
    fixture_end(&f);
}

/* Real quotes: those with arbitrage in them move, but by no more than a bid and an ask are apart,
 * and the others do not; the density is positive everywhere and adds up to 1 with mean 1. */
TEST(real_quotes_are_smoothed_a_little)
{
    struct fixture f;
    dax(&f);
    const struct implied_surface *s = surface_of(&f);
    for (int j = 0; j < 8; j++) {
        const struct smile *smile = &s->smiles[j];
        double sum = 0.0, mean = 0.0, h = 2e-4;
        assert_true(smile->moved < 0.003);
        if (j == 1 || j == 2)
            for (int i = 0; i < 13; i++) assert_true(fabs(quote_error(&f, s, j, i)) < 1e-12);
        for (double k = -6.0; k < 4.0; k += h) {
            struct variance_at at = surface_variance(s, k, smile->time);
            double density = law_density(s, k, smile->time);
            assert_true(surface_density(&at, k) > 0.0);
            sum += h * density;
            mean += h * density * exp(k);
        }
        assert_true(fabs(sum - 1.0) < 1e-5 && fabs(mean - 1.0) < 1e-5);
    }
    fixture_end(&f);
}

/* A move of the quotes moves the surface by as much, smoothed or not: bumps for Greeks depend on
 * it. */
TEST(surfaces_move_with_their_quotes)
{
    struct fixture f;
    struct implied_surface after;
    dax(&f);
    const struct implied_surface *before = surface_of(&f);
    for (int i = 0; i < 8 * 13; i++) f.vols[i] += 1e-6;
    assert_ok(surface_make(&after, &f.market, 0, &said));
    for (int j = 0; j < 8; j++)
        for (double k = -0.2; k <= 0.2; k += 0.01) {
            double t = f.times[j],
                   move = surface_volatility(&after, k, t) - surface_volatility(before, k, t);
            assert_true(fabs(move - 1e-6) < 1e-6);
        }
    surface_free(&after);
    fixture_end(&f);
}

TEST(butterfly_arbitrage_is_named)
{
    struct fixture f;
    struct surface_move moved;
    equity(&f);
    assert_ok(surface_check(&f.market, 0, &moved, &said));
    f.vols[5 * 19 + 8] += 0.03; /* one year, strike 100 */
    assert_int_equal(surface_check(&f.market, 0, &moved, &said), STATUS_BAD_INPUT);
    print_message("%s\n", said.text);
    assert_non_null(strstr(
        said.text, "'INDEX': butterfly arbitrage in the volatilities of expiry 1 near strike"));
    double strike = atof(strstr(said.text, "near strike ") + strlen("near strike "));
    assert_true(strike >= 95.0 && strike <= 105.0);
    double c[WIDTH];
    struct lookup lookup = {0};
    struct time_step time_step = {0.0, 0.02, -1};
    assert_int_equal(local_vol_coefficients(&f.market, 0, &time_step, c, &lookup, &said),
                     STATUS_FAILED);
    lookup_forget(&lookup);
    free(lookup.table);
    fixture_end(&f);
}

TEST(calendar_arbitrage_is_named)
{
    struct fixture f;
    struct surface_move moved;
    equity(&f);
    for (int i = 0; i < 19; i++) f.vols[6 * 19 + i] *= 0.75; /* 1.5 years */
    assert_int_equal(surface_check(&f.market, 0, &moved, &said), STATUS_BAD_INPUT);
    print_message("%s\n", said.text);
    assert_non_null(strstr(
        said.text,
        "'INDEX': calendar arbitrage between the volatilities of expiries 1 and 1.5 near strike"));
    fixture_end(&f);
}

ALL_TESTS(local_vol_surface_test)
