/* One asset in one currency under flat curves, or some that are uncorrelated, and options, for
 * tests that need no more. */
#ifndef PRICER_VALIDATION_TESTS_FLAT_MARKET_H
#define PRICER_VALIDATION_TESTS_FLAT_MARKET_H

#include "models/market/market.h"
#include "models/payoffs/product_numbers.h"
#include "models/payoffs/trade.h"

/* Returns a curve that accrues as much in every year; the number must outlive it. */
static inline struct term_structure flat_curve(double *in_a_year)
{
    static double year = 1.0;
    return (struct term_structure){1, &year, in_a_year, *in_a_year};
}

/* It points to itself: it is not to be copied. There is nothing to free. */
struct flat_market {
    struct market market;
    struct currency currency;
    struct asset asset;
    double one, rate, yield, variance; /* one: the asset's correlation with itself */
};

/* Makes it with a spot of 100; under heston the variance reverts from and to that of the
 * volatility. */
static inline void flat_market_make(struct flat_market *of, enum model model, double rate,
                                    double yield, double volatility)
{
    const double variance = volatility * volatility;
    *of = (struct flat_market){.one = 1.0, .rate = rate, .yield = yield, .variance = variance};
    of->currency.rate = flat_curve(&of->rate);
    of->asset = (struct asset){.name = (char *)"A", .foreign_currency = -1, .spot = 100.0};
    of->asset.model = model;
    of->asset.yield = flat_curve(&of->yield);
    if (model_takes(model, TAKES_VOLATILITY | MAY_TAKE_VOLATILITY))
        of->asset.variance = flat_curve(&of->variance);
    of->asset.heston =
        (struct heston){.v0 = variance, .kappa = 1.0, .theta = variance, .xi = 0.5, .rho = -0.5};
    of->market = (struct market){1, &of->currency, 1, &of->asset, &of->one};
}

enum { FLAT_ASSETS_MOST = 64 };

/* Several of such assets. It points to itself, too. */
struct flat_assets {
    struct flat_market one; /* what they begin as */
    double variances[FLAT_ASSETS_MOST], correlation[FLAT_ASSETS_MOST * FLAT_ASSETS_MOST];
    struct asset assets[FLAT_ASSETS_MOST];
    struct market market;
};

static inline void flat_volatility(struct flat_assets *of, int asset, double volatility)
{
    of->variances[asset] = volatility * volatility;
    of->assets[asset].variance = flat_curve(&of->variances[asset]);
}

/* Makes n of them, alike. */
static inline void flat_assets_make(struct flat_assets *of, int n, enum model model, double rate,
                                    double yield, double volatility)
{
    *of = (struct flat_assets){.variances = {0.0}};
    flat_market_make(&of->one, model, rate, yield, volatility);
    for (int i = 0; i < n; i++) {
        of->assets[i] = of->one.asset;
        if (of->one.asset.variance.n) flat_volatility(of, i, volatility);
        of->correlation[i * n + i] = 1.0;
    }
    of->market = (struct market){1, &of->one.currency, n, of->assets, of->correlation};
}

/* Returns an option on an asset of any market, European until a test makes something else of it. */
static inline struct trade option_on(int asset, enum option option, double strike, double expiry)
{
    static int each[64];
    each[asset] = asset;
    return (struct trade){.id = (char *)"option",
                          .product = PRODUCT_EUROPEAN,
                          .asset = asset,
                          .n_assets = 1,
                          .assets = &each[asset],
                          .quantity = 1.0,
                          .expiry = expiry,
                          .option = option,
                          .strike = strike};
}

#endif
