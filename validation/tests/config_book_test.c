/* Books that are read: every value of one, every form a file may take, includes, --set, the books
 * of inputs/, and a hundred thousand trades. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/config/load_book.h"
#include "app/config/read_trades.h"

static char folder[] = P_tmpdir "/pricer-book-XXXXXX";

static void load_set(const char *path, int n_sets, const char *const *sets, struct book *book)
{
    struct complaints complaints = {0};
    enum status status = book_load_set(path, n_sets, sets, book, &complaints);
    for (int i = 0; i < complaints.n; i++) print_error("%s\n", complaints.list[i].line);
    assert_int_equal(complaints.n, 0);
    assert_int_equal(status, STATUS_OK);
    complaints_free(&complaints);
}

static void load(const char *path, struct book *book)
{
    load_set(path, 0, NULL, book);
}

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const struct trade *find_trade(const struct book *book, const char *id)
{
    for (int i = 0; i < book->n_trades; i++)
        if (!strcmp(book->trades[i].id, id)) return &book->trades[i];
    fail_msg("no trade '%s'", id);
    return NULL;
}

/* Equal to the last bit. */
static void assert_number(double got, double wanted)
{
    if (got != wanted) fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-15)) fail_msg("got %.17g, wanted %.17g", got, wanted);
}

/* ---- every value ----------------------------------------------------------------------------- */

static void settings_are_read(void **state)
{
    (void)state;
    struct book book;
    load("validation/tests/bad_input/good.cfg", &book);
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
    book_free(&book);
    assert_null(book.trades);
}

static void the_market_is_read(void **state)
{
    (void)state;
    struct book book;
    load("validation/tests/bad_input/good.cfg", &book);
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
    book_free(&book);
}

static void trades_are_read(void **state)
{
    (void)state;
    struct book book;
    load("validation/tests/bad_input/good.cfg", &book);
    assert_int_equal(book.n_trades, 12);
    const struct trade *trade = find_trade(&book, "EU");
    assert_int_equal(trade->product, PRODUCT_EUROPEAN);
    assert_int_equal(trade->line, 35);
    assert_string_equal(trade->file, "validation/tests/bad_input/good.cfg");
    assert_int_equal(trade->asset, 0);
    assert_number(trade->quantity, 3.0);
    assert_int_equal(trade->option, OPTION_CALL);
    assert_number(trade->strike, 101.0);
    assert_number(trade->expiry, 1.0); /* 365 days */
    trade = find_trade(&book, "DI");
    assert_int_equal(trade->payout, PAYOUT_CASH);
    assert_number(trade->cash, 10.0);
    assert_number(trade->quantity, 1.0);
    trade = find_trade(&book, "FS");
    assert_number(trade->start, 1.0);
    assert_number(trade->strike_ratio, 1.02);
    trade = find_trade(&book, "LB");
    assert_int_equal(trade->strike_type, STRIKE_FLOATING);
    assert_number(trade->extreme, 112.5);
    assert_int_equal(trade->monitoring.n, 36);
    book_free(&book);
}

static void barriers_and_touches_are_read(void **state)
{
    (void)state;
    struct book book;
    load("validation/tests/bad_input/good.cfg", &book);
    const struct trade *trade = find_trade(&book, "BA");
    assert_number(trade->barrier, 80.0);
    assert_int_equal(trade->direction, DIRECTION_DOWN);
    assert_int_equal(trade->knock, KNOCK_OUT);
    assert_true(trade->monitoring.continuous);
    assert_int_equal(trade->monitoring.n, 0);
    assert_number(trade->rebate, 1.5);
    assert_int_equal(trade->pay_at, PAY_AT_EXPIRY);
    assert_false(trade->hit);
    trade = find_trade(&book, "KI");
    assert_int_equal(trade->knock, KNOCK_IN);
    assert_int_equal(trade->pay_at, PAY_AT_EXPIRY); /* the default of a knock-in */
    assert_true(trade->hit);
    trade = find_trade(&book, "DB");
    assert_number(trade->lower, 0.95);
    assert_number(trade->upper, 1.25);
    assert_number(trade->barrier, 0.0);
    assert_int_equal(trade->monitoring.n, 3);
    trade = find_trade(&book, "TO");
    assert_int_equal(trade->touch, TOUCH_ONE);
    assert_int_equal(trade->direction, DIRECTION_UP);
    assert_int_equal(trade->pay_at, PAY_AT_HIT);
    assert_number(trade->cash, 1.0);
    trade = find_trade(&book, "NT");
    assert_int_equal(trade->touch, TOUCH_NO);
    assert_int_equal(trade->direction, DIRECTION_NONE);
    assert_int_equal(trade->pay_at, PAY_AT_EXPIRY);
    book_free(&book);
}

static void schedules_are_read(void **state)
{
    (void)state;
    struct book book;
    load("validation/tests/bad_input/good.cfg", &book);
    const struct trade *trade = find_trade(&book, "AS");
    assert_int_equal(trade->fixings.n, 5);
    for (int i = 1; i <= 5; i++) assert_number(trade->fixings.times[i - 1], i * 1.25 / 5);
    assert_int_equal(trade->averaging, AVERAGING_GEOMETRIC);
    assert_int_equal(trade->past_count, 4);
    assert_number(trade->past_average, 99.5);
    trade = find_trade(&book, "FL");
    assert_int_equal(trade->fixings.n, 3);
    assert_number(trade->fixings.times[0], 181.0 / 365.0);
    assert_number(trade->fixings.times[1], 0.75);
    assert_number(trade->fixings.times[2], trade->expiry);
    book_free(&book);
}

/* ---- models, several assets, and the products on them ---------------------------------------- */

static const char several[] = "validation/tests/bad_input/several.cfg";

static void models_are_read(void **state)
{
    (void)state;
    struct book book;
    load(several, &book);
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
    assert_int_equal(book.notes.n, 0);
    book_free(&book);
}

static void surfaces_are_read(void **state)
{
    (void)state;
    struct book book;
    load(several, &book);
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
    book_free(&book);
}

static void assert_assets(const struct trade *trade, int n, const int *assets)
{
    assert_int_equal(trade->n_assets, n);
    assert_int_equal(trade->asset, assets[0]);
    for (int i = 0; i < n; i++) assert_int_equal(trade->assets[i], assets[i]);
}

static void assert_weights(const struct trade *trade, const double *weights)
{
    for (int i = 0; i < trade->n_assets; i++) assert_number(trade->weights[i], weights[i]);
}

static void baskets_and_spreads_are_read(void **state)
{
    (void)state;
    struct book book;
    load(several, &book);
    const struct trade *trade = find_trade(&book, "BK");
    assert_int_equal(trade->product, PRODUCT_BASKET);
    assert_int_equal(trade->kind, BASKET_AVERAGE);
    assert_assets(trade, 3, (const int[]){0, 1, 2});
    assert_weights(trade, (const double[]){0.5, 0.25, -1.0});
    assert_number(trade->strike, -5.0);
    assert_int_equal(trade->quanto, -1);
    trade = find_trade(&book, "GE");
    assert_int_equal(trade->kind, BASKET_GEOMETRIC);
    assert_weights(trade, (const double[]){1, 1});
    trade = find_trade(&book, "BE");
    assert_int_equal(trade->kind, BASKET_BEST_OF);
    assert_assets(trade, 3, (const int[]){1, 0, 3});
    assert_weights(trade, (const double[]){1, 2, 2.5});
    trade = find_trade(&book, "SP");
    assert_int_equal(trade->product, PRODUCT_SPREAD);
    assert_assets(trade, 2, (const int[]){1, 0});
    assert_weights(trade, (const double[]){1, -1});
    assert_number(trade->strike, 0.0);
    book_free(&book);
}

static void cliquets_and_variance_swaps_are_read(void **state)
{
    (void)state;
    struct book book;
    load(several, &book);
    const struct trade *trade = find_trade(&book, "CL");
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
    trade = find_trade(&book, "VS");
    assert_int_equal(trade->product, PRODUCT_VARIANCE_SWAP);
    assert_number(trade->strike_volatility, 0.22);
    assert_int_equal(trade->fixings.n, 3);
    assert_number(trade->fixings.times[0], 0.25);
    assert_number(trade->notional, 10000.0);
    assert_number(trade->past_years, 0.25);
    assert_number(trade->past_variance, 0.05);
    assert_int_equal(trade->past_count, 0);
    book_free(&book);
}

static void autocallables_are_read(void **state)
{
    (void)state;
    static const char *const sets[] = {"book.trades.[6].memory=false",
                                       "book.trades.[6].call_level=1.05"};
    struct book book;
    load(several, &book);
    const struct trade *trade = find_trade(&book, "AC");
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
    book_free(&book);
    load_set(several, 2, sets, &book);
    assert_false(find_trade(&book, "AC")->memory);
    assert_number(find_trade(&book, "AC")->call_level, 1.05);
    assert_number(find_trade(&book, "AC")->coupon_level, 0.7);
    book_free(&book);
}

static void americans_and_quantos_are_read(void **state)
{
    (void)state;
    static const char *const sets[] = {"book.trades.[7].exercise=3"};
    struct book book;
    load(several, &book);
    const struct trade *trade = find_trade(&book, "AM");
    assert_int_equal(trade->product, PRODUCT_AMERICAN);
    assert_assets(trade, 1, (const int[]){3});
    assert_null(trade->weights);
    assert_true(trade->exercise.continuous);
    assert_int_equal(trade->exercise.n, 0);
    trade = find_trade(&book, "BM");
    assert_assets(trade, 2, (const int[]){0, 2});
    assert_int_equal(trade->kind, BASKET_BEST_OF);
    assert_weights(trade, (const double[]){1, 2});
    assert_false(trade->exercise.continuous);
    assert_int_equal(trade->exercise.n, 2);
    assert_number(trade->exercise.times[0], 0.5);
    trade = find_trade(&book, "QU");
    assert_int_equal(trade->quanto, 5);
    assert_assets(trade, 1, (const int[]){0});
    book_free(&book);
    load_set(several, 1, sets, &book);
    trade = find_trade(&book, "AM");
    assert_int_equal(trade->exercise.n, 3);
    assert_number(trade->exercise.times[0], 0.5);
    book_free(&book);
}

/* ---- forms of a file ------------------------------------------------------------------------- */

static const char market[] =
    "market = { currencies = ( { name = \"EUR\"; rate = 0; } );\n"
    "assets = ( { name = \"A\"; currency = \"EUR\"; spot = 1; volatility = 0.2; } ); };\n";

static void read_text(const char *before, const char *trade, struct book *book)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%sbook = { trades = ( { id = \"T\"; asset = \"A\"; %s } ); };\n",
             before, market, trade);
    write_file("book.cfg", text);
    load(in_folder("book.cfg"), book);
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    struct book book;
    read_text("",
              "type = \"barrier\"; expiry = 1; option = \"put\"; strike = 1; barrier = 2; "
              "direction = \"up\";"
              "knock = \"out\"; monitoring = 3;",
              &book);
    struct settings settings = settings_default();
    assert_int_equal(book.settings.paths, settings.paths);
    assert_int_equal(book.settings.seed, 1);
    assert_int_equal(book.settings.check, CHECK_ALL);
    assert_string_equal(book.name, in_folder("book.cfg"));
    assert_string_equal(book.valuation_date, "");
    assert_int_equal(book.trades[0].pay_at, PAY_AT_HIT); /* the default of a knock-out */
    assert_number(book.trades[0].rebate, 0.0);
    assert_number(term_accrued(&book.market.assets[0].yield, 5.0), 0.0);
    book_free(&book);
}

/* Two assets in two currencies, and the rate between them. */
static void read_pair(const char *heston, const char *correlations, const char *trade,
                      struct book *book)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "market = { currencies = ( { name = \"EUR\"; rate = 0; }, { name = \"USD\"; rate = 0; } "
        ");\n"
        "assets = ( { name = \"A\"; currency = \"EUR\"; spot = 3; %s },\n"
        "{ name = \"B\"; currency = \"USD\"; spot = 5; volatility = 0.1; },\n"
        "{ name = \"C\"; currency = \"EUR\"; spot = 7; volatility = 0.1; cash_dividends = (); },\n"
        "{ name = \"EURUSD\"; currency = \"USD\"; foreign_currency = \"EUR\"; spot = 1; volatility "
        "= "
        "0.1; } );\n"
        "correlations = ( %s ); };\n"
        "book = { trades = ( { id = \"T\"; %s } ); };\n",
        heston, correlations, trade);
    write_file("book.cfg", text);
    load(in_folder("book.cfg"), book);
}

static void defaults_of_several_assets(void **state)
{
    (void)state;
    struct book book;
    read_pair("volatility = 0.2;", "",
              "type = \"basket\"; assets = [\"C\", \"B\", \"A\"]; kind = \"average\"; option = "
              "\"put\"; strike = 0;"
              "expiry = 1; quanto = { fx = \"EURUSD\"; };",
              &book);
    assert_weights(&book.trades[0], (const double[]){1.0 / 3, 1.0 / 3, 1.0 / 3});
    assert_assets(&book.trades[0], 3, (const int[]){2, 1, 0});
    assert_int_equal(book.trades[0].quanto, 3);
    assert_int_equal(book.market.assets[2].n_dividends, 0);
    book_free(&book);
    read_pair(
        "volatility = 0.2;", "",
        "type = \"autocallable\"; assets = [\"C\", \"A\"]; expiry = 1; observation_times = [1]; "
        "call_level = 1.1;"
        "coupon = 0; protection_level = 0; notional = 1;",
        &book);
    assert_number(book.trades[0].initial[0], 7.0);
    assert_number(book.trades[0].initial[1], 3.0);
    assert_number(book.trades[0].coupon_level, 1.1);
    assert_false(book.trades[0].memory);
    assert_null(book.trades[0].weights);
    book_free(&book);
    read_pair("volatility = 0.2;", "",
              "type = \"cliquet\"; asset = \"A\"; expiry = 1; reset_times = [0.5]; notional = 1;",
              &book);
    assert_number(book.trades[0].local_floor, -HUGE_VAL);
    assert_number(book.trades[0].local_cap, HUGE_VAL);
    assert_number(book.trades[0].global_floor, -HUGE_VAL);
    book_free(&book);
}

static const char european[] =
    "type = \"european\"; asset = \"A\"; option = \"put\"; strike = 1; expiry = 1;";

/* Allowed, and worth a line. */
static void a_variance_that_reaches_zero_is_noted(void **state)
{
    (void)state;
    struct book book;
    read_pair("model = \"heston\";\nheston = { v0 = 0.04; kappa = 1.5; theta = 0.04; xi = 0.5; rho "
              "= -0.7; };",
              "", european, &book);
    assert_int_equal(book.notes.n, 1);
    assert_non_null(strstr(
        book.notes.list[0].line,
        "book.cfg:3: asset 'A': note: 2 kappa theta = 0.12 is below xi^2 = 0.25: the variance "
        "reaches zero (Feller)"));
    book_free(&book);
    assert_int_equal(book.notes.n, 0);
    read_pair("model = \"heston\"; heston = { v0 = 0.04; kappa = 2; theta = 0.0625; xi = 0.5; rho "
              "= -0.7; };",
              "", european, &book);
    assert_int_equal(book.notes.n, 0); /* 0.25 on both sides */
    book_free(&book);
}

/* So is a spot whose square has no mean before the last trade ends; once an asset. */
static void an_infinite_second_moment_is_noted(void **state)
{
    (void)state;
    static const char asset[] =
        "model = \"heston\";\nheston = { v0 = 0.04; kappa = 1.5; theta = 0.8; xi = 1.5; "
        "rho = 0.5; };";
    struct book book;
    read_pair(asset, "",
              "type = \"european\"; asset = \"A\"; option = \"put\"; strike = 1; expiry = 1.49;",
              &book);
    assert_int_equal(book.notes.n, 1);
    assert_non_null(strstr(
        book.notes.list[0].line,
        "book.cfg:3: asset 'A': note: the square of the spot has an infinite mean from 1.48 years "
        "on (Andersen and Piterbarg 2007), and its trades go on to 1.49"));
    book_free(&book);
    read_pair(asset, "",
              "type = \"european\"; asset = \"A\"; option = \"put\"; strike = 1; expiry = 1.48;",
              &book);
    assert_int_equal(book.notes.n, 0);
    book_free(&book);
}

/* So are steps of Euler's scheme in which the variance is soon another, and jumps so large that
 * paths that make the mean of the spot are hardly ever drawn. */
static void what_paths_cannot_give_is_noted(void **state)
{
    (void)state;
    static const char trade[] =
        "type = \"european\"; asset = \"A\"; option = \"put\"; strike = 1; expiry = 12.5;";
    static const struct {
        const char *asset, *note;
    } cases[] = {
        {"model = \"heston\";\nheston = { v0 = 0; kappa = 2.25; theta = 0.2; xi = 0.2; rho = 0; "
         "scheme = \"full_truncation\"; };",
         "book.cfg:3: asset 'A': note: in a step of 0.02 years (max_step) the variance goes by "
         "0.009, v0 is 0: prices"},
        {"model = \"heston\";\nheston = { v0 = 0; kappa = 2.25; theta = 0.2; xi = 0.2; rho = 0; };",
         NULL},
        {"model = \"heston\";\nheston = { v0 = 0.04; kappa = 2.25; theta = 0.06; xi = 0.5; rho = "
         "0; "
         "scheme = \"full_truncation\"; };",
         NULL},
        {"model = \"merton\"; volatility = 0.2;\njumps = { intensity = 1.9; mean = -1.9; stdev = "
         "0.1; "
         "};",
         "book.cfg:3: asset 'A': note: jumps make the deviation of the spot at least 5.3e+03 times "
         "its mean in 12.5 years"},
        {"model = \"merton\"; volatility = 0.2;\njumps = { intensity = 1.9; mean = 0; stdev = 1.9; "
         "};",
         "book.cfg:3: asset 'A': note: jumps make the deviation of the spot at least 1e+100 times "
         "its mean in 12.5 years"},
        {"model = \"merton\"; volatility = 0.2;\njumps = { intensity = 1.9; mean = -0.5; stdev = "
         "0.1; "
         "};",
         NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct book book;
        read_pair(cases[i].asset, "", trade, &book);
        for (int n = 0; n < book.notes.n; n++) print_message("%s\n", book.notes.list[n].line);
        assert_int_equal(book.notes.n, cases[i].note != NULL);
        if (cases[i].note) assert_non_null(strstr(book.notes.list[0].line, cases[i].note));
        book_free(&book);
    }
}

/* Assets that are one and the same, or make up another, are no error. */
static void semi_definite_correlations_are_read(void **state)
{
    (void)state;
    struct book book;
    read_pair("volatility = 0.2;",
              "{ assets = [\"A\", \"B\"]; value = 1; }, { assets = [\"A\", \"C\"]; value = -1; },"
              "{ assets = [\"B\", \"C\"]; value = -1; }",
              european, &book);
    assert_number(book.market.correlation[1], 1.0);
    assert_number(book.market.correlation[6], -1.0);
    book_free(&book);
    read_pair(
        "volatility = 0.2;",
        "{ assets = [\"A\", \"B\"]; value = 0.6; }, { assets = [\"A\", \"C\"]; value = 0.8; },"
        "{ assets = [\"B\", \"C\"]; value = 0.96; }",
        european, &book);
    book_free(&book);
}

static void later_settings_may_have_their_defaults(void **state)
{
    (void)state;
    struct book book;
    read_text("settings = { sampler = \"philox\"; antithetic = false; target_stderr = 0.0; greeks "
              "= []; };\n",
              "type = \"european\"; expiry = 1; option = \"put\"; strike = 1;", &book);
    book_free(&book);
}

static void numbers_are_read_in_all_their_forms(void **state)
{
    (void)state;
    struct book book;
    read_text("settings = { paths = 0010; seed = 5000000000L; max_paths = 0x7FFFFFFF; max_step = "
              "1.E-2 };\n",
              "type = \"asian\", expiry : 2 option = \"call\"; averaging = \"arithmetic\"; "
              "strike_type = \"fixed\";"
              "strike = +.5e1; quantity = -12345678901L; fixing_times = [0, 1.0, 2,]",
              &book);
    assert_int_equal(book.settings.paths, 10); /* never octal */
    assert_true(book.settings.seed == 5000000000u);
    assert_int_equal(book.settings.max_paths, 2147483647);
    assert_number(book.settings.max_step, 0.01);
    assert_number(book.trades[0].strike, 5.0);
    assert_number(book.trades[0].quantity, -12345678901.0);
    assert_int_equal(book.trades[0].fixings.n, 3);
    assert_number(book.trades[0].fixings.times[0], 0.0);
    book_free(&book);
}

static void comments_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    struct book book;
    read_text("\xef\xbb\xbf/* one\n two */ settings = { # three\r\n  paths = /**/ 5; }; // "
              "\"four\r\n\f\t",
              "type = \"digital\"; /* { ( [ */ expiry = 1; option = \"put\"; strike = 1; payout = "
              "\"asset\";",
              &book);
    assert_int_equal(book.settings.paths, 5);
    assert_int_equal(book.trades[0].line, 6);
    book_free(&book);
}

static void equal_dates_end_at_expiry(void **state)
{
    (void)state;
    for (int n = 1; n < 400; n++) {
        struct schedule *schedule;
        struct book book;
        char trade[300];
        snprintf(trade, sizeof trade,
                 "type = \"lookback\"; expiry = 0.7; option = \"put\"; strike_type = \"floating\"; "
                 "monitoring = %d;",
                 n);
        read_text("", trade, &book);
        schedule = &book.trades[0].monitoring;
        assert_int_equal(schedule->n, n);
        for (int i = 1; i < n; i++) assert_number(schedule->times[i - 1], i * 0.7 / n);
        for (int i = 1; i < n; i++) assert_true(schedule->times[i] > schedule->times[i - 1]);
        assert_number(schedule->times[n - 1], 0.7);
        book_free(&book);
    }
}

/* ---- includes -------------------------------------------------------------------------------- */

static void includes_are_relative_and_keep_their_lines(void **state)
{
    (void)state;
    struct book book;
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    write_file("split.cfg", "// a book\n@include \"sub/market.cfg\"   // after it\n"
                            "book = { trades = (\n  @include \"sub/trades.cfg\"\n,\n"
                            "  { id = \"C\"; type = \"european\"; asset = \"A\"; option = \"put\"; "
                            "strike = 1; expiry = 1; }\n"
                            "); };\n");
    write_file("sub/market.cfg", "\n@include \"deeper.cfg\"\n");
    write_file("sub/deeper.cfg", market);
    write_file("sub/trades.cfg", "{ id = \"A\"; type = \"european\"; asset = \"A\"; option = "
                                 "\"put\"; strike = 1; expiry = 1; },\n\n"
                                 "{ id = \"B\"; type = \"european\"; asset = \"A\"; option = "
                                 "\"put\"; strike = 1; expiry = 1; }");
    load(in_folder("split.cfg"), &book);
    assert_int_equal(book.n_files, 4);
    assert_string_equal(book.files[2], in_folder("sub/deeper.cfg"));
    assert_string_equal(find_trade(&book, "A")->file, in_folder("sub/trades.cfg"));
    assert_int_equal(find_trade(&book, "A")->line, 1);
    assert_int_equal(find_trade(&book, "B")->line, 3);
    assert_string_equal(find_trade(&book, "C")->file, in_folder("split.cfg"));
    assert_int_equal(find_trade(&book, "C")->line, 6);
    book_free(&book);
}

static void complaints_name_the_included_file(void **state)
{
    (void)state;
    struct book book;
    struct complaints complaints = {0};
    write_file("sub/trades.cfg", "\n{ id = \"A\"; type = \"european\"; asset = \"A\"; option = "
                                 "\"put\"; strike = -1;\n expiry = 101; "
                                 "},\n\n"
                                 "{ id = \"C\"; type = \"european\"; asset = \"A\"; option = "
                                 "\"put\"; strike = 1; expiry = 1; }");
    assert_int_equal(book_load(in_folder("split.cfg"), &book, &complaints), STATUS_OK);
    static const char *const wanted[] = {
        "sub/trades.cfg:2: trade 'A': strike must be > 0, got -1",
        "sub/trades.cfg:3: trade 'A': expiry must be > 0 and at most 100 years, got 101",
        "split.cfg:6: trade 'C': id 'C' is taken by the one at ",
    };
    assert_int_equal(complaints.n, 3);
    for (int i = 0; i < 3; i++) assert_non_null(strstr(complaints.list[i].line, wanted[i]));
    assert_non_null(strstr(complaints.list[2].line, "sub/trades.cfg:5: give it another"));
    assert_int_equal(book.n_trades, 1);
    assert_int_equal(book.n_unpriced, 2);
    assert_string_equal(book.unpriced[0].trade.file, in_folder("sub/trades.cfg"));
    book_free(&book);
    complaints_free(&complaints);
}

/* ---- trades that are not priced -------------------------------------------------------------- */

/* Loads trades on the market of these tests, dated or not, with `settings`. */
static enum status load_trades(const char *settings, const char *trades, struct book *book,
                               struct complaints *complaints)
{
    char text[8000];
    snprintf(
        text, sizeof text,
        "valuation_date = \"2026-11-20\";\nsettings = { %s };\n%s\nbook = { trades = (%s); };\n",
        settings, market, trades);
    write_file("aside.cfg", text);
    return book_load(in_folder("aside.cfg"), book, complaints);
}

#define EUROPEAN "type = \"european\"; asset = \"A\"; option = \"put\"; strike = 1; "
#define TOUCH                                                                                      \
    "type = \"touch\"; asset = \"A\"; barrier = 2; direction = \"up\"; monitoring = "              \
    "\"continuous\"; cash = "                                                                      \
    "10; "
#define BARRIER                                                                                    \
    "type = \"barrier\"; asset = \"A\"; option = \"put\"; strike = 1; barrier = 2; direction = "   \
    "\"up\"; "                                                                                     \
    "monitoring = [\"2026-02-02\"]; rebate = 3; hit = true; "

static void expired_trades_are_worth_what_they_still_pay(void **state)
{
    (void)state;
    static const struct {
        const char *trade, *message;
        double value;
    } cases[] = {
        {EUROPEAN "expiry = \"2026-11-19\";",
         "expired 2026-11-19, before the valuation date 2026-11-20", 0},
        {EUROPEAN "expiry = \"2026-11-20\";",
         "expired 2026-11-20, not after the valuation date 2026-11-20: what it pays is left to its "
         "settlement",
         0},
        {EUROPEAN "expiry = 0;",
         "expired today, with expiry 0: what it pays is left to its settlement", 0},
        {EUROPEAN "expiry = -0.25;", "expired 0.25 years ago", 0},
        {TOUCH "touch = \"one\"; pay_at = \"expiry\"; hit = true; quantity = -3; expiry = "
               "\"2026-11-20\";",
         "expired 2026-11-20, not after the valuation date 2026-11-20: the cash that is due", -30},
        {TOUCH "touch = \"one\"; pay_at = \"expiry\"; hit = true; expiry = \"2026-11-19\";", NULL,
         0},
        {TOUCH "touch = \"one\"; pay_at = \"hit\"; hit = true; expiry = \"2026-11-20\";", NULL, 0},
        {TOUCH "touch = \"one\"; pay_at = \"expiry\"; expiry = \"2026-11-20\";", NULL, 0},
        {TOUCH "touch = \"no\"; hit = true; expiry = \"2026-11-20\";", NULL, 0},
        {BARRIER "knock = \"out\"; rebate_at = \"expiry\"; expiry = \"2026-11-20\";", NULL, 3},
        {BARRIER "knock = \"out\"; expiry = \"2026-11-20\";", NULL, 0},
        {BARRIER "knock = \"in\"; rebate_at = \"expiry\"; expiry = \"2026-11-20\";", NULL, 0},
        {"type = \"forward_start\"; asset = \"A\"; option = \"put\"; start = \"2026-01-05\"; "
         "strike_ratio = "
         "1; "
         "expiry = \"2026-11-20\";",
         NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct book book;
        struct complaints complaints = {0};
        char trades[2000];
        snprintf(trades, sizeof trades,
                 "{ id = \"X\"; %s }, { id = \"L\"; " EUROPEAN "expiry = 1; }", cases[i].trade);
        assert_int_equal(load_trades("", trades, &book, &complaints), STATUS_OK);
        assert_int_equal(complaints.n, 0);
        assert_int_equal(book.n_trades, 1);
        assert_int_equal(book.n_unpriced, 1);
        assert_true(book.unpriced[0].expired);
        assert_int_equal(book.unpriced[0].row, 0);
        assert_string_equal(book.unpriced[0].trade.id, "X");
        assert_true(book.unpriced[0].value == cases[i].value);
        if (cases[i].message) assert_string_equal(book.unpriced[0].message, cases[i].message);
        book_free(&book);
    }
}

/* An expired trade that is wrong in itself is refused; alone it makes a book; with "stop" it stops
 * nothing.
 */
static void expired_trades_and_wrong_ones(void **state)
{
    (void)state;
    struct book book;
    struct complaints complaints = {0};
    assert_int_equal(load_trades("on_bad_trade = \"stop\";",
                                 "{ id = \"X\"; " EUROPEAN "expiry = 0; }", &book, &complaints),
                     STATUS_OK);
    assert_int_equal(book.n_trades, 0);
    assert_int_equal(book.n_unpriced, 1);
    book_free(&book);
    static const char wrong[] =
        "{ id = \"X\"; " EUROPEAN "expiry = 0; colour = 1; }, { id = \"L\"; " EUROPEAN
        "expiry = 1; }";
    assert_int_equal(load_trades("", wrong, &book, &complaints), STATUS_OK);
    assert_int_equal(complaints.n, 1);
    assert_false(book.unpriced[0].expired);
    assert_true(isnan(book.unpriced[0].value));
    assert_string_equal(book.unpriced[0].message, complaints.list[0].line);
    book_free(&book);
    complaints_free(&complaints);
    assert_int_equal(load_trades("on_bad_trade = \"stop\";", wrong, &book, &complaints),
                     STATUS_BAD_INPUT);
    assert_null(book.unpriced);
    complaints_free(&complaints);
}

/* Refused trades without an id of their own are named after their places, whatever the others are
 * called. */
static void refused_trades_have_names_of_their_own(void **state)
{
    (void)state;
    struct book book;
    struct complaints complaints = {0};
    static const char trades[] =
        "{ " EUROPEAN "expiry = 1; }, { id = \"T\"; " EUROPEAN "expiry = 1; },"
        "{ id = \"T\"; " EUROPEAN "expiry = 1; }, 5, { id = \"trade 1\"; " EUROPEAN
        "expiry = 1; }, { id = 6; " EUROPEAN "expiry = 1; quantity = 0; }";
    static const char *const wanted[] = {"trade 1 (2)", "T (trade 3)", "trade 4", "trade 6"};
    static const int rows[] = {0, 2, 3, 5};
    assert_int_equal(load_trades("", trades, &book, &complaints), STATUS_OK);
    assert_int_equal(book.n_trades, 2);
    assert_int_equal(book.n_unpriced, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(book.unpriced[i].trade.id, wanted[i]);
        assert_int_equal(book.unpriced[i].row, rows[i]);
    }
    assert_int_equal(book.unpriced[2].trade.product, N_PRODUCTS);
    assert_int_equal(book.unpriced[2].trade.n_assets, 0);
    assert_true(isnan(book.unpriced[3].trade.quantity));
    book_free(&book);
    complaints_free(&complaints);
}

/* ---- --set ----------------------------------------------------------------------------------- */

static void values_are_set(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "settings.paths=8192",
        "settings.seed=0x10",
        "settings.kernel=fused",   /* the shell has taken the quotes away */
        "settings.engine=\"cpu\"", /* a key the file has not */
        "settings.max_step=1",     /* a whole number for decimals */
        "settings.check=none",
        "market.assets.[0].spot=101",   /* whole for decimals */
        "market.assets.[1].spot=50.25", /* and the other way round */
        "market.currencies.[1].curve.zero_rates.[2]=0.05",
        "book.trades.[0].expiry=2028-11-19",
        "book.trades.[0].quantity=-7",
        "book.trades.[0].quantity=-8",  /* the last one counts */
        "book.name=Desk, second floor", /* not a value of libconfig */
        "book.trades.[5].hit=false",
    };
    struct book book;
    load_set("validation/tests/bad_input/good.cfg", sizeof sets / sizeof *sets, sets, &book);
    assert_int_equal(book.settings.paths, 8192);
    assert_int_equal(book.settings.seed, 16);
    assert_string_equal(book.settings.kernel, "fused");
    assert_string_equal(book.settings.engine, "cpu");
    assert_number(book.settings.max_step, 1.0);
    assert_int_equal(book.settings.check, CHECK_NONE);
    assert_number(book.market.assets[0].spot, 101.0);
    assert_number(book.market.assets[1].spot, 50.25);
    assert_near(term_accrued(&book.market.currencies[1].rate, 2.0), 0.1);
    assert_number(book.trades[0].expiry, 2.0);
    assert_number(book.trades[0].quantity, -8.0);
    assert_string_equal(book.name, "Desk, second floor");
    assert_false(book.trades[5].hit);
    book_free(&book);
}

static void settings_are_set_where_the_book_has_none(void **state)
{
    (void)state;
    static const char *const sets[] = {"settings.paths=77", "settings.seed=3"};
    struct book book;
    load_set("inputs/first.cfg", 2, sets, &book);
    assert_int_equal(book.settings.paths, 77);
    assert_int_equal(book.settings.seed, 3);
    book_free(&book);
}

/* ---- the books of inputs/ -------------------------------------------------------------------- */

static void the_smaller_books_are_read(void **state)
{
    (void)state;
    struct book book;
    load("inputs/first.cfg", &book);
    assert_int_equal(book.n_trades, 3);
    book_free(&book);
    load("inputs/fx.cfg", &book);
    assert_int_equal(book.n_trades, 10);
    book_free(&book);
    load("inputs/asian.cfg", &book);
    assert_int_equal(book.trades[0].fixings.n, 252);
    book_free(&book);
    load("inputs/five.cfg", &book);
    assert_int_equal(trade_n_assets(&book.trades[0]), 5);
    assert_int_equal(book.trades[0].exercise.n, 252);
    book_free(&book);
}

/* Of every asset of the book's market, how many trades are on it, alone or with others, or pay at
 * its rate.
 */
static void count_assets(const struct book *book, int *trades)
{
    for (int i = 0; i < book->n_trades; i++) {
        const struct trade *trade = &book->trades[i];
        for (int j = 0; j < trade_n_assets(trade); j++) trades[trade_asset(trade, j)]++;
        if (trade->quanto >= 0) trades[trade->quanto]++;
    }
}

static void count_products(const struct book *book, int *trades)
{
    for (int i = 0; i < book->n_trades; i++) trades[book->trades[i].product]++;
}

static void assert_desk(const struct book *book)
{
    int assets[64] = {0};
    assert_in_range(book->n_trades, 64, 1000);
    for (int i = 0; i < book->n_trades; i++)
        assert_in_range(book->trades[i].expiry * 365, 28, 5 * 366);
    count_assets(book, assets);
    for (int i = 0; i < book->market.n_assets; i++)
        assert_in_range(assets[i], 1, 1000); /* none for nothing */
    assert_int_equal(book->settings.paths, 262144);
    assert_int_equal(book->settings.seed, 1);
    assert_int_equal(book->settings.check, CHECK_ALL);
}

static void the_first_desk_has_every_barrier(void **state)
{
    (void)state;
    struct book book;
    int barriers[2][2][2][2] = {{{{0}}}};
    load("inputs/book.cfg", &book);
    assert_desk(&book);
    for (int i = 0; i < book.n_trades; i++) {
        const struct trade *trade = &book.trades[i];
        if (trade->product == PRODUCT_BARRIER)
            barriers[trade->direction == DIRECTION_UP][trade->knock][trade->option]
                    [trade->monitoring.continuous]++;
    }
    for (int i = 0; i < 16; i++)
        assert_in_range(barriers[i >> 3 & 1][i >> 2 & 1][i >> 1 & 1][i & 1], 1, 1000);
    book_free(&book);
}

/* Every model that is made of quotes; quantos; products on one asset and on as many as three; long
 * and short.
 */
static void the_second_desk_has_every_model(void **state)
{
    (void)state;
    struct book book;
    int models[N_MODELS] = {0}, products[N_PRODUCTS] = {0}, dividends = 0, quantos = 0, most = 0,
        sold = 0;
    load("inputs/desk.cfg", &book);
    assert_desk(&book);
    for (int i = 0; i < book.n_trades; i++) {
        const struct trade *trade = &book.trades[i];
        quantos += trade->quanto >= 0;
        sold += trade->quantity < 0.0;
        if (trade_n_assets(trade) > most) most = trade_n_assets(trade);
        for (int j = 0; j < trade_n_assets(trade); j++) {
            const struct asset *asset = &book.market.assets[trade_asset(trade, j)];
            models[asset->model]++;
            dividends += asset->n_dividends > 0;
        }
    }
    count_products(&book, products);
    for (int i = 0; i <= MODEL_MERTON; i++) assert_in_range(models[i], 4, 1000);
    for (int i = 0; i < N_PRODUCTS; i++) assert_in_range(products[i], 2, 1000);
    assert_in_range(dividends, 4, 1000);
    assert_in_range(quantos, 4, 1000);
    assert_in_range(most, 3, 1000);
    assert_in_range(sold, 10, book.n_trades - 10);
    book_free(&book);
}

static void the_desks_books_have_every_product(void **state)
{
    (void)state;
    static const char *const books[] = {"inputs/book.cfg", "inputs/desk.cfg"};
    int products[N_PRODUCTS] = {0};
    for (int i = 0; i < 2; i++) {
        struct book book;
        load(books[i], &book);
        count_products(&book, products);
        book_free(&book);
    }
    for (int i = 0; i < N_PRODUCTS; i++) assert_in_range(products[i], 4, 1000);
}

/* ---- large books ----------------------------------------------------------------------------- */

static void make_book(const char *arguments)
{
    char command[300];
    snprintf(command, sizeof command, "scripts/make-book %s > %s", arguments,
             in_folder("large.cfg"));
    assert_int_equal(system(command), 0);
}

/* Processor seconds of the faster of two loads of large.cfg, which has n trades. */
static double seconds_to_load(int n)
{
    double best = 1e9;
    for (int i = 0; i < 2; i++) {
        struct book book;
        clock_t begin = clock();
        load(in_folder("large.cfg"), &book);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds < best) best = seconds;
        assert_int_equal(book.n_trades, n);
        book_free(&book);
    }
    return best;
}

static void a_hundred_thousand_trades_load_in_time(void **state)
{
    (void)state;
    make_book("10000");
    double tenth = seconds_to_load(10000);
    make_book("100000");
    double whole = seconds_to_load(100000);
    print_message("10,000 trades in %.2f s, 100,000 in %.2f s\n", tenth, whole);
    assert_true(whole < 30 * (tenth > 0.02 ? tenth : 0.02)); /* in proportion */
#ifndef __SANITIZE_ADDRESS__
    assert_true(whole < 8.0); /* about 1 s where nothing else runs */
#endif
    make_book("--strikes 20000");
    seconds_to_load(20000);
}

/* A hundred thousand complaints take no square either. */
static void a_hundred_thousand_complaints_come_in_time(void **state)
{
    (void)state;
    FILE *file = fopen(in_folder("large.cfg"), "w");
    fputs(market, file);
    fputs("book = { trades = (\n", file);
    for (int i = 0; i < 100000; i++)
        fputs("{ id = \"same\"; type = \"european\"; asset = \"B\"; option = \"puut\"; expiry = 1; "
              "},\n",
              file);
    fputs("); };\n", file);
    fclose(file);
    struct book book;
    struct complaints complaints = {0};
    clock_t begin = clock();
    assert_int_equal(book_load(in_folder("large.cfg"), &book, &complaints), STATUS_BAD_INPUT);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    print_message("%d complaints in %.2f s\n", complaints.n, seconds);
    assert_int_equal(complaints.n, 399999);
    assert_non_null(
        strstr(complaints.list[399998].line, "large.cfg:100003: trade 'same': id 'same' is taken"));
    assert_true(seconds < 30.0);
    complaints_free(&complaints);
}

/* ---- the table of products against the table of keys ----------------------------------------- */

static void every_key_of_a_product_can_be_read(void **state)
{
    (void)state;
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

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {
        "aside.cfg",      "book.cfg",       "large.cfg",      "split.cfg",
        "sub/market.cfg", "sub/deeper.cfg", "sub/trades.cfg", "sub"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(in_folder(names[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_read),
        cmocka_unit_test(the_market_is_read),
        cmocka_unit_test(trades_are_read),
        cmocka_unit_test(barriers_and_touches_are_read),
        cmocka_unit_test(schedules_are_read),
        cmocka_unit_test(models_are_read),
        cmocka_unit_test(surfaces_are_read),
        cmocka_unit_test(baskets_and_spreads_are_read),
        cmocka_unit_test(cliquets_and_variance_swaps_are_read),
        cmocka_unit_test(autocallables_are_read),
        cmocka_unit_test(americans_and_quantos_are_read),
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(defaults_of_several_assets),
        cmocka_unit_test(a_variance_that_reaches_zero_is_noted),
        cmocka_unit_test(an_infinite_second_moment_is_noted),
        cmocka_unit_test(what_paths_cannot_give_is_noted),
        cmocka_unit_test(semi_definite_correlations_are_read),
        cmocka_unit_test(later_settings_may_have_their_defaults),
        cmocka_unit_test(numbers_are_read_in_all_their_forms),
        cmocka_unit_test(comments_and_line_ends_do_not_matter),
        cmocka_unit_test(equal_dates_end_at_expiry),
        cmocka_unit_test(includes_are_relative_and_keep_their_lines),
        cmocka_unit_test(complaints_name_the_included_file),
        cmocka_unit_test(expired_trades_are_worth_what_they_still_pay),
        cmocka_unit_test(expired_trades_and_wrong_ones),
        cmocka_unit_test(refused_trades_have_names_of_their_own),
        cmocka_unit_test(values_are_set),
        cmocka_unit_test(settings_are_set_where_the_book_has_none),
        cmocka_unit_test(the_smaller_books_are_read),
        cmocka_unit_test(the_first_desk_has_every_barrier),
        cmocka_unit_test(the_second_desk_has_every_model),
        cmocka_unit_test(the_desks_books_have_every_product),
        cmocka_unit_test(a_hundred_thousand_trades_load_in_time),
        cmocka_unit_test(a_hundred_thousand_complaints_come_in_time),
        cmocka_unit_test(every_key_of_a_product_can_be_read),
    };
    return cmocka_run_group_tests_name("books", tests, set_up, tear_down);
}
