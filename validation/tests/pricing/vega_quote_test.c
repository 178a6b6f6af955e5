/* Slopes in the numbers that an exchange rate's volatilities are quoted by, against Black's formula
 * at the volatility of a surface made of moved quotes, and against the reference. S has its money
 * at the forward, F a flat smile, and L is quoted at strikes. */
#define MARKET                                                                                     \
    "market = { correlation_default = 0; currencies = ( { name = 'USD'; rate = 0.04; },"           \
    "{ name = 'EUR'; rate = 0.02; }, { name = 'GBP'; rate = 0.05; }, { name = 'AUD'; rate = "      \
    "0.03; "                                                                                       \
    "} ); assets = ( { name = 'S'; currency = 'USD'; foreign_currency = 'EUR'; spot = 1.1; "       \
    "model = 'local_vol'; volatility = { times = [0.5, 1.0]; atm = [0.1, 0.11]; "                  \
    "rr25 = [-0.01, -0.015]; bf25 = [0.002, 0.003]; delta = 'forward'; premium_adjusted = false; " \
    "butterfly = 'smile'; at_the_money = 'forward'; }; },"                                         \
    "{ name = 'M'; currency = 'USD'; foreign_currency = 'GBP'; spot = 1.3; model = 'local_vol'; "  \
    "volatility = { times = [0.5, 1.0]; atm = [0.09, 0.095]; rr25 = [0.006, 0.008]; "              \
    "bf25 = [0.002, 0.0025]; rr10 = [0.011, 0.014]; bf10 = [0.0065, 0.0085]; delta = 'spot'; "     \
    "forward_delta_after = 0.75; premium_adjusted = true; butterfly = 'market'; }; },"             \
    "{ name = 'F'; currency = 'USD'; foreign_currency = 'AUD'; spot = 0.7; model = 'local_vol'; "  \
    "volatility = { times = [0.5, 1.0]; atm = [0.1, 0.12]; rr25 = [0, 0]; bf25 = [0, 0]; "         \
    "delta = 'spot'; premium_adjusted = false; butterfly = 'smile'; }; },"                         \
    "{ name = 'L'; currency = 'USD'; spot = 100.0; model = 'local_vol'; volatility = { "           \
    "times = [0.5, 1.0]; strikes = [90, 100, 110]; vols = ([0.21, 0.2, 0.2], [0.21, 0.2, 0.2]); "  \
    "}; } ); };\n"
#include "models/market/surface.h"
#include "validation/tests/pricing/risk_book.h"

#define TRADES                                                                                     \
    "european: id asset option strike           expiry\n"                                          \
    "          S-1 S    call   1.12222147402943 1\n"                                               \
    "          S-2 S    put    1.04             0.8\n"                                             \
    "          M-1 M    call   1.4              1\n"                                               \
    "          M-2 M    put    1.25             0.4\n"                                             \
    "          F-1 F    put    0.68             0.9\n"                                             \
    "          L-1 L    put    100              0.9\n"

/* Returns the price of a european by Black's formula in a market. */
static double black_price(const struct market *market, const struct trade *trade)
{
    struct implied_surface surface = {0};
    const struct asset *asset = &market->assets[trade->asset];
    double t = trade->expiry, forward = exp(surface_log_forward(market, trade->asset, t));
    double sign = trade->option == OPTION_CALL ? 1.0 : -1.0;
    assert_ok(surface_make(&surface, market, trade->asset, &said));
    double spread = surface_volatility(&surface, log(trade->strike / forward), t) * sqrt(t);
    surface_free(&surface);
    return exp(-term_accrued(&market->currencies[asset->currency].rate, t)) *
           black_option(sign, forward, trade->strike, spread);
}

/* Returns its slope in a quote. */
static double exact_slope(const struct market *market, const struct sensitivity *s,
                          const struct trade *trade)
{
    double prices[2], bump = 1e-5;
    for (int side = 0; side < 2; side++) {
        struct shocked_market shocked;
        struct shock shock = sensitivity_shock(s, SLOPE_QUOTE, side ? bump : -bump);
        assert_ok(shock_market(market, 1, &shock, &shocked, &said));
        prices[side] = black_price(&shocked.market, trade);
        shocked_market_free(&shocked);
    }
    return (prices[1] - prices[0]) / (2.0 * bump);
}

TEST(slopes_are_those_of_black_and_of_the_reference)
{
    struct night night;
    int n = 0;
    make_checked_night("paths = 65536; greeks = 'quotes';", TRADES, "", &night);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 0; i < night.book.n_trades; i++) {
            const struct sensitivity *column = &night.risk.sensitivities[s];
            const struct greek_value *greek = risk_greek(&night.risk, s, i);
            if (column->greek != GREEK_VEGA_QUOTE || isnan(greek->value)) continue;
            double exact = exact_slope(&night.book.market, column, &night.book.trades[i]);
            if (greek->std_error > 0.0) assert_exact(&night, s, i, exact);
            assert_good(&night, s, i, fabs(greek->reference - exact) < 1e-3 * fabs(exact) + 1e-5);
            n++;
        }
    assert_int_equal(n, 2 * 6 + 2 * 10 + 6);
    assert_int_equal(greeks_count(&night.risk).beyond, 0);
    free_night(&night);
}

/* A call at the forward stays at the money: its slope in that volatility is Black's vega, and it
 * has no other on its date. */
TEST(a_call_at_the_money_has_one_slope)
{
    struct night night;
    make_night("paths = 65536; greeks = ['vega_quote'];", TRADES, "", &night);
    const char *const names[] = {"vega:S@1/atm", "vega:S@1/rr25", "vega:S@1/bf25"};
    double spread = 0.11, vega = exp(-0.04) * 1.12222147402943 * 0.3989422804014327 *
                                 exp(-0.125 * spread * spread);
    for (int q = 0; q < 3; q++) {
        const struct greek_value *greek = greek_named(&night.risk, names[q], 0);
        double off = greek->value - (q ? 0.0 : vega);
        if (!(fabs(off) < 4.0 * greek->std_error))
            fail_msg("%s is off by %g +- %g", names[q], off, greek->std_error);
    }
    free_night(&night);
}

/* Where the smile is flat it does not matter that strikes move: all at the money are all. */
TEST(slopes_of_a_flat_smile_add_up)
{
    struct night night;
    make_night("paths = 65536; greeks = ['vega', 'vega_bucket', 'vega_quote'];", TRADES, "",
               &night);
    const char *const dates[][2] = {{"vega:F@0.5", "vega:F@0.5/atm"}, {"vega:F@1", "vega:F@1/atm"}};
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        const struct greek_value *bucket = greek_named(&night.risk, dates[i][0], 4),
                                 *quote = greek_named(&night.risk, dates[i][1], 4);
        assert_true(fabs(quote->value - bucket->value) <= 0.1 * bucket->std_error);
        sum += quote->value;
    }
    const struct greek_value *vega = greek_named(&night.risk, "vega:F", 4);
    assert_true(fabs(sum - vega->value) <= 5e-3 * vega->value + 0.3 * vega->std_error);
    free_night(&night);
}

/* Returns how many columns of a Greek there are of an asset. */
static int count(const struct risk *risk, enum greek greek, int asset)
{
    int n = 0;
    for (int s = 0; s < risk->n_sensitivities; s++)
        n += risk->sensitivities[s].greek == greek && risk->sensitivities[s].asset == asset;
    return n;
}

TEST(words_mean_the_quotes_of_each_asset)
{
    static const struct {
        const char *greeks;
        int quotes, strikes, strikes_of_l;
    } cases[] = {{"greeks = 'quotes';", 6, 0, 6},
                 {"greeks = ['vega_quote'];", 6, 0, 6},
                 {"greeks = ['vega_strike'];", 0, 6, 6},
                 {"greeks = ['quotes', 'vega_strike'];", 6, 6, 6}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct night night;
        make_night(text_of("paths = 1024; %s", cases[c].greeks), TRADES, "", &night);
        assert_int_equal(count(&night.risk, GREEK_VEGA_QUOTE, 0), cases[c].quotes);
        assert_int_equal(count(&night.risk, GREEK_VEGA_STRIKE, 0), cases[c].strikes);
        assert_int_equal(count(&night.risk, GREEK_VEGA_STRIKE, 3), cases[c].strikes_of_l);
        assert_int_equal(count(&night.risk, GREEK_VEGA_QUOTE, 3), 0);
        free_night(&night);
    }
}

/* Quotes that leave no strikes are no market. */
TEST(quotes_that_make_no_smile_are_refused)
{
    struct book book;
    load("paths = 1024;", TRADES, "", &book);
    const struct shock shock = {SHOCK_QUOTE, 0, EVERY, 1, QUOTE_RR25, -0.3};
    struct shocked_market shocked;
    assert_int_equal(shock_market(&book.market, 1, &shock, &shocked, &said), STATUS_BAD_INPUT);
    assert_non_null(strstr(said.text, "below 0.001"));
    shocked_market_free(&shocked);
    book_free(&book);
}

ALL_TESTS(vega_quote_test)
