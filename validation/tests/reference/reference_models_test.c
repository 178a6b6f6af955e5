/* The reference under Merton, Heston, Bates and local volatility: limits and identities. Published
 * prices are in validation/cases. */
#include "validation/reference/gaussian.h"
#include "validation/tests/reference/reference_fixtures.h"
#include "validation/tests/test.h"

static void bent_model(struct fixture *f, enum model model)
{
    fixture_bent(f, 100.0);
    f->asset.model = model;
    f->asset.heston =
        (struct heston){.v0 = 0.05, .kappa = 1.2, .theta = 0.08, .xi = 0.7, .rho = -0.6};
    f->asset.jumps = (struct jumps){0.4, -0.12, 0.18};
}

static const enum model with_jumps[] = {MODEL_MERTON, MODEL_HESTON, MODEL_BATES};

/* Without volatility of variance and at its mean, and without jumps, all are Black and Scholes. */
TEST(test_black_scholes_limits)
{
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
            f.asset.jumps = (struct jumps){.intensity = variant & 4 ? 3.0 : 0.0,
                                           .mean = variant & 4 ? 0.0 : -0.1};
            struct trade trade = {.product = PRODUCT_EUROPEAN, .expiry = 1.6, .strike = 70.0};
            if (variant & 1) trade.option = OPTION_PUT;
            if (variant & 2) trade.strike = 160.0;
            trade.strike_ratio = trade.strike / 100.0;
            trade.start = 0.7;
            trade.cash = 2.0;
            enum product products[] = {PRODUCT_EUROPEAN, PRODUCT_DIGITAL, PRODUCT_FORWARD_START};
            for (int i = 0; i < 3; i++) {
                trade.product = products[i];
                assert_close(fixture_price(&f, &trade).price, fixture_price(&plain, &trade).price,
                             1e-9);
            }
        }
}

/* Parity; the asset's digital less strike cash digitals is the call; both digitals of a kind make
 * the whole.
 */
TEST(test_identities)
{
    struct fixture f;
    for (int m = 0; m < 3; m++)
        for (double expiry = 0.02; expiry < 20.0; expiry *= 5.2)
            for (double strike = 20.0; strike < 500.0; strike *= 1.9) {
                bent_model(&f, with_jumps[m]);
                struct trade call = fixture_trade(PRODUCT_EUROPEAN, strike);
                call.expiry = expiry;
                call.cash = 1.0;
                struct trade put = call, cash = call, asset = call;
                put.option = OPTION_PUT;
                cash.product = asset.product = PRODUCT_DIGITAL;
                asset.payout = PAYOUT_ASSET;
                const struct multi_asset assets = fixture_assets(&f);
                double register_sum =
                    asset_discount(&assets, expiry) * (asset_forward(&assets, 0, expiry) - strike);
                struct reference c = fixture_price(&f, &call), d = fixture_price(&f, &asset),
                                 e = fixture_price(&f, &cash);
                assert_close(c.price - fixture_price(&f, &put).price, register_sum, 1e-9);
                assert_close(d.price - strike * e.price, c.price,
                             1e-9 + d.error + strike * e.error);
                assert_true(c.error < 1e-8 && d.error < 1e-7 && e.error < 1e-9);
                assert_true(c.price > register_sum - 1e-10 && c.price > -1e-10);
            }
}

/* The inversion of Merton's characteristic function against his series (1976): n jumps make the
 * forward (1 + k)^n e^{-lambda k t} times itself and add n stdev^2 to the variance. */
TEST(test_fourier_against_series)
{
    struct fixture f;
    bent_model(&f, MODEL_MERTON);
    const struct multi_asset assets = fixture_assets(&f);
    const struct jumps *jumps = &f.asset.jumps;
    double size = jumps->mean + 0.5 * jumps->stdev * jumps->stdev, k = expm1(size);
    for (int i = 0; i < 24; i++) {
        double expiry = i & 1 ? 0.05 : 3.0, start = i / 8 == 2 ? 0.5 * expiry : 0.0, sum = 0.0;
        struct trade trade = {.expiry = expiry, .start = start, .strike = i & 2 ? 90.0 : 130.0};
        trade.option = i & 4 ? OPTION_CALL : OPTION_PUT;
        trade.product = i / 8 == 0   ? PRODUCT_EUROPEAN
                        : i / 8 == 1 ? PRODUCT_DIGITAL
                                     : PRODUCT_FORWARD_START;
        trade.cash = 7.0;
        trade.strike_ratio = 1.1;
        double from = asset_forward(&assets, 0, start), forward = asset_forward(&assets, 0, expiry),
               strike = i / 8 == 2 ? 1.1 * from : trade.strike;
        double count = jumps->intensity * (expiry - start), weight = exp(-count),
               variance = asset_variance(&assets, 0, expiry) - asset_variance(&assets, 0, start);
        for (int n = 0; n < 60; n++, weight *= count / n) {
            double grown = forward * exp(n * size - count * k);
            sum +=
                weight * (i / 8 == 1 ? 7.0 * black_exercise(trade.option, grown, strike, variance)
                                     : black(trade.option, grown, strike, variance));
            variance += jumps->stdev * jumps->stdev;
        }
        struct reference found = fixture_price(&f, &trade);
        assert_string_equal(found.method, "fourier");
        assert_close(found.price, asset_discount(&assets, expiry) * sum, 1e-11 + found.error);
        assert_true(found.error < 1e-9);
    }
}

/* Heston far from comfort: the price lies within its bounds and the error is stated small. */
TEST(test_hard_heston)
{
    struct fixture f;
    double expiries[] = {0.02, 0.5, 15.0}, xis[] = {0.05, 0.4, 1.0}, rhos[] = {-0.95, 0.0, 0.7};
    double strikes[] = {30.0, 95.0, 100.0, 350.0};
    for (int i = 0; i < 108; i++) {
        fixture_flat(&f, 100.0, 0.02, 0.0, 0.0);
        f.asset.model = MODEL_HESTON;
        f.asset.heston = (struct heston){
            .v0 = 0.02, .kappa = 0.4, .theta = 0.03, .xi = xis[i % 3], .rho = rhos[i / 3 % 3]};
        struct trade trade = {.expiry = expiries[i / 9 % 3], .strike = strikes[i / 27]};
        struct reference price = fixture_price(&f, &trade);
        double least = fmax(100.0 - trade.strike * exp(-0.02 * trade.expiry), 0.0);
        assert_true(price.price > least - 1e-9 && price.price < 100.0);
        if (price.error >= 1e-9)
            print_message("T %g K %g xi %g rho %g: %.3e\n", trade.expiry, trade.strike, xis[i % 3],
                          rhos[i / 3 % 3], price.error);
        assert_true(price.error < 1e-7);
    }
}

/* ---- simulation ------------------------------------------------------------------------------ */

/* The schemes of stepper.h, without controls, against the inversions. */
TEST(test_simulation_against_fourier)
{
    struct fixture f;
    double times[8];
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 3; i++) {
            bent_model(&f, with_jumps[m]);
            struct trade trade = {
                .expiry = 1.1, .strike = 103.0, .start = 0.5, .strike_ratio = 1.0};
            trade.product = i == 0   ? PRODUCT_EUROPEAN
                            : i == 1 ? PRODUCT_FORWARD_START
                                     : PRODUCT_ASIAN;
            trade.averaging = AVERAGING_GEOMETRIC;
            if (i == 2) trade.fixings = fixture_dates(times, 8, 0.0, 1.0);
            assert_simulated(&f, &trade, 40000, INFINITY);
        }
}

/* Where nothing is random but a Brownian motion, the walks must give what closed forms do. */
TEST(test_path_dependent_limits)
{
    struct fixture f, plain;
    fixture_flat(&f, 100.0, 0.06, 0.02, 0.25);
    plain = f;
    plain.market.assets = &plain.asset;
    plain.market.currencies = &plain.currency;
    f.asset.heston = (struct heston){.v0 = 0.0625, .kappa = 1.0, .theta = 0.0625, .rho = 0.4};
    double at[] = {1.0}, strikes[] = {100.0}, vols[] = {0.25};
    f.asset.surface = (struct surface){1, 1, at, strikes, vols, false};
    struct trade barrier = fixture_barrier(DIRECTION_DOWN, 88.0, 105.0);
    barrier.expiry = 0.9;
    barrier.rebate = 4.0;
    barrier.pay_at = PAY_AT_HIT;
    struct trade lookback = barrier;
    lookback.product = PRODUCT_LOOKBACK;
    lookback.barrier = 0.0;
    enum model models[] = {MODEL_HESTON, MODEL_BATES, MODEL_MERTON, MODEL_LOCAL_VOL};
    for (int m = 0; m < 4; m++) {
        f.asset.model = models[m];
        assert_same(fixture_price(&f, &barrier), fixture_price(&plain, &barrier));
        assert_same(fixture_price(&f, &lookback), fixture_price(&plain, &lookback));
    }
}

/* ---- variance swaps -------------------------------------------------------------------------- */

/* Discrete fixings, seasoned: closed forms written out for one fixing, simulation for several. */
TEST(test_variance_swaps)
{
    struct fixture f;
    double times[7];
    struct trade trade = fixture_trade(PRODUCT_VARIANCE_SWAP, 0.0);
    trade.notional = 500.0;
    trade.strike_volatility = 0.2;
    trade.past_years = 0.5;
    trade.past_variance = 0.07;
    trade.fixings = fixture_dates(times, 1, 1.0, 1.0);
    fixture_flat(&f, 100.0, 0.05, 0.01, 0.3);
    double squared = 0.09 + (0.04 - 0.045) * (0.04 - 0.045);
    double expected = 500.0 * exp(-0.05) * ((0.07 * 0.5 + squared) / 1.5 - 0.04);
    assert_close(fixture_price(&f, &trade).price, expected, 1e-9);
    f.asset.model = MODEL_HESTON; /* certain variance: the same number by another road */
    f.asset.heston = (struct heston){.v0 = 0.09, .kappa = 1.0, .theta = 0.09};
    assert_close(fixture_price(&f, &trade).price, expected, 1e-9);
    for (int m = 0; m < 3; m++) {
        bent_model(&f, with_jumps[m]);
        trade.fixings = fixture_dates(times, 7, 0.0, 0.9);
        assert_simulated(&f, &trade, 40000, 1e-8);
    }
}

/* Thirty years at a volatility of 1: logarithms of complex numbers leave their branch. */
TEST(test_wild_variance_swap)
{
    struct fixture f;
    struct trade trade = fixture_trade(PRODUCT_VARIANCE_SWAP, 0.0);
    trade.notional = 1.0;
    trade.expiry = 30.0;
    trade.fixings = (struct schedule){false, 1, &trade.expiry};
    fixture_flat(&f, 100.0, 0.03, 0.0, 1.0);
    double expected = exp(-0.9) * (30.0 + (0.9 - 15.0) * (0.9 - 15.0)) / 30.0;
    for (int i = 0; i < 2; i++) {
        struct reference out = fixture_price(&f, &trade);
        assert_close(out.price, expected, 1e-9);
        assert_true(out.error < 1e-8);
        f.asset.model = MODEL_HESTON; /* certain variance: the same number by another road */
        f.asset.heston = (struct heston){.v0 = 1.0, .kappa = 1.0, .theta = 1.0};
    }
}

/* ---- cliquets -------------------------------------------------------------------------------- */

TEST(test_cliquets)
{
    struct fixture f;
    double times[6];
    struct trade trade = fixture_trade(PRODUCT_CLIQUET, 0.0);
    trade.notional = 100.0;
    trade.local_floor = trade.global_floor = -HUGE_VAL;
    trade.local_cap = trade.global_cap = HUGE_VAL;
    for (int m = 0; m < 2; m++) {
        bent_model(&f, m ? MODEL_MERTON : MODEL_BLACK_SCHOLES);
        const struct multi_asset assets = fixture_assets(&f);
        trade.resets = fixture_dates(times, 1, 0.0, 0.3);
        double growth = asset_forward(&assets, 0, 1.0) / asset_forward(&assets, 0, 0.3);
        double discount = asset_discount(&assets, 1.0);
        assert_close(fixture_price(&f, &trade).price, 100.0 * discount * (growth - 1.0), 1e-9);
        struct trade floored = trade, clipped = trade;
        floored.global_floor = 0.03; /* by convolution; the other by its closed form */
        floored.global_cap = 0.2;
        clipped.local_floor = 0.03;
        clipped.local_cap = 0.2;
        struct reference convolved = fixture_price(&f, &floored);
        assert_string_equal(convolved.method, "convolution");
        assert_true(convolved.error < 1e-7);
        assert_close(convolved.price, fixture_price(&f, &clipped).price, 1e-9);
        trade.resets = fixture_dates(times, 6, 0.0, 0.8);
        floored = trade;
        floored.local_floor = -0.03;
        floored.local_cap = 0.05;
        floored.global_floor = 0.01;
        floored.global_cap = 0.12;
        assert_simulated(&f, &floored, 400000, 1e-6);
    }
}

/* Under a variance that is mostly near zero and soon forgotten. The price is that of the four
 * periods by Fourier inversion, each given the law of the variance at its start. */
TEST(test_cliquet_near_zero)
{
    struct fixture f;
    double times[] = {0.0, 0.25, 0.5, 0.75};
    struct trade trade = fixture_trade(PRODUCT_CLIQUET, 0.0);
    fixture_flat(&f, 100.0, 0.03, 0.0, 0.2);
    f.asset.model = MODEL_HESTON;
    f.asset.variance.n = 0;
    f.asset.heston = (struct heston){0.04, 20.0, 0.04, 3.0, -0.7, SCHEME_QUADRATIC_EXPONENTIAL};
    trade.resets = (struct schedule){false, 4, times};
    trade.local_floor = -0.02, trade.local_cap = 0.03;
    trade.global_floor = -INFINITY, trade.global_cap = INFINITY;
    trade.notional = 1000.0;
    struct reference out = fixture_price(&f, &trade);
    print_message("%g (%.2g)\n", out.price, out.error);
    assert_close(out.price, 42.07039, 2.5 * out.error);
    assert_true(out.error < 0.5);
}

/* ---- local volatility ------------------------------------------------------------------------ */

static void fixture_smile(struct fixture *f, double *vols)
{
    static double times[] = {0.1, 0.5, 1.0, 2.0},
                  strikes[] = {70, 80, 90, 95, 100, 105, 110, 120, 140};
    fixture_bent(f, 100.0);
    f->asset.model = MODEL_LOCAL_VOL;
    f->asset.variance = (struct term_structure){0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 9; j++) {
            double k = log(strikes[j] / 100.0);
            vols[i * 9 + j] = 0.2 + 0.02 * times[i] - 0.15 * k / sqrt(times[i] + 0.3) + 0.2 * k * k;
        }
    f->asset.surface = (struct surface){4, 9, times, strikes, vols, false};
}

/* Quotes are repriced; the walk on Dupire's volatility reproduces the surface between and beyond
 * them. */
TEST(test_local_volatility)
{
    struct fixture f;
    double vols[36];
    fixture_smile(&f, vols);
    const struct multi_asset assets = fixture_assets(&f);
    for (int i = 0; i < 36; i++) {
        struct trade quote = {.product = PRODUCT_EUROPEAN};
        quote.expiry = f.asset.surface.times[i / 9];
        quote.strike = f.asset.surface.strikes[i % 9];
        double variance = vols[i] * vols[i] * quote.expiry;
        double price =
            asset_discount(&assets, quote.expiry) *
            black(OPTION_CALL, asset_forward(&assets, 0, quote.expiry), quote.strike, variance);
        assert_close(fixture_price(&f, &quote).price, price, 1e-9);
    }
    for (int i = 0; i < 4; i++) {
        struct trade trade = {.product = i & 1 ? PRODUCT_DIGITAL : PRODUCT_EUROPEAN, .expiry = 0.7};
        trade.strike = i & 2 ? 84.0 : 104.0;
        trade.payout = i == 3 ? PAYOUT_ASSET : PAYOUT_CASH;
        trade.cash = 1.0;
        assert_simulated(&f, &trade, 100000, INFINITY);
    }
}

/* A digital is minus the slope of the call, also where they come from a surface. */
TEST(test_local_volatility_digital)
{
    struct fixture f;
    double vols[36];
    fixture_smile(&f, vols);
    for (double strike = 75.0; strike < 140.0; strike += 9.0) {
        struct trade up = fixture_trade(PRODUCT_EUROPEAN, strike + 0.01);
        up.expiry = 0.7;
        struct trade down = up, digital = up;
        down.strike = strike - 0.01;
        digital.strike = strike;
        digital.product = PRODUCT_DIGITAL;
        digital.cash = 1.0;
        struct reference price = fixture_price(&f, &digital);
        double slope = (fixture_price(&f, &down).price - fixture_price(&f, &up).price) / 0.02;
        assert_close(price.price, slope, price.error + 2e-6);
    }
}

/* ---- cash dividends -------------------------------------------------------------------------- */

TEST(test_cash_dividends)
{
    struct fixture f;
    fixture_bent(&f, 100.0);
    const struct multi_asset assets = fixture_assets(&f);
    struct cash_dividend dividends[] = {{0.2, 2.0}, {0.5, 3.0}, {0.8, 1.5}, {1.3, 50.0}};
    double forward = asset_forward(&assets, 0, 1.0);
    for (int i = 0; i < 3; i++)
        forward -= dividends[i].amount * asset_forward(&assets, 0, 1.0) /
                   asset_forward(&assets, 0, dividends[i].time);
    for (int i = 0; i < 3; i++) {
        struct trade call = fixture_trade(PRODUCT_EUROPEAN, 80.0 + 15.0 * i), put = call,
                     asset = call, cash = call;
        f.asset.dividends = dividends;
        f.asset.n_dividends = 4;
        put.option = OPTION_PUT;
        asset.product = cash.product = PRODUCT_DIGITAL;
        asset.payout = PAYOUT_ASSET;
        cash.cash = call.strike;
        struct reference price = fixture_price(&f, &call);
        assert_close(price.price - fixture_price(&f, &put).price,
                     asset_discount(&assets, 1.0) * (forward - call.strike), 1e-8);
        assert_close(fixture_price(&f, &asset).price - fixture_price(&f, &cash).price, price.price,
                     1e-8);
        assert_simulated(&f, &call, 200000, 1e-8);
        f.asset.dividends = &(struct cash_dividend){0.4, 1e-9};
        f.asset.n_dividends = 1;
        struct reference tiny = fixture_price(&f, &call);
        assert_string_equal(tiny.method, "quadrature");
        f.asset.n_dividends = 0;
        assert_close(tiny.price, fixture_price(&f, &call).price, 2e-9);
    }
}

/* A dividend that no path has the spot for leaves a millionth of it. */
TEST(test_dividend_above_the_spot)
{
    struct fixture f;
    fixture_bent(&f, 100.0);
    const struct multi_asset assets = fixture_assets(&f);
    struct cash_dividend dividend = {0.5, 1e6};
    struct trade call = fixture_trade(PRODUCT_EUROPEAN, 1e-4), put = call;
    put.option = OPTION_PUT;
    f.asset.dividends = &dividend;
    f.asset.n_dividends = 1;
    double found = fixture_price(&f, &call).price - fixture_price(&f, &put).price;
    double right = asset_discount(&assets, 1.0) * (1e-6 * asset_forward(&assets, 0, 1.0) - 1e-4);
    f.asset.n_dividends = 0;
    if (!(fabs(found - right) < 1e-9))
        print_error("a dividend above the spot leaves %g, not %g\n", found, right);
    assert_true(fabs(found - right) < 1e-9);
}

/* ---- quantos --------------------------------------------------------------------------------- */

/* The same under a variance that hardly moves, with a correlation that does not matter then: the
 * noise of the spot is shifted there. */
static void check_quanto_limit(const struct market *market, const struct trade *trade, double sigma,
                               double expected)
{
    struct reference price;
    struct asset *asset = &market->assets[0];
    asset->model = MODEL_HESTON;
    asset->variance.n = 0;
    asset->heston = (struct heston){sigma * sigma, 1.5,  sigma * sigma,
                                    1e-3,          -0.6, SCHEME_QUADRATIC_EXPONENTIAL};
    const bool barrier = trade->product == PRODUCT_DOUBLE_BARRIER;
    assert_ok(reference_price(market, trade, 1, NULL, &price, &said));
    assert_string_equal(price.method, barrier ? "finite differences" : "monte carlo");
    assert_close(price.price, expected, 4.0 * price.error + 1e-4);
}

/* Rows of QuantLib's quantooption.cpp (Haug 1998, p. 105; FinCAD): asset in a foreign currency,
 * paid at a fixed rate of 1; the others of them are in validation/cases/published-several.csv. */
TEST(test_published_quantos)
{
    static const struct {
        enum product product;
        enum option option;
        double strike, yield, domestic, foreign, sigma, sigma_fx, start, expiry, lower, upper;
        enum knock knock;
        double expected;
    } rows[] = {
        {PRODUCT_EUROPEAN, OPTION_PUT, 105, 0.04, 0.08, 0.05, 0.2, 0.1, 0, 0.5, 0, 0, KNOCK_OUT,
         8.1636},
        {PRODUCT_FORWARD_START, OPTION_PUT, 1.05, 0.04, 0.08, 0.05, 0.2, 0.1, 0.25, 0.5, 0, 0,
         KNOCK_OUT, 6.7296},
        {PRODUCT_DOUBLE_BARRIER, OPTION_CALL, 102, 0, 0.1, 0.05, 0.15, 0.2, 0, 0.5, 80, 120,
         KNOCK_IN, 1.9305},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture own, paid;
        double matrix[] = {1.0, 0.3, 0.3, 1.0};
        fixture_flat(&own, 100.0, rows[i].foreign, rows[i].yield, rows[i].sigma);
        fixture_flat(&paid, 1.3, rows[i].domestic, rows[i].foreign, rows[i].sigma_fx);
        struct currency currencies[] = {own.currency, paid.currency};
        struct asset assets[] = {own.asset, paid.asset};
        assets[1].currency = 1;
        assets[1].foreign_currency = 0;
        struct market market = {2, currencies, 2, assets, matrix};
        struct trade trade = {.product = rows[i].product,
                              .option = rows[i].option,
                              .quanto = {1, {1}},
                              .expiry = rows[i].expiry};
        trade.strike = trade.strike_ratio = rows[i].strike;
        trade.start = rows[i].start;
        trade.lower = rows[i].lower;
        trade.upper = rows[i].upper;
        trade.knock = rows[i].knock;
        trade.monitoring.continuous = rows[i].upper > 0.0;
        struct reference price;
        assert_ok(reference_price(&market, &trade, 1, NULL, &price, &said));
        assert_close(price.price, rows[i].expected, 1e-4);
        check_quanto_limit(&market, &trade, rows[i].sigma, rows[i].expected);
    }
}

ALL_TESTS(reference_models_test)
