/* Early exercise: the regression, the lower bound of its policies, the upper bound by duality.
 * Published tables are published_cases_long_test's. */
#include "app/pricing/value/check.h"
#include "app/pricing/value/exercise/exercise_lanes.h"
#include "app/pricing/value/exercise/policy_makers.h"
#include "app/pricing/value/exercise/exercise_regression.h"
#include "app/pricing/value/exercise/exercise_steps.h"
#include "app/pricing/value/exercise/exercise_upper.h"
#include "app/pricing/value/exercise/exercise_value.h"
#include "app/pricing/value/judge.h"
#include "app/pricing/value/make_estimates.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/with_references.h"

/* ---- markets --------------------------------------------------------------------------------- */

enum { MOST_ASSETS = 3, MOST_DATES = 200 };

/* A flat market, and one american on all of its assets. */
struct desk {
    struct flat_assets flat;
    double dates[MOST_DATES];
    struct trade trade;
};

static void open_desk(struct desk *d, double rate, int n_assets, double spot, double yield,
                      double volatility)
{
    flat_assets_make(&d->flat, n_assets, MODEL_BLACK_SCHOLES, rate, yield, volatility);
    for (int i = 0; i < n_assets; i++) d->flat.assets[i].spot = spot;
}

static void put_under_heston(struct desk *d, struct heston heston)
{
    d->flat.assets[0].model = MODEL_HESTON;
    d->flat.assets[0].variance = (struct term_structure){0};
    d->flat.assets[0].heston = heston;
}

/* Of no dates: one that may be exercised at any time. */
static void write_american(struct desk *d, enum option option, double strike, double expiry,
                           int dates)
{
    static int indices[MOST_ASSETS] = {0, 1, 2};
    static double weights[MOST_ASSETS] = {1.0, 1.0, 1.0};
    for (int i = 0; i < dates; i++)
        d->dates[i] = i == dates - 1 ? expiry : expiry * (i + 1) / dates;
    d->trade = option_on(0, option, strike, expiry);
    d->trade.product = PRODUCT_AMERICAN;
    d->trade.n_assets = d->flat.market.n_assets;
    d->trade.assets = indices;
    d->trade.weights = d->flat.market.n_assets > 1 ? weights : NULL;
    d->trade.exercise = dates ? (struct schedule){.n = dates, .times = d->dates}
                              : (struct schedule){.continuous = true};
}

static double true_value(const struct desk *d)
{
    return reference_for(&d->flat.market, &d->trade).price;
}

/* ---- pricing --------------------------------------------------------------------------------- */

static void make_plan(const struct desk *d, uint64_t paths, uint64_t seed, struct plan *plan)
{
    const struct plan_settings settings = {.paths = paths, .seed = seed, .max_step = 0.02};
    plan_trades(&d->flat.market, 1, &d->trade, &settings, plan);
}

static struct tally walk(const struct plan *plan, int threads)
{
    struct tally tally;
    price_plan(plan, "auto", threads, &tally);
    return tally;
}

static struct tally bound(const struct plan *plan, int threads)
{
    const struct upper_options options = {.threads = threads};
    struct tally tally, lower;
    assert_ok(exercise_upper(plan, &options, &tally, &lower, &said));
    return tally;
}

/* Returns the one exercise of a plan; free with exercises_free. */
static struct exercise *exercise_of(const struct plan *plan)
{
    struct exercise *exercises = NULL;
    int n = 0, fitted;
    assert_ok(exercises_find(plan, &n, &fitted, &exercises));
    assert_int_equal(n, 1);
    return exercises;
}

/* Both ends, with their standard errors. */
struct interval {
    double lower, lower_error, upper, upper_error;
};

static struct interval interval_by(const struct desk *d, uint64_t paths, uint64_t seed)
{
    struct plan plan;
    make_plan(d, paths, seed, &plan);
    fit_policies(&plan, 2);
    struct tally lower = walk(&plan, 2), upper = bound(&plan, 2);
    plan_free(&plan);
    return (struct interval){lower.mean, tally_standard_error(lower), upper.mean,
                             tally_standard_error(upper)};
}

static struct interval interval_of(const struct desk *d, uint64_t paths)
{
    return interval_by(d, paths, 1);
}

/* The truth lies between the ends, each with four standard errors, and the ends are no further
 * apart than `gap` of it. */
static void check_interval(const char *name, const struct interval *i, double truth, double gap)
{
    print_message("%-22s [%8.4f (%.4f), %8.4f (%.4f)] true %8.4f, gap %6.3f %%\n", name, i->lower,
                  i->lower_error, i->upper, i->upper_error, truth,
                  100.0 * (i->upper - i->lower) / truth);
    assert_true(i->lower <= truth + 4.0 * i->lower_error + 1e-4 * truth);
    assert_true(i->upper >= truth - 4.0 * i->upper_error - 1e-4 * truth);
    assert_true(i->upper - i->lower < gap * truth);
    assert_true(i->upper_error < 3e-3 * truth);
}

/* ---- the regression -------------------------------------------------------------------------- */

/* Regresses values[i] at f[i], g[i]. */
static bool regress_all(size_t n, const float *f, const float *g, const double *values, int n_terms,
                        float *p)
{
    struct policy_moments sums;
    const struct path_sample sample = {n, f, g, values};
    const struct fitted_date everyone = {.two = true};
    exercise_lanes()->moments(&sample, &everyone, &sums);
    return regress(&sums, 1.0, n_terms, p);
}

/* A line through (0, 1), (1, 3), (2, 2): 1.5 + 0.5 f. */
TEST(a_line_by_hand)
{
    static const float f[8] = {0.0f, 1.0f, 2.0f}, g[8] = {0.0f};
    static const double values[8] = {1.0, 3.0, 2.0};
    float p[EXERCISE_TERMS];
    assert_true(regress_all(3, f, g, values, 2, p));
    assert_true(fabsf(p[0] - 1.5f) < 1e-6f && fabsf(p[1] - 0.5f) < 1e-6f);
    for (int i = 2; i < EXERCISE_TERMS; i++) assert_true(p[i] == 0.0f);
    assert_false(regress_all(3, f, g, values, 4, p)); /* three points are no cubic's */
}

/* Values that are a cubic in two features give its coefficients back. */
TEST(a_cubic_is_found)
{
    enum { N = 203, ROOM = 208 }; /* no multiple of the lanes, and one */
    float f[ROOM], g[ROOM], p[EXERCISE_TERMS];
    double values[ROOM];
    static const double wanted[EXERCISE_TERMS] = {0.5,  -1.25, 2.0,  0.75, 3.0,
                                                  -0.5, 1.5,   -2.0, 0.25, 1.0};
    for (int i = 0; i < N; i++) {
        double terms[EXERCISE_TERMS];
        f[i] = (float)sin(i), g[i] = (float)cos(2.3 * i);
        exercise_terms((double)f[i], (double)g[i], terms);
        values[i] = 0.0;
        for (int k = 0; k < EXERCISE_TERMS; k++) values[i] += wanted[k] * terms[k];
    }
    assert_true(regress_all(N, f, g, values, EXERCISE_TERMS, p));
    for (int k = 0; k < EXERCISE_TERMS; k++) assert_true(fabs((double)p[k] - wanted[k]) < 1e-6);
}

/* Two features, and their function: the fit is close between its points and beyond. */
TEST(a_smooth_function_is_found)
{
    enum { N = 2048 };
    static double f[N], g[N], values[N];
    struct value_function function = {.c = NULL};
    for (int i = 0; i < N; i++) {
        f[i] = exp(0.3 * sin(i)) - 1.0, g[i] = exp(0.5 * cos(1.7 * i)) - 1.0;
        values[i] = exp(-f[i]) * cos(g[i]);
    }
    assert_ok(value_fit(N, f, g, values, true, &function));
    for (double x = -0.24; x < 0.33; x += 0.05)
        for (double y = -0.35; y < 0.6; y += 0.05)
            assert_true(fabs(value_at(&function, x, y) - exp(-x) * cos(y)) < 2e-4);
    value_free(&function);
    assert_ok(value_fit(N, f, g, values, false, &function)); /* the mean over g */
    value_free(&function);
}

/* A function goes through the values at the ends of its cells, and between them is as close to a
 * smooth one as cubics of that width are. */
TEST(a_function_goes_through_its_ends)
{
    enum { F = 31, G = 31 };
    double values[(F + 1) * (G + 1)];
    for (int two = 0; two < 2; two++) {
        struct value_axis f = {.n = F, .low = -0.4, .per_cell = F / 0.8},
                          g = {.n = two ? G : 0, .low = -1.0, .per_cell = G / 1.3};
        struct value_function function;
        assert_ok(value_room(f, g, &function));
        for (int i = 0; i <= F; i++)
            for (int j = 0; j <= g.n; j++) {
                double of_f = value_feature(f.low + i / f.per_cell),
                       of_g = two ? value_feature(g.low + j / g.per_cell) : 0.0;
                values[i * (g.n + 1) + j] = exp(-of_f) * cos(0.3 * of_g);
            }
        value_through(values, &function);
        for (int i = 0; i <= F; i++)
            for (int j = 0; j <= g.n; j++) {
                double of_f = value_feature(f.low + i / f.per_cell),
                       of_g = two ? value_feature(g.low + j / g.per_cell) : 0.0;
                assert_true(fabs(value_at(&function, of_f, of_g) - values[i * (g.n + 1) + j]) <
                            1e-12);
            }
        for (double x = -0.3; x < 0.8; x += 0.07)
            for (double y = two ? -0.7 : 0.0; y < (two ? 0.8 : 0.01); y += 0.11)
                assert_true(fabs(value_at(&function, x, y) - exp(-x) * cos(0.3 * y)) < 2e-4);
        value_free(&function);
    }
}

/* ---- critical levels ------------------------------------------------------------------------- */

/* What waiting is worth less than exercise at a gain y, with `n` roots. */
static double waiting_less(int n, const double *roots, double y)
{
    double less = n % 2 ? -0.05 : 0.05;
    for (int k = 0; k < n; k++) less *= y - roots[k];
    return n ? less : 0.05;
}

/* Between no roots and three: a policy exercises where the gain is more than waiting. */
TEST(levels_are_found)
{
    static const double roots[] = {0.1037, 0.2411, 0.3517};
    for (int n = 0; n <= 3; n++)
        for (double sign = -1.0; sign < 2.0; sign += 2.0) {
            struct value_axis axis = {.n = 255, .low = -0.45, .per_cell = 255 / 0.9};
            struct observation t = {.kind = OBSERVATION_EXERCISE, .c = {sign, 0.01, 90.0}};
            struct value_function function;
            double values[256], levels[LEVELS_MOST];
            float p[EXERCISE_TERMS];
            assert_ok(value_room(axis, (struct value_axis){0}, &function));
            for (int i = 0; i < 256; i++) {
                double y = sign * value_feature(axis.low + i / axis.per_cell);
                values[i] = 90.0 * (y + waiting_less(n, roots, y));
            }
            value_through(values, &function);
            levels_policy(&t, &function, &(struct date_states){.n = 0}, p);
            int read = levels_of_policy(sign, p, levels);
            assert_int_equal(read, n < 3 ? n : -1);
            for (int k = 0; k < read; k++) assert_true(fabs(levels[k] - roots[k]) < 5e-5);
            for (double y = 0.0013; y < 0.6; y += 0.0013) {
                bool wanted = waiting_less(n, roots, y) < 0.0;
                bool found = y >= exercise_continuation(p, sign * y, 0.0);
                double nearest = 1.0;
                for (int k = 0; k < n; k++) nearest = fmin(nearest, fabs(y - roots[k]));
                if (nearest > 5e-5) assert_true(found == wanted);
            }
            value_free(&function);
        }
}

/* Of a variance: the level is a cubic in its root. */
TEST(a_level_of_two_is_found)
{
    enum { F = 127, G = 15, STATES = 256 };
    struct value_axis f = {.n = F, .low = -0.4, .per_cell = F / 0.6},
                      g = {.n = G, .low = -0.5, .per_cell = G / 0.8};
    struct observation t = {.kind = OBSERVATION_EXERCISE_VARIANCE, .c = {-1.0, 0.01, 90.0}};
    struct value_function function;
    double values[(F + 1) * (G + 1)], at_f[STATES], at_g[STATES];
    float p[EXERCISE_TERMS];
    assert_ok(value_room(f, g, &function));
    for (int i = 0; i <= F; i++)
        for (int j = 0; j <= G; j++) {
            double y = -value_feature(f.low + i / f.per_cell),
                   w = value_feature(g.low + j / g.per_cell), level = 0.2 + 0.1 * w - 0.03 * w * w;
            values[i * (G + 1) + j] = 90.0 * (y - 0.1 * (y - level));
        }
    value_through(values, &function);
    for (int i = 0; i < STATES; i++) at_f[i] = 0.3 * sin(i), at_g[i] = 0.6 * sin(1.7 * i);
    levels_policy(&t, &function, &(struct date_states){STATES, at_f, at_g, NULL}, p);
    for (double w = -0.6; w < 0.6; w += 0.1) {
        double level = 0.2 + 0.1 * w - 0.03 * w * w;
        assert_true(fabs(exercise_continuation(p, -0.2, w) - level) < 1e-3);
        assert_true(exercise_continuation(p, -0.3, w) == exercise_continuation(p, -0.1, w));
    }
    value_free(&function);
}

/* Calls under a law so wide that S / K goes to hundreds, on few dates and on many. */
TEST(a_wide_law_is_exercised_late)
{
    static const int dates[] = {12, 0};
    for (int i = 0; i < 3; i++) {
        struct desk d;
        open_desk(&d, 0.05, 1, 100.0, 0.03, 0.7);
        if (i == 2) put_under_heston(&d, (struct heston){0.3, 1.0, 0.3, 0.5, -0.6, 0});
        write_american(&d, OPTION_CALL, 20.0, 5.0, dates[i > 0]);
        struct interval interval = interval_of(&d, 1 << 15);
        check_interval("wide", &interval, true_value(&d), 0.02);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Without dividends nobody exercises a call early. */
TEST(a_call_without_dividends_is_european)
{
    struct desk d;
    open_desk(&d, 0.05, 1, 100.0, 0.0, 0.25);
    write_american(&d, OPTION_CALL, 95.0, 1.0, 50);
    struct interval i = interval_of(&d, 1 << 18);
    d.trade.product = PRODUCT_EUROPEAN;
    check_interval("call, no dividends", &i, true_value(&d), 0.01);
}

/* Nor one on the best of two, where what waiting is worth more on each of 512 dates is less than
 * the noise of a regression. Decisions by chance cost 0.6 % of the price, and 7 % of rho. */
TEST(nobody_exercises_a_best_of_call_without_dividends)
{
    struct desk d;
    struct plan plan;
    open_desk(&d, 0.02, 2, 100.0, 0.0, 0.3);
    d.flat.variances[0] = 0.04;
    write_american(&d, OPTION_CALL, 100.0, 1.0, 0);
    d.trade.kind = BASKET_BEST_OF;
    make_plan(&d, 1 << 14, 1, &plan);
    fit_policies(&plan, 2);
    struct exercise *exercise = exercise_of(&plan);
    assert_true(exercise->n_leaders == 2 && exercise->n_dates > 500);
    for (int date = 0; date < exercise->n_dates - 1; date++)
        assert_false(policy_decides(exercise_policy(exercise, date)));
    exercises_free(1, exercise);
    plan_free(&plan);
}

/* Deep in the money, to be exercised at once: the date right after today brings the strike less the
 * spot. */
TEST(a_put_to_be_exercised_at_once)
{
    struct desk d;
    open_desk(&d, 0.06, 1, 80.0, 0.0, 0.2);
    write_american(&d, OPTION_PUT, 100.0, 1.0, 0);
    struct interval i = interval_of(&d, 1 << 14);
    check_interval("put, at once", &i, 20.0, 2e-4);
    assert_true(fabs(i.lower - 20.0) < 1e-3);
}

/* A call with cash dividends is taken just before one: the upper end, which was up to 0.1 % below
 * the value where dates knew nothing of dividends, is within its own error of it. */
TEST(a_call_is_taken_before_a_dividend)
{
    for (double strike = 80.0; strike < 105.0; strike += 10.0) {
        struct cash_dividend dividends[] = {{0.2571, 3.0}, {0.5013, 3.0}, {0.7517, 3.0}};
        struct desk d;
        open_desk(&d, 0.05, 1, 100.0, 0.0, 0.2);
        d.flat.assets[0].n_dividends = 3, d.flat.assets[0].dividends = dividends;
        write_american(&d, OPTION_CALL, strike, 1.0, 0);
        double truth = true_value(&d);
        struct interval i = interval_of(&d, 1 << 14);
        check_interval("call, dividends", &i, truth, 0.02);
        assert_true(i.upper > truth - 3.0 * i.upper_error - 5e-5 * truth);
    }
}

/* A date of exercise at time 0 is one: no policy is worth less than what exercise brings today. */
TEST(a_date_today_is_a_date)
{
    for (int heston = 0; heston < 2; heston++) {
        struct desk d;
        open_desk(&d, 0.06, 1, 80.0, 0.0, 0.2);
        if (heston) put_under_heston(&d, (struct heston){0.04, 2.0, 0.04, 0.3, -0.5, 0});
        write_american(&d, OPTION_PUT, 100.0, 1.0, 3);
        d.dates[0] = 0.0;
        struct interval i = interval_of(&d, 1 << 14);
        assert_true(fabs(true_value(&d) - 20.0) < 1e-9);
        assert_true(fabs(i.lower - 20.0) < 1e-3);
        d.dates[0] = 0.25; /* without it waiting costs more than that */
        assert_true(interval_of(&d, 1 << 14).lower < 19.5);
    }
}

/* ---- features that do not tell all ----------------------------------------------------------- */

/* Average and best of three, and Heston's model, whose grid is finer than the dates: the ends are
 * in order and close. There the policies come from paths, but for Heston's. */
TEST(other_assets_and_models)
{
    for (int row = 0; row < 3; row++) {
        static const char *const names[] = {"average of three", "best of three", "heston"};
        struct desk d;
        open_desk(&d, 0.05, row < 2 ? 3 : 1, 100.0, 0.1, 0.2);
        write_american(&d, row == 1 ? OPTION_CALL : OPTION_PUT, row ? 100.0 : 300.0, 1.0, 12);
        d.trade.kind = row ? BASKET_BEST_OF : BASKET_AVERAGE;
        if (row == 2) put_under_heston(&d, (struct heston){0.04, 1.5, 0.04, 0.5, -0.7, 0});
        struct interval i = interval_of(&d, 1 << 18);
        check_interval(names[row], &i, fmax(i.lower, fmin(0.5 * (i.lower + i.upper), i.upper)),
                       0.015);
    }
}

/* Two assets that move by different laws: the upper end knows which of them leads. One function of
 * both features for both had it 3.4 % above the price. */
TEST(each_asset_that_leads_has_a_value_of_its_own)
{
    struct desk d;
    open_desk(&d, 0.02, 2, 100.0, 0.0, 0.3);
    d.flat.variances[0] = 0.04;
    write_american(&d, OPTION_PUT, 100.0, 1.0, 12);
    d.trade.kind = BASKET_BEST_OF;
    struct interval i = interval_of(&d, 1 << 18);
    check_interval("put on the best of two", &i, 0.5 * (i.lower + i.upper), 0.015);
}

/* ---- seeds, models --------------------------------------------------------------------------- */

/* A put on one asset, or a call with dividends. */
static void open_model(struct desk *d, int row)
{
    static const struct heston heston = {0.04, 1.5, 0.05, 0.3, -0.7, 0};
    static const struct jumps jumps = {.intensity = 0.3, .mean = -0.15, .stdev = 0.15};
    static const int dates[] = {128, 200, 50, 50, 50, 50, 60};
    static const enum model models[] = {
        MODEL_BLACK_SCHOLES, MODEL_BLACK_SCHOLES, MODEL_BLACK_SCHOLES, MODEL_HESTON,
        MODEL_MERTON,        MODEL_BATES,         MODEL_HESTON};
    open_desk(d, 0.05, 1, 100.0, row == 2 ? 0.05 : 0.0, 0.2);
    write_american(d, row == 2 ? OPTION_CALL : OPTION_PUT, row ? 100.0 : 110.0,
                   row == 1 || row == 6 ? 5.0 : 1.0, dates[row]);
    if (model_takes(models[row], TAKES_HESTON)) put_under_heston(d, heston);
    d->flat.assets[0].model = models[row];
    if (model_takes(models[row], TAKES_JUMPS)) d->flat.assets[0].jumps = jumps;
}

enum { MODEL_ROWS = 7 };

/* What the two ends of one trade come to over some seeds. */
struct seeds_found {
    double lower, lower_error, gap;
};

/* Each interval holds the truth, by its own errors and a doubt about the truth. */
static struct seeds_found over_seeds(const struct desk *d, double truth, double doubt)
{
    const int seeds = 20;
    struct seeds_found found = {0.0, 0.0, 0.0};
    for (int seed = 1; seed <= seeds; seed++) {
        struct interval i = interval_by(d, 1 << 18, (uint64_t)seed);
        assert_true(i.lower <= truth + 4.0 * i.lower_error + doubt);
        assert_true(i.upper >= truth - 4.0 * i.upper_error - doubt);
        found.lower += i.lower / seeds;
        found.lower_error += i.lower_error * i.lower_error / seeds / seeds;
        found.gap += (i.upper - i.lower) / seeds;
    }
    found.lower_error = sqrt(found.lower_error);
    return found;
}

/* The mean of the lower ends is at most 0.15 % of the truth under it, the ends at most 0.5 % apart.
 */
static void check_ends(const char *name, const struct seeds_found *found, double truth,
                       double doubt)
{
    print_message("%-20s true %8.4f: lower end %+.3f %% (%.3f), ends %.3f %% apart\n", name, truth,
                  100.0 * (found->lower / truth - 1.0), 100.0 * found->lower_error / truth,
                  100.0 * found->gap / truth);
    assert_true(found->lower > truth * (1.0 - 1.5e-3) - 3.0 * found->lower_error - doubt);
    assert_true(found->gap < truth * 5e-3 + 3.0 * found->lower_error);
}

LONG_TEST(intervals_are_right_long)
{
    static const char *const names[] = {"put",   "five years",        "call", "heston", "merton",
                                        "bates", "heston, five years"};
    for (int row = 0; row < MODEL_ROWS; row++) {
        struct desk d;
        open_model(&d, row);
        double truth = true_value(&d), doubt = row > 2 ? 5e-4 * truth : 1e-5 * truth;
        struct seeds_found found = over_seeds(&d, truth, doubt);
        check_ends(names[row], &found, truth, doubt);
    }
}

/* Two assets of volatilities 0.15 and 0.3 against convolutions, three alike against Broadie and
 * Glasserman (2004), whose value is known to a thousandth. */
LONG_TEST(several_are_right_long)
{
    static const struct {
        const char *name;
        enum basket_kind kind;
        enum option option;
        double strike, expiry, published;
        int assets, dates;
    } rows[] = {{"best of two", BASKET_BEST_OF, OPTION_CALL, 110.0, 1.0, 0.0, 2, 12},
                {"worst of two", BASKET_WORST_OF, OPTION_PUT, 95.0, 1.0, 0.0, 2, 12},
                {"average of two", BASKET_AVERAGE, OPTION_PUT, 200.0, 1.0, 0.0, 2, 12},
                {"geometric of two", BASKET_GEOMETRIC, OPTION_PUT, 100.0, 1.0, 0.0, 2, 50},
                {"best of three", BASKET_BEST_OF, OPTION_CALL, 100.0, 3.0, 18.69, 3, 9}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct desk d;
        bool alike = rows[r].assets > 2;
        open_desk(&d, 0.05, rows[r].assets, 100.0, alike ? 0.1 : 0.04, alike ? 0.2 : 0.15);
        if (!alike) flat_volatility(&d.flat, 1, 0.3);
        write_american(&d, rows[r].option, rows[r].strike, rows[r].expiry, rows[r].dates);
        d.trade.kind = rows[r].kind;
        double truth = alike ? rows[r].published : true_value(&d),
               doubt = (alike ? 1e-3 : 5e-5) * truth;
        struct seeds_found found = over_seeds(&d, truth, doubt);
        check_ends(rows[r].name, &found, truth, doubt);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

TEST(threads_change_no_bit)
{
    for (int row = 0; row < 3; row++) {
        struct desk d;
        struct plan plans[3];
        struct tally uppers[3];
        open_desk(&d, 0.05, row ? 3 : 1, 100.0, 0.1, 0.2);
        write_american(&d, OPTION_PUT, row == 1 ? 300.0 : 100.0, 1.0, 7);
        d.trade.kind = row == 1 ? BASKET_AVERAGE : BASKET_WORST_OF;
        for (int threads = 1; threads <= 3; threads++) {
            struct plan *plan = &plans[threads - 1];
            make_plan(&d, CHUNK_PATHS, 7, plan);
            fit_policies(plan, threads);
            uppers[threads - 1] = bound(plan, threads);
            const struct lookup *lookup = &plan->groups[0].lookup;
            assert_memory_equal(lookup->table, plans[0].groups[0].lookup.table,
                                sizeof *lookup->table * (size_t)lookup->n);
            assert_memory_equal(&uppers[threads - 1], &uppers[0], sizeof *uppers);
            assert_true(lookup->table[0] != EXERCISE_NEVER || row);
        }
        for (int i = 0; i < 3; i++) plan_free(&plans[i]);
    }
}

/* ---- a signal -------------------------------------------------------------------------------- */

/* A fit looks at it between its dates, fits of a plan between their tasks. */
TEST(a_signal_ends_a_fit)
{
    const struct engine_options asked = {.threads = 2, .stop = &stop_at_once};
    struct desk d;
    struct plan plan;
    open_desk(&d, 0.05, 1, 100.0, 0.1, 0.2);
    write_american(&d, OPTION_PUT, 100.0, 1.0, 7);
    make_plan(&d, CHUNK_PATHS, 7, &plan);
    assert_int_equal(exercise_fit(&cpu_engine, &asked, NULL, &plan, &said), STATUS_INTERRUPTED);
    fit_policies(&plan, 2);
    struct exercise *exercises = exercise_of(&plan);
    struct valuation valuation = {
        .exercise = exercises, .draws = {.seed = 7}, .stop = &stop_at_once};
    assert_int_equal(valuation_fit(&valuation), STATUS_INTERRUPTED);
    valuation_free(&valuation);
    exercises_free(1, exercises);
    plan_free(&plan);
}

/* ---- dates that are too near ----------------------------------------------------------------- */

/* Dates that share a step are one date of exercise, whoever made the plan (a book's are refused):
 * all lie on steps of their own, and a date given twice changes nothing. */
TEST(dates_of_one_step_are_one)
{
    static double once[] = {0.5, 1.0}, twice[] = {0.5, 0.5 + 1e-10, 0.5 + 3e-10, 1.0};
    struct tally lower[2], upper[2];
    struct desk d;
    open_desk(&d, 0.05, 1, 100.0, 0.0, 0.2);
    for (int row = 0; row < 2; row++) {
        struct plan plan;
        write_american(&d, OPTION_PUT, 105.0, 1.0, 2);
        d.trade.exercise = (struct schedule){.n = row ? 4 : 2, .times = row ? twice : once};
        make_plan(&d, 1 << 16, 7, &plan);
        struct exercise *exercises = exercise_of(&plan);
        assert_int_equal(exercises->n_dates, 2);
        assert_true(exercises->steps[0] < exercises->steps[1]);
        exercises_free(1, exercises);
        fit_policies(&plan, 1);
        lower[row] = walk(&plan, 1), upper[row] = bound(&plan, 1);
        plan_free(&plan);
    }
    assert_true(fabs(lower[1].mean - lower[0].mean) < 1e-6 &&
                fabs(upper[1].mean - upper[0].mean) < 1e-6);
}

/* Exercise at any time until an expiry of seconds: fewer dates, each on a step of its own. */
TEST(a_short_life_has_fewer_dates)
{
    for (double expiry = 1e-5; expiry > 1e-10; expiry *= 0.3) {
        struct desk d;
        struct plan plan;
        open_desk(&d, 0.05, 1, 100.0, 0.0, 0.2);
        write_american(&d, OPTION_PUT, 105.0, expiry, 0);
        make_plan(&d, CHUNK_PATHS, 7, &plan);
        struct exercise *exercises = exercise_of(&plan);
        assert_int_equal(exercises->n_dates, plan.groups[0].n_steps);
        for (int k = 1; k < exercises->n_dates; k++)
            assert_true(exercises->steps[k] > exercises->steps[k - 1]);
        exercises_free(1, exercises);
        plan_free(&plan);
    }
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static enum verdict verdict_on(double quantity, double lower, double upper, double reference,
                               bool always)
{
    struct trade trade = {.product = PRODUCT_AMERICAN, .quantity = quantity, .strike = 40.0};
    trade.exercise.continuous = always;
    struct estimate e = {.price = quantity * lower,
                         .std_error = 0.001 * fabs(quantity),
                         .upper = quantity * upper,
                         .upper_error = 0.0005 * fabs(quantity),
                         .reference = quantity * reference,
                         .reference_error = 0.0};
    return judge_price(&trade, 0.0, 40.0, 4.0, &e);
}

TEST(the_reference_must_lie_in_the_interval)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        assert_int_equal(verdict_on(sign * 3.0, 4.46, 4.48, 4.478, false), VERDICT_OK);
        assert_int_equal(verdict_on(sign * 3.0, 4.48, 4.481, 4.4765, false),
                         VERDICT_OK); /* 3.5 errors */
        assert_int_equal(verdict_on(sign * 3.0, 4.49, 4.51, 4.478, false), VERDICT_DISAGREES);
        assert_int_equal(verdict_on(sign * 3.0, 4.46, 4.475, 4.478, false), VERDICT_DISAGREES);
        assert_int_equal(verdict_on(sign * 3.0, 4.46, 4.475, 4.478, true), VERDICT_DISAGREES);
    }
}

/* The whole check of the desk's trade, by a width. */
static struct estimate checked(const struct desk *d, const struct plan *plan, double width)
{
    const struct tally lower = walk(plan, 2);
    const struct refusal refusal = {{""}};
    const struct check_options options = {
        .plan = plan, .mode = CHECK_ALL, .seed = 1, .threads = 2, .exercise_width = width};
    struct estimate *estimates = calloc(1, sizeof *estimates), only;
    assert_ok(estimates_make(&d->flat.market, 1, &d->trade, &lower, &refusal, estimates));
    estimates->paths = (double)plan->paths;
    assert_ok(check_book(&d->flat.market, 1, &d->trade, &options, estimates, &said));
    only = *estimates;
    free(estimates);
    return only;
}

/* A reference within an interval says something only where that is narrow. A policy fitted to
 * nothing (no exercise before expiry) leaves an interval of 8 %, whose upper end is next to the
 * reference: trouble, though nothing is checked, but where the price may be as far off as that. */
TEST(a_wide_interval_is_no_check)
{
    static const double quantities[] = {2.0, -2.0};
    for (int q = 0; q < 2; q++) {
        struct desk d;
        struct plan plan;
        open_desk(&d, 0.08, 1, 90.0, 0.0, 0.2);
        write_american(&d, OPTION_PUT, 100.0, 1.0, 50);
        d.trade.quantity = quantities[q];
        make_plan(&d, 1 << 16, 3, &plan);
        struct estimate idle = checked(&d, &plan, 0.02), allowed = checked(&d, &plan, 0.5);
        double off = fabs(idle.reference / idle.price - 1.0),
               wide = fabs(idle.upper / idle.price - 1.0);
        struct estimate near = checked(&d, &plan, 0.5 * (off + wide));
        assert_int_equal(idle.verdict, VERDICT_UNCHECKED);
        assert_non_null(
            strstr(idle.message, "exercise_width is 2 %, and the reference is further"));
        assert_true(estimate_is_trouble(&idle));
        assert_int_equal(near.verdict, VERDICT_UNCHECKED);
        assert_false(estimate_is_trouble(&near));
        assert_int_equal(allowed.verdict, VERDICT_OK);
        fit_policies(&plan, 2);
        struct estimate fitted = checked(&d, &plan, 0.02);
        assert_int_equal(fitted.verdict, VERDICT_OK);
        free(idle.message), free(near.message), free(allowed.message), free(fitted.message);
        plan_free(&plan);
    }
}

/* Exercise at any time is worth more than on the dates that stand for it: the error of the upper
 * end says so, and holds what binomial trees say is missing. */
TEST(what_dates_leave_is_part_of_the_error)
{
    for (int any = 0; any < 2; any++) {
        struct desk d;
        struct plan plan;
        open_desk(&d, 0.1, 1, 95.0, 0.0, 0.2);
        write_american(&d, OPTION_PUT, 100.0, 2.0, any ? 0 : MOST_DATES);
        make_plan(&d, 1 << 14, 3, &plan);
        fit_policies(&plan, 2);
        struct tally upper = bound(&plan, 2);
        struct estimate e = checked(&d, &plan, 0.02);
        double rest = 0.2 * 0.1 * 2.0 / 512 * 100.0,
               wanted = hypot(tally_standard_error(upper), any ? rest : 0.0);
        assert_true(fabs(e.upper_error - wanted) < 1e-12);
        free(e.message);
        plan_free(&plan);
    }
}

ALL_TESTS(exercise_test)
