/* Rounds that end at a target leave an honest error bar, of a skewed payoff as well: z over many
 * seeds. */
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/value/rounds.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/test.h"

enum { SEEDS = 1500, FIRST = 1024 };

static enum status on_the_cpu(void *context, const struct plan *plan,
                              const struct engine_options *options, struct tally *tallies,
                              struct engine_report *report, struct message *why)
{
    (void)context;
    return engine_price(&cpu_engine, plan, options, tallies, NULL, report, why);
}

/* A call 40 % out of the money: three paths of a hundred pay. */
static double one_year = 1.0, rate = 0.0, yield = 0.0, variance = 0.04;
static struct currency currency;
static struct asset asset = {.foreign_currency = -1, .spot = 100.0, .model = MODEL_BLACK_SCHOLES};
static int assets[] = {0};
static struct market market = {1, &currency, 1, &asset, &one_year};
static const struct trade call = {.id = (char *)"C",
                                  .product = PRODUCT_EUROPEAN,
                                  .quantity = 1.0,
                                  .n_assets = 1,
                                  .assets = assets,
                                  .quanto = -1,
                                  .strike = 140.0,
                                  .expiry = 1.0};

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* Black's formula, and E[payoff^2]. */
static double value_of(double *square)
{
    double s = sqrt(variance), d1 = log(100.0 / 140.0) / s + 0.5 * s, d2 = d1 - s;
    *square = 1e4 * exp(variance) * normal(d1 + s) - 2.0 * 140.0 * 100.0 * normal(d1) +
              140.0 * 140.0 * normal(d2);
    return 100.0 * normal(d1) - 140.0 * normal(d2);
}

/* Prices by rounds from FIRST paths on; the paths that they took. */
static double price(uint64_t seed, double target, uint64_t most, struct tally *tally)
{
    struct plan plan;
    struct refusal refusal = {{""}};
    struct engine_report report = {.kernel = ""};
    double paths = 0.0;
    const struct engine_options options = {.kernel = "auto", .threads = 1};
    const struct plan_pricer pricer = {on_the_cpu, NULL, &options, &report};
    const struct accuracy accuracy = {.target = target, .max_paths = most};
    const struct plan_settings settings = {.paths = FIRST, .seed = seed, .max_step = 0.02};
    assert_ok(plan_build(&market, 1, &call, &settings, &plan, &refusal));
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

static int open_market(void **state)
{
    (void)state;
    currency.rate = (struct term_structure){1, &one_year, &rate, rate};
    asset.yield = (struct term_structure){1, &one_year, &yield, yield};
    asset.variance = (struct term_structure){1, &one_year, &variance, variance};
    return 0;
}

ALL_TESTS_BETWEEN(rounds_test, open_market, NULL)
