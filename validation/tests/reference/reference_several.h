/* Markets of several assets for the tests of the reference. */
#ifndef PRICER_VALIDATION_TESTS_REFERENCE_SEVERAL_H
#define PRICER_VALIDATION_TESTS_REFERENCE_SEVERAL_H

#include "validation/reference/multi_asset.h"
#include "validation/tests/reference/reference_fixtures.h"

enum { SEVERAL_MOST = 12 };

/* Two currencies, of which assets use the first unless said otherwise, and a third of no interest;
 * curves flat, or bent at half a year. */
struct several {
    double times[2], rates[2][2], yields[SEVERAL_MOST][2], variances[SEVERAL_MOST][2];
    double correlation[SEVERAL_MOST * SEVERAL_MOST];
    double weights[SEVERAL_MOST], initial[SEVERAL_MOST];
    int indices[SEVERAL_MOST];
    struct currency currencies[3];
    struct asset assets[SEVERAL_MOST];
    struct market market;
};

/* Accrued to half a year and a year, at `first` a year and then at `second`. */
static inline struct term_structure several_curve(struct several *s, double *accrued, double first,
                                                  double second)
{
    accrued[0] = 0.5 * first;
    accrued[1] = accrued[0] + 0.5 * second;
    return (struct term_structure){2, s->times, accrued, second};
}

static inline void several_rates(struct several *s, double domestic, double foreign)
{
    gsl_set_error_handler_off();
    *s = (struct several){.times = {0.5, 1.0}};
    s->currencies[0].rate = several_curve(s, s->rates[0], domestic, domestic);
    s->currencies[1].rate = several_curve(s, s->rates[1], foreign, foreign);
    s->market = (struct market){.n_currencies = 3,
                                .currencies = s->currencies,
                                .assets = s->assets,
                                .correlation = s->correlation};
}

/* An asset with one volatility for half a year and another one afterwards, without correlations
 * yet. */
static inline struct asset *several_add(struct several *s, double spot, double yield,
                                        double volatility, double later)
{
    int i = s->market.n_assets++, n = s->market.n_assets;
    s->assets[i] =
        (struct asset){.foreign_currency = -1, .spot = spot, .model = MODEL_BLACK_SCHOLES};
    s->assets[i].yield = several_curve(s, s->yields[i], yield, yield);
    s->assets[i].variance =
        several_curve(s, s->variances[i], volatility * volatility, later * later);
    s->weights[i] = 1.0;
    s->initial[i] = spot;
    s->indices[i] = i;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) s->correlation[a * n + b] = a == b ? 1.0 : 0.0;
    return &s->assets[i];
}

static inline void several_correlate(struct several *s, int a, int b, double value)
{
    s->correlation[a * s->market.n_assets + b] = s->correlation[b * s->market.n_assets + a] = value;
}

/* A trade on the first n assets. */
static inline struct trade several_trade(struct several *s, enum product product, int n,
                                         double expiry, double strike)
{
    return (struct trade){.product = product,
                          .n_assets = n,
                          .assets = s->indices,
                          .weights = s->weights,
                          .initial = s->initial,
                          .expiry = expiry,
                          .strike = strike};
}

static inline enum status several_try(const struct several *s, const struct trade *trade,
                                      struct reference *out, struct message *why)
{
    *why = (struct message){""};
    return reference_price(&s->market, trade, 1, NULL, out, why);
}

static inline struct reference several_price(const struct several *s, const struct trade *trade)
{
    struct reference out;
    struct message why;
    enum status status = several_try(s, trade, &out, &why);
    if (status) print_message("status %d: %s\n", (int)status, why.text);
    assert_ok(status);
    assert_true(out.error > 0.0);
    return out;
}

/* The same trade by simulation. */
static inline struct reference several_simulate(const struct several *s, const struct trade *trade)
{
    struct reference out = {0};
    struct problem problem = {
        .trade = trade, .seed = 11, .market = &s->market, .asset = &s->market.assets[trade->asset]};
    struct effort effort = fixture_effort();
    assert_ok(multi_asset_of(&s->market, trade, &effort, &problem.assets));
    assert_ok(reference_by_simulation(&problem, &out));
    effort_end(&effort);
    return out;
}

/* Three assets with bent volatilities and all correlations different. */
static inline void several_three(struct several *s)
{
    several_rates(s, 0.03, 0.05);
    several_add(s, 100.0, 0.01, 0.2, 0.3);
    several_add(s, 95.0, 0.03, 0.35, 0.15);
    several_add(s, 110.0, 0.0, 0.25, 0.25);
    several_correlate(s, 0, 1, 0.5);
    several_correlate(s, 0, 2, -0.3);
    several_correlate(s, 1, 2, 0.2);
}

#endif
