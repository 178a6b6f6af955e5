/* Differences that few paths have: Greeks of payoffs that jump, of options far out of the money,
 * and of a period that ends within days far from its cap, from 4096 paths, over 200 seeds. The
 * error is never so small that z is beyond 5, z has no more than the variance of a normal, and
 * nearly that where many paths flip. */
#include "app/pricing/risk/greeks/greek_errors.h"
#include "models/payoffs/payoff_definition.h"
#include "validation/tests/pricing/risk_book.h"

/* Counts of flips, however many are expected: (k - l) / sqrt(k + 9) with k by Poisson's law. */
TEST(test_counts)
{
    double worst = 0.0;
    for (double l = 0.05; l < 400.0; l *= 1.05) {
        double p = exp(-l), beyond = 0.0, variance = 0.0;
        for (int k = 0; k < 1000; p *= l / ++k) {
            const double crossings = error_with_crossings(sqrt((double)k) / 1e6, 1.0, 1e6),
                         of_one = (k - l) / 1e6 / crossings;
            variance += p * of_one * of_one;
            if (fabs(of_one) > 4.0) beyond += p;
        }
        worst = fmax(worst, beyond);
        assert_true(variance < 1.01 && (l < 100.0 || variance > 0.9));
    }
    print_message("beyond 4: at most %.2g\n", worst);
    assert_true(worst < 2e-4);
}

/* A rho and a theta are of no asset: what a digital on the asset itself brings to them is of the
 * trade's own, not of what lies before the assets in memory. */
TEST(test_no_asset)
{
    struct book book;
    const struct contrast small = {2, {{0, 1e-9}, {1, -1e-9}}};
    const double first_date = 0.25;
    load("",
         "{ id = 'asset'; type = 'digital'; asset = 'H'; option = 'call'; strike = 100.0; "
         "payout = 'asset'; expiry = 2.0; }",
         "", &book);
    struct market market = book.market;
    size_t n = (size_t)market.n_assets;
    struct asset *assets = calloc(n + 1, sizeof *assets);
    assert_non_null(assets);
    memcpy(assets + 1, market.assets, n * sizeof *assets);
    assets[0] = (struct asset){.spot = 1e9, .heston = {.v0 = 1e30, .kappa = 1.0, .theta = 1e30}};
    market.assets = assets + 1;
    for (int g = 0; g < 2; g++) {
        const struct sensitivity greek = {.greek = g ? GREEK_THETA : GREEK_RHO, .asset = -1};
        double found = greek_crossing(&market, book.trades, &greek, &small, 1e-4, first_date);
        double right = g ? 100.0 * 3.0 * 0.2 / (2.0 * sqrt(first_date)) : 100.0 * 2.0;
        if (!(fabs(found - right) < 1e-9 * right))
            fail_msg("%s turns by %g, not by %g", g ? "theta" : "rho", found, right);
    }
    free(assets);
    book_free(&book);
}

/* What a digital pays hangs on one strike: its cash, or the asset, which is worth the strike there.
 */
TEST(test_jumps)
{
    struct book book;
    load("",
         "{ id = 'cash'; type = 'digital'; asset = 'A'; option = 'call'; strike = 100.0; "
         "payout = 'cash'; cash = 7.0; expiry = 2.0; },"
         "{ id = 'asset'; type = 'digital'; asset = 'A'; option = 'call'; strike = 90.0; "
         "payout = 'asset'; expiry = 2.0; }",
         "", &book);
    for (int i = 0; i < 2; i++) {
        double found = payoff_jump(&book.market, &book.trades[i]),
               right = exp(-0.03 * 2.0) * (i ? 90.0 : 7.0);
        if (!(fabs(found - right) < 1e-9))
            fail_msg("%s jumps by %g, not by %g", book.trades[i].id, found, right);
    }
    book_free(&book);
}

#define TRADES                                                                                     \
    "{ id = 'hit'; type = 'touch'; asset = 'A'; touch = 'one'; barrier = 140.0; direction = 'up';" \
    "cash = 1000.0; pay_at = 'hit'; monitoring = 52; expiry = 1.0; },"                             \
    "{ id = 'rebate'; type = 'barrier'; asset = 'A'; option = 'call'; strike = 100.0;"             \
    "barrier = 85.0; direction = 'down'; knock = 'out'; rebate = 5.0; rebate_at = 'hit';"          \
    "monitoring = 6; expiry = 1.0; },"                                                             \
    "{ id = 'memory'; type = 'autocallable'; assets = ['A']; observation_times = [0.5, 1.0];"      \
    "call_level = 1.05; coupon = 0.05; coupon_level = 0.9; memory = true; protection_level = 0.7;" \
    "notional = 100.0; expiry = 1.0; },"                                                           \
    "{ id = 'far'; type = 'european'; asset = 'A'; option = 'call'; strike = 200.0; expiry = "     \
    "1.0; },"                                                                                      \
    "{ id = 'near'; type = 'european'; asset = 'A'; option = 'call'; strike = 100.0; expiry = "    \
    "1.0; },"                                                                                      \
    "{ id = 'soon'; type = 'cliquet'; asset = 'B'; past = { level = 45.45; };"                     \
    "reset_times = [0.005, 0.5, 1.0]; local_floor = -0.02; local_cap = 0.015; global_floor = 0.0;" \
    "notional = 100.0; expiry = 1.5; }"

enum { COLUMNS = 12, MOST = 8 * COLUMNS };

/* Returns Greek i, of all sensitivities one after the other, each with all trades. */
static const struct greek_value *greek_at(const struct risk *risk, int i)
{
    return risk_greek(risk, i / risk->n_trades, i % risk->n_trades);
}

TEST(test_seeds)
{
    struct night night;
    struct z_of_seeds z[MOST] = {{.largest = 0.0}};
    make_checked_night("paths = 4096;", TRADES,
                       "risk = { greeks = ['delta', 'gamma', 'vega', 'rho', 'theta']; };", &night);
    int n_trades = night.risk.n_trades, n = night.risk.n_sensitivities * n_trades, failures = 0;
    assert_true(n <= MOST);
    for (uint64_t seed = 1; seed <= SEEDS_OF_Z; seed++) {
        struct risk risk;
        make(&night.book, seed, &risk);
        for (int i = 0; i < n; i++) {
            const struct greek_value *greek = greek_at(&risk, i);
            double reference = greek_at(&night.risk, i)->reference;
            if (!isnan(reference)) add_z(&z[i], (greek->value - reference) / greek->std_error);
        }
        risk_free(&risk);
    }
    for (int i = 0; i < n; i++) {
        const char *id = night.book.trades[i % n_trades].id;
        if (!z[i].z.n) continue;
        bool good = has_honest_error(&z[i], night.risk.sensitivities[i / n_trades].name, id);
        failures += !good || (!strcmp(id, "near") && z[i].z.m2 <= 0.6 * z[i].z.n);
    }
    free_night(&night);
    assert_int_equal(failures, 0);
}

ALL_TESTS(crossings_test)
