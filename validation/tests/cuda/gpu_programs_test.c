/* Programs on the GPU against the CPU engine, to the last bit: those that state a product and
 * random ones, by every kernel but `baseline`, which has its own arithmetic; on antithetic paths,
 * on Sobol points, under scenarios and as contrasts, in launches of several sizes; a program with
 * all the registers that one can have; and the rows that `observe` hands out. Exit 77 where no GPU
 * can be used. */

#include "app/pricing/plan/plan_scenarios.h"
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/scripted_book.h"

enum { SCENARIOS = 5, MOST_TALLIES = REPLICATES * SCRIPTED_TRADES };

static struct scripted_book book;

static const uint64_t PATHS = 2 * BATCH_PATHS + 3 * CHUNK_PATHS;

static const struct engine_options shapes[] = {
    {.streams = 2}, {.streams = 1, .launch_batches = 1}, {.streams = 2, .launch_batches = 2}};

static const char *const automatic[] = {"auto", NULL};

/* Prices a plan by both engines, the GPU by every kernel of a list in every shape, and returns how
 * many tallies differ. */
static int compare(const char *what, const struct plan *plan, const char *const *kernels)
{
    static struct tally cpu[MOST_TALLIES], gpu[MOST_TALLIES];
    int failed = 0, n = plan_runs(plan) * plan_tallies(plan);
    if (!priced_replicates(&cpu_engine, plan, (struct engine_options){.kernel = "auto"}, cpu))
        return 1;
    for (; *kernels; kernels++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            struct engine_options options = shapes[s];
            options.kernel = *kernels;
            if (!priced_replicates(&cuda_engine, plan, options, gpu)) return failed + 1;
            int different = count_different(*kernels, n, cpu, gpu);
            printf("%s, %s, shape %zu: %d of %d tallies differ\n", what, *kernels, s, different, n);
            failed += different;
        }
    return failed;
}

/* Plans the book. Its decisions are made of random instructions: no policy can be fitted. */
static bool build(const struct plan_settings *settings, struct plan *plan)
{
    static struct refusal refusals[SCRIPTED_TRADES];
    bool good = !plan_build(book.market, book.n_trades, book.trades, settings, plan, refusals);
    for (int i = 0; i < book.n_trades; i++)
        if (refusals[i].why.text[0]) printf("%s\n", refusals[i].why.text), good = false;
    return good;
}

static int test_kernels(void)
{
    const struct plan_settings settings = {.paths = PATHS, .seed = 20261120, .max_step = 0.02};
    struct plan plan;
    int failed = !build(&settings, &plan);
    if (!failed) failed = compare("Philox paths", &plan, cuda_engine.settings + 1);
    plan_free(&plan);
    return failed;
}

static int test_kinds_of_paths(void)
{
    int failed = 0;
    for (int kind = 0; kind < 2; kind++) {
        const struct plan_settings settings = {
            .paths = PATHS, .seed = 7, .max_step = 0.1, .antithetic = !kind, .points = kind};
        struct plan plan;
        failed += !build(&settings, &plan);
        failed += compare(kind ? "Sobol points" : "antithetic paths", &plan, automatic);
        plan_free(&plan);
    }
    return failed;
}

/* Scenarios side by side, and their contrasts; some follow the decisions of others. */
static int test_scenarios(void)
{
    static struct refusal refusals[SCRIPTED_TRADES];
    struct asset assets[SCENARIOS][sizeof book.base.assets / sizeof *book.base.assets];
    struct market markets[SCENARIOS];
    struct scenario list[SCENARIOS] = {[2] = {.follows = 1}, [4] = {.follows = 1 + 3}};
    const struct contrast measures[2] = {{2, {{2, 1.0}, {1, -1.0}}}, {2, {{0, 1.0}, {4, 1.0}}}};
    const struct contrast_list contrasts = {
        .n_contrasts = 2, .contrasts = measures, .scenarios = {SCENARIOS, list}};
    const struct plan_settings settings = {.paths = PATHS, .seed = 11, .max_step = 0.1};
    struct plan plan;
    for (int s = 0; s < SCENARIOS; s++) {
        markets[s] = with_spots(book.market, 1.0 + 0.02 * s, assets[s]);
        list[s].market = &markets[s];
    }
    int failed = plan_contrasts(&contrasts, book.n_trades, book.trades, &settings, &plan,
                                refusals) != STATUS_OK;
    if (!failed) failed += compare("contrasts", &plan, automatic);
    plan_free(&plan);
    return failed;
}

/* The rows of every group, those of programs among them. */
static int test_rows(void)
{
    const struct plan_settings settings = {.paths = 3 * CHUNK_PATHS, .seed = 5, .max_step = 0.1};
    const struct engine_options options = {.kernel = "auto"};
    struct plan plan;
    int failed = !build(&settings, &plan), rows = 0;
    for (int g = 0; g < plan.n_groups; g++) {
        size_t n = (size_t)plan.groups[g].n_rows * (size_t)plan.paths;
        double *cpu = malloc(n * sizeof *cpu), *gpu = malloc(n * sizeof *gpu);
        const struct chunk_range to_cpu = {.end = plan.paths / CHUNK_PATHS, .rows = cpu},
                                 to_gpu = {.end = plan.paths / CHUNK_PATHS, .rows = gpu};
        failed += !cpu || !gpu || cpu_engine.observe(&plan, &options, g, &to_cpu, &said) ||
                  cuda_engine.observe(&plan, &options, g, &to_gpu, &said) ||
                  memcmp(cpu, gpu, n * sizeof *cpu) != 0;
        rows += plan.groups[g].n_programs;
        free(cpu);
        free(gpu);
    }
    printf("rows of %d programs: %s\n", rows, failed ? "DIFFERENT" : "equal");
    plan_free(&plan);
    return failed;
}

TEST_MAIN(gpu_programs_test)
{
    if (!has_gpu()) return 77;
    int failed = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        scripted_book_make(&book, seed);
        if (seed == 1) failed += test_kernels();
        failed += test_kinds_of_paths() + test_scenarios() + test_rows();
        scripted_book_free(&book);
    }
    printf("%d differences\n", failed);
    return failed != 0;
}
