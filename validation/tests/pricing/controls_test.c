/* Control variates: the estimator on values made up; which trades get which controls; that what a
 * control is said to be worth is what its simulation says; honest errors over 200 seeds; how far
 * the variance falls; and the bits, whatever the kernel, the threads and the rounds. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "app/pricing/value/controls/control_kinds.h"
#include "app/pricing/value/controls/controls.h"
#include "validation/tests/every_book.h"
#include "validation/tests/every_product_book.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"

static void assert_close(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within)) fail_msg("%.15g against %.15g", got, wanted);
}

/* ---- the estimator --------------------------------------------------------------------------- */

/* Trade = 2 + 3 x - y + a tenth of noise, controls x and y of means 1 and -2, and x + y. */
static struct control_sample made_up(int n, unsigned long seed, double noise)
{
    struct control_sample sample = {0};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, seed);
    for (int i = 0; i < n; i++) {
        double x = 1.0 + gsl_ran_ugaussian(random), y = -2.0 + gsl_ran_ugaussian(random);
        double of = 2.0 + 3.0 * x - y + noise * gsl_ran_ugaussian(random);
        control_sample_add(&sample, 3, (double[]){of, x, y, x + y});
    }
    gsl_rng_free(random);
    return sample;
}

static const struct known_mean made_up_means[] = {{1.0, 0.0}, {-2.0, 0.0}, {-1.0, 0.0}};

TEST(two_controls_leave_the_noise)
{
    double squares = 0.0;
    for (unsigned long seed = 1; seed <= 400; seed++) {
        struct control_sample sample = made_up(40, seed, 0.1);
        struct controlled found = control_sample_price(&sample, 2, made_up_means);
        double error = tally_standard_error(found.price), z = (found.price.mean - 7.0) / error;
        assert_int_equal(found.n, 2);
        assert_int_equal(found.used[0], 1); /* the one that explains most */
        assert_true(found.price.n == 38.0);
        assert_close(error, 0.1 / sqrt(40.0), 0.5 * 0.1 / sqrt(40.0));
        squares += z * z / 400.0;
    }
    assert_close(squares, 37.0 / 35.0, 0.3); /* Student's variance */
}

/* x + y says nothing that x and y do not. */
TEST(a_control_that_others_determine_is_left_out)
{
    struct control_sample sample = made_up(64, 1, 0.1);
    struct controlled found = control_sample_price(&sample, 3, made_up_means);
    assert_int_equal(found.n, 2);
}

TEST(few_values_useless_and_equal_controls_are_left_out)
{
    struct control_sample few = made_up(CONTROLS_CHUNKS - 1, 1, 0.1), same = {0}, still = {0};
    assert_int_equal(control_sample_price(&few, 2, made_up_means).n, 0);
    struct control_sample noise = made_up(1000, 1, 1000.0);
    assert_int_equal(control_sample_price(&noise, 2, made_up_means).n, 0);
    for (int i = 0; i < 64; i++) {
        double x = sin(i);
        control_sample_add(&same, 1, (double[]){5.0 * x + 1e-6 * cos(3.0 * i), x});
        control_sample_add(&still, 1, (double[]){x, 3.0 + 1e-15 * x});
    }
    assert_int_equal(control_sample_price(&same, 1, made_up_means).n, 0);
    assert_int_equal(control_sample_price(&still, 1, made_up_means).n, 0);
}

/* Prediction by a regression line, by its textbook formulas in two passes. */
TEST(one_control_is_a_regression_line)
{
    enum { N = 50 };
    double x[N], y[N], mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0, left = 0.0, at = 0.7;
    struct control_sample sample = {0};
    for (int i = 0; i < N; i++) {
        x[i] = sin(1.3 * i * i), y[i] = 2.0 * x[i] + cos(0.7 * i);
        mx += x[i] / N, my += y[i] / N;
        control_sample_add(&sample, 1, (double[]){y[i], x[i]});
    }
    for (int i = 0; i < N; i++) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
    for (int i = 0; i < N; i++) left += pow(y[i] - my - xy / xx * (x[i] - mx), 2.0);
    double error = sqrt(left / (N - 2) * (1.0 / N + (at - mx) * (at - mx) / xx));
    struct controlled found = control_sample_price(&sample, 1, &(struct known_mean){at, 0.0});
    assert_int_equal(found.n, 1);
    assert_true(found.price.n == N - 1.0);
    assert_close(found.price.mean, my + xy / xx * (at - mx), 1e-13);
    assert_close(tally_standard_error(found.price), error, 1e-13);
}

/* What the known mean may be wrong by is in the error: beta is 3. */
TEST(a_known_mean_has_its_own_error)
{
    struct control_sample sample = made_up(1000, 1, 0.1);
    struct known_mean known[] = {{1.0, 0.02}, {-2.0, 0.0}};
    struct controlled found = control_sample_price(&sample, 2, known);
    assert_int_equal(found.n, 2);
    assert_close(tally_standard_error(found.price), 0.06, 0.001);
}

/* By two passes over the values: what a regression on one control leaves. Nine spikes on a trade
 * that is otherwise its control are nine; what is normal is decided by many. */
TEST(paths_that_decide_are_counted)
{
    enum { N = 1024, SPIKES = 9 };
    static double x[N], y[N];
    double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0, squares = 0.0, cubes = 0.0;
    struct control_sample sample = {0};
    for (int i = 0; i < N; i++) {
        x[i] = 3.0 + sin(1.3 * i * i);
        y[i] = 2.0 * x[i] + (i % 100 == 7 && i / 100 < SPIKES ? 1.0 : 0.0);
        mx += x[i] / N, my += y[i] / N;
        control_sample_add(&sample, 1, (double[]){y[i], x[i]});
    }
    for (int i = 0; i < N; i++) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
    for (int i = 0; i < N; i++) {
        double left = y[i] - my - xy / xx * (x[i] - mx);
        squares += left * left, cubes += left * left * left;
    }
    struct controlled found = control_sample_price(&sample, 1, &(struct known_mean){3.0, 0.0});
    assert_int_equal(found.n, 1);
    double deciding = control_sample_deciding(&sample, &found, 1);
    assert_close(deciding, squares * squares * squares / (cubes * cubes), 1e-9);
    assert_close(deciding, SPIKES, 0.5);
    struct control_sample normal = made_up(1000, 1, 0.1);
    found = control_sample_price(&normal, 2, made_up_means);
    for (int n = 0; n <= found.n; n++)
        assert_true(control_sample_deciding(&normal, &found, n) > 1000.0);
}

/* ---- prices ---------------------------------------------------------------------------------- */

struct question {
    const struct market *market;
    int n;
    const struct trade *trades;
    struct plan_settings settings;
    struct accuracy accuracy;
    const char *kernel; /* NULL: the usual one */
    int threads;
};

/* Returns a question about so many paths. */
static struct question about(const struct market *market, int n, const struct trade *trades,
                             uint64_t paths, uint64_t seed)
{
    const struct plan_settings settings = {.paths = paths, .seed = seed, .max_step = 0.1};
    return (struct question){.market = market, .n = n, .trades = trades, .settings = settings};
}

static void price(const struct question *question, struct controlled_price *prices)
{
    struct controls controls;
    struct plan plan;
    struct refusal *refusals = calloc((size_t)question->n, sizeof *refusals);
    struct engine_options options = {.kernel = question->kernel ? question->kernel : "auto",
                                     .threads = question->threads};
    struct engine_report report = {.kernel = ""};
    memset(prices, 0, sizeof *prices * (size_t)question->n);
    assert_ok(controls_find(question->market, question->n, question->trades, &controls));
    assert_ok(controls_plan(&controls, question->market, &question->settings, &plan, refusals));
    const struct controls_job job = {.controls = &controls,
                                     .plan = &plan,
                                     .accuracy = question->accuracy,
                                     .engine = &cpu_engine,
                                     .options = &options};
    assert_ok(controls_price(&job, prices, &report, &said));
    plan_free(&plan);
    controls_free(&controls);
    free(refusals);
}

/* One trade on one asset. */
struct one {
    struct flat_market flat;
    double times[12];
    struct trade trade;
};

static void make_one(struct one *one, enum model model, enum product product)
{
    flat_market_make(&one->flat, model, 0.03, 0.01, 0.25);
    one->flat.asset.heston =
        (struct heston){.v0 = 0.06, .kappa = 2.0, .theta = 0.05, .xi = 0.4, .rho = -0.6};
    for (int i = 0; i < 12; i++) one->times[i] = (i + 1) / 12.0;
    one->trade = option_on(0, OPTION_CALL, 100.0, 1.0);
    one->trade.product = product;
    one->trade.fixings = (struct schedule){false, 12, one->times};
}

static void make_barrier(struct one *one)
{
    make_one(one, MODEL_BLACK_SCHOLES, PRODUCT_BARRIER);
    one->trade.barrier = 90.0;
    one->trade.direction = DIRECTION_DOWN;
    one->trade.knock = KNOCK_OUT;
    one->trade.monitoring.continuous = true;
}

static struct controlled_price price_one(const struct one *one, uint64_t paths, uint64_t seed)
{
    struct controlled_price found;
    const struct question question = about(&one->flat.market, 1, &one->trade, paths, seed);
    price(&question, &found);
    return found;
}

/* z over 200 seeds has mean 0 and Student's variance; and the trade has the control expected. */
static void honest(struct one *one, const char *control)
{
    const struct reference reference = reference_for(&one->flat.market, &one->trade);
    struct tally z = {0};
    int others = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct controlled_price found = price_one(one, CONTROLS_CHUNKS * CHUNK_PATHS, seed);
        double error = tally_standard_error(found.unit);
        others += strncmp(found.control, control, strlen(control)) != 0;
        z = tally_add(z, (found.unit.mean - reference.price) / hypot(error, reference.error));
    }
    double variance = z.m2 / (z.n - 1.0);
    print_message("%s: mean of z %.2f, variance %.2f\n", control, z.mean, variance);
    assert_int_equal(others, 0);
    assert_true(fabs(z.mean) <= 4.0 * sqrt(1.07 / 200.0));
    assert_true(variance >= 0.68 && variance <= 1.55);
}

TEST(errors_are_honest_over_200_seeds)
{
    struct one one;
    make_one(&one, MODEL_BLACK_SCHOLES, PRODUCT_ASIAN);
    honest(&one, "geometric");
    make_barrier(&one);
    honest(&one, "vanilla");
    make_one(&one, MODEL_HESTON, PRODUCT_EUROPEAN);
    honest(&one, "forward");
    make_one(&one, MODEL_BLACK_SCHOLES, PRODUCT_EUROPEAN);
    one.trade.strike =
        150.0; /* pays rarely: a control is worth it on some seeds and not on others */
    honest(&one, "");
}

/* Trades that differ from their controls on hardly any path: knocked out, or out of the money, this
 * many deviations away. Of z over 60 seeds (Student's with 29 to 30 degrees of freedom) none is
 * beyond 5.5, which is one of 180,000; where such paths were not counted it was up to 289. The
 * controls still take nine tenths of the variance of knock-outs. */
static const double far[] = {3.5, 4.0, 4.3, 4.7};
enum { N_FAR = sizeof far / sizeof *far, FAR_KINDS = 4 };

static void make_far(struct one *one, struct trade *trades)
{
    make_barrier(one);
    for (int i = 0; i < N_FAR; i++, trades += FAR_KINDS) {
        double up = 100.0 * exp(0.25 * far[i]), down = 100.0 * exp(-0.25 * far[i]);
        for (int k = 0; k < FAR_KINDS; k++) trades[k] = one->trade;
        trades[0].direction = DIRECTION_UP, trades[0].barrier = up;
        trades[1].option = OPTION_PUT, trades[1].barrier = down;
        trades[2].product = PRODUCT_EUROPEAN, trades[2].strike = down;
        trades[3].product = PRODUCT_DIGITAL, trades[3].strike = down;
        trades[3].payout = PAYOUT_ASSET;
    }
}

TEST(errors_count_what_no_path_shows)
{
    struct one one;
    struct trade trades[N_FAR * FAR_KINDS];
    struct reference references[N_FAR * FAR_KINDS];
    struct controlled_price found[N_FAR * FAR_KINDS];
    double furthest = 0.0, least = HUGE_VAL;
    make_far(&one, trades);
    for (int i = 0; i < N_FAR * FAR_KINDS; i++)
        references[i] = reference_for(&one.flat.market, &trades[i]);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const struct question question =
            about(&one.flat.market, N_FAR * FAR_KINDS, trades, CONTROLS_CHUNKS * CHUNK_PATHS, seed);
        price(&question, found);
        for (int i = 0; i < N_FAR * FAR_KINDS; i++) {
            double error = hypot(tally_standard_error(found[i].unit), references[i].error);
            furthest = fmax(furthest, fabs(found[i].unit.mean - references[i].price) / error);
            if (i % FAR_KINDS < 2 && i < 3 * FAR_KINDS)
                least = fmin(least, found[i].variance_ratio);
        }
    }
    print_message("far away: |z| up to %.2f, variance ratios from %.1f\n", furthest, least);
    assert_true(furthest <= 5.5 && least > 8.0);
}

/* Ratios as expected: Kemna and Vorst's control takes nearly all of the variance. */
TEST(variance_falls_as_far_as_expected)
{
    struct one one;
    make_one(&one, MODEL_BLACK_SCHOLES, PRODUCT_ASIAN);
    struct controlled_price asian = price_one(&one, 262144, 1);
    make_barrier(&one);
    struct controlled_price barrier = price_one(&one, 262144, 1);
    make_one(&one, MODEL_HESTON, PRODUCT_EUROPEAN);
    struct controlled_price call = price_one(&one, 262144, 1);
    print_message("variance ratios: asian %.0f (%s), barrier %.1f (%s), heston call %.1f (%s)\n",
                  asian.variance_ratio, asian.control, barrier.variance_ratio, barrier.control,
                  call.variance_ratio, call.control);
    assert_true(asian.variance_ratio > 100.0);
    assert_true(barrier.variance_ratio > 2.0);
    assert_true(call.variance_ratio > 2.0);
    double error = tally_standard_error(asian.unit), plain = tally_standard_error(asian.plain);
    assert_close(plain * plain / (error * error), asian.variance_ratio,
                 1e-9 * asian.variance_ratio);
    assert_true(asian.paths == 262144.0 && asian.plain.n == 262144.0);
}

/* The geometric mean with today's shares explains a sum of three assets but for a hundredth. */
TEST(a_basket_has_a_geometric_control)
{
    static int assets[3] = {0, 3, 4};
    static double weights[3] = {0.2, 3.0, 0.7};
    struct controlled_price found;
    double sum = 0.0;
    for (int i = 0; i < 3; i++) sum += weights[i] * book.assets[assets[i]].spot;
    struct trade basket = option_on(0, OPTION_PUT, sum, 1.0);
    basket.product = PRODUCT_BASKET;
    basket.n_assets = 3, basket.assets = assets, basket.weights = weights;
    const struct question question = about(&book.market, 1, &basket, 131072, 5);
    price(&question, &found);
    print_message("variance ratio: basket %.0f (%s)\n", found.variance_ratio, found.control);
    assert_true(!strncmp(found.control, "geometric", 9) && found.variance_ratio > 50.0);
}

/* ---- which controls -------------------------------------------------------------------------- */

static int count_kind(const struct controls *controls, int trade, const char *kind)
{
    int n = 0;
    for (int i = controls->first[trade]; i < controls->first[trade + 1]; i++)
        n += !strcmp(controls->control[i - controls->n_trades].kind, kind);
    return n;
}

static bool pays_before(const struct market *market, const struct trade *trade)
{
    const struct asset *asset = &market->assets[trade->asset];
    return asset->n_dividends && asset->dividends[0].time <= trade->expiry;
}

static int counted; /* controls of all books */

/* What a trade on one asset may have and must have. */
static void check_kinds(const struct market *market, const struct controls *controls, int i)
{
    const struct trade *trade = &controls->trades[i];
    enum model model = market->assets[trade->asset].model;
    bool exact = model == MODEL_BLACK_SCHOLES || model == MODEL_MERTON,
         pays = pays_before(market, trade);
    bool quanto = trade->quanto.n > 0, none = trade->product == PRODUCT_AMERICAN ||
                                              model == MODEL_LOCAL_VOL ||
                                              (pays && model != MODEL_BLACK_SCHOLES);
    int forwards = count_kind(controls, i, "forward");
    if (none) assert_true(controls->uncontrolled[i]);
    else if (!quanto && !trade->past_count) assert_int_equal(forwards, 1);
    if (quanto && !exact) assert_int_equal(forwards, 0);
    if (!exact || pays) assert_int_equal(count_kind(controls, i, "vanilla"), 0);
    if (model != MODEL_BLACK_SCHOLES || pays)
        assert_int_equal(count_kind(controls, i, "geometric"), 0);
}

/* Each control's own simulation, as a trade of the book: without bias it is within 5 standard
 * errors of what is said to be its value. */
static int simulate_controls(const struct shown_book *shown)
{
    struct controls controls;
    struct plan plan;
    int n = shown->n_trades;
    assert_ok(controls_find(shown->market, n, shown->trades, &controls));
    for (int i = 0; i < n; i++)
        if (trade_n_assets(&shown->trades[i]) == 1) check_kinds(shown->market, &controls, i);
    int made = controls.n;
    const struct trade *own = controls.trades + n;
    const struct plan_settings settings = {
        .paths = 16 * BATCH_PATHS, .seed = 20261121, .max_step = 0.05, .antithetic = true};
    struct refusal *refusals = calloc((size_t)made + 1, sizeof *refusals);
    struct tally *tallies = calloc((size_t)made + 1, sizeof *tallies);
    assert_ok(plan_build(shown->market, made, own, &settings, &plan, refusals));
    price_plan(&plan, "auto", 0, tallies);
    for (int i = 0; i < made; i++) {
        const struct known_mean *known = &controls.control[i].known;
        double off = tallies[i].mean - known->mean,
               error = hypot(tally_standard_error(tallies[i]), known->error);
        if (refusals[i].why.text[0]) continue;
        if (!(fabs(off) <= 5.0 * error))
            fail_msg("%s of '%s': %.10g, said to be %.10g; z = %.1f", controls.control[i].kind,
                     own[i].id, tallies[i].mean, known->mean, off / error);
    }
    plan_free(&plan);
    controls_free(&controls);
    free(refusals);
    free(tallies);
    counted += made;
    return 0;
}

TEST(controls_are_worth_what_is_said)
{
    counted = 0;
    check_every_book(simulate_controls);
    print_message("%d controls simulated\n", counted);
    assert_true(counted > 150);
}

/* Each closed form beside the reference's, which shares no line with it. */
static int compare_closed_forms(const struct shown_book *shown)
{
    const struct market *market = shown->market;
    struct controls controls;
    assert_ok(controls_find(market, shown->n_trades, shown->trades, &controls));
    for (int i = 0; i < controls.n; i++) {
        const struct known_mean *known = &controls.control[i].known;
        const struct trade *trade = &controls.trades[shown->n_trades + i];
        double value;
        if (!control_closed_form(market, trade, &value)) continue;
        const struct reference reference = reference_for(market, trade);
        if (!(fabs(known->mean - reference.price) <= known->error + reference.error))
            fail_msg("%s of '%s': %.15g, by the reference %.15g +- %.2g", controls.control[i].kind,
                     trade->id, known->mean, reference.price, reference.error);
        assert_true(reference.error <=
                    1e-9 * (fabs(reference.price) + market->assets[trade->asset].spot));
        counted++;
    }
    controls_free(&controls);
    return 0;
}

TEST(closed_forms_are_those_of_the_reference)
{
    counted = 0;
    check_every_book(compare_closed_forms);
    print_message("%d closed forms compared\n", counted);
    assert_true(counted > 50);
}

/* Returns the closed form of a trade; NAN where it has none. */
static double closed_form(const struct one *one, const struct trade *trade)
{
    double value;
    return control_closed_form(&one->flat.market, trade, &value) ? value : NAN;
}

/* Where the formulas have ends: no variance, a strike of nothing, fixings today, many jumps. */
TEST(closed_forms_have_their_limits)
{
    struct one one;
    make_one(&one, MODEL_BLACK_SCHOLES, PRODUCT_ASIAN);
    one.trade.averaging = AVERAGING_GEOMETRIC;
    one.trade.fixings.n = 1;
    one.times[0] = 0.0; /* today's spot alone */
    one.trade.strike = 90.0;
    assert_close(closed_form(&one, &one.trade), 10.0 * exp(-0.03), 1e-10);
    one.trade.strike_type = STRIKE_FLOATING; /* a European struck at the spot */
    struct trade call = one.trade;
    call.product = PRODUCT_EUROPEAN;
    call.strike = 100.0;
    assert_close(closed_form(&one, &one.trade), closed_form(&one, &call), 1e-10);
    call.strike = 0.0;
    assert_close(closed_form(&one, &call), 100.0 * exp(-0.01), 1e-10);
    one.flat.asset.model = MODEL_MERTON;
    one.flat.asset.jumps = (struct jumps){40.0, -0.02, 0.03};
    assert_close(closed_form(&one, &call), 100.0 * exp(-0.01), 1e-9); /* whatever the jumps */
    one.flat.asset.jumps.intensity = 1e5;
    assert_true(isnan(closed_form(&one, &call)));
    one.flat.asset.model = MODEL_HESTON;
    assert_true(isnan(closed_form(&one, &call)));
}

/* ---- bits ------------------------------------------------------------------------------------ */

static void assert_same_prices(const struct question *question,
                               const struct controlled_price *expected)
{
    struct controlled_price found[EVERY_PRODUCT_TRADES];
    price(question, found);
    for (int i = 0; i < question->n; i++) {
        assert_memory_equal(&found[i].unit, &expected[i].unit, sizeof found[i].unit);
        assert_string_equal(found[i].control, expected[i].control);
        assert_true(found[i].paths == expected[i].paths);
    }
}

TEST(threads_kernels_and_order_change_no_bit)
{
    static struct controlled_price one_thread[EVERY_PRODUCT_TRADES], turned[EVERY_PRODUCT_TRADES];
    static struct trade reversed[EVERY_PRODUCT_TRADES];
    struct question question = about(&book.market, book.n_trades, book.trades, 35 * CHUNK_PATHS, 7);
    question.threads = 1;
    price(&question, one_thread);
    question.threads = 3;
    assert_same_prices(&question, one_thread);
    question.threads = 2;
    question.kernel = "plain";
    assert_same_prices(&question, one_thread);
    question.kernel = NULL;
    for (int i = 0; i < book.n_trades; i++) {
        reversed[i] = book.trades[book.n_trades - 1 - i];
        turned[i] = one_thread[book.n_trades - 1 - i];
    }
    question.trades = reversed;
    assert_same_prices(&question, turned);
}

/* Rounds add chunks to the sample: a trade that stops in its second has what one run of as many
 * paths has. */
TEST(rounds_go_by_the_error_with_controls)
{
    struct one one;
    struct controlled_price whole, rounds;
    make_one(&one, MODEL_BLACK_SCHOLES, PRODUCT_EUROPEAN);
    struct question question = about(&one.flat.market, 1, &one.trade, 65536, 3);
    price(&question, &whole);
    double error = tally_standard_error(whole.unit);
    assert_true(tally_standard_error(whole.plain) > 1.2 * error);
    question.settings.paths = 32768;
    question.accuracy = (struct accuracy){.target = 1.1 * error, .max_paths = 1 << 20};
    price(&question, &rounds);
    assert_true(rounds.paths == 65536.0);
    assert_memory_equal(&rounds.unit, &whole.unit, sizeof whole.unit);
}

ALL_TESTS_BETWEEN(controls_test, make_book, free_book)
