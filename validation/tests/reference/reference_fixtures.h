/* Markets and trades for the tests of the reference, and its price in one line. */
#ifndef PRICER_VALIDATION_TESTS_REFERENCE_FIXTURES_H
#define PRICER_VALIDATION_TESTS_REFERENCE_FIXTURES_H

#include <gsl/gsl_errno.h>

#include "models/payoffs/product_numbers.h"
#include "validation/reference/methods.h"
#include "validation/reference/reference.h"
#include "validation/tests/test.h"

#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        double left_ = (a), right_ = (b), within_ = (tolerance);                                   \
        if (!(fabs(left_ - right_) <= within_))                                                    \
            print_message("%.15g against %.15g\n", left_, right_);                                 \
        assert_true(fabs(left_ - right_) <= within_);                                              \
    } while (0)

/* One asset in one currency; at most 8 dates a curve. */
struct fixture {
    double times[3][8], accrued[3][8];
    struct currency currency;
    struct asset asset;
    struct market market;
};

static inline struct term_structure fixture_curve(struct fixture *f, int which, int n,
                                                  const double *times, const double *forwards)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += forwards[i] * (times[i] - (i ? times[i - 1] : 0.0));
        f->times[which][i] = times[i];
        f->accrued[which][i] = sum;
    }
    return (struct term_structure){n, f->times[which], f->accrued[which], forwards[n - 1]};
}

/* Forward rates, yields and volatilities, each constant up to its date and the last one beyond. */
static inline void fixture_terms(struct fixture *f, double spot, int n, const double *times,
                                 const double *rate, const double *yield, const double *volatility)
{
    double variance[8];
    for (int i = 0; i < n; i++) variance[i] = volatility[i] * volatility[i];
    gsl_set_error_handler_off(); /* as the application does: failures are return codes */
    *f = (struct fixture){0};
    f->currency.rate = fixture_curve(f, 0, n, times, rate);
    f->asset = (struct asset){.foreign_currency = -1, .spot = spot, .model = MODEL_BLACK_SCHOLES};
    f->asset.yield = fixture_curve(f, 1, n, times, yield);
    f->asset.variance = fixture_curve(f, 2, n, times, variance);
    f->market = (struct market){
        .n_currencies = 1, .currencies = &f->currency, .n_assets = 1, .assets = &f->asset};
}

static inline void fixture_flat(struct fixture *f, double spot, double rate, double yield,
                                double volatility)
{
    fixture_terms(f, spot, 1, (double[]){1.0}, &rate, &yield, &volatility);
}

/* Four periods whose drifts, volatilities and rates all differ. */
static inline void fixture_bent(struct fixture *f, double spot)
{
    fixture_terms(f, spot, 4, (double[]){0.1, 0.35, 0.6, 1.0}, (double[]){0.01, 0.08, -0.02, 0.05},
                  (double[]){0.04, 0.0, 0.03, 0.02}, (double[]){0.15, 0.3, 0.22, 0.4});
}

static inline struct reference fixture_price(const struct fixture *f, const struct trade *trade)
{
    struct reference out;
    struct message why = {""};
    enum status status = reference_price(&f->market, trade, 1, NULL, &out, &why);
    if (status) print_message("status %d: %s\n", (int)status, why.text);
    assert_ok(status);
    assert_true(out.error > 0.0);
    return out;
}

/* The asset under the measure of its currency. */
static inline struct multi_asset fixture_assets(const struct fixture *f)
{
    struct multi_asset assets;
    const struct trade trade = {0};
    assert_ok(multi_asset_of(&f->market, &trade, NULL, &assets));
    return assets;
}

/* As much work and memory as a test may want; its owner ends it. */
static inline struct effort fixture_effort(void)
{
    return (struct effort){.work = INFINITY, .memory = INFINITY};
}

static inline struct reference fixture_simulate(const struct fixture *f, const struct trade *trade,
                                                long paths)
{
    struct reference out = {0};
    struct problem problem = {.trade = trade, .seed = 7, .market = &f->market, .asset = &f->asset};
    struct effort effort = fixture_effort();
    assert_ok(multi_asset_of(&f->market, trade, &effort, &problem.assets));
    assert_ok(reference_monte_carlo(&problem, paths, &out));
    effort_end(&effort);
    return out;
}

/* Fails the test unless two prices are one, within four of their errors. */
static inline void assert_same(struct reference a, struct reference b)
{
    assert_close(a.price, b.price, 4.0 * (a.error + b.error));
}

/* Fails the test unless a trade has a price of at most this error, which a simulation gives too. */
static inline void assert_simulated(const struct fixture *f, const struct trade *trade, long paths,
                                    double most_error)
{
    struct reference price = fixture_price(f, trade);
    assert_true(price.error < most_error);
    assert_same(price, fixture_simulate(f, trade, paths));
}

/* n equally spaced dates from first to last. */
static inline struct schedule fixture_dates(double *times, int n, double first, double last)
{
    for (int i = 0; i < n; i++) times[i] = n > 1 ? first + i * (last - first) / (n - 1) : last;
    return (struct schedule){false, n, times};
}

/* An asset under one of the models, whose other numbers do not matter to it. */
static inline void fixture_model(struct fixture *f, enum model model)
{
    static double returns[] = {0.01, -0.02, 0.005, 0.004, -0.01};
    static double times[] = {0.5, 2.0}, strikes[] = {80.0, 100.0, 120.0};
    static double vols[] = {0.22, 0.2, 0.19, 0.21, 0.2, 0.195};
    fixture_flat(f, 100.0, 0.03, 0.01, 0.2);
    f->asset.model = model;
    f->asset.heston =
        (struct heston){.v0 = 0.04, .kappa = 1.0, .theta = 0.04, .xi = 0.3, .rho = -0.5};
    f->asset.jumps = (struct jumps){0.5, -0.1, 0.1};
    f->asset.history =
        (struct history){.n = 5, .returns = returns, .interval = 1.0 / 252.0, .block = 1};
    if (model == MODEL_HESTON || model == MODEL_BATES || model == MODEL_LOCAL_VOL)
        f->asset.variance.n = 0;
    if (model == MODEL_LOCAL_VOL)
        f->asset.surface = (struct surface){2, 3, times, strikes, vols, false};
}

/* At every moment. */
static const struct schedule always __attribute__((unused)) = {.continuous = true};

/* Calls over a year, paid in the currency of the asset: one that knocks out, a touch between two
 * walls or of one. */
static inline struct trade fixture_trade(enum product product, double strike)
{
    return (struct trade){.product = product, .expiry = 1.0, .strike = strike};
}

static inline struct trade fixture_barrier(enum direction direction, double barrier, double strike)
{
    struct trade trade = fixture_trade(PRODUCT_BARRIER, strike);
    trade.direction = direction;
    trade.barrier = barrier;
    trade.monitoring = always;
    return trade;
}

static inline struct trade fixture_touch(double lower, double upper)
{
    struct trade trade = fixture_trade(PRODUCT_TOUCH, 0.0);
    trade.lower = lower;
    trade.upper = upper;
    trade.cash = 1.0;
    trade.monitoring = always;
    return trade;
}

static inline struct trade fixture_touch_up(double barrier)
{
    struct trade trade = fixture_touch(0.0, 0.0);
    trade.direction = DIRECTION_UP;
    trade.barrier = barrier;
    return trade;
}

#endif
