/* Exchange rates made of two others, and a share index converted at a rate: spot, yield, volatility
 * and correlations, held against options to exchange one leg for the other. */
#include "validation/tests/config/config_books.h"
#include "validation/tests/with_references.h"

enum { X = 5 };

static const char *pairs = ""; /* more correlations of the market */

/* Loads a market of EURUSD 1.09, USDJPY 150, GBPUSD 1.25, USDCHF 0.88 and SPX 6000 with one more
 * asset, and what the group `risk` has. */
static void read_risks(const char *cross, const char *trades, const char *risks)
{
    load_written(
        "market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0.02; },"
        "{ name = 'USD'; rate = 0.04; },"
        "{ name = 'JPY'; rate = 0.005; },"
        "{ name = 'GBP'; rate = 0.045; },"
        "{ name = 'CHF'; rate = 0.01; } );\nassets = ( { name = 'EURUSD'; currency = 'USD'; "
        "foreign_currency = 'EUR'; spot = 1.09; volatility = { times = [0.5, 1]; "
        "vols = [0.08, 0.09]; }; },\n{ name = 'USDJPY'; currency = 'JPY'; foreign_currency = "
        "'USD'; "
        "spot = 150; volatility = 0.1; },\n{ name = 'GBPUSD'; currency = 'USD'; "
        "foreign_currency = 'GBP'; spot = 1.25; volatility = { times = [0.75, 2]; "
        "vols = [0.11, 0.09]; }; },\n{ name = 'USDCHF'; currency = 'CHF'; foreign_currency = "
        "'USD'; "
        "spot = 0.88; volatility = 0.07; },\n{ name = 'SPX'; currency = 'USD'; spot = 6000; "
        "dividend_curve = { times = [0.5, 2]; yields = [0.01, 0.015]; }; basis = 0.002; "
        "volatility = { times = [0.5, 2]; vols = [0.15, 0.18]; }; },\n{ name = 'X'; %s } );\n"
        "correlations = ( { assets = ['EURUSD', 'GBPUSD']; value = 0.6; }%s ); };\n"
        "book = { trades = ( %s ); };\nrisk = { %s };\n",
        cross, pairs, trades, risks);
}

static void read_book(const char *cross, const char *trades)
{
    read_risks(cross, trades, "");
}

static const char trade[] =
    "{ id = 'T'; type = 'european'; asset = 'X'; option = 'call'; strike = 0.88; expiry = 1.5; }";

static void assert_spot(const char *cross, double spot)
{
    char at_spot[200];
    snprintf(at_spot, sizeof at_spot,
             "{ id = 'T'; type = 'european'; asset = 'X'; option = 'call'; strike = %.6f; expiry = "
             "1.5; }",
             spot);
    read_book(cross, at_spot);
    if (fabs(book.market.assets[X].spot / spot - 1.0) > 1e-15)
        fail_msg("%s: %.17g", cross, book.market.assets[X].spot);
    assert_int_equal(book.notes.n, 0);
}

/* Whichever way round the legs are quoted, and in whichever order they are named. */
TEST(spots_are_made_of_the_legs)
{
    assert_spot("currency = 'JPY'; foreign_currency = 'EUR'; volatility = 0.1; "
                "cross = { of = ['EURUSD', 'USDJPY']; };",
                1.09 * 150.0);
    assert_spot("currency = 'GBP'; foreign_currency = 'EUR'; volatility = 0.1; "
                "cross = { of = ['GBPUSD', 'EURUSD']; };",
                1.09 / 1.25);
    assert_spot("currency = 'JPY'; foreign_currency = 'CHF'; volatility = 0.1; "
                "cross = { of = ['USDJPY', 'USDCHF']; };",
                150.0 / 0.88);
    assert_spot("currency = 'EUR'; foreign_currency = 'CHF'; volatility = 0.1; "
                "cross = { of = ['EURUSD', 'USDCHF']; };",
                1.0 / (1.09 * 0.88));
    assert_spot("currency = 'GBP'; foreign_currency = 'EUR'; volatility = 0.1; spot = 0.8721; "
                "cross = { of = ['GBPUSD', 'EURUSD']; };",
                0.8721);
}

/* Volatilities of both legs known as terms, V = A + B - 2 rho sqrt(A B) where one is divided by the
 * other: on the dates of both. */
TEST(volatilities_are_those_of_the_triangle)
{
    read_book("currency = 'GBP'; foreign_currency = 'EUR'; cross = { of = ['EURUSD', 'GBPUSD']; "
              "correlation = 0.6; };",
              trade);
    const struct term_structure *variance = &book.market.assets[X].variance;
    double before = (0.09 * 0.09 - 0.08 * 0.08 * 0.5) / 0.5; /* from 0.5 to 1, a year */
    double first = 0.5 * (0.0064 + 0.0121 - 1.2 * sqrt(0.0064 * 0.0121)),
           second = 0.25 * (before + 0.0121 - 1.2 * sqrt(before * 0.0121));
    assert_int_equal(variance->n, 4);
    assert_number(variance->time[1], 0.75);
    assert_true(fabs(variance->accrued[0] - first) < 1e-16);
    assert_true(fabs(variance->accrued[1] - first - second) < 1e-16);
}

/* A call on EURGBP struck at K pays max(EURUSD - K GBPUSD, 0) in dollars, which is the option to
 * exchange K pounds for a euro (Margrabe 1978): the reference prices both. */
TEST(a_call_on_the_cross_is_an_exchange_of_its_legs)
{
    struct reference cross, exchange;
    read_book("currency = 'GBP'; foreign_currency = 'EUR'; cross = { of = ['EURUSD', 'GBPUSD']; "
              "correlation = 0.6; };",
              "{ id = 'T'; type = 'european'; asset = 'X'; option = 'call'; strike = 0.88; expiry "
              "= 1.5; },"
              "{ id = 'S'; type = 'spread'; assets = ['EURUSD', 'GBPUSD']; weights = [1, -0.88]; "
              "option = 'call'; strike = 0; expiry = 1.5; }");
    assert_int_equal(reference_price(&book.market, &book.trades[0], 1, NULL, &cross, &said), 0);
    assert_int_equal(reference_price(&book.market, &book.trades[1], 1, NULL, &exchange, &said), 0);
    if (fabs(1.25 * cross.price / exchange.price - 1.0) > 1e-9)
        fail_msg("%.15g pounds, %.15g dollars", cross.price, exchange.price);
}

/* ---- an index in another currency ------------------------------------------------------------ */

static const char call[] = "{ id = 'T'; type = 'european'; asset = 'X'; option = 'call'; "
                           "strike = 5600; expiry = 1.5; }";

static const char spx_eur[] =
    "currency = 'EUR'; cross = { of = ['SPX', 'EURUSD']; correlation = -0.3; };";

/* Whichever way round the rate is quoted, with the yield of the index. */
TEST(an_index_is_converted_at_a_rate)
{
    static const struct {
        const char *cross;
        double spot, rate, power; /* variance to half a year of the rate */
    } rows[] = {{spx_eur, 6000.0 / 1.09, 0.0032, -1.0},
                {"currency = 'GBP'; cross = { of = ['GBPUSD', 'SPX']; correlation = -0.3; };",
                 6000.0 / 1.25, 0.00605, -1.0},
                {"currency = 'JPY'; cross = { of = ['SPX', 'USDJPY']; correlation = -0.3; };",
                 6000.0 * 150.0, 0.005, 1.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        read_book(rows[i].cross, trade);
        const struct asset *x = &book.market.assets[X], *spx = &book.market.assets[X - 1];
        double variance =
            0.01125 + rows[i].rate - 0.6 * rows[i].power * sqrt(0.01125 * rows[i].rate);
        assert_true(fabs(x->spot / rows[i].spot - 1.0) < 1e-15);
        assert_true(term_equal(&x->yield, &spx->yield));
        assert_true(fabs(term_accrued(&x->variance, 0.5) - variance) < 1e-16);
    }
}

/* A call in euros, struck at K, pays max(SPX - K EURUSD, 0) in dollars. */
TEST(a_call_on_a_converted_index_is_an_exchange_of_its_legs)
{
    struct reference cross, exchange;
    char trades[400];
    snprintf(trades, sizeof trades,
             "%s, { id = 'S'; type = 'spread'; assets = ['SPX', 'EURUSD']; "
             "weights = [1, -5600]; option = 'call'; strike = 0; expiry = 1.5; }",
             call);
    read_book(spx_eur, trades);
    assert_note(NULL);
    assert_int_equal(reference_price(&book.market, &book.trades[0], 1, NULL, &cross, &said), 0);
    assert_int_equal(reference_price(&book.market, &book.trades[1], 1, NULL, &exchange, &said), 0);
    if (fabs(1.09 * cross.price / exchange.price - 1.0) > 1e-9)
        fail_msg("%.15g euros, %.15g dollars", cross.price, exchange.price);
}

/* A basis of the rate is not that of the index, and a note says so. */
TEST(the_basis_of_a_rate_is_noted)
{
    static const char basis[] = "currency = 'EUR'; basis = 0.004; cross = { of = ['SPX', 'EURUSD'];"
                                " correlation = -0.3; };";
    read_book(basis, call);
    assert_note("asset 'X': note: its forward at 0.5 years is -0.2 % from that of 'SPX' and "
                "'EURUSD': basis, forwards or forward_points of its own bring them together");
}

/* One under another model has a volatility of its own. */
TEST(an_index_with_a_volatility_of_its_own)
{
    read_book("currency = 'EUR'; volatility = 0.19; cross = { of = ['SPX', 'EURUSD']; };", trade);
    assert_true(fabs(book.market.assets[X].spot / (6000.0 / 1.09) - 1.0) < 1e-15);
    assert_true(fabs(term_accrued(&book.market.assets[X].variance, 2.0) - 0.0722) < 1e-15);
}

/* ---- what contradicts ------------------------------------------------------------------------ */

TEST(volatilities_beyond_the_triangle_are_noted)
{
    read_book("currency = 'GBP'; foreign_currency = 'EUR'; volatility = 0.25; "
              "cross = { of = ['EURUSD', 'GBPUSD']; };",
              trade);
    assert_note("asset 'X': note: the volatility 0.25 at 1 years is beyond those that "
                "'EURUSD' and 'GBPUSD' allow");
}

/* Loads one more rate and holds the only note against what is wanted; NULL: none. */
static void assert_only_note(const char *cross, const char *wanted)
{
    read_book(cross, trade);
    assert_note(wanted);
}

TEST(rates_that_contradict_others_are_noted)
{
    static const char legs[] = "currency = 'GBP'; foreign_currency = 'EUR'; "
                               "cross = { of = ['EURUSD', 'GBPUSD']; correlation = 0.6; };";
    static const char turned[] =
        "currency = 'EUR'; foreign_currency = 'USD'; spot = 0.95; volatility = 0.1;";
    char with_basis[300];
    assert_only_note(legs, NULL);
    assert_only_note("currency = 'GBP'; foreign_currency = 'EUR'; "
                     "cross = { of = ['EURUSD', 'GBPUSD']; correlation = 0.7; };",
                     "asset 'X': note: correlation is 0.7, and that of 'EURUSD' and 'GBPUSD' among "
                     "the correlations 0.6");
    snprintf(with_basis, sizeof with_basis, "%s basis = 0.01;", legs);
    assert_only_note(with_basis, "asset 'X': note: its forward at 1 years is -0.995 % from that of "
                                 "'EURUSD' and 'GBPUSD'");
    assert_only_note("currency = 'GBP'; foreign_currency = 'EUR'; spot = 0.8721; volatility = 0.1;",
                     NULL);
    assert_only_note("currency = 'CHF'; foreign_currency = 'EUR'; spot = 1.0; volatility = 0.1;",
                     "asset 'X': note: spot 1 is 4.25 % from the 0.9592 that 'EURUSD' and 'USDCHF' "
                     "make");
    read_book(turned, trade);
    assert_int_equal(book.notes.n, 3);
    assert_non_null(strstr(book.notes.list[0].line, "asset 'X': note: spot 0.95 is 3.55 % from the "
                                                    "0.9174311927 that 'EURUSD' makes"));
    assert_non_null(strstr(book.notes.list[1].line,
                           "asset 'X': note: its correlation with 'EURUSD', of the same two "
                           "currencies, is 0: one is the other turned round, which is -1"));
    assert_non_null(strstr(book.notes.list[2].line,
                           "asset 'X': note: the volatility 0.1 at 1 years is not the 0.09 of "
                           "'EURUSD', of the same two currencies"));
}

static double correlation_with(int k)
{
    return book.market.correlation[X * (X + 1) + k];
}

/* Where none of its own is listed. */
TEST(correlations_with_the_legs_make_that_with_the_cross)
{
    static const char legs[] = "currency = 'GBP'; foreign_currency = 'EUR'; "
                               "cross = { of = ['EURUSD', 'GBPUSD']; correlation = 0.6; };",
                      by_pounds[] = "{ id = 'T'; type = 'european'; asset = 'X'; option = 'call'; "
                                    "strike = 0.88; expiry = 1.5; quanto = { fx = 'GBPUSD'; }; }";
    /* Of a year: the pound's is that to nine months, and a quarter at the rate of 0.75 to 2 */
    double variance = 0.75 * 0.0121 + 0.25 * (2.0 * 0.0081 - 0.75 * 0.0121) / 1.25,
           pound = sqrt(variance), deviation = sqrt(0.0081 + variance - 1.2 * 0.09 * pound);
    read_book(legs, by_pounds);
    assert_note(NULL);
    assert_true(fabs(correlation_with(0) - (0.09 - 0.6 * pound) / deviation) < 1e-12);
    assert_true(fabs(correlation_with(2) - (0.6 * 0.09 - pound) / deviation) < 1e-12);
    assert_true(correlation_with(3) == 0.0);
    pairs = ", { assets = ['X', 'GBPUSD']; value = 0.0; }";
    read_book(legs, by_pounds);
    pairs = "";
    assert_note("asset 'X': note: its correlation with 'GBPUSD' is 0, and those of 'EURUSD' and "
                "'GBPUSD' with it imply -0.5");
    assert_true(correlation_with(0) == 0.0);
}

/* Its own correlation is that of its legs where that is not listed. */
TEST(a_cross_says_the_correlation_of_its_legs)
{
    read_book(spx_eur, call);
    assert_true(book.market.correlation[(X - 1) * (X + 1)] == -0.3);
    pairs = ", { assets = ['EURUSD', 'SPX']; value = -0.1; }";
    read_book(spx_eur, call);
    pairs = "";
    assert_note("asset 'X': note: correlation is -0.3, and that of 'SPX' and 'EURUSD' among the "
                "correlations -0.1");
}

/* ---- rates that go with others --------------------------------------------------------------- */

/* Shocks the market as a scenario, or a day of the past, says. The caller frees it. */
static struct shocked_market market_in(const struct scenario_request *scenario)
{
    struct shocked_market shocked;
    struct message why;
    assert_ok(shock_market(&book.market, scenario->n_shocks, scenario->shocks, &shocked, &why));
    return shocked;
}

/* Fails unless X lies at so many times its spot in a scenario. */
static void assert_growth(const struct scenario_request *scenario, double growth)
{
    struct shocked_market then = market_in(scenario);
    double got = then.market.assets[X].spot / book.market.assets[X].spot;
    if (fabs(got / growth - 1.0) > 1e-15) fail_msg("%s: %.17g", scenario->name, got);
    shocked_market_free(&then);
}

static const char eurgbp[] = "currency = 'GBP'; foreign_currency = 'EUR'; "
                             "cross = { of = ['EURUSD', 'GBPUSD']; correlation = 0.6; };";

/* As their product or quotient, unless the scenario moves it itself: by its name, or by a pattern
 * that fits no leg. */
TEST(a_cross_goes_with_its_legs)
{
    static const double growths[] = {1.05, 1.0 / 0.9, 1.05 / 1.1, 1.0, 1.02, 1.0, 1.05};
    read_risks(eurgbp, trade,
               "scenarios = ( { name = 'leg'; shocks = ( { asset = 'EURUSD'; spot = 0.05; } ); },"
               "{ name = 'below'; shocks = ( { asset = 'GBPUSD'; spot = -0.1; } ); },"
               "{ name = 'both'; shocks = ( { asset = 'EURUSD'; spot = 0.05; },"
               "{ asset = 'GBPUSD'; spot = 0.1; } ); },"
               "{ name = 'held'; shocks = ( { asset = 'EURUSD'; spot = 0.05; },"
               "{ asset = 'X'; spot = 0.0; } ); },"
               "{ name = 'by a pattern'; shocks = ( { asset = 'EURUSD'; spot = 0.05; },"
               "{ asset = 'X*'; spot = 0.02; } ); },"
               "{ name = 'all'; shocks = ( { asset = '*'; spot = -0.1; } ); } );"
               "grids = ( { name = 'grid'; asset = 'EURUSD'; spots = [0.05]; } );");
    assert_int_equal(book.risk.n_scenarios, 7);
    for (int s = 0; s < 7; s++) assert_growth(&book.risk.scenarios[s], growths[s]);
}

/* Made of its legs' anew; one of its own stays. */
TEST(the_volatility_of_a_cross_goes_with_its_legs)
{
    static const char *const crosses[] = {
        eurgbp, "currency = 'GBP'; foreign_currency = 'EUR'; volatility = 0.08; "
                "cross = { of = ['EURUSD', 'GBPUSD']; };"};
    double up = 0.5 * (0.0081 + 0.0144 - 1.2 * 0.09 * 0.12); /* of 9 % and 12 % to half a year */
    for (int own = 0; own < 2; own++) {
        read_risks(crosses[own], trade,
                   "scenarios = ( { name = 'up'; shocks = ( { asset = '*USD'; volatility = 0.01; }"
                   " ); }, { name = 'all'; shocks = ( { asset = '*'; volatility = 0.01; } ); } );");
        for (int s = 0; s < 2; s++) {
            struct shocked_market then = market_in(&book.risk.scenarios[s]);
            double variance = term_accrued(&then.market.assets[X].variance, 0.5),
                   wanted = !own ? up : 0.5 * (s ? 0.0081 : 0.0064);
            if (fabs(variance - wanted) > 1e-15) fail_msg("%d %d: %.17g", own, s, variance);
            shocked_market_free(&then);
        }
    }
}

/* Whichever way round they are quoted. */
TEST(rates_of_one_pair_go_together)
{
    read_risks("currency = 'EUR'; foreign_currency = 'USD'; spot = 0.9174311927; volatility = 0.1;",
               trade,
               "scenarios = ( { name = 'other'; shocks = ( { asset = 'EURUSD'; spot = 0.05; } ); },"
               "{ name = 'both'; shocks = ( { asset = '*'; spot = 0.05; } ); } );");
    assert_growth(&book.risk.scenarios[0], 1.0 / 1.05);
    assert_growth(&book.risk.scenarios[1], 1.05);
}

/* Where their file does not say how the cross moved. */
TEST(past_days_move_a_cross_by_its_legs)
{
    static const char past[] = "historical = { file = 'past.csv'; };";
    write_file("past.csv", "date,EURUSD,GBPUSD\n2026-10-01,1,2\n2026-10-02,1.1,2.1\n"
                           "2026-10-05,1.2,2.1\n");
    read_risks(eurgbp, trade, past);
    assert_growth(&book.risk.days[0], 1.1 / 1.05);
    write_file("past.csv", "date,EURUSD,X\n2026-10-01,1,2\n2026-10-02,1.1,2.1\n"
                           "2026-10-05,1.2,2.1\n");
    read_risks(eurgbp, trade, past);
    assert_growth(&book.risk.days[0], 1.05);
}

/* An index goes with both of its legs, whatever else is moved. */
TEST(a_converted_index_goes_with_its_legs)
{
    static const double growths[] = {0.9, 1.0 / 1.1, 0.9 / 1.1, 1.0};
    read_risks(spx_eur, call,
               "scenarios = ( { name = 'index'; shocks = ( { asset = 'SPX'; spot = -0.1; } ); },"
               "{ name = 'rate'; shocks = ( { asset = 'EURUSD'; spot = 0.1; } ); },"
               "{ name = 'both'; shocks = ( { asset = 'SPX'; spot = -0.1; },"
               "{ asset = 'EURUSD'; spot = 0.1; } ); },"
               "{ name = 'all'; shocks = ( { asset = '*'; spot = 0.1; } ); } );");
    for (int s = 0; s < 4; s++) assert_growth(&book.risk.scenarios[s], growths[s]);
    read_risks(spx_eur, call,
               "scenarios = ( { name = 'up'; shocks = ( { asset = 'SPX'; volatility = 0.01; } );"
               " } );");
    struct shocked_market then = market_in(&book.risk.scenarios[0]);
    double variance = 0.0128 + 0.0032 + 0.6 * sqrt(0.0128 * 0.0032);
    assert_true(fabs(term_accrued(&then.market.assets[X].variance, 0.5) - variance) < 1e-15);
    shocked_market_free(&then);
    write_file("past.csv", "date,SPX,EURUSD\n2026-10-01,5000,1.1\n2026-10-02,5050,1.11\n"
                           "2026-10-05,5060,1.11\n");
    read_risks(spx_eur, call, "historical = { file = 'past.csv'; };");
    assert_growth(&book.risk.days[0], 1.01 / (1.11 / 1.1));
}

/* Greeks are by each asset alone, and a note says so. */
TEST(greeks_leave_a_cross_where_it_is)
{
    read_risks(eurgbp, trade, "greeks = ['delta'];");
    assert_note("asset 'X': note: Greeks of trades on it are by its own spot and volatility: those "
                "by 'EURUSD' and 'GBPUSD' leave it where it is");
    read_risks(eurgbp, "{ id = 'T'; type = 'position'; asset = 'EURUSD'; }", "greeks = ['delta'];");
    assert_note(NULL);
}

static int begin(void **state)
{
    return set_up(state) || begin_references(state);
}

ALL_TESTS_BETWEEN(config_crosses_test, begin, tear_down)
