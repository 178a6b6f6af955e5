/* A plan that is built beside others is to the last bit the one that is built by itself: under
 * shocks of everything, of which some change a formula, some a trade's fate, and where time passes.
 */
#include "app/pricing/base/digest.h"
#include "app/pricing/base/market_shock.h"
#include "app/pricing/plan/plan_build.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/every_book.h"
#include "validation/tests/test.h"

enum { MARKETS = 15, MOST_TRADES = 160 };

static const struct shock shocks[MARKETS] = {
    {SHOCK_SPOT, EVERY, EVERY, EVERY, EVERY, 0.0},
    {SHOCK_SPOT, EVERY, EVERY, EVERY, EVERY, 0.01},
    {SHOCK_SPOT, 0, EVERY, EVERY, EVERY, -0.6},
    {SHOCK_VOLATILITY, EVERY, EVERY, EVERY, EVERY, 0.02},
    {SHOCK_VOLATILITY, EVERY, EVERY, 0, EVERY, 0.3},
    {SHOCK_RATE, EVERY, EVERY, EVERY, EVERY, 0.001},
    {SHOCK_RATE, EVERY, EVERY, EVERY, EVERY, -0.1},
    {SHOCK_RATE, EVERY, EVERY, EVERY, EVERY, 0.1},
    {SHOCK_CORRELATION, 0, 1, EVERY, EVERY, 0.05},
    {SHOCK_SPOT, EVERY, EVERY, EVERY, EVERY, 1e200},
    {SHOCK_SPOT, 1, EVERY, EVERY, EVERY, 0.3},
    /* That some trades cannot be simulated under: too far away, barriers too close together */
    {SHOCK_VOLATILITY, EVERY, EVERY, EVERY, EVERY, 5.0},
    {SHOCK_VOLATILITY, EVERY, EVERY, EVERY, EVERY, 8.0},
    {SHOCK_VOLATILITY, EVERY, EVERY, EVERY, EVERY, 20.0},
    {SHOCK_SPOT, EVERY, EVERY, EVERY, EVERY, 1e290}};

struct book_under_markets {
    int n_trades;
    const struct trade *trades;
    struct shocked_market shocked[MARKETS];
};

/* Returns whether the market can be. */
static bool shock(const struct market *today, int m, struct book_under_markets *book)
{
    enum status status = shock_market(today, 1, &shocks[m], &book->shocked[m], &said);
    assert_true(!status || status == STATUS_BAD_INPUT);
    return !status;
}

static void check(const struct plan *plan, const struct plan *alone)
{
    assert_int_equal(plan->n_groups, alone->n_groups);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *a = &plan->groups[g], *b = &alone->groups[g];
        assert_int_equal(a->n_payoffs, b->n_payoffs);
        assert_memory_equal(a->trades, b->trades, sizeof(int) * (size_t)a->n_payoffs);
        assert_int_equal(a->n_rows, b->n_rows);
        assert_int_equal(a->n_single, b->n_single);
    }
    assert_true(digest_plan(plan) == digest_plan(alone));
}

/* Builds the plans of all markets that can be side by side, and each by itself; a refusal is that
 * of the first that refuses a trade. */
static void compare(const struct market *today, struct book_under_markets *book, double passed,
                    bool path_by_path, bool backwards)
{
    static struct refusal together[MOST_TRADES], first[MOST_TRADES], alone[MOST_TRADES];
    struct plan plans[MARKETS] = {{0}};
    struct scenario scenarios[MARKETS] = {{0}};
    struct plan_settings settings = {.paths = CHUNK_PATHS,
                                     .seed = 7,
                                     .max_step = 0.05,
                                     .path_by_path = path_by_path,
                                     .time_ahead = passed,
                                     .time_around = passed};
    int n = 0, n_trades = book->n_trades;
    memset(together, 0, sizeof together);
    memset(first, 0, sizeof first);
    for (int i = 0; i < MARKETS; i++) {
        int m = backwards ? MARKETS - 1 - i : i;
        if (!shock(today, m, book)) continue;
        double later = m % 3 ? 0.0 : m % 2 ? passed : -passed;
        scenarios[n++] =
            (struct scenario){.market = &book->shocked[m].market, .time_passed = later};
    }
    assert_true(n > MARKETS / 2);
    assert_ok(plans_build(n, scenarios, n_trades, book->trades, &settings, plans, together));
    settings.scenarios = scenarios;
    settings.n_scenarios = n;
    for (int i = 0; i < n; i++) {
        struct plan plan;
        settings.time_passed = scenarios[i].time_passed;
        assert_ok(plan_build(scenarios[i].market, n_trades, book->trades, &settings, &plan, alone));
        check(&plans[i], &plan);
        for (int t = 0; t < n_trades; t++)
            if (!first[t].why.text[0]) first[t] = alone[t];
        plan_free(&plan);
        plan_free(&plans[i]);
    }
    for (int t = 0; t < n_trades; t++) assert_string_equal(together[t].why.text, first[t].why.text);
    for (int m = 0; m < MARKETS; m++) shocked_market_free(&book->shocked[m]);
}

/* With today's market first, and with one first that refuses some. */
static int compare_all(const struct shown_book *shown)
{
    struct book_under_markets book = {.n_trades = shown->n_trades, .trades = shown->trades};
    assert_in_range(shown->n_trades, 1, MOST_TRADES);
    compare(shown->market, &book, 0.0, true, false);
    compare(shown->market, &book, 0.0, false, false);
    compare(shown->market, &book, 0.003, true, false);
    compare(shown->market, &book, 0.0, true, true);
    return 0;
}

/* So near that they are too near under some of the shocks, and only there. */
static void bring_barriers_together(int n, struct trade *trades, const struct asset *assets)
{
    int strips = 0;
    for (int i = 0; i < n; i++) {
        if (trades[i].product != PRODUCT_DOUBLE_BARRIER || !trades[i].monitoring.continuous)
            continue;
        trades[i].lower = 0.995 * assets[trades[i].asset].spot;
        trades[i].upper = 1.005 * assets[trades[i].asset].spot;
        strips++;
    }
    assert_true(strips > 0);
}

TEST(every_product)
{
    static struct every_product book;
    every_product_make(&book, 0.0);
    bring_barriers_together(book.n_trades, book.trades, book.assets);
    compare_all(&(struct shown_book){"products", &book.market, book.n_trades, book.trades});
    every_product_free(&book);
}

TEST(every_model)
{
    check_models(compare_all);
}

ALL_TESTS(plan_alike_test)
