/* Payoffs that jump, on Sobol points of one normal: counts of whole points, of which the 16
 * replicates may have the same. Their error is never 0, and over 200 seeds and 160 trades z has
 * mean 0, no more than the variance of a normal and no outlier; a reference that is wrong by a few
 * points is still found. */
#include "app/pricing/value/check.h"
#include "app/pricing/value/judge.h"
#include "app/pricing/value/rounds.h"
#include "kernels/replicates.h"
#include "models/payoffs/payoff_definition.h"
#include "validation/tests/every_product_book.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"

enum { A_KIND = 20, KINDS = 8, TRADES = A_KIND * KINDS, SEEDS = 200 };

static struct trade trades[TRADES];
static double references[TRADES], expiry = 1.0;
static struct schedule at_expiry = {.n = 1, .times = &expiry};

/* The i-th of a kind of trade: its level lies where a share of the paths ends beyond it. All of
 * them see the spot at expiry alone. */
static struct trade make_trade(int kind, int i)
{
    double level = book.assets[0].spot * (0.7 + 0.6 * (i + 0.137) / A_KIND);
    struct trade trade = option_on(0, kind & 1 ? OPTION_PUT : OPTION_CALL, level, expiry);
    trade.quantity = -3.0;
    trade.cash = 10.0;
    trade.monitoring = at_expiry;
    switch (kind) {
    case 0:
    case 1: trade.product = PRODUCT_DIGITAL; break;
    case 2:
    case 3: trade.product = PRODUCT_DIGITAL, trade.payout = PAYOUT_ASSET; break;
    case 4: trade.product = PRODUCT_TOUCH; break;
    case 5:
        trade.product = PRODUCT_BARRIER, trade.strike = 100.0, trade.rebate = 7.0;
        trade.knock = i & 1 ? KNOCK_IN : KNOCK_OUT;
        break;
    case 6: trade.product = PRODUCT_DOUBLE_BARRIER, trade.strike = 100.0; break;
    default:
        trade.product = PRODUCT_AUTOCALLABLE, trade.notional = 1000.0,
        trade.initial = &book.assets[0].spot;
        trade.observations = at_expiry;
        trade.call_level = 1.2, trade.coupon = 0.08, trade.coupon_level = level / 100.0;
        trade.protection_level = 0.7;
    }
    if (kind == 4 || kind == 5) {
        trade.barrier = level;
        trade.direction = level > book.assets[0].spot ? DIRECTION_UP : DIRECTION_DOWN;
    }
    if (kind == 6) trade.lower = 70.0 + i, trade.upper = 150.0 - 2.0 * i;
    return trade;
}

static int make_trades(void **state)
{
    make_book(state);
    for (int t = 0; t < TRADES; t++) {
        trades[t] = make_trade(t / A_KIND, t % A_KIND);
        assert_true(payoff_jump(&book.market, &trades[t]) > 0.0);
        references[t] = reference_for(&book.market, &trades[t]).price;
    }
    return 0;
}

/* The samples of all trades with a seed, and of how many paths. */
static void price(uint64_t seed, double target, struct tally *samples, double *paths)
{
    const struct plan_settings settings = {
        .paths = REPLICATES * CHUNK_PATHS, .seed = seed, .max_step = 0.05, .points = true};
    const struct engine_options options = {.kernel = "auto", .threads = 1};
    const struct accuracy accuracy = {.target = target, .max_paths = 1 << 16};
    struct engine_report report = {.kernel = ""};
    const struct plan_pricer pricer = {price_on_cpu, NULL, &options, &report};
    struct plan plan;
    plan_trades(&book.market, TRADES, trades, &settings, &plan);
    assert_ok(rounds_price(&pricer, &plan, &accuracy, samples, paths, &said));
    plan_free(&plan);
}

/* What the check makes of the t-th trade where the reference says so many points too much. */
static enum verdict verdict_of(int t, struct tally sample, double paths, double points_off,
                               double *z)
{
    double quantity = trades[t].quantity, points = paths / REPLICATES;
    double off = points_off * payoff_jump(&book.market, &trades[t]) / points;
    struct estimate estimate = {.unit = sample, .paths = paths, .price = quantity * sample.mean};
    estimate.std_error = fabs(quantity) * tally_standard_error(sample);
    estimate.reference = quantity * (references[t] + off);
    estimate.reference_error = 1e-9 * fabs(estimate.reference);
    enum verdict verdict =
        judge_price(&trades[t], 0.0, trades[t].cash, judge_limit(TRADES * SEEDS), &estimate);
    *z = estimate.z;
    return verdict;
}

TEST(errors_are_honest)
{
    static struct tally samples[TRADES];
    static double paths[TRADES];
    struct tally z_of_kind[KINDS] = {{0}}, all = {0};
    int found = 0;
    for (int s = 0; s < SEEDS; s++) {
        price(1 + (uint64_t)s, 0.0, samples, paths);
        for (int t = 0; t < TRADES; t++) {
            double z, other;
            assert_true(samples[t].m2 > 0.0);
            assert_int_equal(verdict_of(t, samples[t], paths[t], 0.0, &z), VERDICT_OK);
            found += verdict_of(t, samples[t], paths[t], t & 1 ? 3.0 : -3.0, &other) ==
                     VERDICT_DISAGREES;
            z_of_kind[t / A_KIND] = tally_add(z_of_kind[t / A_KIND], z);
            all = tally_add(all, z);
        }
    }
    for (int k = 0; k < KINDS; k++) {
        double variance = z_of_kind[k].m2 / z_of_kind[k].n;
        print_message("kind %d: z has mean %.3f and variance %.3f\n", k, z_of_kind[k].mean,
                      variance);
        assert_true(fabs(z_of_kind[k].mean) < 5.0 * tally_standard_error(z_of_kind[k]) + 0.02);
        assert_true(variance <
                    1.15); /* 15/13 by Student's law, below where the floor is in force */
    }
    print_message("all: mean %.3f, variance %.3f; three points off found in %d of %d\n", all.mean,
                  all.m2 / all.n, found, SEEDS * TRADES);
    assert_true(all.m2 / all.n > 0.3);
    assert_true(found > 0.9 * SEEDS * TRADES);
}

/* A target below what whole points can tell makes rounds go on. */
TEST(rounds_see_the_points)
{
    static struct tally samples[TRADES];
    static double paths[TRADES];
    double least = 10.0 / (2.0 * CHUNK_PATHS * sqrt(REPLICATES)); /* of cash, not discounted */
    price(7, 0.3 * least, samples, paths);
    for (int t = 0; t < 2 * A_KIND; t++) assert_true(paths[t] == 4.0 * REPLICATES * CHUNK_PATHS);
}

ALL_TESTS_BETWEEN(whole_points_test, make_trades, free_book)
