#include "validation/tests/every_model.h"

#include <math.h>
#include <stdio.h>

#include "validation/tests/owned_trade.h"

enum {
    PLAIN,
    PAYS,
    LOCAL,
    SQUARE_ROOT,
    SQUARE_ROOT_PAYS,
    TRUNCATED,
    JUMPING,
    SQUARE_ROOT_JUMPING,
    PAST,
    RATE
};

static const enum model models[EVERY_MODEL_ASSETS] = {
    MODEL_BLACK_SCHOLES, MODEL_BLACK_SCHOLES, MODEL_LOCAL_VOL, MODEL_HESTON,
    MODEL_HESTON,        MODEL_HESTON,        MODEL_MERTON,    MODEL_BATES,
    MODEL_HISTORICAL,    MODEL_BLACK_SCHOLES};

static void make_surface(struct every_model *book, struct asset *asset)
{
    for (int i = 0; i < 2; i++) book->surface_times[i] = 0.5 + i;
    for (int k = 0; k < 5; k++) book->surface_strikes[k] = asset->spot * (0.7 + 0.15 * k);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 5; k++)
            book->surface_vols[5 * i + k] =
                0.24 - 0.02 * (k - 2) + 0.004 * (k - 2) * (k - 2) - 0.005 * i;
    asset->surface = (struct surface){
        2, 5, book->surface_times, book->surface_strikes, book->surface_vols, false};
}

/* Fat tails, and days that follow on one another. */
static void make_past(struct every_model *book, struct asset *asset)
{
    for (int i = 0; i < EVERY_MODEL_RETURNS; i++)
        book->returns[i] = 0.01 * sin(0.7 * i * i) - (i % 41 < 2 ? 0.05 : 0.0);
    asset->history =
        (struct history){EVERY_MODEL_RETURNS, book->returns, 0.9 / EVERY_MODEL_FIXINGS, 5};
}

static void make_asset(struct every_model *book, int a)
{
    static const double pillars[3] = {0.3, 0.8, 2.0}, yields[3] = {0.010, 0.022, 0.020};
    struct asset *asset = &book->assets[a];
    double vols[3] = {0.24, 0.22 + 0.01 * a, 0.25};
    int at = 0;
    *asset = (struct asset){.foreign_currency = a == RATE ? 0 : -1,
                            .currency = a == RATE,
                            .spot = 80.0 + 7.0 * a,
                            .model = models[a]};
    term_from_rates(&asset->yield, 3, pillars, yields);
    if (a == RATE) asset->spot = 1.1, vols[0] = vols[1] = vols[2] = 0.1;
    if (asset->model == MODEL_BLACK_SCHOLES || asset->model == MODEL_MERTON ||
        asset->model == MODEL_HISTORICAL)
        term_from_volatilities(&asset->variance, 3, pillars, vols, &at);
    if (asset->model == MODEL_LOCAL_VOL) make_surface(book, asset);
    if (asset->model == MODEL_HISTORICAL) make_past(book, asset);
    asset->heston = (struct heston){0.05, 1.7, 0.045, 0.6, -0.65, SCHEME_QUADRATIC_EXPONENTIAL};
    if (a == TRUNCATED) asset->heston.scheme = SCHEME_FULL_TRUNCATION;
    asset->jumps = (struct jumps){0.8, -0.07, 0.12};
    if (a == PAYS || a == SQUARE_ROOT_PAYS)
        asset->n_dividends = 3, asset->dividends = book->dividends;
}

void every_model_make(struct every_model *book)
{
    static const double one[1] = {1.0}, rates[2] = {0.03, 0.015};
    *book = (struct every_model){.dividends = {{0.11, 1.5}, {0.45, 2.0}, {0.9, 1.0}}};
    for (int i = 0; i < 2; i++) term_from_rates(&book->currencies[i].rate, 1, one, &rates[i]);
    for (int a = 0; a < EVERY_MODEL_ASSETS; a++) make_asset(book, a);
    for (int a = 0; a < EVERY_MODEL_ASSETS; a++)
        for (int b = 0; b < EVERY_MODEL_ASSETS; b++)
            book->correlation[a * EVERY_MODEL_ASSETS + b] =
                a == b ? 1.0 : 0.4 / (1 + abs(a - b)) - 0.1 * (a + b == 9);
    book->market = (struct market){.n_currencies = 2,
                                   .currencies = book->currencies,
                                   .n_assets = EVERY_MODEL_ASSETS,
                                   .assets = book->assets,
                                   .correlation = book->correlation};
}

void every_model_under_heston(struct every_model *book)
{
    for (int a = 0; a < RATE; a++) book->assets[a].model = MODEL_HESTON;
}

void every_model_free(struct every_model *book)
{
    for (int i = 0; i < 2; i++) term_free(&book->currencies[i].rate);
    for (int a = 0; a < EVERY_MODEL_ASSETS; a++) {
        term_free(&book->assets[a].yield);
        term_free(&book->assets[a].variance);
    }
    for (int i = 0; i < book->n_trades; i++) {
        book->trades[i].id = NULL;
        trade_free(&book->trades[i]);
    }
}

static struct trade *add(struct every_model *book, enum product product, int n, const int *assets)
{
    struct trade *t = &book->trades[book->n_trades];
    double spot = book->assets[assets[0]].spot;
    snprintf(book->ids[book->n_trades], sizeof book->ids[0], "%s %d on %d", product_name(product),
             book->n_trades, assets[0]);
    *t = owned_trade(product, n, assets, spot, 1.0);
    t->id = book->ids[book->n_trades];
    t->option = book->n_trades & 1 ? OPTION_PUT : OPTION_CALL;
    t->cash = 10.0, t->notional = 100.0;
    book->n_trades++;
    return t;
}

static struct trade *add_one(struct every_model *book, enum product product, int asset)
{
    return add(book, product, 1, &asset);
}

static struct trade *add_sum(struct every_model *book, int asset)
{
    struct trade *t = add_one(book, PRODUCT_ASIAN, asset);
    t->expiry = 0.9;
    t->fixings = dates_to(0.9, EVERY_MODEL_FIXINGS, false);
    return t;
}

/* Bridges, clocks, variances, sums that end before the last step, payments: one of each on an
 * asset. */
static void add_products_on(struct every_model *book, int asset)
{
    double spot = book->assets[asset].spot;
    struct trade *t = add_one(book, PRODUCT_EUROPEAN, asset);
    add_sum(book, asset);
    t = add_one(book, PRODUCT_BARRIER, asset);
    t->direction = DIRECTION_DOWN, t->barrier = 0.85 * spot, t->monitoring.continuous = true;
    t = add_one(book, PRODUCT_DOUBLE_BARRIER, asset);
    t->lower = 0.75 * spot, t->upper = 1.3 * spot, t->monitoring.continuous = true;
    t = add_one(book, PRODUCT_LOOKBACK, asset);
    t->option = asset % 2 ? OPTION_PUT : OPTION_CALL, t->monitoring.continuous = true;
    t = add_one(book, PRODUCT_LOOKBACK, asset);
    t->option = OPTION_PUT, t->monitoring = dates_to(1.0, 7, false);
    t = add_one(book, PRODUCT_AMERICAN, asset);
    t->option = OPTION_PUT, t->exercise = dates_to(1.0, 5, false);
    t = add_one(book, PRODUCT_AMERICAN, asset);
    t->option = OPTION_PUT, t->exercise = dates_to(1.0, 5, false), t->slope_of = 1;
    if (asset == RATE) return;
    if (asset != PAST) { /* which has no correlation with the rate */
        t = add_one(book, PRODUCT_EUROPEAN, asset);
        t->quanto = (struct quanto){1, {RATE}};
    }
    t = add_one(book, PRODUCT_VARIANCE_SWAP, asset);
    t->strike = 0.0, t->strike_volatility = 0.2, t->fixings = dates_to(1.0, 6, false);
}

void every_model_add_products(struct every_model *book)
{
    for (int a = 0; a < EVERY_MODEL_ASSETS; a++) add_products_on(book, a);
}

void every_model_add_sums(struct every_model *book)
{
    for (int a = 0; a < EVERY_MODEL_ASSETS; a++) add_sum(book, a);
}

void every_model_add_baskets(struct every_model *book)
{
    static const int five[5] = {SQUARE_ROOT_PAYS, LOCAL, SQUARE_ROOT_JUMPING, PAYS, JUMPING};
    static const int two[2] = {PAST, TRUNCATED};
    static const double mean[5] = {0.3, 0.2, 0.2, 0.2, 0.1};
    for (int i = 0; i < 8; i++) {
        struct trade *t = add(book, PRODUCT_BASKET, 5, five);
        double weights[5];
        t->kind = (enum basket_kind)(i & 3);
        if (i & 4) t->quanto = (struct quanto){1, {RATE}};
        for (int k = 0; k < 5; k++)
            weights[k] = t->kind < BASKET_BEST_OF ? mean[k] : 100.0 / book->assets[five[k]].spot;
        t->strike = 95.0;
        t->weights = copied(weights, sizeof weights);
    }
    for (int i = 0; i < 2; i++) {
        struct trade *t = add(book, PRODUCT_AUTOCALLABLE, 5, five);
        double initial[5];
        for (int k = 0; k < 5; k++) initial[k] = book->assets[five[k]].spot;
        if (i) t->quanto = (struct quanto){1, {RATE}};
        t->strike = 0.0;
        t->initial = copied(initial, sizeof initial);
        t->observations = dates_to(1.0, 4, false);
        t->call_level = 1.02, t->coupon = 0.02, t->coupon_level = 0.85, t->protection_level = 0.7,
        t->memory = i;
    }
    for (int i = 0; i < 2; i++) { /* as Greeks have them: one exercise, two slopes */
        struct trade *t = add(book, PRODUCT_AMERICAN, 5, five);
        double weights[5];
        for (int k = 0; k < 5; k++) weights[k] = 100.0 / book->assets[five[k]].spot;
        t->kind = BASKET_BEST_OF;
        t->strike = 95.0;
        t->weights = copied(weights, sizeof weights);
        t->exercise = dates_to(1.0, 4, false);
        t->slope_of = i ? 5 : 1;
    }
    struct trade *t = add(book, PRODUCT_SPREAD, 2, two);
    t->strike = 0.0;
    t->weights = copied((const double[]){1.0, -1.0}, 2 * sizeof(double));
}
