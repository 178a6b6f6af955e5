/* Greeks of every number that a market is quoted by: those of dates and strikes come to that of
 * all, and all agree with the references', at seeds, on every model. BT-1 expires an hour before a
 * pillar, near which theta moved time so little that no path's number of jumps changed. */
#define MARKET                                                                                     \
    "market = { correlation_default = 0.3; currencies = ( { name = 'EUR'; "                        \
    "curve = { times = [0.5, 1.0, 2.0, 5.0]; zero_rates = [0.02, 0.025, 0.03, 0.03]; }; },"        \
    "{ name = 'USD'; rate = 0.04; } ); assets = ({ name = 'A'; currency = 'EUR'; spot = 100.0; "   \
    "dividend_curve = { times = [1.0, 3.0]; yields = [0.02, 0.025]; }; "                           \
    "volatility = { times = [0.5, 1.0, 2.0]; vols = [0.2, 0.21, 0.22]; }; "                        \
    "cash_dividends = ( { time = 0.4; amount = 1.0; },"                                            \
    "{ time = 2.5; amount = 1.5; } ); },"                                                          \
    "{ name = 'LV'; currency = 'EUR'; spot = 100.0; model = 'local_vol'; "                         \
    "volatility = { times = [0.5, 1.0, 2.0]; strikes = [80, 90, 100, 110, 120]; "                  \
    "vols = ( [0.24, 0.22, 0.20, 0.195, 0.19], [0.23, 0.215, 0.21, 0.205, 0.20], [0.23, 0.215, "   \
    "0.21, 0.205, 0.20]); }; proportional_dividends = ( { time = 0.6; fraction = 0.02; } ); },"    \
    "{ name = 'H'; currency = 'EUR'; spot = 100.0; dividend_yield = 0.01; model = 'heston'; "      \
    "heston = { v0 = 0.04; kappa = 1.5; theta = 0.05; xi = 0.3; rho = -1.0; }; "                   \
    "proportional_dividends = ( { time = 0.6; fraction = 0.03; } ); },"                            \
    "{ name = 'BT'; currency = 'EUR'; spot = 100.0; model = 'bates'; heston = { v0 = 0.04; "       \
    "kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.7; }; jumps = { intensity = 0.2; "              \
    "mean = -0.1; stdev = 0.15; }; },"                                                             \
    "{ name = 'M'; currency = 'USD'; spot = 100.0; model = 'merton'; volatility = 0.2; "           \
    "jumps = { intensity = 0.2; mean = -0.1; stdev = 0.15; }; },"                                  \
    "{ name = 'EURUSD'; currency = 'USD'; foreign_currency = 'EUR'; spot = 1.1; "                  \
    "volatility = 0.1; forwards = { times = [0.75, 3.0]; prices = [1.11, 1.15]; }; },"             \
    "{ name = 'Q'; currency = 'USD'; spot = 1.3; dividend_yield = 0.03; model = 'local_vol'; "     \
    "volatility = { times = [0.5, 1.0]; atm = [0.09, 0.095]; rr25 = [0.006, 0.008]; "              \
    "bf25 = [0.002, 0.0025]; delta = 'spot'; premium_adjusted = true; butterfly = 'market'; }; }," \
    "{ name = 'HF'; currency = 'EUR'; spot = 100.0; model = 'heston'; "                            \
    "volatility = { times = [0.5, 1.0, 2.0]; strikes = [80, 90, 100, 110, 120]; "                  \
    "vols = ( [0.25, 0.225, 0.203, 0.19, 0.185], [0.24, 0.22, 0.205, 0.194, 0.187], "              \
    "[0.235, 0.221, 0.209, 0.2, 0.194] ); }; },"                                                   \
    "{ name = 'PAST'; currency = 'EUR'; spot = 100.0; model = 'historical'; "                      \
    "volatility = { times = [0.35, 0.5]; vols = [0.2, 0.22]; }; history = { interval = 0.25; "     \
    "returns = [0.015, 0.017, 0.001, -0.009, -0.013, -0.017]; }; } ); };\n"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/pricing/risk_book.h"

#define TRADES                                                                                     \
    "european: id  asset option strike expiry quantity\n"                                          \
    "          A-1 A     call   100    1.5    3\n"                                                 \
    "asian: id  asset option strike averaging strike_type fixings expiry\n"                        \
    "       A-2 A     put    98     geometric fixed       12      1\n"                             \
    "digital: id  asset option payout strike expiry\n"                                             \
    "         A-3 A     call   cash   100    1\n"                                                  \
    "american: id  asset option strike exercise expiry\n"                                          \
    "          A-4 A     put    105    4        1\n"                                               \
    "european: id   asset  option strike expiry\n"                                                 \
    "          LV-1 LV     put    95     0.8\n"                                                    \
    "          H-1  H      put    95     1\n"                                                      \
    "          BT-1 BT     call   105    0.9999\n"                                                 \
    "          M-1  M      call   105    1\n"                                                      \
    "          FX-1 EURUSD call   1.12   1\n"                                                      \
    "digital: id   asset  option payout strike expiry\n"                                           \
    "         FX-2 EURUSD call   cash   1.1    1\n"                                                \
    "basket: id   assets     kind    option strike expiry\n"                                       \
    "        AL-1 ['A','LV'] average call   100    1\n"                                            \
    "european: id  asset option strike expiry\n"                                                   \
    "          Q-1 Q     put    1.25   0.8\n"                                                      \
    "position: id  asset\n"                                                                        \
    "          POS A\n"                                                                            \
    "european: id   asset option strike expiry\n"                                                  \
    "          HF-1 HF    put    95     0.8\n"                                                     \
    "          P-1  PAST  call   100    0.3\n" /* its last day ends at 0.5 */

/* The Greeks that come to that of all dates, or of all strikes of a date. */
static double sum_of(const struct risk *risk, enum greek parts, const struct sensitivity *whole,
                     int trade)
{
    double sum = 0.0;
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct sensitivity *part = &risk->sensitivities[s];
        double value = risk_greek(risk, s, trade)->value;
        bool same = part->asset == whole->asset && part->currency == whole->currency &&
                    (whole->date == EVERY || whole->date == part->date);
        if (part->greek == parts && same && !isnan(value)) sum += value;
    }
    return sum;
}

/* Not of the vega of heston and bates, nor at strikes where no surface is quoted at them. */
static bool has_parts(const struct market *market, enum greek parts,
                      const struct sensitivity *whole)
{
    if (parts == GREEK_VEGA_BUCKET) return volatility_dates(&market->assets[whole->asset]) > 0;
    const struct asset *asset = &market->assets[whole->asset];
    return parts != GREEK_VEGA_STRIKE ||
           (quoted_surface(asset)->n_times > 0 && !asset->quotes.values);
}

/* The same numbers but for second orders of their bumps, on the same paths; those of a payoff that
 * jumps are large. */
TEST(test_sums)
{
    static const enum greek pairs[][2] = {{GREEK_VEGA, GREEK_VEGA_BUCKET},
                                          {GREEK_VEGA_BUCKET, GREEK_VEGA_STRIKE},
                                          {GREEK_RHO, GREEK_RHO_BUCKET},
                                          {GREEK_YIELD, GREEK_YIELD_BUCKET}};
    struct night night;
    int compared = 0;
    make_night("paths = 65536; greeks = ['vega', 'rho', 'yield', 'quotes'];", TRADES, "", &night);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (int s = 0; s < night.risk.n_sensitivities; s++)
            for (int i = 0; i < night.book.n_trades; i++) {
                const struct sensitivity *whole = &night.risk.sensitivities[s];
                const struct greek_value *all = risk_greek(&night.risk, s, i);
                if (whole->greek != pairs[p][0] || isnan(all->value)) continue;
                if (!has_parts(&night.book.market, pairs[p][1], whole)) continue;
                double sum = sum_of(&night.risk, pairs[p][1], whole, i);
                double share = night.book.trades[i].product == PRODUCT_DIGITAL ? 2.0 : 0.3;
                compared++;
                if (!(fabs(sum - all->value) <= 5e-3 * fabs(all->value) + share * all->std_error))
                    fail_msg("%s, %s: parts come to %g, all to %g +- %g", night.book.trades[i].id,
                             whole->name, sum, all->value, all->std_error);
            }
    assert_int_equal(compared, 56);
    free_night(&night);
}

/* Which Greeks were checked, and z of those that have an error. */
struct seen {
    bool checked[N_GREEKS];
    double squares;
    int n;
};

/* All of a seed within the limit of that many. */
static void run_seed(uint64_t seed, const char *settings, struct seen *seen)
{
    struct night night;
    make_night_by(seed, settings, TRADES, "", &night);
    check(&night.book, &night.risk);
    struct greek_counts counts = greeks_count(&night.risk);
    for (int s = 0; s < night.risk.n_sensitivities; s++)
        for (int i = 0; i < night.book.n_trades; i++) {
            double z = risk_greek(&night.risk, s, i)->z;
            if (isnan(z)) continue;
            seen->checked[night.risk.sensitivities[s].greek] = true;
            if (z != 0.0) seen->squares += z * z, seen->n++;
            assert_good(&night, s, i, fabs(z) <= counts.limit);
        }
    assert_int_equal(counts.beyond, 0);
    free_night(&night);
}

TEST(test_references)
{
    struct seen seen = {.n = 0};
    run_seed(1, "paths = 65536; greeks = 'quotes';", &seen);
    for (int g = GREEK_VEGA_BUCKET; g <= GREEK_THETA; g++)
        if (!seen.checked[g] && g != GREEK_RHO && g != GREEK_YIELD)
            fail_msg("no %s was checked", greek_rows[g].name);
    print_message("%d Greeks, mean square of z %.2f\n", seen.n, seen.squares / seen.n);
    assert_true(seen.n > 70);
}

LONG_TEST(test_errors_long)
{
    struct seen seen = {.n = 0};
    for (uint64_t seed = 1; seed <= 30; seed++)
        run_seed(seed, "paths = 32768; greeks = 'quotes';", &seen);
    print_message("%d Greeks, mean square of z %.2f\n", seen.n, seen.squares / seen.n);
    assert_true(seen.squares / seen.n > 0.5 && seen.squares / seen.n < 1.3);
}

/* Where there is no way up, the slope is that of the way down; beyond what can be there is none. */
TEST(test_bounds)
{
    struct shocked_market shocked;
    struct night night;
    make_night("paths = 16384; greeks = ['heston_rho'];", TRADES, "", &night);
    int h = 5;
    assert_string_equal(night.book.trades[h].id, "H-1");
    const struct greek_value *rho = greek_named(&night.risk, "heston_rho:H", h);
    assert_true(isfinite(rho->value) && rho->std_error > 0.0);
    const struct shock shocks[] = {
        {SHOCK_HESTON_RHO, night.book.trades[h].asset, EVERY, EVERY, EVERY, -0.01},
        {SHOCK_CASH_DIVIDEND, 0, EVERY, 0, EVERY, -2.0}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(shock_market(&night.book.market, 1, &shocks[i], &shocked, &said),
                         STATUS_BAD_INPUT);
        shocked_market_free(&shocked);
    }
    free_night(&night);
}

/* A dividend of the day of the expiry is paid before the spot is seen. */
TEST(test_dividend_of_the_last_day)
{
    struct night night;
    make_night("paths = 8192; greeks = ['cash_dividend'];",
               "forward: id asset strike expiry\n"
               "         F  A     100    0.4\n",
               "", &night);
    const struct greek_value *greek = greek_named(&night.risk, "cash_dividend:A@0.4", 0);
    assert_true(fabs(greek->value + exp(-0.02 * 0.4)) < 1e-6);
    free_night(&night);
}

ALL_TESTS(quote_greeks_test)
