/* Past returns drawn again: where indices come from and that none leaves the table; the engine
 * against paths walked here by the definition; the mean of the spot by enumeration of all blocks of
 * small tables, on dates within days as well; Black and Scholes where the past is normal; the
 * reference. */
#include "app/pricing/base/digest.h"
#include "models/dynamics/dynamics.h"
#include "models/math/exact.h"
#include "models/math/philox.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/with_references.h"

#define DAY (1.0 / 252.0)

/* ---- a market of historical assets ----------------------------------------------------------- */

enum { ASSETS = 3, RETURNS_MAX = 4096, TRADES_MAX = 8 };

struct setting {
    struct market market;
    struct currency currency[2];
    struct asset assets[ASSETS]; /* two historical, then a Black and Scholes one */
    double correlation[ASSETS * ASSETS], returns[ASSETS][RETURNS_MAX];
    int n_trades;
    struct trade trades[TRADES_MAX];
    int lists[TRADES_MAX][ASSETS];
    double fixings[TRADES_MAX][64];
    struct plan plan;
    struct refusal refusals[TRADES_MAX];
};

static void set_up(struct setting *s, int n, int block)
{
    static const double pillars[3] = {0.02, 0.3, 1.0}, vols[3] = {0.35, 0.25, 0.3},
                        rates[3] = {0.06, 0.04, 0.05};
    int at = 0;
    *s = (struct setting){.n_trades = 0};
    for (int c = 0; c < 2; c++) term_from_rates(&s->currency[c].rate, 3, pillars, rates);
    for (int a = 0; a < ASSETS; a++) {
        s->assets[a] = (struct asset){.name = "past", .spot = 100.0, .foreign_currency = -1};
        s->assets[a].model = a < 2 ? MODEL_HISTORICAL : MODEL_BLACK_SCHOLES;
        term_from_rates(&s->assets[a].yield, 1, pillars, (double[]){0.01});
        term_from_volatilities(&s->assets[a].variance, 3, pillars, vols, &at);
        for (int i = 0; i < RETURNS_MAX; i++)
            s->returns[a][i] = 0.01 * sin(1.0 + a + 37.0 * i * i) - 0.02 * (i % 5 == 0);
        if (a < 2) s->assets[a].history = (struct history){n, s->returns[a], DAY, block};
    }
    for (int i = 0; i < ASSETS * ASSETS; i++) s->correlation[i] = i % (ASSETS + 1) ? 0.5 : 1.0;
    s->market = (struct market){2, s->currency, ASSETS, s->assets, s->correlation};
}

static void tear_down(struct setting *s)
{
    plan_free(&s->plan);
    for (int c = 0; c < 2; c++) term_free(&s->currency[c].rate);
    for (int a = 0; a < ASSETS; a++) {
        term_free(&s->assets[a].yield);
        term_free(&s->assets[a].variance);
    }
}

static struct trade *add(struct setting *s, int asset, double strike, double expiry)
{
    int i = s->n_trades++;
    s->lists[i][0] = asset;
    s->trades[i] = option_on(asset, OPTION_CALL, strike, expiry);
    s->trades[i].id = (char *)"abcdefgh" + i;
    s->trades[i].assets = s->lists[i];
    return &s->trades[i];
}

static void build(struct setting *s, uint64_t paths)
{
    struct plan_settings settings = {.paths = paths, .seed = 20261121, .max_step = 0.02};
    plan_free(&s->plan);
    assert_ok(plan_build(&s->market, s->n_trades, s->trades, &settings, &s->plan, s->refusals));
}

static void price(const struct setting *s, const char *kernel, struct tally *tallies)
{
    for (int i = 0; i < s->n_trades; i++) assert_string_equal(s->refusals[i].why.text, "");
    price_plan(&s->plan, kernel, 0, tallies);
}

/* Fails unless a price is within four standard errors, which are to be small, of what it is. */
static void assert_price(int trade, struct tally tally, double expected, double its_error,
                         double most_error)
{
    double error = hypot(tally_standard_error(tally), its_error);
    if (!(error > 0.0 && error < most_error && fabs(tally.mean - expected) <= 4.0 * error))
        fail_msg("trade %d: %.10g, expected %.10g, error %.2g", trade, tally.mean, expected, error);
}

static double discount(const struct setting *s, double time)
{
    return exp(-term_accrued(&s->currency[0].rate, time));
}

static double forward(const struct setting *s, double time)
{
    return 100.0 *
           exp(term_accrued(&s->currency[0].rate, time) - term_accrued(&s->assets[0].yield, time));
}

static const double *step_of_group(const struct group *group, int u, int j)
{
    return group->coefficients + (size_t)j * (size_t)group->width +
           group->underlyings[u].coefficient;
}

/* ---- indices --------------------------------------------------------------------------------- */

TEST(starts_are_in_range)
{
    static const int lengths[] = {
        2, 3, 7, 250, 1 << 12, HISTORICAL_RETURNS_MAX - 1, HISTORICAL_RETURNS_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        float last = (float)(lengths[i] - 1);
        assert_true(historical_start(0, last) == 0.0f &&
                    historical_start(UINT32_MAX, last) == last);
        assert_true(historical_next(last, last) == 0.0f);
        assert_true(historical_next(last - 1.0f, last) == last);
    }
}

/* An index from damaged memory reads the asset's own table and nothing else. */
TEST(no_index_leaves_the_table)
{
    double c[HISTORICAL_COEFFICIENTS] = {[HISTORICAL_FIRST] = 100.0, [HISTORICAL_LAST] = 9.0};
    static const double damaged[] = {NAN,    -INFINITY, INFINITY, -1.0,         1e300,
                                     -1e300, 9.5,       10.0,     4294967296.0, -0.0};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        int place = historical_index(c, damaged[i]);
        assert_in_range(place, 100, 109);
    }
    for (int i = 0; i < 10; i++) assert_int_equal(historical_index(c, i), 100 + i);
}

/* ---- the engine against the definition ------------------------------------------------------- */

/* Mean payoff of the trades, all on the one asset of the group, over paths walked one by one: the
 * index of day k is (start of its block + days since) mod n. */
static void walk_here(const struct setting *s, double *means)
{
    const struct group *group = &s->plan.groups[0];
    const struct history *history = &s->assets[0].history;
    for (int i = 0; i < s->n_trades; i++) means[i] = 0.0;
    for (uint64_t path = 0; path < s->plan.paths; path++) {
        struct path_state at = group->underlyings[0].start;
        uint64_t start = 0;
        for (int j = 0; j < group->n_steps; j++) {
            double from = j ? group->times[j - 1] : 0.0, days = from / DAY;
            long day = (long)floor(days + 1e-6), in_block = day % history->block;
            if (!in_block && fabs(days - (double)day) < 1e-6) {
                struct philox_words w = philox_block(s->plan.seed, path, 0, (uint32_t)j / 4);
                const uint32_t words[4] = {w.word0, w.word1, w.word2, w.word3};
                start = (uint64_t)words[j % 4] * (uint64_t)history->n >> 32;
            }
            double index = (double)((start + (uint64_t)in_block) % (uint64_t)history->n);
            historical_step(step_of_group(group, 0, j), group->lookup.table, &at, &index);
            for (int i = 0; i < s->n_trades; i++)
                if (fabs(s->trades[i].expiry - group->times[j]) < 1e-9)
                    means[i] += discount(s, s->trades[i].expiry) *
                                fmax(path_exp2(at.x) - s->trades[i].strike, 0.0);
        }
    }
    for (int i = 0; i < s->n_trades; i++) means[i] /= (double)s->plan.paths;
}

TEST(the_engine_draws_blocks)
{
    static const int blocks[] = {1, 2, 3, 4, 5, 7, 20, 300}, lengths[] = {2, 5, 11, 4000};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
            struct setting s;
            struct tally tallies[TRADES_MAX] = {{0}};
            double means[TRADES_MAX];
            set_up(&s, lengths[n], blocks[b]);
            add(&s, 0, 95.0, 42.0 * DAY);
            add(&s, 0, 101.0, 3.0 * DAY);
            add(&s, 0, 100.0, 11.4 * DAY); /* within a day */
            add(&s, 0, 100.0, 11.6 * DAY);
            build(&s, CHUNK_PATHS);
            assert_int_equal(s.plan.n_groups, 1);
            assert_int_equal(s.plan.groups[0].n_steps, 44);
            price(&s, "auto", tallies);
            walk_here(&s, means);
            for (int i = 0; i < s.n_trades; i++)
                if (!(fabs(tallies[i].mean - means[i]) <= 1e-10))
                    fail_msg("block %d of %d, trade %d: %.15g, walked here %.15g", blocks[b],
                             lengths[n], i, tallies[i].mean, means[i]);
            tear_down(&s);
        }
}

/* ---- means ----------------------------------------------------------------------------------- */

/* Sum over all starts of all blocks of exp2(x) at the end of each step, and of a payoff at the
 * last, for the group's one asset. `weight` is the probability of the path so far. */
struct enumeration {
    const struct group *group;
    int n;
    double strike, payoff, mean[256];
};

static void enumerate(struct enumeration *e, int j, struct path_state at, int index, double weight)
{
    if (j == e->group->n_steps) {
        e->payoff += weight * fmax(exp2(at.x) - e->strike, 0.0);
        return;
    }
    const double *c = step_of_group(e->group, 0, j);
    bool start = c[HISTORICAL_TURN] == HISTORICAL_START;
    for (int i = 0; i < (start ? e->n : 1); i++) {
        struct path_state next = at;
        int now = start ? i : c[HISTORICAL_TURN] == HISTORICAL_NEXT ? (index + 1) % e->n : index;
        double z = now, share = start ? weight / e->n : weight;
        historical_step(c, e->group->lookup.table, &next, &z);
        e->mean[j] += share * exp2(next.x);
        enumerate(e, j + 1, next, now, share);
    }
}

/* Tables of 2 and 3 returns; blocks that end on the expiry, within it, and beyond; dates within
 * days and next to the ends of days. */
TEST(the_mean_is_the_forward_on_every_date)
{
    for (int n = 2; n <= 3; n++)
        for (int block = 1; block <= 13; block += block < 5 ? 1 : 4) {
            struct setting s;
            set_up(&s, n, block);
            add(&s, 0, 100.0, 7.0 * DAY);
            if (n == 3)
                add(&s, 0, 100.0, 4.25 * DAY), add(&s, 0, 100.0, 4.75 * DAY),
                    add(&s, 0, 100.0, 5.0005 * DAY);
            build(&s, CHUNK_PATHS);
            struct enumeration e = {.group = &s.plan.groups[0], .n = n};
            assert_int_equal(e.group->n_steps, n == 3 ? 9 : 7);
            enumerate(&e, 0, e.group->underlyings[0].start, 0, 1.0);
            for (int j = 0; j < e.group->n_steps; j++) {
                double f = forward(&s, e.group->times[j]);
                if (!(fabs(e.mean[j] - f) <= 1e-12 * f))
                    fail_msg("n %d, block %d, step %d: %.15g, forward %.15g", n, block, j,
                             e.mean[j], f);
            }
            tear_down(&s);
        }
}

/* A price does not depend on what else is in the book: dates between days change no law. */
TEST(other_dates_do_not_change_the_law)
{
    double alone = 0.0;
    for (int more = 0; more < 2; more++) {
        struct setting s;
        set_up(&s, 3, 3);
        add(&s, 0, 101.0, 7.5 * DAY);
        if (more)
            add(&s, 0, 90.0, 1.3 * DAY), add(&s, 0, 90.0, 4.6 * DAY),
                add(&s, 0, 90.0, 2.0003 * DAY);
        build(&s, CHUNK_PATHS);
        struct enumeration e = {.group = &s.plan.groups[0], .n = 3, .strike = 101.0};
        enumerate(&e, 0, e.group->underlyings[0].start, 0, 1.0);
        if (!more) alone = e.payoff;
        else assert_true(fabs(e.payoff - alone) <= 1e-12);
        tear_down(&s);
    }
    assert_true(alone > 0.1);
}

/* Where the past is normal and days are independent it is Black and Scholes. The mean of 63 of 4001
 * returns is normal to what 1e-3 of the price would show. */
TEST(a_normal_past_gives_black_and_scholes)
{
    struct setting s;
    struct tally tallies[TRADES_MAX] = {{0}};
    set_up(&s, 4000, 1);
    for (int i = 0; i < 4000; i++) {
        double u = (i + 0.5) / 4000.0, z = 0.0; /* the normal quantile, by bisection */
        for (double step = 8.0; step > 1e-12; step *= 0.5)
            z += 0.5 * erfc(-z * sqrt(0.5)) < u ? step : -step;
        s.returns[0][i] = 0.002 + 0.013 * z;
    }
    static const double strikes[] = {85.0, 100.0, 115.0};
    for (int i = 0; i < 3; i++) add(&s, 0, strikes[i], 63.0 * DAY);
    build(&s, 64 * CHUNK_PATHS);
    price(&s, "auto", tallies);
    for (int i = 0; i < 3; i++) {
        s.trades[i].asset = 2;
        assert_price(i, tallies[i], reference_for(&s.market, &s.trades[i]).price, 0.0, 0.06);
    }
    tear_down(&s);
}

/* The reference's own resampling: by all blocks of a small table, and the engine on what looks at a
 * path in each way. */
TEST(the_reference_resamples_too)
{
    struct setting s;
    struct tally tallies[TRADES_MAX] = {{0}};
    struct reference reference;
    set_up(&s, 4, 3);
    add(&s, 0, 99.0, 5.5 * DAY);
    build(&s, CHUNK_PATHS);
    struct enumeration e = {.group = &s.plan.groups[0], .n = 4, .strike = 99.0};
    enumerate(&e, 0, e.group->underlyings[0].start, 0, 1.0);
    reference = reference_for(&s.market, &s.trades[0]);
    assert_string_equal(reference.method, "monte carlo");
    assert_true(reference.error > 0.0 && reference.error < 0.005);
    assert_true(fabs(reference.price - e.payoff * discount(&s, 5.5 * DAY)) <=
                4.0 * reference.error);
    tear_down(&s);

    set_up(&s, 2500, 20);
    for (int i = 0; i < 8; i++) {
        static const enum product products[] = {
            PRODUCT_EUROPEAN, PRODUCT_DIGITAL,       PRODUCT_ASIAN,   PRODUCT_BARRIER,
            PRODUCT_LOOKBACK, PRODUCT_FORWARD_START, PRODUCT_CLIQUET, PRODUCT_VARIANCE_SWAP};
        struct trade *t = add(&s, 0, 103.0, 0.25);
        t->product = products[i];
        for (int k = 0; k < 5; k++) s.fixings[i][k] = (k + 1) * 0.05;
        struct schedule five = {.n = 5, .times = s.fixings[i]};
        if (i == 1) t->payout = PAYOUT_CASH, t->cash = 10.0;
        if (i == 2 || i == 7) t->fixings = five;
        if (i == 3)
            t->direction = DIRECTION_DOWN, t->barrier = 94.0, t->rebate = 2.0, t->strike = 95.0;
        if (i == 3 || i == 4) t->monitoring.continuous = true;
        if (i == 5) t->start = 0.11, t->strike_ratio = 1.01;
        if (i == 6)
            t->resets = five, t->local_floor = -0.02, t->local_cap = 0.03, t->global_floor = 0.0,
            t->global_cap = 0.2;
        if (i >= 6) t->notional = 100.0, t->strike = 0.0, t->strike_volatility = 0.2;
    }
    build(&s, 64 * CHUNK_PATHS);
    price(&s, "auto", tallies);
    for (int i = 0; i < 8; i++) {
        reference = reference_for(&s.market, &s.trades[i]);
        assert_price(i, tallies[i], reference.price, reference.error, 0.15);
    }
    tear_down(&s);
}

/* ---- several assets -------------------------------------------------------------------------- */

/* Same tables drawn jointly are one asset: the spread of the two is nothing but rounding, whatever
 * correlation the market says; of other lengths they are independent. */
TEST(alike_pasts_are_drawn_together)
{
    for (int alike = 0; alike < 2; alike++) {
        struct setting s;
        struct tally tallies[TRADES_MAX] = {{0}};
        static double weights[2] = {1.0, -1.0};
        set_up(&s, 500, 5);
        memcpy(s.returns[1], s.returns[0], sizeof s.returns[0]);
        if (!alike) s.assets[1].history.n = 499;
        struct trade *t = add(&s, 0, 0.0, 0.25);
        t->product = PRODUCT_SPREAD, t->n_assets = 2, t->assets[1] = 1, t->weights = weights;
        build(&s, CHUNK_PATHS);
        price(&s, "auto", tallies);
        if (alike) assert_true(fabs(tallies[0].mean) < 1e-10);
        else assert_true(tallies[0].mean > 3.0);
        tear_down(&s);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

TEST(what_cannot_be_is_refused)
{
    struct setting s;
    set_up(&s, 100, 5);
    s.currency[1].name = (char *)"other";
    s.assets[2].foreign_currency = 0, s.assets[2].currency = 1, s.assets[2].name = (char *)"rate";
    add(&s, 0, 100.0, 0.25)->quanto = (struct quanto){1, {2}};
    add(&s, 1, 100.0, 0.25);
    for (int i = 0; i < 100; i++) s.returns[1][i] = 0.25;
    build(&s, CHUNK_PATHS);
    assert_non_null(
        strstr(s.refusals[0].why.text, "'past' cannot be paid in the currency of 'rate'"));
    assert_non_null(strstr(s.refusals[1].why.text, "the returns of the past do not differ"));
    assert_int_equal(s.plan.n_groups, 0);
    s.returns[1][0] = 1e-3;
    s.assets[1].history.block = 4000;
    term_free(&s.assets[1].variance);
    assert_int_equal(term_from_volatilities(&s.assets[1].variance, 1, (double[]){1.0},
                                            (double[]){500.0}, (int[]){0}),
                     0);
    build(&s, CHUNK_PATHS);
    assert_true(s.refusals[1].why.text[0]);
    tear_down(&s);
}

/* The table, the block and the asset whose indices are shared are part of a plan's name. */
TEST(a_digest_names_the_past)
{
    uint64_t digests[4];
    for (int i = 0; i < 4; i++) {
        struct setting s;
        static double weights[2] = {0.5, 0.5};
        set_up(&s, 50, 5);
        struct trade *t = add(&s, 0, 100.0, 0.25);
        t->product = PRODUCT_BASKET, t->n_assets = 2, t->assets[1] = 1, t->weights = weights;
        if (i == 1) s.returns[0][7] += 1e-4;
        if (i == 2) s.assets[0].history.block = s.assets[1].history.block = 6;
        build(&s, CHUNK_PATHS);
        if (i == 3) s.plan.groups[0].underlyings[1].stream = 1;
        digests[i] = digest_plan(&s.plan);
        for (int k = 0; k < i; k++) assert_true(digests[k] != digests[i]);
        tear_down(&s);
    }
}

ALL_TESTS_BETWEEN(historical_test, begin_references, NULL)
