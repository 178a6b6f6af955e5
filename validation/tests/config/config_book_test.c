/* Books that are read: every value of one, and the books of inputs/. */
#include "app/config/read_trades.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/config/config_books.h"

/* The books of bad_input/ as they are, for all tests. */
static const char several_cfg[] = "validation/tests/config/bad_input/several.cfg";
static struct book one_asset, several;

static int load_books(void **state)
{
    load("validation/tests/config/bad_input/good.cfg", &one_asset);
    load(several_cfg, &several);
    return set_up(state);
}

static int free_books(void **state)
{
    book_free(&one_asset);
    book_free(&several);
    assert_null(one_asset.trades);
    return tear_down(state);
}

/* ---- every value ----------------------------------------------------------------------------- */

TEST(settings_are_read)
{
    assert_string_equal(one_asset.name, "Good book");
    assert_string_equal(one_asset.valuation_date, "2026-11-20");
    assert_int_equal(one_asset.settings.paths, 4096);
    assert_int_equal(one_asset.settings.seed, 7);
    assert_number(one_asset.settings.max_step, 0.05);
    assert_int_equal(one_asset.settings.max_paths, 67108864);
    assert_int_equal(one_asset.settings.check, CHECK_SAMPLE);
    assert_string_equal(one_asset.settings.kernel, "auto");
    assert_string_equal(one_asset.settings.engine, "auto");
    assert_int_equal(one_asset.n_files, 1);
}

TEST(the_market_is_read)
{
    const struct market *market = &one_asset.market;
    assert_int_equal(market->n_currencies, 2);
    assert_string_equal(market->currencies[1].name, "USD");
    assert_near(term_accrued(&market->currencies[0].rate, 3.0), 0.06);
    assert_near(term_accrued(&market->currencies[1].rate, 1.0), 0.035);
    assert_int_equal(market->n_assets, 3);
    const struct asset *index = &market->assets[0], *stock = &market->assets[1],
                       *fx = &market->assets[2];
    assert_string_equal(index->name, "IDX");
    assert_int_equal(index->currency, 0);
    assert_int_equal(index->foreign_currency, -1);
    assert_number(index->spot, 100.0);
    assert_near(term_accrued(&index->yield, 2.0), 0.04);
    assert_near(term_accrued(&index->variance, 1.0), 0.21 * 0.21);
    assert_number(stock->spot, 50.0);
    assert_int_equal(stock->model, MODEL_BLACK_SCHOLES);
    assert_near(term_accrued(&stock->variance, 2.0), 0.18);
    assert_int_equal(fx->foreign_currency, 0);
    assert_int_equal(fx->currency, 1);
    assert_near(term_accrued(&fx->yield, 1.5), 0.03);
    const double wanted[] = {1, 0.5, -0.25, 0.5, 1, 0, -0.25, 0, 1};
    for (int i = 0; i < 9; i++) assert_number(market->correlation[i], wanted[i]);
}

TEST(trades_are_read)
{
    assert_int_equal(one_asset.n_trades, 12);
    const struct trade *trade = find_trade(&one_asset, "EU");
    assert_int_equal(trade->product, PRODUCT_EUROPEAN);
    assert_int_equal(trade->line, 35);
    assert_string_equal(trade->file, "validation/tests/config/bad_input/good.cfg");
    assert_int_equal(trade->asset, 0);
    assert_number(trade->quantity, 3.0);
    assert_int_equal(trade->option, OPTION_CALL);
    assert_number(trade->strike, 101.0);
    assert_number(trade->expiry, 1.0); /* 365 days */
    trade = find_trade(&one_asset, "DI");
    assert_int_equal(trade->payout, PAYOUT_CASH);
    assert_number(trade->cash, 10.0);
    assert_number(trade->quantity, 1.0);
    trade = find_trade(&one_asset, "FS");
    assert_number(trade->start, 1.0);
    assert_number(trade->strike_ratio, 1.02);
    trade = find_trade(&one_asset, "LB");
    assert_int_equal(trade->strike_type, STRIKE_FLOATING);
    assert_number(trade->extreme, 112.5);
    assert_int_equal(trade->monitoring.n, 36);
}

TEST(barriers_and_touches_are_read)
{
    const struct trade *trade = find_trade(&one_asset, "BA");
    assert_number(trade->barrier, 80.0);
    assert_int_equal(trade->direction, DIRECTION_DOWN);
    assert_int_equal(trade->knock, KNOCK_OUT);
    assert_true(trade->monitoring.continuous);
    assert_int_equal(trade->monitoring.n, 0);
    assert_number(trade->rebate, 1.5);
    assert_int_equal(trade->pay_at, PAY_AT_EXPIRY);
    assert_false(trade->hit);
    trade = find_trade(&one_asset, "KI");
    assert_int_equal(trade->knock, KNOCK_IN);
    assert_int_equal(trade->pay_at, PAY_AT_EXPIRY); /* the default of a knock-in */
    assert_true(trade->hit);
    trade = find_trade(&one_asset, "DB");
    assert_number(trade->lower, 0.95);
    assert_number(trade->upper, 1.25);
    assert_number(trade->barrier, 0.0);
    assert_int_equal(trade->monitoring.n, 3);
    trade = find_trade(&one_asset, "TO");
    assert_int_equal(trade->touch, TOUCH_ONE);
    assert_int_equal(trade->direction, DIRECTION_UP);
    assert_int_equal(trade->pay_at, PAY_AT_HIT);
    assert_number(trade->cash, 1.0);
    trade = find_trade(&one_asset, "NT");
    assert_int_equal(trade->touch, TOUCH_NO);
    assert_int_equal(trade->direction, DIRECTION_NONE);
    assert_int_equal(trade->pay_at, PAY_AT_EXPIRY);
}

TEST(schedules_are_read)
{
    const struct trade *trade = find_trade(&one_asset, "AS");
    assert_int_equal(trade->fixings.n, 5);
    for (int i = 1; i <= 5; i++) assert_number(trade->fixings.times[i - 1], i * 1.25 / 5);
    assert_int_equal(trade->averaging, AVERAGING_GEOMETRIC);
    assert_int_equal(trade->past_count, 4);
    assert_number(trade->past_average, 99.5);
    trade = find_trade(&one_asset, "FL");
    assert_int_equal(trade->fixings.n, 3);
    assert_number(trade->fixings.times[0], 181.0 / 365.0);
    assert_number(trade->fixings.times[1], 0.75);
    assert_number(trade->fixings.times[2], trade->expiry);
}

/* ---- models, several assets, and the products on them ---------------------------------------- */

TEST(models_are_read)
{
    const struct asset *assets = several.market.assets;
    assert_int_equal(assets[0].model, MODEL_BLACK_SCHOLES);
    assert_int_equal(assets[0].n_dividends, 2);
    assert_number(assets[0].dividends[0].time, 0.4);
    assert_number(assets[0].dividends[0].amount, 1.5);
    assert_number(assets[0].dividends[1].time, 1.0); /* 365 days */
    assert_number(assets[0].dividends[1].amount, 2.0);
    assert_near(term_accrued(&assets[0].yield, 1.0), 0.01);
    assert_int_equal(assets[0].surface.n_times, 0);
    const struct asset *heston = &assets[2], *bates = &assets[3], *merton = &assets[4];
    assert_int_equal(heston->model, MODEL_HESTON);
    assert_int_equal(heston->variance.n, 0);
    const double wanted[] = {0.04, 1.5, 0.05, 0.3, -0.7};
    const double got[] = {heston->heston.v0, heston->heston.kappa, heston->heston.theta,
                          heston->heston.xi, heston->heston.rho};
    for (int i = 0; i < 5; i++) assert_number(got[i], wanted[i]);
    assert_int_equal(heston->heston.scheme, SCHEME_QUADRATIC_EXPONENTIAL);
    assert_int_equal(bates->model, MODEL_BATES);
    assert_int_equal(bates->heston.scheme, SCHEME_FULL_TRUNCATION);
    assert_number(bates->jumps.intensity, 0.1);
    assert_number(bates->jumps.mean, -0.1);
    assert_number(bates->jumps.stdev, 0.15);
    assert_int_equal(merton->model, MODEL_MERTON);
    assert_near(term_accrued(&merton->variance, 1.0), 0.0625);
    assert_number(merton->jumps.mean, 0.05);
    assert_int_equal(several.notes.n, 0);
}

TEST(surfaces_are_read)
{
    const struct asset *asset = &several.market.assets[1];
    const struct surface *surface = &asset->surface;
    assert_int_equal(asset->model, MODEL_LOCAL_VOL);
    assert_int_equal(asset->variance.n, 0);
    assert_int_equal(surface->n_times, 2);
    assert_int_equal(surface->n_strikes, 3);
    const double times[] = {0.5, 1.0}, strikes[] = {160, 200, 240},
                 vols[] = {0.24, 0.20, 0.19, 0.23, 0.21, 0.20};
    for (int i = 0; i < 2; i++) assert_number(surface->times[i], times[i]);
    for (int i = 0; i < 3; i++) assert_number(surface->strikes[i], strikes[i]);
    for (int i = 0; i < 6; i++) assert_number(surface->vols[i], vols[i]);
}

TEST(baskets_and_spreads_are_read)
{
    const struct trade *trade = find_trade(&several, "BK");
    assert_int_equal(trade->product, PRODUCT_BASKET);
    assert_int_equal(trade->kind, BASKET_AVERAGE);
    assert_assets(trade, 3, (const int[]){0, 1, 2});
    assert_weights(trade, (const double[]){0.5, 0.25, -1.0});
    assert_number(trade->strike, -5.0);
    assert_int_equal(trade->quanto, -1);
    trade = find_trade(&several, "GE");
    assert_int_equal(trade->kind, BASKET_GEOMETRIC);
    assert_weights(trade, (const double[]){1, 1});
    trade = find_trade(&several, "BE");
    assert_int_equal(trade->kind, BASKET_BEST_OF);
    assert_assets(trade, 3, (const int[]){1, 0, 3});
    assert_weights(trade, (const double[]){1, 2, 2.5});
    trade = find_trade(&several, "SP");
    assert_int_equal(trade->product, PRODUCT_SPREAD);
    assert_assets(trade, 2, (const int[]){1, 0});
    assert_weights(trade, (const double[]){1, -1});
    assert_number(trade->strike, 0.0);
}

TEST(cliquets_and_variance_swaps_are_read)
{
    const struct trade *trade = find_trade(&several, "CL");
    assert_int_equal(trade->product, PRODUCT_CLIQUET);
    assert_assets(trade, 1, (const int[]){0});
    assert_null(trade->weights);
    assert_int_equal(trade->resets.n, 4);
    for (int i = 0; i < 4; i++) assert_number(trade->resets.times[i], 0.25 * i);
    assert_number(trade->local_floor, -0.02);
    assert_number(trade->local_cap, 0.03);
    assert_number(trade->global_floor, 0.0);
    assert_number(trade->global_cap, HUGE_VAL);
    assert_number(trade->notional, 1000.0);
    trade = find_trade(&several, "VS");
    assert_int_equal(trade->product, PRODUCT_VARIANCE_SWAP);
    assert_number(trade->strike_volatility, 0.22);
    assert_int_equal(trade->fixings.n, 3);
    assert_number(trade->fixings.times[0], 0.25);
    assert_number(trade->notional, 10000.0);
    assert_number(trade->past_years, 0.25);
    assert_number(trade->past_variance, 0.05);
    assert_int_equal(trade->past_count, 0);
}

TEST(autocallables_are_read)
{
    struct book book;
    static const char *const sets[] = {"book.trades.[6].memory=false",
                                       "book.trades.[6].call_level=1.05"};
    const struct trade *trade = find_trade(&several, "AC");
    assert_int_equal(trade->product, PRODUCT_AUTOCALLABLE);
    assert_assets(trade, 2, (const int[]){0, 1});
    assert_number(trade->initial[0], 95.0);
    assert_number(trade->initial[1], 210.0);
    assert_int_equal(trade->observations.n, 3);
    assert_number(trade->observations.times[2], 3.0);
    assert_number(trade->call_level, 1.0);
    assert_number(trade->coupon, 0.08);
    assert_number(trade->coupon_level, 0.7);
    assert_true(trade->memory);
    assert_number(trade->protection_level, 0.6);
    assert_number(trade->notional, 100.0);
    load_set(several_cfg, 2, sets, &book);
    assert_false(find_trade(&book, "AC")->memory);
    assert_number(find_trade(&book, "AC")->call_level, 1.05);
    assert_number(find_trade(&book, "AC")->coupon_level, 0.7);
    book_free(&book);
}

TEST(americans_and_quantos_are_read)
{
    struct book book;
    static const char *const sets[] = {"book.trades.[7].exercise=3"};
    const struct trade *trade = find_trade(&several, "AM");
    assert_int_equal(trade->product, PRODUCT_AMERICAN);
    assert_assets(trade, 1, (const int[]){3});
    assert_null(trade->weights);
    assert_true(trade->exercise.continuous);
    assert_int_equal(trade->exercise.n, 0);
    trade = find_trade(&several, "BM");
    assert_assets(trade, 2, (const int[]){0, 2});
    assert_int_equal(trade->kind, BASKET_BEST_OF);
    assert_weights(trade, (const double[]){1, 2});
    assert_false(trade->exercise.continuous);
    assert_int_equal(trade->exercise.n, 2);
    assert_number(trade->exercise.times[0], 0.5);
    trade = find_trade(&several, "QU");
    assert_int_equal(trade->quanto, 5);
    assert_assets(trade, 1, (const int[]){0});
    load_set(several_cfg, 1, sets, &book);
    trade = find_trade(&book, "AM");
    assert_int_equal(trade->exercise.n, 3);
    assert_number(trade->exercise.times[0], 0.5);
    book_free(&book);
}

/* ---- the books of inputs/ -------------------------------------------------------------------- */

/* What golden digests and references are made of: every product and every model that is made of
 * quotes, quantos, cash dividends, long and short. */
TEST(the_desks_books_have_every_product_and_model)
{
    static const char *const books[] = {"inputs/book.cfg", "inputs/desk.cfg"};
    int models[N_MODELS] = {0}, products[N_PRODUCTS] = {0}, dividends = 0, quantos = 0, sold = 0;
    for (int i = 0; i < 2; i++) {
        struct book book;
        load(books[i], &book);
        for (int t = 0; t < book.n_trades; t++) {
            const struct trade *trade = &book.trades[t];
            const struct asset *asset = &book.market.assets[trade->asset];
            products[trade->product]++;
            models[asset->model]++;
            dividends += asset->n_dividends > 0;
            quantos += trade->quanto >= 0;
            sold += trade->quantity < 0.0;
        }
        book_free(&book);
    }
    for (int i = 0; i < N_PAYOFFS; i++) assert_in_range(products[i], 4, 1000);
    for (int i = 0; i <= MODEL_MERTON; i++) assert_in_range(models[i], 4, 1000);
    assert_true(dividends >= 4 && quantos >= 4 && sold >= 20);
}

/* ---- the table of products against the table of keys ----------------------------------------- */

TEST(every_key_of_a_product_can_be_read)
{
    for (int i = 0; i < N_PRODUCTS; i++) {
        const char *lists[] = {product_required_keys((enum product)i),
                               product_optional_keys((enum product)i)};
        for (int j = 0; j < 2; j++) {
            char words[300];
            snprintf(words, sizeof words, "%s", lists[j]);
            for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
                if (table_row(&trade_table, word) < 0)
                    fail_msg("%s: no row for '%s'", product_name((enum product)i), word);
        }
    }
}

ALL_TESTS_BETWEEN(config_book_test, load_books, free_books)
