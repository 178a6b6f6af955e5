/* Greeks of every product alone and in the company of all others, where all curves turn on several
 * dates: they agree within their errors, and with their references. Theta is what other trades'
 * dates, and dates on which something is looked at because a curve turns, could bias. */
#define MARKET                                                                                     \
    "market = { correlation_default = 0; currencies = ( { name = 'EUR'; "                          \
    "curve = { times = [0.25, 0.75, 1.5]; zero_rates = [0.01, 0.05, 0.03]; }; },"                  \
    "{ name = 'USD'; curve = { times = [0.5, 2.0]; zero_rates = [0.04, 0.01]; }; "                 \
    "} );assets = ( { name = 'A'; currency = 'EUR'; spot = 100.0; "                                \
    "volatility = { times = [0.3, 0.8, 2.0]; vols = [0.25, 0.2, 0.24]; }; "                        \
    "dividend_curve = { times = [0.2, 0.6, 1.0]; yields = [0.0, 0.2, 0.05]; }; },"                 \
    "{ name = 'B'; currency = 'EUR'; spot = 50.0; volatility = { times = [0.25, 0.5]; "            \
    "vols = [0.3, 0.24]; }; },"                                                                    \
    "{ name = 'EURUSD'; currency = 'USD'; foreign_currency = 'EUR'; spot = 1.1; "                  \
    "volatility = 0.1; },"                                                                         \
    "{ name = 'H'; currency = 'EUR'; spot = 100.0; model = 'heston'; heston = { v0 = 0.04; "       \
    "kappa = 1.0; theta = 0.09; xi = 0.5; rho = -0.7; }; } ); "                                    \
    "correlations = ( { assets = ['A', 'B']; value = 0.6; } ); };\n"

#include "validation/tests/pricing/risk_book.h"

static const char *const trades[] = {
    "type = 'european'; asset = 'A'; option = 'call'; strike = 100.0; expiry = 0.31;",
    "type = 'european'; asset = 'A'; option = 'put'; strike = 100.0; expiry = 0.6;",
    "type = 'european'; asset = 'EURUSD'; option = 'put'; strike = 1.1; expiry = 0.9;",
    "type = 'european'; asset = 'H'; option = 'call'; strike = 100.0; expiry = 0.9;",
    "type = 'digital'; asset = 'A'; option = 'call'; strike = 95.0; payout = 'cash'; "
    "cash = 10.0; expiry = 0.7;",
    "type = 'asian'; asset = 'A'; option = 'call'; averaging = 'geometric'; "
    "strike_type = 'fixed'; strike = 100.0; fixings = 7; expiry = 1.0;",
    "type = 'barrier'; asset = 'A'; option = 'call'; strike = 100.0; barrier = 85.0; "
    "direction = 'down'; knock = 'out'; rebate = 3.0; monitoring = 'continuous'; expiry = 1.0;",
    "type = 'barrier'; asset = 'A'; option = 'call'; strike = 90.0; barrier = 125.0; "
    "direction = 'up'; knock = 'out'; monitoring = 5; expiry = 1.0;",
    "type = 'double_barrier'; asset = 'A'; option = 'put'; strike = 105.0; lower = 75.0; "
    "upper = 130.0; knock = 'out'; monitoring = 'continuous'; expiry = 0.75;",
    "type = 'touch'; asset = 'A'; touch = 'one'; barrier = 115.0; direction = 'up'; "
    "cash = 10.0; pay_at = 'hit'; monitoring = 'continuous'; expiry = 0.85;",
    "type = 'touch'; asset = 'A'; touch = 'no'; lower = 80.0; upper = 130.0; cash = 10.0; "
    "monitoring = 'continuous'; expiry = 0.6;",
    "type = 'lookback'; asset = 'A'; option = 'put'; strike_type = 'floating'; "
    "monitoring = 'continuous'; expiry = 1.0;",
    "type = 'lookback'; asset = 'A'; option = 'call'; strike_type = 'fixed'; strike = 104.0; "
    "monitoring = 'continuous'; expiry = 0.8;",
    "type = 'lookback'; asset = 'EURUSD'; option = 'call'; strike_type = 'floating'; "
    "monitoring = 'continuous'; expiry = 0.7;",
    "type = 'forward_start'; asset = 'A'; option = 'call'; start = 0.5; strike_ratio = 1.0; "
    "expiry = 1.1;",
    "type = 'cliquet'; asset = 'A'; reset_times = [0.25, 0.5]; notional = 100.0; "
    "local_cap = 0.05; global_floor = 0.0; expiry = 0.75;",
    "type = 'variance_swap'; asset = 'A'; strike_volatility = 0.2; fixings = 9; "
    "notional = 100.0; expiry = 0.9;",
    "type = 'american'; asset = 'A'; option = 'put'; strike = 100.0; exercise = 6; "
    "expiry = 0.9;",
    "type = 'basket'; assets = ['A', 'B']; kind = 'worst_of'; weights = [1.0, 2.0]; "
    "option = 'call'; strike = 95.0; expiry = 0.9;",
    "type = 'spread'; assets = ['A', 'B']; weights = [1.0, -2.0]; option = 'call'; "
    "strike = 0.0; expiry = 0.7;",
    "type = 'autocallable'; assets = ['A', 'B']; observation_times = [0.3, 0.55, 0.8]; "
    "call_level = 1.0; coupon = 0.05; protection_level = 0.7; notional = 100.0; expiry = 0.8;",
};

enum { TRADES = sizeof trades / sizeof *trades };

/* A book of n trades from the first-th on, and its Greeks. */
static void value(int first, int n, struct night *night)
{
    char *text = text_of("%s", "");
    for (int i = 0; i < n; i++) {
        char *more =
            text_of("%s%s{ id = '%d'; %s }", text, i ? ", " : "", first + i, trades[first + i]);
        free(text);
        text = more;
    }
    make_night_by(n > 1 ? 3 : 4, "paths = 16384;", text,
                  "risk = { greeks = ['delta', 'gamma', 'vega', 'rho', 'theta', 'correlation']; };",
                  night);
    free(text);
}

static int failures;

static void assert_alike(int t, const struct risk *alone, const struct risk *company)
{
    for (int s = 0; s < alone->n_sensitivities; s++) {
        const char *name = alone->sensitivities[s].name;
        const struct greek_value *a = greek_named(alone, name, 0),
                                 *b = greek_named(company, name, t);
        assert_int_equal(isnan(a->value), isnan(b->value));
        if (isnan(a->value)) continue;
        double z = (a->value - b->value) / hypot(a->std_error, b->std_error);
        bool good = (fabs(a->value - b->value) < 1e-9 || fabs(z) < 4.2) && !(fabs(b->z) > 4.2);
        print_message(
            "%s%d %s: alone %g +- %g, in company %g +- %g, reference %g +- %g; z %.2f, %.2f\n",
            good ? "" : "BAD: ", t, name, a->value, a->std_error, b->value, b->std_error,
            b->reference, b->reference_error, z, b->z);
        failures += !good;
    }
}

TEST(test_company)
{
    struct night all, one;
    value(0, TRADES, &all);
    check(&all.book, &all.risk);
    for (int t = 0; t < TRADES; t++) {
        value(t, 1, &one);
        assert_alike(t, &one.risk, &all.risk);
        free_night(&one);
    }
    free_night(&all);
    assert_int_equal(failures, 0);
}

ALL_TESTS(greek_company_test)
