/* What is too large is refused by name before anything is made for it, and takes no other trade
 * with it. */
#include <sys/resource.h>

#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"

enum { TRADES = 2, DATES = 9000 };

/* A European of a month, and a trade that asks for too much. */
struct desk {
    struct flat_market flat;
    double vols[2], strikes[2], dates[DATES];
    struct trade trades[TRADES];
};

static void open_desk(struct desk *d, enum model model, double expiry)
{
    *d = (struct desk){.vols = {0.2, 0.2}, .strikes = {90, 110}};
    flat_market_make(&d->flat, model, 0.03, 0.0, 0.2);
    if (model == MODEL_LOCAL_VOL)
        d->flat.asset.surface = (struct surface){1, 2, &d->flat.one, d->strikes, d->vols, false};
    d->flat.asset.jumps = (struct jumps){.intensity = 0.1, .mean = -0.1, .stdev = 0.1};
    for (int i = 0; i < TRADES; i++)
        d->trades[i] = option_on(0, OPTION_CALL, 100.0, i ? expiry : 1.0 / 12.0);
}

static void make_barrier(struct trade *trade)
{
    trade->product = PRODUCT_BARRIER;
    trade->barrier = 80.0;
    trade->direction = DIRECTION_DOWN;
    trade->monitoring.continuous = true;
}

/* The first trade is planned, the second refused with `part` in its reason. */
static void refuse_second(const struct desk *d, struct plan_settings settings, const char *part)
{
    struct plan plan;
    struct refusal refusals[TRADES] = {{{""}}};
    settings.paths = CHUNK_PATHS, settings.seed = 1;
    assert_ok(plan_build(&d->flat.market, TRADES, d->trades, &settings, &plan, refusals));
    assert_string_equal(refusals[0].why.text, "");
    if (!strstr(refusals[1].why.text, part))
        fail_msg("got '%s', wanted '%s'", refusals[1].why.text, part);
    assert_int_equal(plan.n_groups, 1);
    assert_int_equal(plan.groups[0].n_payoffs, 1);
    plan_free(&plan);
}

/* Steps that no integer counts, and steps that one does; no memory is asked for. */
TEST(steps_have_a_limit)
{
    static const enum model models[] = {MODEL_HESTON, MODEL_BATES, MODEL_LOCAL_VOL};
    static const double step[] = {1e-20, 1e-300, 1e-6};
    for (int m = 0; m < 3; m++)
        for (int s = 0; s < 3; s++) {
            struct desk d;
            open_desk(&d, models[m], 50.0);
            d.trades[0].expiry = step[s]; /* one step */
            refuse_second(&d, (struct plan_settings){.max_step = step[s]},
                          "steps, and 1048576 are the most");
        }
}

/* Under models that remember a variance four steps lead to the shortest expiry, and those of
 * max_step beyond. */
TEST(a_short_life_has_steps)
{
    static const struct {
        enum model model;
        int steps, to_first;
    } rows[] = {{MODEL_HESTON, 54, 4}, {MODEL_BATES, 54, 4}, {MODEL_LOCAL_VOL, 51, 1}};
    for (int m = 0; m < 3; m++) {
        struct desk d;
        struct plan plan;
        const struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 1, .max_step = 0.02};
        open_desk(&d, rows[m].model, 1.0);
        d.trades[0].expiry = 0.01;
        plan_trades(&d.flat.market, TRADES, d.trades, &settings, &plan);
        assert_int_equal(plan.n_groups, 1);
        assert_int_equal(plan.groups[0].n_steps, rows[m].steps);
        assert_float_equal(plan.groups[0].times[rows[m].to_first - 1], 0.01, 1e-15);
        plan_free(&plan);
    }
}

/* Beside another asset a variance takes steps that it moves little in, a quarter of max_step at the
 * shortest; those of all markets that are compared. */
TEST(assets_go_together_in_short_steps)
{
    static const struct {
        int n;
        double xi, bumped;
        int steps;
    } rows[] = {{1, 0.5, 0.5, 50},
                {2, 0.4, 0.4, 50},
                {2, 0.5, 0.5, 63},
                {2, 4.0, 4.0, 200},
                {2, 0.4, 0.5, 63}};
    static int assets[] = {0, 1};
    for (int i = 0; i < 5; i++) {
        struct flat_assets flat, bumped;
        struct plan plan;
        const struct scenario scenarios[] = {{.market = &flat.market}, {.market = &bumped.market}};
        const struct plan_settings settings = {.paths = CHUNK_PATHS,
                                               .seed = 1,
                                               .max_step = 0.02,
                                               .n_scenarios = 2,
                                               .scenarios = scenarios};
        flat_assets_make(&flat, 2, MODEL_HESTON, 0.0, 0.0, 0.2);
        flat_assets_make(&bumped, 2, MODEL_HESTON, 0.0, 0.0, 0.2);
        flat.assets[0].heston.xi = rows[i].xi, bumped.assets[0].heston.xi = rows[i].bumped;
        flat.assets[1].heston.xi = bumped.assets[1].heston.xi = 0.1;
        struct trade trade = option_on(0, OPTION_CALL, 100.0, 1.0);
        if (rows[i].n > 1) trade.product = PRODUCT_BASKET;
        trade.n_assets = rows[i].n, trade.assets = assets;
        plan_trades(&flat.market, 1, &trade, &settings, &plan);
        assert_int_equal(plan.groups[0].n_steps, rows[i].steps);
        plan_free(&plan);
    }
}

/* Tables of local volatility that lead to one trade's dates alone take no other with them. */
TEST(volatilities_reach_as_far_as_they_can)
{
    struct desk d;
    open_desk(&d, MODEL_LOCAL_VOL, 10.0);
    d.vols[0] = 0.3;
    refuse_second(&d, (struct plan_settings){.max_step = 0.02},
                  "local_vol cannot follow its volatilities to ");
}

TEST(looks_have_a_limit)
{
    struct desk d;
    open_desk(&d, MODEL_MERTON, 50.0);
    make_barrier(&d.trades[1]);
    refuse_second(&d, (struct plan_settings){.max_step = 1e-6}, "on more than 1048576 dates");
}

TEST(days_have_a_limit)
{
    static double returns[] = {0.01, -0.01};
    struct desk d;
    open_desk(&d, MODEL_HISTORICAL, 100.0);
    d.flat.asset.history =
        (struct history){.n = 2, .returns = returns, .interval = 1e-5, .block = 1};
    refuse_second(&d, (struct plan_settings){.max_step = 0.02}, "steps, and 1048576 are the most");
}

TEST(exercises_have_a_limit)
{
    struct desk d;
    open_desk(&d, MODEL_BLACK_SCHOLES, 9.0);
    for (int i = 0; i < DATES; i++) d.dates[i] = 1e-3 * (i + 1);
    d.trades[1].product = PRODUCT_AMERICAN;
    d.trades[1].exercise = (struct schedule){.n = DATES, .times = d.dates};
    refuse_second(&d, (struct plan_settings){.max_step = 0.02}, "on more than 8192 dates");
}

/* Tables of a step, and normals of Sobol points, count as memory. */
TEST(memory_has_a_limit)
{
    struct desk d;
    struct rusage used;
    open_desk(&d, MODEL_LOCAL_VOL, 1.0);
    d.trades[0].expiry = 1e-5;
    refuse_second(&d, (struct plan_settings){.max_step = 1e-6},
                  "MB to lay out, and 537 are the most");
    open_desk(&d, MODEL_HESTON, 1.0);
    d.trades[0].expiry = 1e-5;
    refuse_second(&d, (struct plan_settings){.max_step = 2e-6, .points = true}, "MB to lay out");
    getrusage(RUSAGE_SELF, &used);
    assert_true(used.ru_maxrss < 512 * 1024);
}

/* Trades that are small enough one by one go into groups of their own where they are too much
 * together. */
TEST(what_is_too_much_together_is_parted)
{
    struct desk d;
    struct plan plan;
    const struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 1, .max_step = 5e-6};
    open_desk(&d, MODEL_HESTON, 0.5);
    d.trades[0].expiry = 0.05;
    for (int i = 0; i < TRADES; i++) make_barrier(&d.trades[i]);
    plan_trades(&d.flat.market, TRADES, d.trades, &settings, &plan);
    assert_int_equal(plan.n_groups, 2);
    plan_free(&plan);
}

ALL_TESTS(plan_limits_test)
