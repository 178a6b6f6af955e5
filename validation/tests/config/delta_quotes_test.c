/* Strikes of deltas against published ones, and smiles from quotes by delta: what is dealt is what
 * the surface, and the reference's own, give back. */
#include "models/market/delta_quotes.h"
#include "models/market/surface.h"
#include "validation/tests/config/config_books.h"
#include "validation/tests/with_references.h"

static void assert_within(double got, double wanted, double error)
{
    if (!(fabs(got - wanted) <= error)) fail_msg("got %.12g, wanted %.12g", got, wanted);
}

/* D. Reiswich's own numbers, of a program in R (QuantLib's test of its BlackDeltaCalculator, 2010),
 * and those of A. Castagna, FX Options and Smile Risk, Wiley 2010, for USDJPY: strikes to two
 * digits. Deltas of the former are to 1e-3 there; ours are to the digits of the strikes. */
TEST(strikes_are_the_published_ones)
{
    static const struct {
        double sign;
        int delta;
        bool adjusted;
        double spot, domestic, foreign, deviation, strike, size, error;
    } cases[] = {
        {1, DELTA_SPOT, false, 1.421, 0.997306, 0.992266, 0.1180654, 1.608080, 0.15, 2e-6},
        {1, DELTA_SPOT, true, 1.421, 0.997306, 0.992266, 0.1180654, 1.600545, 0.15, 3e-5},
        {1, DELTA_FORWARD, false, 1.421, 0.997306, 0.992266, 0.1180654, 1.609029, 0.15, 2e-6},
        {1, DELTA_FORWARD, true, 1.421, 0.997306, 0.992266, 0.1180654, 1.601550, 0.15, 3e-5},
        {1, DELTA_SPOT, false, 122.121, 0.9695434, 0.9872347, 0.0887676, 119.8031, 0.67, 1e-4},
        {1, DELTA_SPOT, true, 122.121, 0.9695434, 0.9872347, 0.0887676, 117.7096, 0.67, 1e-3},
        {1, DELTA_FORWARD, false, 122.121, 0.9695434, 0.9872347, 0.0887676, 120.0592, 0.67, 1e-4},
        {1, DELTA_FORWARD, true, 122.121, 0.9695434, 0.9872347, 0.0887676, 118.0532, 0.67, 1e-3},
        {-1, DELTA_SPOT, false, 3.4582, 0.99979, 0.9250616, 0.3199034, 4.964924, 0.821, 2e-6},
        {-1, DELTA_SPOT, true, 3.4582, 0.99979, 0.9250616, 0.3199034, 3.778327, 0.821, 2e-5},
        {-1, DELTA_FORWARD, false, 3.4582, 0.99979, 0.9250616, 0.3199034, 4.51896, 0.821, 2e-5},
        {-1, DELTA_FORWARD, true, 3.4582, 0.99979, 0.9250616, 0.3199034, 3.65728, 0.821, 2e-5},
        {-1, DELTA_SPOT, false, 103.0, 0.99482, 0.98508, 0.07247845, 97.47, 0.25, 0.01},
        {-1, DELTA_SPOT, true, 103.0, 0.99482, 0.98508, 0.07247845, 97.22, 0.25, 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct delta_convention convention = {.delta = cases[i].delta,
                                              .premium_adjusted = cases[i].adjusted};
        struct delta_market market = {cases[i].spot * cases[i].foreign / cases[i].domestic,
                                      cases[i].foreign, 1.0};
        double strike =
            strike_of_delta(&convention, &market, cases[i].sign, cases[i].size, cases[i].deviation);
        assert_within(strike, cases[i].strike, cases[i].error);
        assert_within(
            delta_of_strike(&convention, &market, cases[i].sign, strike, cases[i].deviation),
            cases[i].sign * cases[i].size, 1e-12);
    }
}

/* EURUSD and USDJPY to one month on 20 January 2009: tables 4 and 5 of Reiswich and Wystup, who
 * take the money of USDJPY without its premium. With the premium it is on the other side of the
 * forward, at f exp(-sigma^2 t / 2). */
TEST(the_money_is_that_of_reiswich_and_wystup)
{
    double t = 31 / 365.0;
    struct delta_convention convention = {0};
    struct delta_market eurusd = {1.3088 * exp((0.003525 - 0.020113) * t), exp(-0.020113 * t), t};
    struct delta_market usdjpy = {90.68 * exp((0.0042875 - 0.003525) * t), exp(-0.003525 * t), t};
    assert_within(strike_at_the_money(&convention, &eurusd, 0.216215), 1.3096, 5e-5);
    assert_within(strike_at_the_money(&convention, &usdjpy, 0.21), 90.86, 5e-3);
    convention.premium_adjusted = true;
    assert_within(strike_at_the_money(&convention, &usdjpy, 0.21), 90.516, 5e-4);
    convention.at_the_money = MONEY_FORWARD;
    assert_within(strike_at_the_money(&convention, &usdjpy, 0.21), usdjpy.forward, 0.0);
}

/* At the money the straddle has no delta, by each convention. */
TEST(a_straddle_at_the_money_has_no_delta)
{
    struct delta_market market = {1.2, 0.9, 2.0};
    for (int i = 0; i < 4; i++) {
        struct delta_convention convention = {.delta = i & 1, .premium_adjusted = i >> 1};
        double strike = strike_at_the_money(&convention, &market, 0.15);
        assert_within(delta_of_strike(&convention, &market, 1.0, strike, 0.15) +
                          delta_of_strike(&convention, &market, -1.0, strike, 0.15),
                      0.0, 1e-15);
    }
}

/* A premium-adjusted call has its delta at two strikes, and the higher one counts; beyond the most
 * there is, at none. */
TEST(the_higher_strike_of_two_is_taken)
{
    struct delta_convention convention = {.delta = DELTA_FORWARD, .premium_adjusted = true};
    struct delta_market market = {100.0, 0.95, 1.0};
    double strike = strike_of_delta(&convention, &market, 1.0, 0.5, 0.3);
    double above = delta_of_strike(&convention, &market, 1.0, strike + 0.01, 0.3);
    assert_true(strike > 0.0 && above < 0.5);
    assert_true(delta_of_strike(&convention, &market, 1.0, 20.0, 0.3) < 0.5);
    assert_true(isnan(strike_of_delta(&convention, &market, 1.0, 0.9, 0.3)));
    convention = (struct delta_convention){.delta = DELTA_SPOT};
    assert_true(isnan(strike_of_delta(&convention, &market, 1.0, 0.96, 0.3)));
    assert_false(isnan(strike_of_delta(&convention, &market, -1.0, 0.94, 0.3)));
}

/* ---- surfaces -------------------------------------------------------------------------------- */

static void read_surface(const char *keys)
{
    load_written(
        "valuation_date = '2026-11-20'; market = { currencies = ( { name = 'EUR'; rate = 0.02; }, "
        "{ name = 'USD'; curve = { times = [0.5, 2]; zero_rates = [0.045, 0.04]; }; } );"
        "assets = ( { name = 'A'; currency = 'USD'; foreign_currency = 'EUR'; spot = 1.09; "
        "model = 'local_vol'; volatility = { times = [0.25, '1Y']; atm = [0.075, 0.078]; "
        "rr25 = [-0.006, -0.008]; bf25 = [0.002, 0.0025]; %s }; } ); };"
        "book = { trades = ( { id = 'T'; type = 'european'; asset = 'A'; option = 'call'; "
        "strike = 1.1; expiry = 1; } ); };",
        keys);
}

/* Each quote of a smile butterfly is the volatility at the strike that has its delta. */
TEST(smile_butterflies_are_at_their_strikes)
{
    read_surface("rr10 = [-0.011, -0.014]; bf10 = [0.0065, 0.0085]; delta = 'forward'; "
                 "premium_adjusted = true; butterfly = 'smile';");
    const struct surface *surface = &book.market.assets[0].surface;
    const double vols[2][5] = {{0.075 + 0.0065 + 0.0055, 0.075 + 0.002 + 0.003, 0.075,
                                0.075 + 0.002 - 0.003, 0.075 + 0.0065 - 0.0055},
                               {0.078 + 0.0085 + 0.007, 0.078 + 0.0025 + 0.004, 0.078,
                                0.078 + 0.0025 - 0.004, 0.078 + 0.0085 - 0.007}},
                 deltas[5] = {-0.1, -0.25, 0.0, 0.25, 0.1};
    struct delta_convention convention = {.delta = DELTA_FORWARD, .premium_adjusted = true};
    assert_int_equal(surface->n_times, 2);
    assert_int_equal(surface->n_strikes, 5);
    for (int i = 0; i < 2; i++) {
        double t = surface->times[i], forward = exp(surface_log_forward(&book.market, 0, t));
        struct delta_market market = {forward, exp(-0.02 * t), t};
        for (int j = 0; j < 5; j++) {
            double strike = surface_strike(surface, i, j), vol = surface->vols[5 * i + j];
            assert_within(vol, vols[i][j], 1e-15);
            if (j == 2) assert_within(strike, forward * exp(-0.5 * vol * vol * t), 1e-15);
            else
                assert_within(delta_of_strike(&convention, &market, deltas[j] > 0.0 ? 1.0 : -1.0,
                                              strike, vol),
                              deltas[j], 1e-12);
        }
    }
}

/* Deltas may be of the spot up to some expiry, and of the forward beyond it. */
TEST(late_deltas_may_be_of_the_forward)
{
    read_surface("delta = 'spot'; forward_delta_after = 0.5; premium_adjusted = false; butterfly = "
                 "'smile';");
    const struct surface *surface = &book.market.assets[0].surface;
    for (int i = 0; i < 2; i++) {
        struct delta_convention convention = {.delta = i ? DELTA_FORWARD : DELTA_SPOT};
        double t = surface->times[i];
        struct delta_market market = {exp(surface_log_forward(&book.market, 0, t)), exp(-0.02 * t),
                                      t};
        assert_within(delta_of_strike(&convention, &market, 1.0, surface_strike(surface, i, 2),
                                      surface->vols[3 * i + 2]),
                      0.25, 1e-12);
    }
}

/* Returns the undiscounted price of an option by the GSL reference on the book's market. */
static double undiscounted(enum option option, double strike, double t)
{
    struct trade trade = book.trades[0];
    trade.option = option;
    trade.strike = strike;
    trade.expiry = t;
    return reference_for(&book.market, &trade).price *
           exp(term_accrued(&book.market.currencies[1].rate, t));
}

static double black_price(double sign, double forward, double strike, double deviation)
{
    double d = log(forward / strike) / deviation + 0.5 * deviation;
    return sign * (forward * 0.5 * erfc(-sign * d * sqrt(0.5)) -
                   strike * 0.5 * erfc(-sign * (d - deviation) * sqrt(0.5)));
}

/* A market strangle is dealt at one volatility, the money's and the butterfly's: the reference
 * gives its two options that price on the surface which is made of it, at 25 and at 10 delta. */
static void assert_strangles(const char *keys, struct delta_convention convention, double foreign)
{
    const double atm[] = {0.075, 0.078}, butterfly[2][2] = {{0.002, 0.0065}, {0.0025, 0.0085}},
                 sizes[] = {0.25, 0.1};
    read_surface(keys);
    const struct surface *surface = &book.market.assets[0].surface;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < surface->n_strikes / 2; j++) {
            double t = surface->times[i], vol = atm[i] + butterfly[i][j], dealt = 0.0, got = 0.0;
            double forward = exp(surface_log_forward(&book.market, 0, t));
            struct delta_market market = {forward, exp(-foreign * t), t};
            for (int side = 0; side < 2; side++) {
                double sign = side ? 1.0 : -1.0;
                double strike = strike_of_delta(&convention, &market, sign, sizes[j], vol);
                dealt += black_price(sign, forward, strike, vol * sqrt(t));
                got += undiscounted(side ? OPTION_CALL : OPTION_PUT, strike, t);
            }
            assert_within(got / dealt, 1.0, 2e-5);
        }
}

TEST(market_strangles_are_dealt_at_their_prices)
{
    assert_strangles("delta = 'spot'; premium_adjusted = false; butterfly = 'market';",
                     (struct delta_convention){0}, 0.02);
    assert_strangles("rr10 = [-0.011, -0.014]; bf10 = [0.0065, 0.0085]; delta = 'spot'; "
                     "premium_adjusted = true; "
                     "butterfly = 'market';",
                     (struct delta_convention){.premium_adjusted = true}, 0.02);
    assert_strangles("rr10 = [-0.011, -0.014]; bf10 = [0.0065, 0.0085]; delta = 'forward'; "
                     "premium_adjusted = false; butterfly = 'market'; at_the_money = 'forward';",
                     (struct delta_convention){.delta = DELTA_FORWARD}, 0.02);
}

static int begin(void **state)
{
    return set_up(state) || begin_references(state);
}

ALL_TESTS_BETWEEN(delta_quotes_test, begin, tear_down)
