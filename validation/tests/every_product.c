#include "validation/tests/every_product.h"

#include <math.h>
#include <stdio.h>

#include "validation/tests/owned_trade.h"

static void make_market(struct every_product *book, double volatility_error)
{
    static const double pillars[3] = {0.3, 0.8, 2.0}, one[1] = {1.0};
    static const double rates[2][3] = {{0.020, 0.028, 0.030}, {0.045, 0.041, 0.036}},
                        negative[1] = {-0.004};
    static const double yields[3] = {0.010, 0.022, 0.020}, foreign[1] = {-0.006};
    double vols[5][3] = {{0.28, 0.25, 0.24},
                         {0.17, 0.18, 0.19},
                         {0.10, 0.10, 0.10},
                         {0.35, 0.33, 0.30},
                         {0.22, 0.21, 0.23}};
    int at = 0;
    for (int a = 0; a < 5; a++)
        for (int i = 0; i < 3; i++) vols[a][i] *= 1.0 + volatility_error;
    for (int a = 0; a < 3; a++) book->currencies[a] = (struct currency){.name = NULL};
    term_from_rates(&book->currencies[0].rate, 3, pillars, rates[0]);
    term_from_rates(&book->currencies[1].rate, 3, pillars, rates[1]);
    term_from_rates(&book->currencies[2].rate, 1, one, negative);
    static const double spots[5] = {100.0, 4850.0, 0.95, 62.0, 210.0};
    static const int currencies[5] = {0, 1, 2, 0, 0};
    for (int a = 0; a < 5; a++) {
        book->assets[a] =
            (struct asset){.currency = currencies[a], .foreign_currency = -1, .spot = spots[a]};
        if (a != 2) term_from_rates(&book->assets[a].yield, 3, pillars, yields);
        else term_from_rates(&book->assets[a].yield, 1, one, foreign);
        term_from_volatilities(&book->assets[a].variance, 3, pillars, vols[a], &at);
    }
    for (int a = 0; a < 5; a++) book->correlation[a * 5 + a] = 1.0;
    book->correlation[0 * 5 + 3] = book->correlation[3 * 5 + 0] = 0.6;
    book->correlation[0 * 5 + 4] = book->correlation[4 * 5 + 0] = -0.3;
    book->correlation[3 * 5 + 4] = book->correlation[4 * 5 + 3] = 0.25;
    book->market = (struct market){.n_currencies = 3,
                                   .currencies = book->currencies,
                                   .n_assets = 5,
                                   .assets = book->assets,
                                   .correlation = book->correlation};
}

static struct trade *add(struct every_product *book, int asset, enum product product,
                         enum option option, double strike, double expiry)
{
    struct trade *t = &book->trades[book->n_trades];
    snprintf(book->ids[book->n_trades], sizeof book->ids[0], "%s %d", product_name(product),
             book->n_trades);
    *t = owned_trade(product, 1, &asset, strike * book->assets[asset].spot, expiry);
    t->id = book->ids[book->n_trades];
    t->option = option;
    t->cash = 1.0;
    book->n_trades++;
    return t;
}

static void add_barriers(struct every_product *book, int asset)
{
    double spot = book->assets[asset].spot;
    for (int kind = 0; kind < 8; kind++) {
        struct trade *t =
            add(book, asset, PRODUCT_BARRIER, kind & 1 ? OPTION_PUT : OPTION_CALL, 1.0, 1.1);
        t->direction = kind & 2 ? DIRECTION_UP : DIRECTION_DOWN;
        t->barrier = spot * (kind & 2 ? 1.18 : 0.86);
        t->knock = kind & 4 ? KNOCK_IN : KNOCK_OUT;
        t->rebate = 0.03 * spot;
        t->pay_at = t->knock == KNOCK_OUT && kind & 1 ? PAY_AT_HIT : PAY_AT_EXPIRY;
        t->monitoring = kind % 3 ? always() : dates_to(1.1, 13, kind == 3);
    }
    for (int kind = 0; kind < 4; kind++) {
        struct trade *t =
            add(book, asset, PRODUCT_DOUBLE_BARRIER, kind & 1 ? OPTION_PUT : OPTION_CALL, 1.0, 0.9);
        t->lower = 0.8 * spot, t->upper = 1.25 * spot;
        t->knock = kind & 1 ? KNOCK_IN : KNOCK_OUT;
        t->monitoring = kind & 2 ? always() : dates_to(0.9, 9, false);
    }
}

static void add_touches(struct every_product *book, int asset)
{
    double spot = book->assets[asset].spot;
    for (int kind = 0; kind < 8; kind++) {
        struct trade *t = add(book, asset, PRODUCT_TOUCH, OPTION_CALL, 1.0, 1.0);
        bool both = kind & 1;
        t->strike = 0.0;
        t->touch = kind < 6 ? TOUCH_ONE : TOUCH_NO;
        t->cash = 0.2 * spot;
        t->pay_at = kind < 4 ? PAY_AT_HIT : PAY_AT_EXPIRY;
        if (both) t->lower = 0.85 * spot, t->upper = 1.2 * spot;
        else
            t->direction = kind & 2 ? DIRECTION_UP : DIRECTION_DOWN,
            t->barrier = spot * (kind & 2 ? 1.1 : 0.9);
        t->monitoring = kind == 2 || kind == 3 ? dates_to(1.0, 17, false) : always();
    }
}

/* As they are for Greeks: priced by their means over the normal of a date, the first, the last or
 * one between, before the expiry or on it. */
static void add_conditionals(struct every_product *book, int asset)
{
    enum { DATES = 12, PRODUCTS = 3 };
    static const enum product products[PRODUCTS] = {PRODUCT_BARRIER, PRODUCT_DOUBLE_BARRIER,
                                                    PRODUCT_TOUCH};
    double spot = book->assets[asset].spot;
    for (int kind = 0; kind < 8 * PRODUCTS; kind++) {
        enum product product = products[kind / 8];
        struct trade *t = add(book, asset, product, kind & 1 ? OPTION_PUT : OPTION_CALL, 1.02, 1.1);
        if (product == PRODUCT_DOUBLE_BARRIER || kind >= 8 * PRODUCTS - 2) {
            t->lower = 0.86 * spot, t->upper = 1.19 * spot;
        } else {
            t->direction = kind & 2 ? DIRECTION_UP : DIRECTION_DOWN;
            t->barrier = spot * (kind & 2 ? 1.15 : 0.88);
        }
        t->knock = kind & 4 ? KNOCK_IN : KNOCK_OUT;
        t->touch = kind & 4 ? TOUCH_NO : TOUCH_ONE;
        t->pay_at = PAY_AT_EXPIRY;
        t->rebate = product == PRODUCT_BARRIER ? 0.02 * spot : 0.0;
        t->monitoring = dates_to(kind & 8 ? 1.1 : 0.95, DATES, kind % 5 == 0);
        t->pivot = t->monitoring.times[(kind % 5 == 0) + 5 * kind % DATES];
    }
}

static void add_averages(struct every_product *book, int asset)
{
    for (int kind = 0; kind < 6; kind++) {
        struct trade *t =
            add(book, asset, PRODUCT_ASIAN, kind & 1 ? OPTION_PUT : OPTION_CALL, 1.0, 0.7);
        t->averaging = kind & 2 ? AVERAGING_GEOMETRIC : AVERAGING_ARITHMETIC;
        t->strike_type = kind & 4 ? STRIKE_FLOATING : STRIKE_FIXED;
        if (t->strike_type == STRIKE_FLOATING) t->strike = 0.0;
        t->fixings = dates_to(0.7, kind & 1 ? 35 : 11, kind == 2);
        if (kind == 3 || kind == 4)
            t->past_count = 5, t->past_average = 0.98 * book->assets[asset].spot;
    }
}

static void add_lookbacks(struct every_product *book, int asset)
{
    double spot = book->assets[asset].spot;
    for (int kind = 0; kind < 6; kind++) {
        struct trade *t =
            add(book, asset, PRODUCT_LOOKBACK, kind & 1 ? OPTION_PUT : OPTION_CALL, 1.02, 0.8);
        t->strike_type = kind & 2 ? STRIKE_FLOATING : STRIKE_FIXED;
        bool highest = (t->option == OPTION_CALL) != (t->strike_type == STRIKE_FLOATING);
        if (t->strike_type == STRIKE_FLOATING) t->strike = 0.0;
        if (kind > 2) t->extreme = highest ? 1.05 * spot : 0.96 * spot;
        t->monitoring = kind < 4 ? always() : dates_to(0.8, 10, kind == 5);
    }
}

/* Enough strikes on one date for a ladder: calls, puts and digitals, two of them on one strike. */
static void add_strikes(struct every_product *book, int asset)
{
    for (int i = 0; i < 24; i++) {
        struct trade *t = add(book, asset, i % 5 ? PRODUCT_EUROPEAN : PRODUCT_DIGITAL,
                              i & 1 ? OPTION_PUT : OPTION_CALL, 0.8 + 0.02 * (i / 2 * 2), 0.6);
        t->payout = i % 10 ? PAYOUT_CASH : PAYOUT_ASSET;
        t->cash = 0.1 * book->assets[asset].spot;
    }
}

/* The assets of a trade, not in the order of the market, and their weights. */
static void make_basket(struct trade *t, enum basket_kind kind, int n, const int *assets,
                        const double *weights)
{
    free(t->assets);
    t->kind = kind;
    t->n_assets = n;
    t->asset = assets[0];
    t->assets = copied(assets, sizeof(int) * (size_t)n);
    t->weights = copied(weights, sizeof(double) * (size_t)n);
}

static const int three[3] = {3, 0, 4};

static void add_baskets(struct every_product *book)
{
    static const double mean[3] = {0.4, 0.35, 0.25},
                        level[3] = {1.0 / 62.0, 1.0 / 100.0, 1.0 / 210.0};
    static const double strikes[4] = {112.0, 95.0, 1.1, 0.92}, difference[2] = {1.0, -0.3};
    static const int two[2] = {3, 4};
    for (int kind = 0; kind < 8; kind++) {
        struct trade *t = add(book, 0, PRODUCT_BASKET, kind & 4 ? OPTION_PUT : OPTION_CALL, 0.0,
                              kind & 4 ? 0.5 : 1.0);
        make_basket(t, (enum basket_kind)(kind & 3), 3, three, (kind & 3) < 2 ? mean : level);
        t->strike = strikes[kind & 3];
    }
    for (int i = 0; i < 2; i++) {
        struct trade *t = add(book, 0, PRODUCT_SPREAD, i ? OPTION_PUT : OPTION_CALL, 0.0, 1.0);
        make_basket(t, BASKET_AVERAGE, 2, two, difference);
        t->strike = i ? 2.0 : 0.0;
    }
}

static void add_returns(struct every_product *book, int asset)
{
    for (int i = 0; i < 2; i++) {
        struct trade *t = add(book, asset, PRODUCT_CLIQUET, OPTION_CALL, 0.0, 1.0);
        t->notional = 1000.0;
        t->resets = dates_to(0.75, 3, !i);
        t->local_floor = -0.03, t->local_cap = i ? HUGE_VAL : 0.06;
        t->global_floor = i ? -HUGE_VAL : 0.01, t->global_cap = 0.2;
        t = add(book, asset, PRODUCT_VARIANCE_SWAP, OPTION_CALL, 0.0, 1.0);
        t->notional = 10000.0;
        t->strike_volatility = 0.2;
        t->fixings = dates_to(1.0, 12, i);
        if (i) t->past_years = 0.5, t->past_variance = 0.05;
    }
}

/* A worst-of with memory whose expiry is an observation, and one on one asset where it is not. */
static void add_autocallables(struct every_product *book)
{
    static const double initial[3] = {60.0, 104.0, 200.0};
    for (int i = 0; i < 2; i++) {
        struct trade *t = add(book, 0, PRODUCT_AUTOCALLABLE, OPTION_CALL, 0.0, 1.0);
        if (!i) {
            make_basket(t, BASKET_AVERAGE, 3, three, initial);
            free(t->weights);
            t->weights = NULL;
        }
        t->initial =
            copied(i ? &book->assets[0].spot : initial, sizeof(double) * (size_t)t->n_assets);
        t->observations = i ? dates_to(0.75, 3, true) : dates_to(1.0, 4, false);
        t->call_level = i ? 1.04 : 1.0;
        t->coupon = 0.02, t->coupon_level = 0.85, t->memory = !i;
        t->protection_level = 0.75;
        t->notional = 1000.0;
    }
}

/* The same for Greeks, with no memory: the means over the normal of their first observation. */
static void add_open_autocallables(struct every_product *book)
{
    int first = 0;
    while (book->trades[first].product != PRODUCT_AUTOCALLABLE) first++;
    for (int i = 0; i < 4; i++) {
        const struct trade *like = &book->trades[first + i % 2];
        struct trade *t = add(book, 0, PRODUCT_AUTOCALLABLE, OPTION_CALL, 0.0, 1.0);
        char *id = t->id;
        free(t->assets);
        *t = *like;
        t->id = id;
        t->asset = like->assets[0];
        t->assets = copied(like->assets, sizeof(int) * (size_t)like->n_assets);
        t->initial = copied(like->initial, sizeof(double) * (size_t)like->n_assets);
        t->observations = dates_to(i % 2 ? 0.75 : 1.0, i == 3 ? 1 : 3 + i, i == 1);
        t->memory = false;
        t->coupon_level = i < 2 ? 0.85 : t->call_level;
        t->pivot = t->observations.times[i == 1];
    }
}

static void add_americans(struct every_product *book)
{
    static const double level[3] = {100.0 / 62.0, 1.0, 100.0 / 210.0};
    for (int i = 0; i < 5; i++) {
        struct trade *t =
            add(book, 0, PRODUCT_AMERICAN, i & 1 ? OPTION_CALL : OPTION_PUT, 1.0, 1.0);
        if (i) make_basket(t, (enum basket_kind)(i - 1), 3, three, level);
        if (i == 1)
            for (int a = 0; a < 3; a++) t->weights[a] /= 3.0;
        t->exercise = dates_to(1.0, i ? 6 : 10, false);
    }
}

/* As Greeks have them: what is paid is the slope of a put on one asset, slopes of the best and the
 * worst of three, two of each, which share their exercise, and the put itself by their policy; and
 * a put on an average of two. */
static void add_slopes(struct every_product *book)
{
    static const double level[3] = {100.0 / 62.0, 1.0, 100.0 / 210.0},
                        halves[2] = {50.0 / 62.0, 0.5};
    static const int slope_of[6] = {1, 1, 3, 2, 3, 0};
    for (int i = 0; i < 6; i++) {
        bool best = i == 1 || i == 2;
        struct trade *t = add(book, 0, PRODUCT_AMERICAN, best ? OPTION_CALL : OPTION_PUT, 1.0, 1.0);
        if (i) make_basket(t, best ? BASKET_BEST_OF : BASKET_WORST_OF, 3, three, level);
        t->exercise = dates_to(1.0, 6, false);
        t->slope_of = slope_of[i];
        t->exercise_apart = !t->slope_of;
    }
    struct trade *t = add(book, 0, PRODUCT_AMERICAN, OPTION_PUT, 1.0, 1.0);
    make_basket(t, BASKET_AVERAGE, 2, three, halves);
    t->exercise = dates_to(1.0, 6, false);
    t->exercise_apart = true;
}

void every_product_make(struct every_product *book, double volatility_error)
{
    *book = (struct every_product){0};
    make_market(book, volatility_error);
    for (int i = 0; i < 4; i++) {
        struct trade *t = add(book, i % 2, PRODUCT_EUROPEAN, i & 1 ? OPTION_PUT : OPTION_CALL,
                              0.9 + 0.07 * i, 0.25 + 0.5 * i);
        t->quantity = 1.0 + i;
        t = add(book, i % 2, PRODUCT_DIGITAL, i & 1 ? OPTION_PUT : OPTION_CALL, 0.95 + 0.05 * i,
                0.5);
        t->payout = i & 2 ? PAYOUT_ASSET : PAYOUT_CASH;
        t->cash = 0.1 * book->assets[t->asset].spot;
    }
    for (int i = 0; i < 3; i++) {
        struct trade *t =
            add(book, i % 2, PRODUCT_FORWARD_START, i & 1 ? OPTION_PUT : OPTION_CALL, 0.0, 1.2);
        t->start = 0.4 * i;
        t->strike_ratio = 1.02;
    }
    add_barriers(book, 0);
    add_touches(book, 1);
    add_touches(book, 2);
    add_averages(book, 0);
    add_lookbacks(book, 1);
    add_strikes(book, 0);
    add_baskets(book);
    add_returns(book, 1);
    add_autocallables(book);
    add_americans(book);
    add_conditionals(book, 0);
    add_open_autocallables(book);
    add_slopes(book);
}

void every_product_free(struct every_product *book)
{
    for (int i = 0; i < 3; i++) term_free(&book->currencies[i].rate);
    for (int i = 0; i < 5; i++) {
        term_free(&book->assets[i].yield);
        term_free(&book->assets[i].variance);
    }
    for (int i = 0; i < book->n_trades; i++) {
        book->trades[i].id = NULL;
        trade_free(&book->trades[i]);
    }
}
