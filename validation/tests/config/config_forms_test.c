/* The forms that a book may take: what it may leave out, what is noted, includes, --set. */
#include <sys/stat.h>

#include "validation/tests/config/config_books.h"
#include "app/config/read_risk.h"

/* ---- forms of a file ------------------------------------------------------------------------- */

static void read_text(const char *before, const char *trade)
{
    load_written("%s%sbook = { trades = ( { id = 'T'; asset = 'A'; %s } ); };\n", before,
                 small_market, trade);
}

TEST(defaults_are_filled_in)
{
    read_text("", "type = 'barrier'; expiry = 1; option = 'put'; strike = 1; barrier = 2; "
                  "direction = 'up';knock = 'out'; monitoring = 3;");
    struct settings settings = settings_default();
    assert_int_equal(book.settings.paths, settings.paths);
    assert_int_equal(book.settings.seed, 1);
    assert_int_equal(book.settings.check, CHECK_ALL);
    assert_string_equal(book.name, in_folder("book.cfg"));
    assert_string_equal(book.valuation_date, "");
    assert_int_equal(book.trades[0].pay_at, PAY_AT_HIT); /* the default of a knock-out */
    assert_number(book.trades[0].rebate, 0.0);
    assert_number(term_accrued(&book.market.assets[0].yield, 5.0), 0.0);
}

/* Two assets in two currencies, and the rate between them. */
static void read_pair(const char *heston, const char *correlations, const char *trade)
{
    load_written(
        "market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0; },"
        "{ name = 'USD'; rate = 0; } );\nassets = ( { name = 'A'; currency = 'EUR'; spot = 3; "
        "%s },\n{ name = 'B'; currency = 'USD'; spot = 5; volatility = 0.1; },\n{ name = 'C'; "
        "currency = 'EUR'; spot = 7; volatility = 0.1; cash_dividends = (); },\n{ name = 'EURUSD'; "
        "currency = 'USD'; foreign_currency = 'EUR'; spot = 1; volatility = 0.1; "
        "} );\ncorrelations = ( %s ); };\nbook = { trades = ( { id = 'T'; %s } ); };\n",
        heston, correlations, trade);
}

TEST(defaults_of_several_assets)
{
    read_pair("volatility = 0.2;", "",
              "type = 'basket'; assets = ['C', 'B', 'A']; kind = 'average'; option = 'put'; "
              "strike = 0;expiry = 1; quanto = { fx = 'EURUSD'; };");
    assert_trade("T", "basket on 2+1+0 quanto=3 option=put kind=average expiry=1 "
                      "weights=0.3333333333333333,0.3333333333333333,0.3333333333333333");
    assert_int_equal(book.market.assets[2].n_dividends, 0);
    read_pair("volatility = 0.2;", "",
              "type = 'autocallable'; assets = ['C', 'A']; expiry = 1; observation_times = [1]; "
              "call_level = 1.1;coupon = 0; protection_level = 0; notional = 1;");
    assert_trade("T", "autocallable on 2+0 notional=1 observation_times=1 call_level=1.1 "
                      "coupon_level=1.1 expiry=1 initial=7,3");
    assert_null(book.trades[0].weights);
    read_pair("volatility = 0.2;", "",
              "type = 'cliquet'; asset = 'A'; expiry = 1; reset_times = [0.5]; notional = 1;");
    assert_trade("T", "cliquet on 0 notional=1 reset_times=0.5 local_floor=-inf local_cap=inf "
                      "global_floor=-inf global_cap=inf expiry=1");
}

static const char european[] =
    "type = 'european'; asset = 'A'; option = 'put'; strike = 1; expiry = 1;";

/* Allowed, and worth a line: a variance that reaches zero; a spot whose square has no mean before
 * the last trade ends; steps of Euler's scheme in which the variance is soon another; jumps so
 * large that paths that make the mean of the spot are hardly ever drawn. */
TEST(doubtful_models_are_noted)
{
#define HESTON(numbers) "model = 'heston';\nheston = { " numbers " };"
#define MERTON(numbers) "model = 'merton'; volatility = 0.2;\njumps = { " numbers " };"
#define EULER "scheme = 'full_truncation';"
#define WITHOUT_MEAN HESTON("v0 = 0.04; kappa = 1.5; theta = 0.8; xi = 1.5; rho = 0.5;")
    static const struct {
        const char *asset, *expiry, *note;
    } rows[] = {
        {HESTON("v0 = 0.04; kappa = 1.5; theta = 0.04; xi = 0.5; rho = -0.7;"), "1",
         "2 kappa theta = 0.12 is below xi^2 = 0.25: the variance reaches zero (Feller)"},
        {HESTON("v0 = 0.04; kappa = 2; theta = 0.0625; xi = 0.5; rho = -0.7;"), "1",
         NULL}, /* 0.25 on both sides */
        {WITHOUT_MEAN, "1.49",
         "the square of the spot has an infinite mean from 1.48 years on (Andersen and Piterbarg "
         "2007), and its trades go on to 1.49"},
        {WITHOUT_MEAN, "1.48", NULL},
        {HESTON("v0 = 0; kappa = 2.25; theta = 0.2; xi = 0.2; rho = 0; " EULER), "12.5",
         "in a step of 0.02 years (max_step) the variance goes by 0.009, v0 is 0: prices"},
        {HESTON("v0 = 0; kappa = 2.25; theta = 0.2; xi = 0.2; rho = 0;"), "12.5", NULL},
        {HESTON("v0 = 0.04; kappa = 2.25; theta = 0.06; xi = 0.5; rho = 0; " EULER), "12.5", NULL},
        {MERTON("intensity = 1.9; mean = -1.9; stdev = 0.1;"), "12.5",
         "jumps make the deviation of the spot at least 5.3e+03 times its mean in 12.5 years"},
        {MERTON("intensity = 1.9; mean = 0; stdev = 1.9;"), "12.5",
         "jumps make the deviation of the spot at least 1e+100 times its mean in 12.5 years"},
        {MERTON("intensity = 1.9; mean = -0.5; stdev = 0.1;"), "12.5", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char trade[200];
        snprintf(trade, sizeof trade,
                 "type = 'european'; asset = 'A'; option = 'put'; strike = 1; expiry = %s;",
                 rows[i].expiry);
        read_pair(rows[i].asset, "", trade);
        assert_note(rows[i].note);
        if (rows[i].note)
            assert_non_null(strstr(book.notes.list[0].line, "book.cfg:3: asset 'A': note: "));
    }
}

/* Assets that are one and the same, or make up another, are no error. */
TEST(semi_definite_correlations_are_read)
{
    read_pair("volatility = 0.2;",
              "{ assets = ['A', 'B']; value = 1; },"
              "{ assets = ['A', 'C']; value = -1; },"
              "{ assets = ['B', 'C']; value = -1; }",
              european);
    assert_number(book.market.correlation[1], 1.0);
    assert_number(book.market.correlation[6], -1.0);
    read_pair("volatility = 0.2;",
              "{ assets = ['A', 'B']; value = 0.6; },"
              "{ assets = ['A', 'C']; value = 0.8; },"
              "{ assets = ['B', 'C']; value = 0.96; }",
              european);
}

TEST(later_settings_may_have_their_defaults)
{
    read_text("settings = { sampler = 'philox'; antithetic = false; target_stderr = 0.0; greeks = "
              "[]; };\n",
              "type = 'european'; expiry = 1; option = 'put'; strike = 1;");
}

TEST(numbers_are_read_in_all_their_forms)
{
    read_text(
        "settings = { paths = 0010; seed = 5000000000L; max_paths = 0x7FFFFFFF; max_step = 1.E-2 "
        "};\n",
        "type = 'asian', expiry : 2 option = 'call'; averaging = 'arithmetic'; "
        "strike_type = 'fixed';strike = +.5e1; quantity = -12345678901L; fixing_times = [0, 1.0, "
        "2,]");
    assert_int_equal(book.settings.paths, 10); /* never octal */
    assert_true(book.settings.seed == 5000000000u);
    assert_int_equal(book.settings.max_paths, 2147483647);
    assert_number(book.settings.max_step, 0.01);
    assert_number(book.trades[0].strike, 5.0);
    assert_number(book.trades[0].quantity, -12345678901.0);
    assert_int_equal(book.trades[0].fixings.n, 3);
    assert_number(book.trades[0].fixings.times[0], 0.0);
}

TEST(comments_and_line_ends_do_not_matter)
{
    read_text(
        "\xef\xbb\xbf/* one\n two */ settings = { # three\r\n  paths = /**/ 5; }; // 'four\r\n\f\t",
        "type = 'digital'; /* { ( [ */ expiry = 1; option = 'put'; strike = 1; payout = 'asset';");
    assert_int_equal(book.settings.paths, 5);
    assert_int_equal(book.trades[0].line, 6);
}

TEST(equal_dates_end_at_expiry)
{
    for (int n = 1; n < 400; n++) {
        struct schedule *schedule;
        char trade[300];
        snprintf(trade, sizeof trade,
                 "type = 'lookback'; expiry = 0.7; option = 'put'; strike_type = 'floating'; "
                 "monitoring = %d;",
                 n);
        read_text("", trade);
        schedule = &book.trades[0].monitoring;
        assert_int_equal(schedule->n, n);
        for (int i = 1; i < n; i++) assert_number(schedule->times[i - 1], i * 0.7 / n);
        for (int i = 1; i < n; i++) assert_true(schedule->times[i] > schedule->times[i - 1]);
        assert_number(schedule->times[n - 1], 0.7);
    }
}

/* ---- includes -------------------------------------------------------------------------------- */

TEST(includes_are_relative_and_keep_their_lines)
{
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    write_file(
        "split.cfg",
        "// a book\n@include 'sub/market.cfg'   // after it\nbook = { trades = (\n  @include "
        "'sub/trades.cfg'\n,\n  { id = 'C'; type = 'european'; asset = 'A'; option = 'put'; "
        "strike = 1; expiry = 1; }\n); };\n");
    write_file("sub/market.cfg", "\n@include 'deeper.cfg'\n");
    write_file("sub/deeper.cfg", small_market);
    write_file(
        "sub/trades.cfg",
        "{ id = 'A'; type = 'european'; asset = 'A'; option = 'put'; strike = 1; expiry = 1; "
        "},\n\n{ id = 'B'; type = 'european'; asset = 'A'; option = 'put'; strike = 1; expiry = 1; "
        "}");
    load(in_folder("split.cfg"));
    assert_int_equal(book.n_files, 4);
    assert_string_equal(book.files[2], in_folder("sub/deeper.cfg"));
    assert_string_equal(find_trade("A")->file, in_folder("sub/trades.cfg"));
    assert_int_equal(find_trade("A")->line, 1);
    assert_int_equal(find_trade("B")->line, 3);
    assert_string_equal(find_trade("C")->file, in_folder("split.cfg"));
    assert_int_equal(find_trade("C")->line, 6);
}

TEST(complaints_name_the_included_file)
{
    struct complaints complaints = {0};
    write_file("sub/trades.cfg", "\n{ id = 'A'; type = 'european'; asset = 'A'; option = 'put'; "
                                 "strike = -1;\n expiry = 101; "
                                 "},\n\n{ id = 'C'; type = 'european'; asset = 'A'; option = "
                                 "'put'; strike = 1; expiry = 1; }");
    book_free(&book);
    assert_ok(book_load(in_folder("split.cfg"), &book, &complaints));
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
    complaints_free(&complaints);
}

/* ---- --set ----------------------------------------------------------------------------------- */

TEST(values_are_set)
{
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
    load_set("validation/tests/config/bad_input/good.cfg", sizeof sets / sizeof *sets, sets);
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
}

TEST(settings_are_set_where_the_book_has_none)
{
    static const char *const sets[] = {"settings.paths=77", "settings.seed=3"};
    load_set("inputs/first.cfg", 2, sets);
    assert_int_equal(book.settings.paths, 77);
    assert_int_equal(book.settings.seed, 3);
}

ALL_TESTS_BETWEEN(config_forms_test, set_up, tear_down)
