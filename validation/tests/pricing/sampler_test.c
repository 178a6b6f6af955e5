/* Samplers other than plain Philox: the bits of points and of antithetic pairs in any order of the
 * trades; honest error bars; errors that are as small as is said; rounds that end at their target.
 * cpu_bits_test has their bits on every kernel with any threads. --long: error bars of a book over
 * 200 seeds, and of an Asian option. */
#include "app/pricing/value/rounds.h"
#include "kernels/replicates.h"
#include "validation/tests/every_product_book.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"

enum { MOST = EVERY_PRODUCT_TRADES };

/* What a price needs; the sample of each trade and its paths are the results. */
struct question {
    int n;
    const struct trade *trades;
    struct plan_settings settings;
    struct accuracy accuracy;
    struct tally tallies[MOST];
    double paths[MOST];
};

/* Returns a question about trades on the book's market. */
static struct question about(int n, const struct trade *trades, struct plan_settings settings)
{
    return (struct question){.n = n, .trades = trades, .settings = settings};
}

static void ask(struct question *q)
{
    struct engine_options options = {.kernel = "auto"};
    struct engine_report report = {.kernel = ""};
    struct plan plan;
    assert_true(q->n <= MOST);
    plan_trades(&book.market, q->n, q->trades, &q->settings, &plan);
    fit_policies(&plan, 0);
    const struct plan_pricer pricer = {price_on_cpu, NULL, &options, &report};
    assert_ok(rounds_price(&pricer, &plan, &q->accuracy, q->tallies, q->paths, &said));
    plan_free(&plan);
}

static const struct plan_settings pairs = {
    .paths = BATCH_PATHS + 3 * CHUNK_PATHS, .seed = 20261120, .max_step = 0.05, .antithetic = true};
static const struct plan_settings points = {
    .paths = REPLICATES * CHUNK_PATHS, .seed = 20261120, .max_step = 0.05, .points = true};

TEST(the_order_of_trades_changes_no_bit)
{
    static struct trade reversed[MOST];
    static struct question forward, backward;
    int n = book.n_trades;
    for (int i = 0; i < n; i++) reversed[i] = book.trades[n - 1 - i];
    for (int k = 0; k < 2; k++) {
        struct accuracy accuracy = {.target = 0.2, .max_paths = 1 << 18};
        forward = about(n, book.trades, k ? points : pairs);
        forward.accuracy = accuracy;
        backward = forward;
        backward.trades = reversed;
        ask(&forward);
        ask(&backward);
        for (int i = 0; i < n; i++) {
            assert_memory_equal(&forward.tallies[i], &backward.tallies[n - 1 - i],
                                sizeof *forward.tallies);
            assert_true(forward.paths[i] == backward.paths[n - 1 - i]);
        }
    }
}

/* ---- error bars ------------------------------------------------------------------------------ */

/* A book's error bars over seeds: z^2 of every trade against what Student's distribution expects of
 * it. */
struct honesty {
    double mean, t; /* of z; of the book's sum of z^2 a seed, against its expectation */
};

static struct honesty honesty_of(const struct plan_settings *settings, double expected, int seeds,
                                 int *trades_used)
{
    static struct question q;
    static double reference[MOST];
    struct tally squares = {0}, means = {0};
    *trades_used = 0;
    for (int i = 0; i < book.n_trades && book.trades[i].product <= PRODUCT_FORWARD_START; i++)
        reference[(*trades_used)++] = reference_for(&book.market, &book.trades[i]).price;
    for (int s = 0; s < seeds; s++) {
        double sum = 0.0, sum_z = 0.0;
        int n = 0;
        q = about(*trades_used, book.trades, *settings);
        q.settings.seed = 1000 + (uint64_t)s;
        q.settings.max_step = 0.02;
        ask(&q);
        for (int i = 0; i < q.n; i++) {
            double error = tally_standard_error(q.tallies[i]);
            if (error <= 1e-12 * fabs(reference[i])) continue; /* pays the same on every path */
            double z = (q.tallies[i].mean - reference[i]) / error;
            sum += z * z, sum_z += z, n++;
        }
        squares = tally_add(squares, sum / n);
        means = tally_add(means, sum_z / n);
    }
    return (struct honesty){means.mean / tally_standard_error(means),
                            (squares.mean - expected) / tally_standard_error(squares)};
}

static void assert_honest(int seeds)
{
    struct plan_settings antithetic = pairs, sobol = points;
    int n;
    antithetic.paths = 32 * CHUNK_PATHS;
    struct honesty of_pairs = honesty_of(&antithetic, 1.0, seeds, &n);
    double freedom = REPLICATES - 1;
    struct honesty of_points = honesty_of(&sobol, freedom / (freedom - 2.0), seeds, &n);
    print_message(
        "%d trades, %d seeds: pairs: mean %.2f, squares %.2f; points: mean %.2f, squares %.2f\n", n,
        seeds, of_pairs.mean, of_pairs.t, of_points.mean, of_points.t);
    assert_true(fabs(of_pairs.mean) < 4.0 && fabs(of_pairs.t) < 4.0);
    assert_true(fabs(of_points.mean) < 4.0 && fabs(of_points.t) < 4.0);
}

TEST(error_bars_are_honest)
{
    assert_honest(40);
}

LONG_TEST(error_bars_are_honest_long)
{
    assert_honest(200);
}

/* ---- an Asian option of 252 fixings ---------------------------------------------------------- */

enum { FIXINGS = 252 };
static double asian_times[FIXINGS];

static struct trade asian_on(int asset)
{
    for (int k = 0; k < FIXINGS; k++) asian_times[k] = (k + 1.0) / FIXINGS;
    struct trade asian = option_on(asset, OPTION_CALL, book.assets[asset].spot, 1.0);
    asian.product = PRODUCT_ASIAN;
    asian.fixings = (struct schedule){.n = FIXINGS, .times = asian_times};
    return asian;
}

/* RMSE of points at 2^16 paths over seeds, against the standard error of as many Philox paths. */
static void assert_twenty_times(int seeds, double *z_mean, double *z_square)
{
    static struct question q;
    struct trade asian = asian_on(0);
    struct reference reference = reference_for(&book.market, &asian);
    q = about(1, &asian, (struct plan_settings){.paths = 1 << 16, .seed = 1, .max_step = 0.02});
    ask(&q);
    double philox = tally_standard_error(q.tallies[0]), squares = 0.0;
    *z_mean = *z_square = 0.0;
    q.settings.points = true;
    for (int s = 0; s < seeds; s++) {
        q.settings.seed = 1 + (uint64_t)s;
        ask(&q);
        double off = q.tallies[0].mean - reference.price,
               z = off / tally_standard_error(q.tallies[0]);
        squares += off * off / seeds;
        *z_mean += z / seeds;
        *z_square += z * z / seeds;
        assert_true(q.paths[0] == 1 << 16);
    }
    print_message("error of points %.3g, of Philox %.3g: %.1f times; z: mean %.3f, square %.3f\n",
                  sqrt(squares), philox, philox / sqrt(squares), *z_mean, *z_square);
    assert_true(philox / sqrt(squares) >= 20.0);
}

TEST(points_are_twenty_times_as_exact)
{
    double mean, square;
    assert_twenty_times(20, &mean, &square);
}

/* Of 200 values of Student's distribution with 15 degrees of freedom: variance 15/13; kurtosis 3 +
 * 6/11. */
LONG_TEST(points_are_twenty_times_as_exact_long)
{
    enum { SEEDS = 200 };
    double mean, square, variance = 15.0 / 13.0,
                         spread = variance * sqrt((2.0 + 6.0 / 11.0) / SEEDS);
    assert_twenty_times(SEEDS, &mean, &square);
    assert_true(fabs(mean) < 4.0 * sqrt(variance / SEEDS));
    assert_true(fabs(square - variance) < 4.0 * spread);
}

/* A forward's antithetic pairs leave what is not linear in the normals; of an at-the-money call
 * less. */
TEST(pairs_have_less_variance)
{
    static struct question q;
    struct trade asian = asian_on(0);
    q = about(1, &asian, (struct plan_settings){.paths = 1 << 14, .seed = 1, .max_step = 0.02});
    ask(&q);
    double plain = tally_standard_error(q.tallies[0]);
    q.settings.antithetic = true;
    ask(&q);
    double ratio = pow(plain / tally_standard_error(q.tallies[0]), 2.0);
    print_message("variance ratio of antithetic pairs: %.2f\n", ratio);
    assert_true(q.tallies[0].n == 1 << 13 && q.paths[0] == 1 << 14);
    assert_true(ratio > 1.3 && ratio < 4.0);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Two rounds are the paths of one run of both, of which none comes twice. */
TEST(a_round_goes_on_where_the_last_one_ended)
{
    static struct question once, twice;
    for (int k = 0; k < 2; k++) {
        uint64_t half = REPLICATES * CHUNK_PATHS;
        const struct plan_settings settings = {
            .paths = half, .seed = 3, .max_step = 0.02, .points = k};
        twice = about(1, book.trades, settings);
        twice.accuracy = (struct accuracy){.target = 1e-9, .max_paths = 2 * half};
        once = twice;
        once.settings.paths = 2 * half;
        once.accuracy.target = 0.0;
        ask(&once);
        ask(&twice);
        assert_true(once.paths[0] == 2.0 * (double)half && twice.paths[0] == once.paths[0]);
        assert_true(once.tallies[0].n == twice.tallies[0].n);
        assert_true(fabs(once.tallies[0].mean / twice.tallies[0].mean - 1.0) < 1e-13);
        assert_true(fabs(once.tallies[0].m2 / twice.tallies[0].m2 - 1.0) < 1e-9);
    }
}

TEST(rounds_end_at_the_target)
{
    static struct question first, q;
    for (int k = 0; k < 2; k++) {
        first = about(book.n_trades, book.trades, k ? points : pairs);
        ask(&first);
        double target = 0.5 * tally_standard_error(first.tallies[0]);
        q = first;
        q.accuracy = (struct accuracy){.target = target, .max_paths = 1 << 17};
        ask(&q);
        for (int i = 0; i < q.n; i++) {
            double before = tally_standard_error(first.tallies[i]),
                   after = tally_standard_error(q.tallies[i]);
            if (before <= target) {
                assert_memory_equal(&q.tallies[i], &first.tallies[i], sizeof *q.tallies);
                assert_true(q.paths[i] == first.paths[i]);
            } else {
                assert_true(q.paths[i] > first.paths[i] && q.paths[i] <= 1 << 17);
                assert_true(after <= target || 2.0 * q.paths[i] > 1 << 17);
            }
        }
    }
}

ALL_TESTS_BETWEEN(sampler_test, make_book, free_book)
