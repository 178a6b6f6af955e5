/* --bench on an engine with kernels that are right, wrong in a last bit, and broken: what is
 * timed, what is not, and why. */
#include "validation/tests/written_book.h"
#include "app/output/bench.h"
#include "app/pricing/plan/plan_build.h"
#include "validation/tests/test.h"

/* The default, and the kernels that are timed. */
static bool default_is_broken;

static enum status walk(const struct plan *plan, const struct engine_options *options,
                        const struct batch_range *range, struct engine_report *report,
                        struct message *why)
{
    struct engine_options plain = *options;
    bool broken = !strcmp(options->kernel, "broken");
    if (broken || (default_is_broken && !strcmp(options->kernel, "auto"))) {
        snprintf(why->text, sizeof why->text, "it does not run");
        return STATUS_ENGINE;
    }
    plain.kernel = "plain";
    enum status status = cpu_engine.walk(plan, &plain, range, report, why);
    report->normals = report->payoffs = 0.25 * report->paths;
    if (options->timed && !strcmp(options->kernel, "right")) report->block = 128;
    if (!strcmp(options->kernel, "wrong")) range->tallies[0].mean *= 1.0 + 0x1p-49;
    if (!strcmp(options->kernel, "baseline")) range->tallies[0].mean *= 1.0 + 0x1p-49;
    return status;
}

static const char *const kernels[] = {"baseline", "right", "wrong", "broken", "right:s2", NULL};
static const char *const shown[] = {"right", "broken", NULL};
static const struct engine engine = {
    .name = "test", .settings = kernels, .shown = shown, .walk = walk};

static struct book book;
static struct plan plan;

static int begin(void **state)
{
    static struct refusal refusals[8];
    const struct plan_settings settings = {.paths = 40960, .seed = 1, .max_step = 0.02};
    (void)state;
    read_file("inputs/first.cfg", &book);
    return plan_build(&book.market, book.n_trades, book.trades, &settings, &plan, refusals);
}

static int end(void **state)
{
    (void)state;
    plan_free(&plan);
    book_free(&book);
    return 0;
}

static struct bench bench_of(const char *kernel, bool ladder)
{
    return (struct bench){.engine = &engine,
                          .options = {.kernel = kernel},
                          .plan = plan,
                          .market = &book.market,
                          .trades = book.trades,
                          .ladder = ladder,
                          .patience = 40.0};
}

TEST(only_what_is_right_is_timed)
{
    struct bench bench = bench_of("auto", true);
    struct message why = {""};
    assert_ok(bench_begin(&bench, &why));
    assert_ok(bench_time(&bench, &why));
    assert_string_equal(why.text, "");
    assert_true(bench_disagrees(&bench));
    assert_int_equal(bench.n, 5);
    assert_true(bench.runs >= 5 && bench.runs <= BENCH_RUNS);
    assert_true(bench.plan.paths >= 4096 && bench.plan.paths <= bench.book_paths);
    for (int i = 0; i < bench.n; i++) {
        const struct bench_row *row = &bench.rows[i];
        assert_string_equal(row->kernel, kernels[i]);
        assert_int_equal(row->disagrees, i == 2);
        assert_int_equal(row->timed, i != 2 && i != 3);
        if (!row->timed) continue;
        for (int p = 0; p < N_BENCH_PHASES; p++) {
            int below = 0;
            assert_true(row->median[p] > 0.0);
            for (int r = 0; r < bench.runs; r++) below += row->runs[p][r] <= row->median[p];
            assert_true(2 * below >= bench.runs && 2 * (below - 1) <= bench.runs);
        }
    }
    assert_non_null(strstr(bench.rows[2].why, "1 prices differ"));
    assert_string_equal(bench.rows[3].why, "it does not run");
    bench_free(&bench);
}

/* A book that takes longer than one is patient: the fewest paths, and one run of them. */
TEST(a_long_book_has_fewer_paths_and_runs)
{
    struct bench bench = bench_of("auto", true);
    bench.patience = 1e-6;
    assert_ok(bench_begin(&bench, &said));
    assert_int_equal(bench.plan.paths, 1024);
    assert_int_equal(bench.runs, 1);
    bench.patience = 1e-9, bench.runs = BENCH_RUNS;
    assert_ok(bench_time(&bench, &said));
    assert_int_equal(bench.runs, 1);
    assert_true(bench.rows[0].median[BENCH_TOTAL] > 0.0);
    bench_free(&bench);
}

/* The book has one group, so that the launch is told of; each cell is under its head. */
TEST(the_table_has_what_the_engine_has)
{
    struct bench bench = bench_of("auto", true);
    char text[4096] = "";
    FILE *file = tmpfile();
    bench.plan.paths = 1024;
    assert_ok(bench_begin(&bench, &said));
    assert_ok(bench_time(&bench, &said));
    bench_table(file, &bench);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, " normals    paths  payoffs    total  paths  total G steps "));
    assert_non_null(strstr(text, " regs  bytes block    %\nbaseline "));
    assert_non_null(strstr(text, "    0      0   128    0\nright:s2 "));
    assert_non_null(strstr(text, "\nDISAGREES wrong: no time"));
    assert_non_null(strstr(text, "\nnot timed broken: it does not run\n"));
    assert_null(strstr(text, "specialised"));
    bench_free(&bench);
}

TEST(kernels_are_those_asked_for)
{
    static const struct {
        const char *kernel;
        bool ladder;
        const char *rows;
    } cases[] = {{"auto", false, "right broken "},
                 {"wrong", false, "baseline wrong "},
                 {"baseline", false, "baseline "},
                 {"right", false, "baseline right "},
                 {"right", true, "baseline right right:s2 "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = bench_of(cases[i].kernel, cases[i].ladder);
        char rows[64] = "";
        bench.plan.paths = 1024;
        assert_ok(bench_begin(&bench, &said));
        for (int r = 0; r < bench.n; r++) {
            strcat(rows, bench.rows[r].kernel);
            strcat(rows, " ");
        }
        assert_string_equal(rows, cases[i].rows);
        bench_free(&bench);
    }
}

TEST(a_machine_that_fails_is_no_kernel_that_fails)
{
    struct bench bench = bench_of("broken", false);
    struct message why = {""};
    default_is_broken = true;
    assert_int_equal(bench_begin(&bench, &why), STATUS_ENGINE);
    assert_string_equal(why.text, "it does not run");
    default_is_broken = false;
    bench_free(&bench);
}

ALL_TESTS_BETWEEN(bench_rows_test, begin, end)
