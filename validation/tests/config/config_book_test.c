/* Books that are read: every value of one, and the books of inputs/. */
#include "app/config/read_trades.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/config/config_books.h"

static const char good_cfg[] = "validation/tests/config/bad_input/good.cfg",
                  several_cfg[] = "validation/tests/config/bad_input/several.cfg",
                  quantos_cfg[] = "validation/tests/config/bad_input/quantos.cfg";

/* ---- every value ----------------------------------------------------------------------------- */

TEST(settings_are_read)
{
    load(good_cfg);
    assert_string_equal(book.name, "Good book");
    assert_string_equal(book.valuation_date, "2026-11-20");
    assert_int_equal(book.settings.paths, 4096);
    assert_int_equal(book.settings.seed, 7);
    assert_number(book.settings.max_step, 0.05);
    assert_int_equal(book.settings.max_paths, 67108864);
    assert_int_equal(book.settings.check, CHECK_SAMPLE);
    assert_string_equal(book.settings.kernel, "auto");
    assert_string_equal(book.settings.engine, "auto");
    assert_int_equal(book.n_files, 1);
}

TEST(the_market_is_read)
{
    load(good_cfg);
    const struct market *market = &book.market;
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

/* Every product: the trades of good.cfg, those of several.cfg, and lists of rates. */
TEST(trades_are_read)
{
    static const char *const rows[][2] = {
        {"EU", "european on 0 quantity=3 option=call strike=101 expiry=1"}, /* 365 days */
        {"DI", "digital on 1 option=put payout=cash strike=51 cash=10 expiry=0.5"},
        {"AS", "asian on 0 option=call averaging=geometric strike_type=fixed strike=102 "
               "fixings=0.25,0.5,0.75,1,1.25 expiry=1.25 past_count=4 past_average=99.5"},
        {"FL", "asian on 0 option=put averaging=arithmetic strike_type=floating "
               "fixings=0.4958904109589041,0.75,1 expiry=1"}, /* 181 days first */
        {"BA", "barrier on 0 option=call direction=down knock=out rebate_at=expiry strike=103 "
               "barrier=80 rebate=1.5 monitoring=always expiry=2"},
        {"KI", "barrier on 0 option=put direction=down knock=in rebate_at=expiry strike=104 "
               "barrier=70 hit=1 monitoring=0.25,0.5,0.75,1,1.25,1.5,1.75,2,2.25,2.5 expiry=2.5"},
        {"DB", "double_barrier on 2 option=call knock=out strike=1.05 lower=0.95 upper=1.25 "
               "monitoring=0.1,0.2,0.3 expiry=0.3"},
        {"TO", "touch on 2 direction=up pay_at=hit touch=one cash=1 barrier=1.2 monitoring=always "
               "expiry=0.6"},
        {"LB", "lookback on 0 option=put strike_type=floating extreme=112.5 monitoring:36 "
               "expiry=3"},
        {"LF", "lookback on 0 option=call strike_type=fixed strike=105 monitoring=always "
               "expiry=1.5"},
        {"FS", "forward_start on 1 option=call start=1 strike_ratio=1.02 expiry=4"},
        {"BK", "basket on 0+1+2 option=call strike=-5 kind=average expiry=1 weights=0.5,0.25,-1"},
        {"GE", "basket on 0+1 option=put strike=140 kind=geometric expiry=1 weights=1,1"},
        {"BE", "basket on 1+0+3 option=call strike=210 kind=best_of expiry=1 weights=1,2,2.5"},
        {"SP", "spread on 1+0 option=call expiry=2 weights=1,-1"},
        {"CL", "cliquet on 0 notional=1000 reset_times=0,0.25,0.5,0.75 local_floor=-0.02 "
               "local_cap=0.03 global_cap=inf expiry=1"},
        {"VS", "variance_swap on 2 fixings=0.25,0.5,0.75 notional=10000 strike_volatility=0.22 "
               "expiry=0.75 past_years=0.25 past_variance=0.05"},
        {"AC", "autocallable on 0+1 notional=100 observation_times=1,2,3 call_level=1 coupon=0.08 "
               "coupon_level=0.7 memory=1 protection_level=0.6 expiry=3 initial=95,210"},
        {"AM", "american on 3 option=put strike=82 kind=average exercise=always expiry=1.5"},
        {"BM", "american on 0+2 option=call strike=105 kind=best_of exercise=0.5,1 expiry=1 "
               "weights=1,2"},
        {"QU", "european on 0 quanto=5 option=call strike=100 expiry=1"},
        {"EU", "basket on 1+2+3 quanto=0+5 option=put strike=100 kind=worst_of expiry=1 "
               "weights=1,1,1"},
        {"US", "basket on 1+2+3 quanto=5+7 option=put strike=100 kind=worst_of expiry=1 "
               "weights=1,1,1"},
        {"JP", "european on 3 quanto=0 option=put strike=100 expiry=1"}};
    load(good_cfg);
    assert_int_equal(book.n_trades, 12);
    assert_int_equal(find_trade("EU")->line, 35);
    assert_string_equal(find_trade("EU")->file, good_cfg);
    assert_int_equal(find_trade("NT")->direction, DIRECTION_NONE);
    assert_int_equal(find_trade("NT")->touch, TOUCH_NO);
    assert_number(find_trade("NT")->upper, 1.3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(rows[i][0], "BK")) load(several_cfg);
        if (!strcmp(rows[i - (i > 0)][0], "QU")) load(quantos_cfg);
        assert_trade(rows[i][0], rows[i][1]);
    }
}

/* What --set changes, and what the book has beside it. */
TEST(trades_are_set)
{
    static const char *const sets[] = {"book.trades.[6].memory=false",
                                       "book.trades.[6].call_level=1.05",
                                       "book.trades.[7].exercise=3"};
    load_set(several_cfg, 3, sets);
    assert_trade("AC", "autocallable on 0+1 notional=100 observation_times=1,2,3 call_level=1.05 "
                       "coupon=0.08 coupon_level=0.7 protection_level=0.6 expiry=3 "
                       "initial=95,210");
    assert_trade("AM", "american on 3 option=put strike=82 kind=average exercise=0.5,1,1.5 "
                       "expiry=1.5");
}

/* ---- models ---------------------------------------------------------------------------------- */

TEST(models_are_read)
{
    load(several_cfg);
    const struct asset *assets = book.market.assets;
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
    const struct heston wanted = {0.04, 1.5, 0.05, 0.3, -0.7, SCHEME_QUADRATIC_EXPONENTIAL};
    assert_memory_equal(&heston->heston, &wanted, 5 * sizeof(double));
    assert_int_equal(heston->heston.scheme, wanted.scheme);
    assert_int_equal(bates->model, MODEL_BATES);
    assert_int_equal(bates->heston.scheme, SCHEME_FULL_TRUNCATION);
    assert_number(bates->jumps.intensity, 0.1);
    assert_number(bates->jumps.mean, -0.1);
    assert_number(bates->jumps.stdev, 0.15);
    assert_int_equal(merton->model, MODEL_MERTON);
    assert_near(term_accrued(&merton->variance, 1.0), 0.0625);
    assert_number(merton->jumps.mean, 0.05);
    assert_int_equal(book.notes.n, 0);
}

TEST(surfaces_are_read)
{
    load(several_cfg);
    const struct asset *asset = &book.market.assets[1];
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

/* ---- the books of inputs/ -------------------------------------------------------------------- */

/* What golden digests and references are made of: every product and every model that is made of
 * quotes, quantos, cash dividends, long and short. */
TEST(the_desks_books_have_every_product_and_model)
{
    static const char *const books[] = {"inputs/book.cfg", "inputs/desk.cfg"};
    int models[N_MODELS] = {0}, products[N_PRODUCTS] = {0}, dividends = 0, quantos = 0, sold = 0;
    for (int i = 0; i < 2; i++) {
        load(books[i]);
        for (int t = 0; t < book.n_trades; t++) {
            const struct trade *trade = &book.trades[t];
            const struct asset *asset = &book.market.assets[trade->asset];
            products[trade->product]++;
            models[asset->model]++;
            dividends += asset->n_dividends > 0;
            quantos += trade->quanto.n > 0;
            sold += trade->quantity < 0.0;
        }
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

ALL_TESTS_BETWEEN(config_book_test, set_up, tear_down)
