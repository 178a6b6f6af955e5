/* The reference under Merton, Heston, Bates and local volatility: published prices, limits, identities. */
#include <stdio.h>
#include <stdlib.h>

#include "validation/reference/law.h"
#include "validation/tests/reference_fixtures.h"

/* A line of validation/cases/models.csv: columns after the model's name are numbers. */
struct published {
    char id[40], product[24], model[16], option[8];
    double expected, tolerance;
    double spot, strike, rate, yield, expiry, volatility, v0, kappa, theta, xi, rho, intensity, mean, stdev;
    double fixings, first;
};

static bool read_published(char *line, struct published *p)
{
    char *field[24] = {0};
    int n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && n < 24; n++) {
        field[n] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    if (n != 23) return false;
    double *numbers[] = {&p->spot, &p->strike, &p->rate,    &p->yield, &p->expiry, &p->volatility,
                         &p->v0,   &p->kappa,  &p->theta,   &p->xi,    &p->rho,    &p->intensity,
                         &p->mean, &p->stdev,  &p->fixings, &p->first};
    snprintf(p->id, sizeof p->id, "%s", field[0]);
    p->expected = atof(field[2]);
    p->tolerance = atof(field[3]);
    snprintf(p->product, sizeof p->product, "%s", field[4]);
    snprintf(p->model, sizeof p->model, "%s", field[5]);
    snprintf(p->option, sizeof p->option, "%s", field[6]);
    for (int i = 0; i < 16; i++) *numbers[i] = atof(field[7 + i]);
    return true;
}

static enum model model_named(const char *name)
{
    for (int m = 0; m < N_MODELS; m++)
        if (!strcmp(model_name((enum model)m), name)) return (enum model)m;
    fail();
    return N_MODELS;
}

static void fixture_published(struct fixture *f, const struct published *p)
{
    fixture_flat(f, p->spot, p->rate, p->yield, p->volatility);
    f->asset.model = model_named(p->model);
    f->asset.heston =
        (struct heston){.v0 = p->v0, .kappa = p->kappa, .theta = p->theta, .xi = p->xi, .rho = p->rho};
    f->asset.jumps = (struct jumps){p->intensity, p->mean, p->stdev};
}

/* Prices every line of this product and returns how many there were. */
static int price_published(const char *product, double deviations)
{
    FILE *file = fopen("validation/cases/models.csv", "r");
    char line[1024];
    int count = 0, wrong = 0;
    double times[256];
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct published p;
        struct fixture f;
        if (!read_published(line, &p) || strcmp(p.product, product)) continue;
        fixture_published(&f, &p);
        struct trade trade = {
            .product = PRODUCT_EUROPEAN, .quanto = -1, .expiry = p.expiry, .strike = p.strike};
        trade.option = strcmp(p.option, "put") ? OPTION_CALL : OPTION_PUT;
        if (p.fixings > 0.0) {
            trade.product = PRODUCT_ASIAN;
            trade.averaging = strstr(product, "geometric") ? AVERAGING_GEOMETRIC : AVERAGING_ARITHMETIC;
            trade.fixings = fixture_dates(times, (int)p.fixings, p.first, p.expiry);
        }
        struct reference price = fixture_price(&f, &trade);
        bool near = fabs(price.price - p.expected) <= p.tolerance + deviations * price.error;
        if (!near)
            print_message("%s: %.15g (%.1e, %s), published %.15g within %g\n", p.id, price.price, price.error,
                          price.method, p.expected, p.tolerance);
        wrong += !near;
        count++;
    }
    fclose(file);
    assert_int_equal(wrong, 0);
    return count;
}

static void test_published_europeans(void **state)
{
    (void)state;
    assert_int_equal(price_published("european", 1.0), 134);
}

/* Weekly and daily averages under Heston: the tables' numbers are simulated there, or rounded to what is
 * tolerated. */
static void test_published_geometric_asians(void **state)
{
    (void)state;
    assert_int_equal(price_published("asian_geometric", 1.0), 14);
}

static void fixture_model(struct fixture *f, enum model model)
{
    fixture_bent(f, 100.0);
    f->asset.model = model;
    f->asset.heston = (struct heston){.v0 = 0.05, .kappa = 1.2, .theta = 0.08, .xi = 0.7, .rho = -0.6};
    f->asset.jumps = (struct jumps){0.4, -0.12, 0.18};
}

static const enum model with_jumps[] = {MODEL_MERTON, MODEL_HESTON, MODEL_BATES};

/* Without volatility of variance and at its mean, and without jumps, all are Black and Scholes. */
static void test_black_scholes_limits(void **state)
{
    (void)state;
    struct fixture f, plain;
    for (int m = 0; m < 3; m++)
        for (int variant = 0; variant < 16; variant++) {
            fixture_flat(&f, 100.0, 0.03, 0.01, 0.3);
            plain = f;
            plain.market.assets = &plain.asset;
            plain.market.currencies = &plain.currency;
            f.asset.model = with_jumps[m];
            f.asset.heston = (struct heston){.v0 = 0.09, .kappa = 1.7, .theta = 0.09, .rho = -0.5};
            if (variant & 8) f.asset.heston.xi = 1e-10;
            f.asset.jumps =
                (struct jumps){.intensity = variant & 4 ? 3.0 : 0.0, .mean = variant & 4 ? 0.0 : -0.1};
            struct trade trade = {.product = PRODUCT_EUROPEAN, .quanto = -1, .expiry = 1.6, .strike = 70.0};
            if (variant & 1) trade.option = OPTION_PUT;
            if (variant & 2) trade.strike = 160.0;
            trade.strike_ratio = trade.strike / 100.0;
            trade.start = 0.7;
            trade.cash = 2.0;
            enum product products[] = {PRODUCT_EUROPEAN, PRODUCT_DIGITAL, PRODUCT_FORWARD_START};
            for (int i = 0; i < 3; i++) {
                trade.product = products[i];
                assert_close(fixture_price(&f, &trade).price, fixture_price(&plain, &trade).price, 1e-9);
            }
        }
}

/* Parity; the asset's digital less strike cash digitals is the call; both digitals of a kind make the whole.
 */
static void test_identities(void **state)
{
    (void)state;
    struct fixture f;
    for (int m = 0; m < 3; m++)
        for (double expiry = 0.02; expiry < 20.0; expiry *= 5.2)
            for (double strike = 20.0; strike < 500.0; strike *= 1.9) {
                fixture_model(&f, with_jumps[m]);
                struct trade call = {.product = PRODUCT_EUROPEAN,
                                     .quanto = -1,
                                     .expiry = expiry,
                                     .strike = strike,
                                     .cash = 1.0};
                struct trade put = call, cash = call, asset = call;
                put.option = OPTION_PUT;
                cash.product = asset.product = PRODUCT_DIGITAL;
                asset.payout = PAYOUT_ASSET;
                struct terms terms = {&f.currency.rate, &f.asset.yield, &f.asset.variance, 100.0};
                double carried = terms_discount(&terms, expiry) * (terms_forward(&terms, expiry) - strike);
                struct reference c = fixture_price(&f, &call), d = fixture_price(&f, &asset),
                                 e = fixture_price(&f, &cash);
                assert_close(c.price - fixture_price(&f, &put).price, carried, 1e-9);
                assert_close(d.price - strike * e.price, c.price, 1e-9 + d.error + strike * e.error);
                assert_true(c.error < 1e-8 && d.error < 1e-7 && e.error < 1e-9);
                assert_true(c.price > carried - 1e-10 && c.price > -1e-10);
            }
}

/* Merton's series against the inversion of his characteristic function. */
static void test_series_against_fourier(void **state)
{
    (void)state;
    struct fixture f;
    fixture_model(&f, MODEL_MERTON);
    for (int i = 0; i < 24; i++) {
        struct trade trade = {.quanto = -1, .expiry = i & 1 ? 0.05 : 3.0, .strike = i & 2 ? 90.0 : 130.0};
        trade.option = i & 4 ? OPTION_CALL : OPTION_PUT;
        trade.cash = 7.0;
        trade.start = 0.5 * trade.expiry;
        trade.strike_ratio = 1.1;
        method *fourier[] = {reference_european_fourier, reference_digital_fourier,
                             reference_forward_start_fourier};
        enum product products[] = {PRODUCT_EUROPEAN, PRODUCT_DIGITAL, PRODUCT_FORWARD_START};
        trade.product = products[i / 8];
        struct problem problem = {.terms = {&f.currency.rate, &f.asset.yield, &f.asset.variance, 100.0},
                                  .trade = &trade,
                                  .market = &f.market,
                                  .asset = &f.asset};
        struct reference other;
        struct message why;
        assert_int_equal(fourier[i / 8](&problem, &other, &why), STATUS_OK);
        assert_close(fixture_price(&f, &trade).price, other.price, 1e-11 + other.error);
        assert_true(other.error < 1e-9);
    }
}

/* Heston far from comfort: the price lies within its bounds and the error is stated small. */
static void test_hard_heston(void **state)
{
    (void)state;
    struct fixture f;
    double expiries[] = {0.02, 0.5, 15.0}, xis[] = {0.05, 0.4, 1.0}, rhos[] = {-0.95, 0.0, 0.7};
    double strikes[] = {30.0, 95.0, 100.0, 350.0};
    for (int i = 0; i < 108; i++) {
        fixture_flat(&f, 100.0, 0.02, 0.0, 0.0);
        f.asset.model = MODEL_HESTON;
        f.asset.heston = (struct heston){
            .v0 = 0.02, .kappa = 0.4, .theta = 0.03, .xi = xis[i % 3], .rho = rhos[i / 3 % 3]};
        struct trade trade = {.quanto = -1, .expiry = expiries[i / 9 % 3], .strike = strikes[i / 27]};
        struct reference price = fixture_price(&f, &trade);
        double least = fmax(100.0 - trade.strike * exp(-0.02 * trade.expiry), 0.0);
        assert_true(price.price > least - 1e-9 && price.price < 100.0);
        if (price.error >= 1e-9)
            print_message("T %g K %g xi %g rho %g: %.3e\n", trade.expiry, trade.strike, xis[i % 3],
                          rhos[i / 3 % 3], price.error);
        assert_true(price.error < 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_europeans),    cmocka_unit_test(test_published_geometric_asians),
        cmocka_unit_test(test_black_scholes_limits),   cmocka_unit_test(test_identities),
        cmocka_unit_test(test_series_against_fourier), cmocka_unit_test(test_hard_heston),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
