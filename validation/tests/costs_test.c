/* The costs by which a kernel is chosen: counts of plans, predictions, the choice, measuring by an
 * engine made up for it, and the file that keeps them. Needs no GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/book.h"
#include "app/command/costs_file.h"
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "kernels/costs.h"

enum { PATHS = 1 << 22, FIXINGS = 252 };

/* ---- plans ----------------------------------------------------------------------------------- */

#define ASIAN                                                                                      \
    "{ id = \"asian\"; type = \"asian\"; asset = \"A\"; option = \"call\"; averaging = "           \
    "\"arithmetic\"; "                                                                             \
    "strike_type = \"fixed\"; strike = 100.0; fixings = 252; expiry = 1.0; }"
#define EUROPEAN                                                                                   \
    "{ id = \"european\"; type = \"european\"; asset = \"A\"; option = \"call\"; strike = 100.0; " \
    "expiry = 1.0; }"
#define BETWEEN /* two fixings */                                                                  \
    "{ id = \"between\"; type = \"european\"; asset = \"A\"; option = \"call\"; strike = 100.0; "  \
    "expiry = 0.501; }"
#define BARRIER                                                                                    \
    "{ id = \"barrier\"; type = \"barrier\"; asset = \"A\"; option = \"call\"; strike = 100.0; "   \
    "barrier = 80.0; direction = \"down\"; knock = \"out\"; monitoring = 252; expiry = 1.0; }"
#define BASKET                                                                                     \
    "{ id = \"basket\"; type = \"basket\"; assets = [\"A\", \"B\"]; kind = \"average\"; option = " \
    "\"call\"; "                                                                                   \
    "strike = 100.0; expiry = 1.0; }"
#define HESTON                                                                                     \
    "model = \"heston\"; heston = { v0 = 0.04; kappa = 1.5; theta = 0.04; xi = 0.3; rho = -0.7; "  \
    "};"

/* A book of these trades on assets A, which moves as `moves` says, and B. */
static void make_book(const char *moves, const char *trades, struct book *book)
{
    char path[] = P_tmpdir "/costs_test_XXXXXX";
    struct complaints complaints = {0};
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file,
            "settings = { paths = %d; max_step = 0.004; };\n"
            "market = { currencies = ( { name = \"USD\"; rate = 0.05; } );\n"
            "assets = ( { name = \"A\"; currency = \"USD\"; spot = 100.0; %s },\n"
            "{ name = \"B\"; currency = \"USD\"; spot = 100.0; volatility = 0.2; } ); };\n"
            "book = { trades = ( %s ); };\n",
            PATHS, moves, trades);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(book_load(path, book, &complaints), STATUS_OK);
    complaints_free(&complaints);
    unlink(path);
}

/* Its plan under n markets, spots apart. */
static void make_plan(const char *moves, const char *trades, int n, struct plan *plan)
{
    struct book book;
    struct market markets[SCENARIOS_MAX];
    struct scenario of[SCENARIOS_MAX] = {{0}};
    struct asset assets[SCENARIOS_MAX][2];
    struct refusal refusals[4] = {{{""}}};
    make_book(moves, trades, &book);
    struct plan_settings settings = {
        .paths = (uint64_t)book.settings.paths, .seed = 1, .max_step = book.settings.max_step};
    for (int s = 0; s < n; s++) {
        markets[s] = book.market;
        memcpy(assets[s], book.market.assets, sizeof assets[s]);
        assets[s][0].spot *= 1.0 + 0.01 * s;
        markets[s].assets = assets[s];
        of[s].market = &markets[s];
    }
    enum status status =
        n == 1 ? plan_build(&book.market, book.n_trades, book.trades, &settings, plan, refusals)
               : plan_scenarios(n, of, book.n_trades, book.trades, &settings, plan, refusals);
    assert_int_equal(status, STATUS_OK);
    assert_string_equal(refusals[0].why.text, "");
    book_free(&book);
}

#define PLAIN "volatility = 0.2;"

/* Compares what a plan has of every row with `expected`, on one path. */
static void has(const char *moves, const char *trades, int n, const double expected[N_COSTS])
{
    struct plan plan = {0};
    double counts[N_COSTS];
    make_plan(moves, trades, n, &plan);
    costs_count(&plan, counts);
    for (int c = 0; c < N_COSTS; c++) {
        bool of_paths = c != COST_LAUNCH && c != COST_HELD && c != COST_HELD_SEVERAL;
        double is = of_paths ? counts[c] / PATHS : counts[c];
        if (is != expected[c]) print_error("%s: %g, expected %g\n", cost_names[c], is, expected[c]);
        assert_true(is == expected[c]);
    }
    plan_free(&plan);
}

static void counts_are_those_of_the_plan(void **state)
{
    (void)state;
    const double held = 2.0 * (1 << 20); /* of two streams */
    has(PLAIN, ASIAN, 1,
        (double[N_COSTS]){[COST_LAUNCH] = 4,
                          [COST_HELD] = held * FIXINGS,
                          [COST_DRAW] = FIXINGS,
                          [COST_SUM] = FIXINGS,
                          [COST_PAYOFF] = 1});
    has(PLAIN, ASIAN "," EUROPEAN, 1,
        (double[N_COSTS]){[COST_LAUNCH] = 4,
                          [COST_HELD] = held * FIXINGS,
                          [COST_DRAW] = FIXINGS,
                          [COST_STEP] = FIXINGS,
                          [COST_ADD] = FIXINGS,
                          [COST_TOUCH] = 1,
                          [COST_CROWD] = 1,
                          [COST_PAYOFF] = 2});
    has(PLAIN, ASIAN "," BETWEEN, 1, /* a date without a fixing: nothing is carried */
        (double[N_COSTS]){[COST_LAUNCH] = 4,
                          [COST_HELD] = held * (FIXINGS + 1),
                          [COST_DRAW] = FIXINGS + 1,
                          [COST_STEP] = FIXINGS + 1,
                          [COST_TOUCH] = FIXINGS + 1,
                          [COST_CROWD] = FIXINGS + 1,
                          [COST_PAYOFF] = 2});
    has(PLAIN, BARRIER, 1,
        (double[N_COSTS]){[COST_LAUNCH] = 4,
                          [COST_HELD] = held * FIXINGS,
                          [COST_DRAW] = FIXINGS,
                          [COST_STEP] = FIXINGS,
                          [COST_TOUCH] = FIXINGS + 1,
                          [COST_CROWD] = 2 * (FIXINGS + 1),
                          [COST_PAYOFF] = 1});
    has(HESTON, ASIAN, 1,
        (double[N_COSTS]){[COST_LAUNCH] = 4,
                          [COST_HELD] = held * 2 * FIXINGS,
                          [COST_DRAW] = 2 * FIXINGS,
                          [COST_HESTON_SUM] = FIXINGS,
                          [COST_PAYOFF] = 1});
    has(PLAIN, BASKET, 1,
        (double[N_COSTS]){[COST_LAUNCH] = 4,
                          [COST_HELD_SEVERAL] = held * 2,
                          [COST_DRAW_SEVERAL] = 2,
                          [COST_SEVERAL] = 2,
                          [COST_PAYOFF] = 1});
}

/* Normals are drawn once for all of them. */
static void scenarios_count_their_normals_once(void **state)
{
    (void)state;
    has(PLAIN, ASIAN, 5,
        (double[N_COSTS]){[COST_LAUNCH] = 5 * 4,
                          [COST_HELD] = 2.0 * (1 << 20) * FIXINGS,
                          [COST_DRAW] = FIXINGS,
                          [COST_SUM] = FIXINGS,
                          [COST_MORE] = 4 * FIXINGS,
                          [COST_PAYOFF] = 5});
}

/* ---- the choice ------------------------------------------------------------------------------ */

static enum candidate chosen(const struct costs *costs, const char *moves, const char *trades,
                             int n)
{
    struct plan plan = {0};
    make_plan(moves, trades, n, &plan);
    enum candidate candidate = costs_choose(costs, &plan);
    plan_free(&plan);
    return candidate;
}

static void the_cheapest_is_chosen(void **state)
{
    (void)state;
    struct costs costs = {{{0}}};
    for (int k = 0; k < N_CANDIDATES; k++) /* all alike */
        for (int c = 0; c < N_COSTS; c++) costs.seconds[k][c] = 1e-12;
    assert_int_equal(chosen(&costs, PLAIN, ASIAN, 1), CANDIDATE_FUSED);
    costs.seconds[CANDIDATE_OPTIMIZED][COST_SUM] = 0.1e-12;
    costs.seconds[CANDIDATE_BATCH_SHARED][COST_TOUCH] = 0.1e-12;
    costs.seconds[CANDIDATE_OPTIMIZED_DOUBLE][COST_HESTON_SUM] = 0.1e-12;
    assert_int_equal(chosen(&costs, PLAIN, ASIAN, 1), CANDIDATE_OPTIMIZED);
    assert_int_equal(chosen(&costs, PLAIN, BARRIER, 1), CANDIDATE_BATCH_SHARED);
    assert_int_equal(chosen(&costs, HESTON, ASIAN, 1), CANDIDATE_OPTIMIZED_DOUBLE);
    assert_int_equal(chosen(&costs, PLAIN, BASKET, 1), CANDIDATE_FUSED);
}

/* One path-step of the sum in 1e-12 s with `fused`: nothing else costs. */
static void a_gain_that_may_be_an_error_is_left(void **state)
{
    (void)state;
    struct costs costs = {{{0}}};
    for (int k = 0; k < N_CANDIDATES; k++) costs.seconds[k][COST_SUM] = 1e-12;
    costs.seconds[CANDIDATE_OPTIMIZED][COST_SUM] = (CLEARLY + 0.01) * 1e-12;
    assert_int_equal(chosen(&costs, PLAIN, ASIAN, 1), CANDIDATE_FUSED);
    costs.seconds[CANDIDATE_OPTIMIZED][COST_SUM] = (CLEARLY - 0.01) * 1e-12;
    assert_int_equal(chosen(&costs, PLAIN, ASIAN, 1), CANDIDATE_OPTIMIZED);
    costs.seconds[CANDIDATE_BATCH_SHARED][COST_SUM] = (CLEARLY - 0.02) * 1e-12;
    assert_int_equal(chosen(&costs, PLAIN, ASIAN, 1), CANDIDATE_BATCH_SHARED);
}

/* What was measured: docs/method.md. */
static void the_h200_takes_fused_but_for_sums_under_scenarios(void **state)
{
    (void)state;
    static const char *const books[] = {ASIAN, EUROPEAN, BARRIER, ASIAN "," EUROPEAN "," BARRIER};
    for (size_t i = 0; i < sizeof books / sizeof *books; i++) {
        assert_int_equal(chosen(&costs_built_in, PLAIN, books[i], 1), CANDIDATE_FUSED);
        assert_int_equal(chosen(&costs_built_in, HESTON, books[i], 1), CANDIDATE_FUSED);
    }
    assert_int_equal(chosen(&costs_built_in, PLAIN, ASIAN, 8), CANDIDATE_FUSED);
    assert_int_equal(chosen(&costs_built_in, PLAIN, ASIAN "," EUROPEAN, 8), CANDIDATE_OPTIMIZED);
}

static void predictions_are_sums(void **state)
{
    (void)state;
    struct plan plan = {0};
    struct costs costs = {{{0}}};
    make_plan(PLAIN, ASIAN, 1, &plan);
    costs.seconds[CANDIDATE_OPTIMIZED][COST_DRAW] = 2e-12;
    costs.seconds[CANDIDATE_OPTIMIZED][COST_SUM] = 3e-12;
    costs.seconds[CANDIDATE_OPTIMIZED][COST_LAUNCH] = 1e-5;
    double expected = 5e-12 * FIXINGS * PATHS + 4e-5;
    assert_true(fabs(costs_predict(&costs, CANDIDATE_OPTIMIZED, &plan) - expected) <
                1e-12 * expected);
    assert_true(costs_predict(&costs, CANDIDATE_FUSED, &plan) == 0.0);
    plan_free(&plan);
}

/* ---- an engine made up: a device as fast as the H200 times `slowness` ------------------------ */

static double slowness[N_CANDIDATES];
static int runs, runs_until_failure;
static const char *device_name = "Made-up 1000, CUDA 13.0";

static enum status made_up_price(const struct plan *plan, const struct engine_options *options,
                                 struct tally *tallies, double *totals,
                                 struct engine_report *report, struct message *why)
{
    (void)tallies, (void)totals;
    double counts[N_COSTS];
    int k = 0;
    while (strcmp(options->kernel, candidate_kernels[k])) assert_true(++k < N_CANDIDATES);
    assert_true(options->timed);
    if (runs++ == runs_until_failure) {
        snprintf(why->text, sizeof why->text, "made up");
        return STATUS_ENGINE;
    }
    costs_count(plan, counts);
    report->normals = slowness[k] * counts[COST_DRAW] * costs_built_in.seconds[k][COST_DRAW];
    for (int c = COST_SUM; c < N_COSTS; c++)
        report->paths += slowness[k] * counts[c] * costs_built_in.seconds[k][c];
    return STATUS_OK;
}

static enum status made_up_identity(const struct engine_options *options, char *text, size_t size,
                                    struct message *why)
{
    (void)options, (void)why;
    snprintf(text, size, "%s", device_name);
    return STATUS_OK;
}

static const struct engine made_up = {
    .name = "made up", .identify = made_up_identity, .price = made_up_price};

static void make_up(const double slow[N_CANDIDATES])
{
    memcpy(slowness, slow, sizeof slowness);
    runs = 0;
    runs_until_failure = -1;
}

/* The model is taken at its word here, so the probes' times are its predictions: within the errors
 * that it has on the H200. */
static void probes_of_the_h200_are_what_the_model_predicts(void **state)
{
    (void)state;
    struct probes probes;
    struct message why = {""};
    make_up((double[]){1.0, 1.0, 1.0, 1.0});
    assert_int_equal(
        costs_probe(&made_up, &(struct engine_options){.kernel = "auto"}, &probes, &why),
        STATUS_OK);
    for (int k = 0; k < N_CANDIDATES; k++)
        for (int p = PROBE_DRAW; p < N_PROBES; p++) {
            double measured = probes_built_in.seconds[k][p];
            if (k == CANDIDATE_FUSED && p == PROBE_DRAW) assert_true(probes.seconds[k][p] == 0.0);
            else assert_true(fabs(probes.seconds[k][p] / measured - 1.0) < 0.45);
        }
}

static void a_slower_device_has_greater_costs(void **state)
{
    (void)state;
    static const double twice[] = {2.0, 6.0, 10.0, 14.0}, once[] = {1.0, 3.0, 5.0, 7.0};
    struct engine_options options = {.kernel = "auto"};
    struct costs slow, fast;
    struct message why = {""};
    make_up(once);
    assert_int_equal(costs_measure(&made_up, &options, &fast, &why), STATUS_OK);
    make_up(twice);
    assert_int_equal(costs_measure(&made_up, &options, &slow, &why), STATUS_OK);
    for (int k = 0; k < N_CANDIDATES; k++)
        for (int c = 0; c < N_COSTS; c++) {
            bool probed = c != COST_LAUNCH && c != COST_HELD && c != COST_HELD_SEVERAL &&
                          c != COST_PAYOFF && !(k == CANDIDATE_FUSED && c == COST_DRAW_SEVERAL);
            double ratio = probed ? 2.0 : 1.0;
            assert_true(fabs(slow.seconds[k][c] - ratio * fast.seconds[k][c]) <=
                        1e-12 * slow.seconds[k][c]);
        }
    assert_int_equal(chosen(&fast, PLAIN, ASIAN "," EUROPEAN, 8), CANDIDATE_FUSED);
}

static void an_engine_that_fails_leaves_built_in_costs(void **state)
{
    (void)state;
    struct costs costs;
    struct message why = {""};
    make_up((double[]){2.0, 2.0, 2.0, 2.0});
    runs_until_failure = 7;
    assert_int_equal(
        costs_measure(&made_up, &(struct engine_options){.kernel = "auto"}, &costs, &why),
        STATUS_ENGINE);
    assert_string_equal(why.text, "made up");
    assert_memory_equal(&costs, &costs_built_in, sizeof costs);
}

/* ---- the file -------------------------------------------------------------------------------- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, P_tmpdir "/costs_test_XXXXXX");
    return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    char path[256];
    if (costs_path(device_name, path, sizeof path)) unlink(path);
    snprintf(path, sizeof path, "%s/pricer", folder);
    rmdir(path);
    return rmdir(folder);
}

static struct costs odd_costs(void)
{
    struct costs costs;
    for (int k = 0; k < N_CANDIDATES; k++)
        for (int c = 0; c < N_COSTS; c++) costs.seconds[k][c] = 1e-12 * (k + 1) / (c + 3.0);
    return costs;
}

static void the_place_follows_the_environment(void **state)
{
    (void)state;
    char path[256], small[8];
    const char *home = getenv("HOME") ? getenv("HOME") : "/";
    char *kept = strdup(home);
    setenv("XDG_CACHE_HOME", "/cache", 1);
    assert_true(costs_path("NVIDIA H200/../x, CUDA 13.0", path, sizeof path));
    assert_string_equal(path, "/cache/pricer/costs-NVIDIA-H200-..-x--CUDA-13.0.txt");
    assert_false(costs_path("NVIDIA H200", small, sizeof small));
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "/home/desk", 1);
    assert_true(costs_path("A", path, sizeof path));
    assert_string_equal(path, "/home/desk/.cache/pricer/costs-A.txt");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_false(costs_path("A", path, sizeof path));
    setenv("HOME", kept, 1);
    free(kept);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    char path[256];
    struct costs written = odd_costs(), read = {{{0}}};
    assert_true(costs_path(device_name, path, sizeof path));
    assert_false(costs_read(path, device_name, &read));
    assert_true(costs_write(path, device_name, &written));
    assert_true(costs_read(path, device_name, &read));
    assert_memory_equal(&read, &written, sizeof read);
    assert_false(costs_read(path, "Another, CUDA 13.0", &read));
}

/* Rewrites the file with `from` replaced by `to`, and sees that it is then as good as none. */
static void refused_with(const char *from, const char *to)
{
    static char text[1 << 16], path[256];
    struct costs written = odd_costs(), read = costs_built_in;
    assert_true(costs_path(device_name, path, sizeof path) &&
                costs_write(path, device_name, &written));
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    char *at = strstr(text, from);
    assert_non_null(at);
    file = fopen(path, "w");
    fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(file);
    assert_false(costs_read(path, device_name, &read));
    assert_memory_equal(&read, &costs_built_in, sizeof read);
}

static void a_file_that_is_not_right_is_none(void **state)
{
    (void)state;
    char line[64];
    struct costs costs = odd_costs();
    snprintf(line, sizeof line, "fused sum %.17g\n", costs.seconds[CANDIDATE_FUSED][COST_SUM]);
    refused_with("pricer " PRICER_VERSION, "pricer 0.0.9");
    refused_with(PRICER_COMMIT, "another");
    refused_with("Made-up 1000", "Made-up 2000");
    refused_with(line, "");
    refused_with(line, "fused sum\n");
    refused_with(line, "fused sum nan\n");
    refused_with(line, "fused sum -1e-12\n");
    refused_with(line, "fused sum 1e9\n");
    refused_with(line, "fused sums 1e-12\n");
    refused_with(line, "\001\002\003");
    refused_with("pricer ", "");
}

static void an_unwritable_place_is_no_error(void **state)
{
    (void)state;
    struct costs costs = odd_costs();
    assert_false(costs_write("/dev/null/pricer/costs.txt", device_name, &costs));
    assert_false(costs_read("/dev/null/pricer/costs.txt", device_name, &costs));
    assert_false(costs_read(folder, device_name, &costs));
}

/* ---- a run ----------------------------------------------------------------------------------- */

static struct costs found(const char *kernel, const char *trades)
{
    struct plan plan = {0};
    struct costs costs;
    struct engine_options options = {.kernel = kernel};
    make_plan(PLAIN, trades, 8, &plan);
    costs_find(&made_up, &options, &plan, &costs);
    plan_free(&plan);
    return costs;
}

static void a_long_run_measures_once(void **state)
{
    (void)state;
    make_up((double[]){3.0, 3.0, 3.0, 3.0});
    struct costs built_in = found("auto", EUROPEAN);
    assert_memory_equal(&built_in, &costs_built_in, sizeof built_in);
    built_in = found("fused", BARRIER);
    assert_memory_equal(&built_in, &costs_built_in, sizeof built_in);
    assert_int_equal(runs, 0);
    struct costs first = found("auto", BARRIER);
    assert_true(first.seconds[CANDIDATE_FUSED][COST_SUM] >
                2.0 * costs_built_in.seconds[CANDIDATE_FUSED][COST_SUM]);
    int measured = runs;
    assert_true(measured > 0);
    struct costs second = found("auto", BARRIER);
    assert_int_equal(runs, measured);
    assert_memory_equal(&first, &second, sizeof first);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    second = found("auto", BARRIER);
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_int_equal(runs, 2 * measured);
    assert_memory_equal(&first, &second, sizeof first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_plan),
        cmocka_unit_test(scenarios_count_their_normals_once),
        cmocka_unit_test(the_cheapest_is_chosen),
        cmocka_unit_test(a_gain_that_may_be_an_error_is_left),
        cmocka_unit_test(the_h200_takes_fused_but_for_sums_under_scenarios),
        cmocka_unit_test(predictions_are_sums),
        cmocka_unit_test(probes_of_the_h200_are_what_the_model_predicts),
        cmocka_unit_test(a_slower_device_has_greater_costs),
        cmocka_unit_test(an_engine_that_fails_leaves_built_in_costs),
        cmocka_unit_test(the_place_follows_the_environment),
        cmocka_unit_test_setup_teardown(what_is_written_is_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_right_is_none, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(an_unwritable_place_is_no_error, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_long_run_measures_once, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
