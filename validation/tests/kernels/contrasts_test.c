/* Measures of the CPU engine: per-path sums over scenarios, their errors and their totals; and time
 * that passes. The bits of the GPU are compared in gpu_bits_test. */
#include "app/pricing/base/digest.h"
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "validation/tests/black.h"
#include "validation/tests/every_contrast.h"
#include "validation/tests/every_book.h"
#include "validation/tests/every_product_book.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/walk_in_parts.h"

enum { SEED = 20261121 };

#define MAX_STEP 0.25

static const uint64_t PATHS = BATCH_PATHS + CHUNK_PATHS;

/* What a plan with contrasts gives. */
struct found {
    struct plan plan;
    int n_trades;
    struct tally tallies[EVERY_MEASURE * EVERY_MEASURE_TRADES];
    double *totals; /* [chunk][contrast][total] */
};

static void price(struct found *found, const char *kernel, int threads)
{
    struct engine_options options = {.kernel = kernel, .threads = threads};
    struct engine_report report = {.kernel = ""};
    memset(found->tallies, 0, sizeof found->tallies);
    memset(found->totals, 0, sizeof(double) * (PATHS / CHUNK_PATHS) * chunk_totals(&found->plan));
    assert_ok(engine_price(&cpu_engine, &found->plan, &options, found->tallies, found->totals,
                           &report, &said));
}

static void find(const struct market *market, int n_trades, const struct trade *trades,
                 struct found *found)
{
    static struct every_contrast every;
    static struct refusal refusals[EVERY_MEASURE_TRADES];
    const struct plan_settings settings = {.paths = PATHS, .seed = SEED, .max_step = MAX_STEP};
    assert_ok(every_contrast_make(market, &every));
    assert_ok(plan_contrasts(&every.wanted, n_trades, trades, &settings, &found->plan, refusals));
    for (int i = 0; i < n_trades; i++) assert_string_equal(refusals[i].why.text, "");
    fit_policies(&found->plan, 0);
    found->n_trades = n_trades;
    found->totals = calloc(PATHS / CHUNK_PATHS * chunk_totals(&found->plan), sizeof *found->totals);
    every_contrast_free(&every);
}

static void release(struct found *found)
{
    plan_free(&found->plan);
    free(found->totals);
}

/* ---- every product, every model -------------------------------------------------------------- */

static const struct tally *tally_of(const struct found *found, int row, int trade)
{
    return &found->tallies[row * found->n_trades + trade];
}

static void check_tallies(const struct found *found)
{
    for (int i = 0; i < found->n_trades; i++) {
        const struct tally *nothing = tally_of(found, MEASURE_NOTHING, i);
        const struct tally *up = tally_of(found, SCENARIO_UP, i),
                           *down = tally_of(found, SCENARIO_DOWN, i);
        const struct tally *delta = tally_of(found, MEASURE_DELTA, i);
        double n = (double)PATHS;
        assert_true(nothing->n == n && nothing->mean == 0.0 && nothing->m2 == 0.0);
        assert_memory_equal(tally_of(found, MEASURE_ONE, i), up, sizeof *up);
        assert_true(delta->n == n && isfinite(delta->mean) && isfinite(delta->m2));
        assert_true(fabs(delta->mean - 0.5 * (up->mean - down->mean)) <=
                    1e-13 * (fabs(up->mean) + fabs(down->mean)));
        for (int row = 0; row < EVERY_MEASURE; row++)
            assert_true(isfinite(tally_of(found, row, i)->mean));
    }
}

/* The policy that was fitted for spots 1 % lower is hardly worse. */
static void check_policies(const struct found *found, const struct trade *trades)
{
    int americans = 0, seen = 0;
    for (int i = 0; i < found->n_trades; i++) {
        const struct tally *up = tally_of(found, SCENARIO_UP, i);
        const struct tally *fit = tally_of(found, MEASURE_FIT, i);
        if (trades[i].slope_of) continue; /* which are worth something else under another policy */
        if (trades[i].product != PRODUCT_AMERICAN) assert_true(fit->mean == 0.0 && fit->m2 == 0.0);
        else assert_true(fabs(fit->mean) <= 0.01 * up->mean + 4.0 * tally_standard_error(*fit));
        americans += trades[i].product == PRODUCT_AMERICAN;
        seen += fit->m2 > 0.0;
    }
    assert_true(seen > 0 || !americans);
}

/* The mean of a total over the chunks is the sum of quantities times means. */
static void check_totals(const struct found *found)
{
    const struct plan *plan = &found->plan;
    double chunks = (double)(PATHS / CHUNK_PATHS);
    for (int m = 0; m < EVERY_MEASURE; m++)
        for (int t = 0; t < EVERY_TOTAL; t++) {
            double sum = 0.0, expected = 0.0, size = 0.0;
            for (uint64_t c = 0; c < PATHS / CHUNK_PATHS; c++)
                sum += found->totals[c * chunk_totals(plan) + (size_t)(m * EVERY_TOTAL + t)];
            for (int i = 0; i < found->n_trades; i++) {
                double of_trade = plan->quantities[i] * tally_of(found, m, i)->mean;
                if (plan->totals[i] != t) continue;
                expected += of_trade;
                size += fabs(plan->quantities[i] * tally_of(found, SCENARIO_UP, i)->mean);
            }
            assert_true(fabs(sum / chunks - expected) <= 1e-12 * size);
        }
}

/* Steps and normals do not depend on the time that passes. Returns how many bundles hold groups
 * that are not alike. */
static int check_shapes(const struct plan *plan)
{
    int together = 0, unlike = 0;
    for (int g = 0; g < plan->n_groups; g += scenario_set_size(plan, g)) {
        assert_int_equal(scenario_set_size(plan, g), EVERY_SCENARIO);
        together += plan->groups[g].n_markets >= SCENARIO_DOWN + 1;
        unlike += plan->groups[g + SCENARIO_OTHER].n_markets > 0;
        assert_int_equal(plan->groups[g + SCENARIO_LATER].n_observations,
                         plan->groups[g + SCENARIO_EARLIER].n_observations);
        for (int s = 0; s < EVERY_SCENARIO; s++) assert_int_equal(plan->groups[g + s].n_strips, 0);
        for (int s = SCENARIO_LATER; s <= SCENARIO_EARLIER; s++)
            assert_int_equal(group_normals(&plan->groups[g + s]), group_normals(&plan->groups[g]));
        for (int s = SCENARIO_LATER; s <= SCENARIO_EARLIER; s++)
            for (int j = 0; j < plan->groups[g].n_steps; j++)
                assert_true(plan->groups[g + s].times[j] == plan->groups[g].times[j]);
    }
    assert_true(together > 0);
    return unlike;
}

/* In one go on one thread, or in parts on three: the same bits. */
static void check_bits(struct found *found)
{
    static struct tally expected[EVERY_MEASURE * EVERY_MEASURE_TRADES];
    size_t n = sizeof *expected * (size_t)plan_tallies(&found->plan);
    size_t bytes = sizeof(double) * (size_t)(PATHS / CHUNK_PATHS) * chunk_totals(&found->plan);
    double *totals = malloc(bytes);
    price(found, "auto", 1);
    memcpy(expected, found->tallies, n);
    memcpy(totals, found->totals, bytes);
    const struct engine_options options = {.kernel = "auto", .threads = 3};
    memset(found->tallies, 0, n);
    memset(found->totals, 0, bytes);
    assert_ok(
        walk_in_parts(&cpu_engine, &found->plan, &options, found->tallies, found->totals, &said));
    assert_memory_equal(found->tallies, expected, n);
    assert_memory_equal(found->totals, totals, bytes);
    free(totals);
}

/* Tells whether the policy of a trade is another one where it is lent: on past returns it is then
 * fitted on paths that begin apart. */
static bool changes_policy(const struct market *market, const struct trade *trade)
{
    bool returns = false;
    for (int i = 0; i < trade_n_assets(trade); i++)
        returns |= market->assets[trade_asset(trade, i)].model == MODEL_HISTORICAL;
    return returns && trade->product == PRODUCT_AMERICAN;
}

/* Scenarios have the bits that they have alone. Where policies are lent, early exercise has not. */
static void check_alone(const struct found *found, const struct market *market,
                        const struct trade *trades)
{
    static const int which[] = {SCENARIO_TODAY, SCENARIO_OTHER, SCENARIO_LATER, SCENARIO_EARLIER};
    static struct every_contrast every;
    static struct tally alone[EVERY_MEASURE_TRADES];
    static struct refusal refusals[EVERY_MEASURE_TRADES];
    assert_ok(every_contrast_make(market, &every));
    for (size_t k = 0; k < sizeof which / sizeof *which; k++) {
        const struct scenario *scenario = &every.scenarios[which[k]];
        const struct plan_settings settings = {.paths = PATHS,
                                               .seed = SEED,
                                               .max_step = MAX_STEP,
                                               .path_by_path = true,
                                               .time_passed = scenario->time_passed,
                                               .time_ahead = DAY,
                                               .time_around = DAY};
        struct plan plan;
        assert_ok(
            plan_build(scenario->market, found->n_trades, trades, &settings, &plan, refusals));
        if (which[k] == SCENARIO_TODAY) fit_policies(&plan, 0);
        price_plan(&plan, "auto", 0, alone);
        for (int i = 0; i < found->n_trades; i++)
            if ((which[k] == SCENARIO_TODAY && !changes_policy(market, &trades[i])) ||
                trades[i].product != PRODUCT_AMERICAN)
                assert_memory_equal(&alone[i], tally_of(found, which[k], i), sizeof alone[i]);
        plan_free(&plan);
    }
    every_contrast_free(&every);
}

static int apart; /* bundles that hold groups that are not alike */

static int check_book(const struct shown_book *shown)
{
    static struct found found;
    find(shown->market, shown->n_trades, shown->trades, &found);
    apart += check_shapes(&found.plan);
    check_bits(&found);
    check_tallies(&found);
    check_totals(&found);
    check_policies(&found, shown->trades);
    check_alone(&found, shown->market, shown->trades);
    release(&found);
    return 0;
}

TEST(every_product_and_model_is_measured)
{
    check_every_book(check_book);
    assert_true(apart > 0);
}

/* ---- one call -------------------------------------------------------------------------------- */

enum { STRIKE = 100 };
#define RATE 0.03
#define YIELD 0.01
#define SPOT 104.0
#define EXPIRY 0.75

/* Makes a market of a flat volatility, and a call. */
static struct trade make_call(enum model model, double volatility, struct flat_market *flat)
{
    flat_market_make(flat, model, RATE, YIELD, volatility);
    flat->asset.spot = SPOT;
    return option_on(0, OPTION_CALL, STRIKE, EXPIRY);
}

/* The call on one path by the C library, from its normal. */
static double call_on(double spot, double volatility, double z)
{
    double end = spot * exp((RATE - YIELD - 0.5 * volatility * volatility) * EXPIRY +
                            volatility * sqrt(EXPIRY) * z);
    return exp(-RATE * EXPIRY) * fmax(end - STRIKE, 0.0);
}

static double call_value(double volatility, double expiry)
{
    return exp(-RATE * expiry) * black_option(1.0, SPOT * exp((RATE - YIELD) * expiry), STRIKE,
                                              volatility * sqrt(expiry));
}

TEST(the_error_is_that_of_the_differences)
{
    static struct found found;
    struct flat_market flat;
    const struct trade call = make_call(MODEL_BLACK_SCHOLES, 0.2, &flat);
    find(&flat.market, 1, &call, &found);
    price(&found, "auto", 0);
    long double sum = 0.0L, squares = 0.0L, n = (long double)PATHS;
    for (uint64_t p = 0; p < PATHS; p++) {
        struct philox_words counter = {0, 0, (uint32_t)p, (uint32_t)(p >> 32)};
        double z = (double)normal_from_bits(philox4x32_10(counter, SEED, 0).word0, normal_cubic);
        double difference = 0.5 * (call_on(1.01 * SPOT, 0.2, z) - call_on(0.99 * SPOT, 0.2, z));
        sum += difference;
        squares += (long double)difference * difference;
    }
    const struct tally *delta = tally_of(&found, MEASURE_DELTA, 0);
    double mean = (double)(sum / n),
           error = (double)sqrtl((squares - sum * sum / n) / (n * (n - 1.0L)));
    assert_true(fabs(delta->mean - mean) <= 1e-9 * fabs(mean));
    assert_true(fabs(tally_standard_error(*delta) - error) <= 1e-8 * error);
    const struct tally *up = tally_of(&found, SCENARIO_UP, 0);
    assert_true(tally_standard_error(*delta) < 0.1 * tally_standard_error(*up));
    release(&found);
}

TEST(time_passes_for_a_call)
{
    static const double volatilities[] = {1e-6, 0.2};
    for (int i = 0; i < 2; i++) {
        static struct found found;
        struct flat_market flat;
        const struct trade call = make_call(MODEL_BLACK_SCHOLES, volatilities[i], &flat);
        find(&flat.market, 1, &call, &found);
        assert_int_equal(found.plan.groups[0].n_markets, EVERY_SCENARIO);
        price(&found, "auto", 0);
        const struct tally *theta = tally_of(&found, MEASURE_THETA, 0);
        double expected = 0.5 * (call_value(volatilities[i], EXPIRY - DAY) -
                                 call_value(volatilities[i], EXPIRY + DAY));
        assert_true(fabs(theta->mean - expected) <=
                    4.0 * tally_standard_error(*theta) + 1e-12 * SPOT);
        assert_true(tally_standard_error(*theta) < 0.02 * fabs(expected));
        release(&found);
    }
}

/* A call that expires before the day has passed is then worth what it would pay today, under every
 * model. */
TEST(what_expires_pays_at_todays_spot)
{
    static struct every_model models;
    static struct found found;
    struct trade trades[EVERY_MODEL_ASSETS];
    every_model_make(&models);
    for (int a = 0; a < EVERY_MODEL_ASSETS; a++)
        trades[a] = option_on(a, OPTION_CALL, 0.95 * models.assets[a].spot, 0.5 * DAY);
    find(&models.market, EVERY_MODEL_ASSETS, trades, &found);
    price(&found, "auto", 0);
    for (int a = 0; a < EVERY_MODEL_ASSETS; a++) {
        double spot = models.assets[a].spot;
        assert_true(fabs(tally_of(&found, SCENARIO_LATER, a)->mean - 0.05 * spot) < 2e-4 * spot);
        assert_true(tally_standard_error(*tally_of(&found, SCENARIO_EARLIER, a)) >
                    tally_standard_error(*tally_of(&found, SCENARIO_TODAY, a)));
    }
    release(&found);
    every_model_free(&models);
}

/* A put so far in the money that exercise is worth 5 % of it: with the policy of a spot 1 % lower
 * it is worth as much, under Black and Scholes and where a second feature has a unit that each
 * scenario chooses by itself. */
TEST(policies_are_lent)
{
    static double dates[] = {0.05, 0.25, 0.5, EXPIRY};
    for (int heston = 0; heston < 2; heston++) {
        static struct found found;
        struct flat_market flat;
        const struct trade call =
            make_call(heston ? MODEL_HESTON : MODEL_BLACK_SCHOLES, 0.2, &flat);
        struct trade puts[2] = {call, call};
        for (int i = 0; i < 2; i++) puts[i].option = OPTION_PUT, puts[i].strike = 1.3 * STRIKE;
        puts[1].id = "exercised";
        puts[1].product = PRODUCT_AMERICAN;
        puts[1].exercise = (struct schedule){.n = 4, .times = dates};
        find(&flat.market, 2, puts, &found);
        price(&found, "auto", 0);
        const struct tally *up = tally_of(&found, SCENARIO_UP, 1);
        assert_true(up->mean > 1.02 * tally_of(&found, SCENARIO_UP, 0)->mean);
        const struct tally *fit = tally_of(&found, MEASURE_FIT, 1);
        assert_true(fabs(fit->mean) < 1e-4 * up->mean + 4.0 * tally_standard_error(*fit));
        release(&found);
    }
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* A scenario that refuses a trade takes it out of all; trades that are not in are left alone; and
 * the digest is that of the contrasts too. */
TEST(refusals_and_subsets)
{
    static struct every_contrast every;
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    static bool in[EVERY_PRODUCT_TRADES];
    const struct plan_settings settings = {
        .paths = CHUNK_PATHS, .seed = SEED, .max_step = 0.05, .in = in};
    struct plan plan, other;
    int refused = 0, held = 0;
    assert_ok(every_contrast_make(&book.market, &every));
    for (int i = 0; i < book.n_trades; i++) in[i] = i % 2 == 0;
    every.assets[SCENARIO_UP][1].spot = 1e290; /* beyond what a path can reach */
    assert_ok(
        plan_contrasts(&every.wanted, book.n_trades, book.trades, &settings, &plan, refusals));
    for (int i = 0; i < book.n_trades; i++) {
        bool touched = false;
        for (int a = 0; a < trade_n_assets(&book.trades[i]); a++)
            touched |= trade_asset(&book.trades[i], a) == 1;
        assert_int_equal(refusals[i].why.text[0] != '\0', touched && in[i]);
        refused += refusals[i].why.text[0] != '\0';
    }
    for (int g = 0; g < plan.n_groups; g++)
        for (int p = 0; p < plan.groups[g].n_payoffs; p++) {
            int trade = plan.groups[g].trades[p] % book.n_trades;
            assert_true(in[trade] && !refusals[trade].why.text[0]);
            held++;
        }
    assert_true(refused > 0 && held > 0 && held % EVERY_SCENARIO == 0);
    every.contrasts[MEASURE_ONE].terms[0].weight = 2.0;
    assert_ok(
        plan_contrasts(&every.wanted, book.n_trades, book.trades, &settings, &other, refusals));
    assert_true(digest_plan(&plan) != digest_plan(&other));
    plan_free(&plan);
    plan_free(&other);
    every_contrast_free(&every);
}

/* A book's pairs and points are for its prices: contrasts are of Philox paths, each by itself, for
 * which alone engines can value them. */
TEST(paths_are_philox_paths)
{
    static struct every_contrast every;
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    uint64_t digests[3];
    assert_ok(every_contrast_make(&book.market, &every));
    for (int way = 0; way < 3; way++) {
        struct plan plan;
        const struct plan_settings settings = {.paths = BATCH_PATHS,
                                               .seed = SEED,
                                               .max_step = MAX_STEP,
                                               .antithetic = way == 1,
                                               .points = way == 2};
        assert_ok(
            plan_contrasts(&every.wanted, book.n_trades, book.trades, &settings, &plan, refusals));
        digests[way] = digest_plan(&plan);
        assert_true(!plan.antithetic && !plan.replicates && digests[way] == digests[0]);
        plan_free(&plan);
    }
    every_contrast_free(&every);
}

ALL_TESTS_BETWEEN(contrasts_test, make_book, free_book)
