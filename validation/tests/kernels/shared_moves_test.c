/* Moves that markets share (kernels/shared_moves.h): who has which mover, and that prices of the
 * CPU engine are those of markets that are simulated each by itself, to the bit. */
#include "app/pricing/plan/plan_scenarios.h"
#include "kernels/shared_moves.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/every_model.h"
#include "validation/tests/price_trades.h"

/* Markets: today, some spots, a rate, what moves one asset's variance or jumps, correlations. */
enum { RATES_UP = 10, VARIANCE_UP, REVERSION_UP, JUMPS_UP, CLOSER, MARKETS };

enum { ALL = -1 }; /* products */

static struct market markets[MARKETS];
static struct asset assets[MARKETS][EVERY_MODEL_ASSETS];
static struct currency currencies[2];
static double correlation[EVERY_MODEL_ASSETS * EVERY_MODEL_ASSETS];
static struct scenario scenarios[MARKETS];
static struct contrast contrasts[MARKETS];
static struct every_model book;

/* Moves the asset of each model that has variances. */
static void move_market(int s)
{
    for (int a = 0; a < EVERY_MODEL_ASSETS; a++) {
        struct asset *asset = &assets[s][a];
        if (s && s < RATES_UP && a == s - 1) asset->spot *= 1.01;
        if (s == VARIANCE_UP && a % 3 == 1) asset->heston.v0 *= 1.1;
        if (s == REVERSION_UP && a % 3 == 2) asset->heston.theta *= 1.1;
        if (s == JUMPS_UP && a % 2) asset->jumps.stdev *= 1.1;
    }
    if (s == RATES_UP) markets[s].currencies = currencies;
    if (s == CLOSER) markets[s].correlation = correlation;
}

static void make_markets(void)
{
    int n = EVERY_MODEL_ASSETS;
    memcpy(currencies, book.currencies, sizeof currencies);
    assert_ok(term_copy(&currencies[0].rate, &book.currencies[0].rate));
    currencies[0].rate.accrued[0] += 1e-3 * currencies[0].rate.time[0];
    memcpy(correlation, book.correlation, sizeof correlation);
    correlation[4 * n + 7] = correlation[7 * n + 4] = 0.9 * book.correlation[4 * n + 7];
    for (int s = 0; s < MARKETS; s++) {
        memcpy(assets[s], book.assets, sizeof assets[s]);
        markets[s] = book.market;
        markets[s].assets = assets[s];
        scenarios[s] = (struct scenario){.market = &markets[s]};
        contrasts[s] = (struct contrast){1, {{s, 1.0}}};
        move_market(s);
    }
}

/* Plans the book, or the trades of one product, under all markets. */
static void make_plan(int product, double max_step, struct plan *plan)
{
    static struct refusal refusals[EVERY_MODEL_TRADES];
    bool in[EVERY_MODEL_TRADES];
    const struct plan_settings settings = {
        .paths = CHUNK_PATHS, .seed = 7, .max_step = max_step, .in = in};
    const struct contrast_list wanted = {MARKETS, contrasts, 0, NULL, NULL, {MARKETS, scenarios}};
    for (int i = 0; i < book.n_trades; i++)
        in[i] = product == ALL || (int)book.trades[i].product == product;
    make_markets();
    assert_ok(plan_contrasts(&wanted, book.n_trades, book.trades, &settings, plan, refusals));
    for (int i = 0; i < book.n_trades; i++) assert_string_equal(refusals[i].why.text, "");
    fit_policies(plan, 0);
}

static void free_all(struct plan *plan)
{
    plan_free(plan);
    term_free(&currencies[0].rate);
    every_model_free(&book);
}

/* Counts the underlyings of all markets, and those that are simulated where moves are shared: in
 * their order. */
static void count(const struct plan *plan, int *all, int *simulated)
{
    *all = *simulated = 0;
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct shared_moves shared;
        assert_ok(shared_moves_find(group, &shared));
        int n = group->n_markets * group->n_underlyings;
        *all += n, *simulated += n;
        for (int i = 0; shared.n && i < n; i++) *simulated -= shared.mover_of[i] >= 0;
        *simulated += shared.n;
        for (int w = 1; w < shared.n; w++)
            assert_true(shared.movers[w - 1].underlying <= shared.movers[w].underlying);
        shared_moves_free(&shared);
    }
}

/* Prices by shared moves, and each group by itself; also by the plain kernel, which is slow. */
static void check_bits(struct plan *plan, bool plain)
{
    static struct tally alone[MARKETS * EVERY_MODEL_TRADES], tallies[MARKETS * EVERY_MODEL_TRADES];
    size_t bytes = sizeof *alone * (size_t)(MARKETS * book.n_trades);
    struct plan apart = *plan;
    apart.groups = malloc(sizeof *apart.groups * (size_t)plan->n_groups);
    memcpy(apart.groups, plan->groups, sizeof *apart.groups * (size_t)plan->n_groups);
    for (int g = 0; g < plan->n_groups; g++) apart.groups[g].n_markets = 1;
    price_plan(&apart, "auto", 2, alone);
    price_plan(plan, "auto", 3, tallies);
    assert_memory_equal(tallies, alone, bytes);
    if (plain) {
        memset(tallies, 0, sizeof tallies);
        price_plan(plan, "plain", 1, tallies);
        assert_memory_equal(tallies, alone, bytes);
    }
    free(apart.groups);
}

/* Baskets under one model, so long that the markets take their steps in turn. */
static void baskets_share(enum model model)
{
    struct plan plan;
    int all, simulated;
    every_model_make(&book);
    every_model_under_heston(&book);
    for (int a = 0; a < EVERY_MODEL_ASSETS - 1; a++) book.assets[a].model = model;
    every_model_add_baskets(&book);
    make_plan(ALL, 0.011, &plan);
    count(&plan, &all, &simulated);
    assert_true(all > 0 && simulated >= all / MARKETS && simulated < all / 3);
    check_bits(&plan, true);
    free_all(&plan);
}

TEST(baskets_share_under_variances_of_their_own)
{
    baskets_share(MODEL_HESTON);
    baskets_share(MODEL_BATES);
}

/* Every model, alone and beside the others in a basket: those that have no moves step as ever. */
TEST(every_model_keeps_its_bits)
{
    void (*add[])(struct every_model *) = {every_model_add_products, every_model_add_baskets,
                                           every_model_add_sums};
    for (int i = 0; i < 3; i++) {
        struct plan plan;
        int all, simulated;
        every_model_make(&book);
        add[i](&book);
        make_plan(ALL, 0.05, &plan);
        count(&plan, &all, &simulated);
        assert_true(simulated < all);
        check_bits(&plan, false);
        free_all(&plan);
    }
}

/* Nothing that reads a variance or a clock has its underlying's moves made beforehand. */
TEST(what_is_read_is_not_shared)
{
    static const struct {
        int product;
        bool shares;
    } cases[] = {
        {PRODUCT_EUROPEAN, true}, {PRODUCT_AMERICAN, false}, {PRODUCT_DOUBLE_BARRIER, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plan plan;
        int found = 0;
        every_model_make(&book);
        every_model_add_products(&book);
        make_plan(cases[i].product, 0.05, &plan);
        for (int g = 0; g < plan.n_groups; g++) {
            const struct underlying *underlying = plan.groups[g].underlyings;
            if (underlying->model != MODEL_HESTON && underlying->model != MODEL_BATES) continue;
            assert_int_equal(has_moves(&plan.groups[g], 0), cases[i].shares);
            found++;
        }
        assert_true(found > 0);
        free_all(&plan);
    }
}

ALL_TESTS(shared_moves_test)
