/* Groups of 1 to 32 assets, under Black and Scholes and under Heston: the GPU's tallies are the
 * CPU's to the last bit, by path code that draws its normals, by path code that reads stored ones
 * and by the plain kernel. The numbers of assets are those on both sides of what path code keeps in
 * registers and of what a block of 128 threads has room for in shared memory; of many assets
 * correlations are of all kinds, and a block is of one warp and of more. All path code is compiled
 * first. Exit 77 where no GPU can be used. */
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/many_assets.h"

enum { PATHS = 3 * BATCH_PATHS + CHUNK_PATHS, TRADES = MANY_ASSETS_TRADES };

/* Kernels with their threads a block, 0 for their own choice. */
static const struct way {
    const char *kernel;
    int block;
} ways[] = {{"fused:specialised", 0},
            {"optimized:specialised", 0},
            {"plain", 0},
            {"fused:specialised", 32},
            {"fused:specialised", 64}};
enum { WAYS = sizeof ways / sizeof *ways, ORDINARY_WAYS = 3 };

#define BLACK_SCHOLES "volatility = 0.25;"
#define HESTON                                                                                     \
    "model = \"heston\"; heston = { v0 = 0.04; kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.6; "  \
    "};"

/* Each by the first of the ways. What is correlated anyhow takes the path code of what is
 * correlated otherwise. */
static const struct many_assets {
    int n;
    const char *model;
    enum many_correlations how;
    int n_ways;
} books[] = {
    {1, BLACK_SCHOLES, CORRELATED_HALF, ORDINARY_WAYS},
    {2, BLACK_SCHOLES, CORRELATED_HALF, ORDINARY_WAYS},
    {5, BLACK_SCHOLES, CORRELATED_HALF, ORDINARY_WAYS},
    {10, BLACK_SCHOLES, CORRELATED_HALF, ORDINARY_WAYS},
    {11, BLACK_SCHOLES, CORRELATED_HALF, ORDINARY_WAYS},
    {19, BLACK_SCHOLES, CORRELATED_HALF, ORDINARY_WAYS},
    {21, BLACK_SCHOLES, CORRELATED_HALF, ORDINARY_WAYS},
    {20, BLACK_SCHOLES, CORRELATED_ANYHOW, WAYS},
    {24, BLACK_SCHOLES, CORRELATED_ANYHOW, WAYS},
    {MANY_ASSETS_MOST, BLACK_SCHOLES, CORRELATED_ANYHOW, WAYS},
    {20, BLACK_SCHOLES, CORRELATED_IN_FAMILIES, 1},
    {MANY_ASSETS_MOST, BLACK_SCHOLES, CORRELATED_IN_FAMILIES, 1},
    {20, BLACK_SCHOLES, TWO_THE_SAME, 1},
    {MANY_ASSETS_MOST, BLACK_SCHOLES, TWO_THE_SAME, 1},
    {1, HESTON, CORRELATED_HALF, ORDINARY_WAYS},
    {10, HESTON, CORRELATED_HALF, ORDINARY_WAYS},
    {11, HESTON, CORRELATED_HALF, ORDINARY_WAYS},
    {20, HESTON, CORRELATED_HALF, ORDINARY_WAYS},
    {28, HESTON, CORRELATED_HALF, ORDINARY_WAYS},
    {29, HESTON, CORRELATED_HALF, ORDINARY_WAYS},
    {MANY_ASSETS_MOST, HESTON, CORRELATED_HALF, ORDINARY_WAYS},
};
enum { BOOKS = sizeof books / sizeof *books };

static void make_plan(const struct many_assets *of, struct book *book, struct plan *plan)
{
    const struct plan_settings settings = {.paths = PATHS, .seed = 7, .max_step = 0.04};
    many_assets_load(of->n, of->model, of->how, book);
    if (!planned(&book->market, book->n_trades, book->trades, &settings, plan)) abort();
}

static void compile_all(void)
{
    struct compilation *compilation = begin_compiling();
    for (int i = 0; i < BOOKS; i++) {
        struct book book;
        struct plan plan;
        make_plan(&books[i], &book, &plan);
        add_compiling(compilation, &plan);
        plan_free(&plan);
        book_free(&book);
    }
    end_compiling(compilation);
}

/* Returns how many ways differ from the CPU. */
static int test_assets(const struct many_assets *of)
{
    static const char *const correlated[] = {[CORRELATED_HALF] = "by half",
                                             [CORRELATED_ANYHOW] = "anyhow",
                                             [CORRELATED_IN_FAMILIES] = "in families",
                                             [TWO_THE_SAME] = "two the same"};
    struct book book;
    struct plan plan;
    struct tally cpu[TRADES], gpu[TRADES];
    make_plan(of, &book, &plan);
    int failed = !priced(&cpu_engine, &plan, (struct engine_options){.kernel = "auto"}, cpu, NULL);
    for (const struct way *way = ways; way < ways + of->n_ways; way++) {
        const struct engine_options options = {.kernel = way->kernel, .block = way->block};
        bool same = priced(&cuda_engine, &plan, options, gpu, NULL) &&
                    !count_different(way->kernel, plan_tallies(&plan), cpu, gpu);
        printf("%2d assets, %.6s, correlated %s, %s, block %d: %s\n", of->n, of->model,
               correlated[of->how], way->kernel, way->block, same ? "equal" : "DIFFERENT");
        failed += !same;
    }
    plan_free(&plan);
    book_free(&book);
    return failed;
}

TEST_MAIN(gpu_assets_test)
{
    int failed = 0;
    if (!has_gpu()) return 77;
    compile_all();
    for (int i = 0; i < BOOKS; i++) failed += test_assets(&books[i]);
    printf("%d failures\n", failed);
    return failed > 0;
}
