/* Rounds that end at a target leave an honest error bar, of a skewed payoff as well: z over many
 * seeds. */
#include "app/pricing/value/rounds.h"
#include "validation/tests/black.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"

enum { SEEDS = 1500, FIRST = 1024 };

/* A call 40 % out of the money: three paths of a hundred pay. */
static const double VOLATILITY = 0.2;

/* Black's formula, and E[payoff^2]. */
static double value_of(double *square)
{
    double s = VOLATILITY, d1 = log(100.0 / 140.0) / s + 0.5 * s, d2 = d1 - s;
    *square = 1e4 * exp(s * s) * normal_below(d1 + s) - 2.0 * 140.0 * 100.0 * normal_below(d1) +
              140.0 * 140.0 * normal_below(d2);
    return black_option(1.0, 100.0, 140.0, s);
}

/* Prices by rounds from FIRST paths on; the paths that they took. */
static double price(uint64_t seed, double target, uint64_t most, struct tally *tally)
{
    const struct trade call = option_on(0, OPTION_CALL, 140.0, 1.0);
    struct flat_market flat;
    struct plan plan;
    struct engine_report report = {.kernel = ""};
    double paths = 0.0;
    const struct engine_options options = {.kernel = "auto", .threads = 1};
    const struct plan_pricer pricer = {price_on_cpu, NULL, &options, &report};
    const struct accuracy accuracy = {.target = target, .max_paths = most};
    const struct plan_settings settings = {.paths = FIRST, .seed = seed, .max_step = 0.02};
    flat_market_make(&flat, MODEL_BLACK_SCHOLES, 0.0, 0.0, VOLATILITY);
    plan_trades(&flat.market, 1, &call, &settings, &plan);
    assert_ok(rounds_price(&pricer, &plan, &accuracy, tally, &paths, &said));
    plan_free(&plan);
    return paths;
}

/* Targets that a usual sample of 3000 paths reaches, or one of 24000. */
TEST(a_stop_leaves_the_error_honest)
{
    static const double usual[] = {3000.0, 24000.0};
    for (int row = 0; row < 2; row++) {
        double square, truth = value_of(&square),
                       target = sqrt((square - truth * truth) / usual[row]);
        double sum = 0.0, squares = 0.0, paths = 0.0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct tally tally;
            double took = price(seed, target, 1 << 20, &tally);
            double z = (tally.mean - truth) / tally_standard_error(tally);
            assert_true(took >= STOP_PATHS);
            sum += z, squares += z * z, paths += took;
        }
        double mean = sum / SEEDS, spread = squares / SEEDS - mean * mean;
        print_message("target of %.0f paths: %.0f taken, z has mean %.3f and variance %.3f\n",
                      usual[row], paths / SEEDS, mean, spread);
        assert_true(fabs(mean) < 0.2);
        assert_true(spread > 0.85 && spread < 1.2);
    }
}

/* max_paths is the stronger rule, and no target is one round. */
TEST(fewer_paths_may_be_asked_for)
{
    struct tally tally;
    assert_true(price(1, 1e9, 4096, &tally) == 4096.0);
    assert_true(price(1, 1e9, 1 << 20, &tally) == STOP_PATHS);
    assert_true(price(1, 0.0, 1 << 20, &tally) == FIRST);
}

ALL_TESTS(rounds_test)
