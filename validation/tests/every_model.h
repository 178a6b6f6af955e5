/* A market with an asset under each model and two with cash dividends, and books on it, for tests
 * of engines and kernels. */
#ifndef PRICER_VALIDATION_TESTS_EVERY_MODEL_H
#define PRICER_VALIDATION_TESTS_EVERY_MODEL_H

#include "models/market/market.h"
#include "models/payoffs/trade.h"

enum {
    EVERY_MODEL_ASSETS = 10,
    EVERY_MODEL_TRADES = 112,
    EVERY_MODEL_FIXINGS = 37,
    EVERY_MODEL_RETURNS = 300
};

struct every_model {
    struct market market;
    struct currency currencies[2]; /* assets are in the first; the second is what quantos pay in */
    struct asset assets[EVERY_MODEL_ASSETS]; /* the last is the FX rate between them */
    double correlation[EVERY_MODEL_ASSETS * EVERY_MODEL_ASSETS];
    struct cash_dividend dividends[3]; /* shared by those assets that pay */
    double surface_times[2], surface_strikes[5], surface_vols[10];
    double returns[EVERY_MODEL_RETURNS]; /* of the past, of periods between fixings */
    int n_trades;
    struct trade trades[EVERY_MODEL_TRADES];
    char ids[EVERY_MODEL_TRADES][32];
};

/* Fills market and an empty book, which the functions below add to; free with every_model_free. */
void every_model_make(struct every_model *book);
void every_model_free(struct every_model *book);

/* Puts all assets but the FX rate under heston. */
void every_model_under_heston(struct every_model *book);

/* On every asset, what looks at paths in each way that kernels have; american options and quantos
 * among them. */
void every_model_add_products(struct every_model *book);

/* Baskets and the like on five assets of as many models, paid in their currency and as quantos. */
void every_model_add_baskets(struct every_model *book);

/* An arithmetic Asian option on every asset and nothing else: each group is a sum over every step
 * where no step is longer than EVERY_MODEL_FIXINGS of them to 0.9 years. */
void every_model_add_sums(struct every_model *book);

#endif
