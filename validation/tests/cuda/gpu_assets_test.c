/* Groups of 1 to 32 assets, under Black and Scholes and under Heston: the GPU's tallies are the
 * CPU's to the last bit, by path code that draws its normals, by path code that reads stored ones
 * and by the plain kernel. The numbers of assets are those on both sides of what path code keeps in
 * registers and of what a block of 128 threads has room for in shared memory; of many assets
 * correlations are of all kinds, and a block is of one warp and of more. Exit 77 where no GPU can
 * be used. */
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

/* Returns how many of the first ways differ from the CPU on n assets of a model. */
static int test_assets(int n, const char *model, enum many_correlations how, int n_ways)
{
    static const char *const correlated[] = {[CORRELATED_HALF] = "by half",
                                             [CORRELATED_ANYHOW] = "anyhow",
                                             [CORRELATED_IN_FAMILIES] = "in families",
                                             [TWO_THE_SAME] = "two the same"};
    struct book book;
    struct plan plan;
    const struct plan_settings settings = {.paths = PATHS, .seed = 7, .max_step = 0.04};
    struct tally cpu[TRADES], gpu[TRADES];
    int failed = 0;
    many_assets_load(n, model, how, &book);
    if (!planned(&book.market, book.n_trades, book.trades, &settings, &plan)) abort();
    failed += !priced(&cpu_engine, &plan, (struct engine_options){.kernel = "auto"}, cpu, NULL);
    for (const struct way *way = ways; way < ways + n_ways; way++) {
        const struct engine_options options = {.kernel = way->kernel, .block = way->block};
        bool same = priced(&cuda_engine, &plan, options, gpu, NULL) &&
                    !count_different(way->kernel, plan_tallies(&plan), cpu, gpu);
        printf("%2d assets, %.6s, correlated %s, %s, block %d: %s\n", n, model, correlated[how],
               way->kernel, way->block, same ? "equal" : "DIFFERENT");
        failed += !same;
    }
    plan_free(&plan);
    book_free(&book);
    return failed;
}

TEST_MAIN(gpu_assets_test)
{
    static const int several[] = {1, 2, 5, 10, 11, 19, 20, 21, MANY_ASSETS_MOST};
    static const int many[] = {20, 24, MANY_ASSETS_MOST};
    static const int heston[] = {1, 10, 11, 20, 28, 29, MANY_ASSETS_MOST};
    static const char volatility[] = "volatility = 0.25;";
    int failed = 0;
    if (!has_gpu()) return 77;
    for (size_t i = 0; i < sizeof several / sizeof *several; i++)
        failed += test_assets(several[i], volatility, CORRELATED_HALF, ORDINARY_WAYS);
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        failed += test_assets(many[i], volatility, CORRELATED_ANYHOW, WAYS);
        failed += test_assets(many[i], volatility, CORRELATED_IN_FAMILIES, 1);
        failed += test_assets(many[i], volatility, TWO_THE_SAME, 1);
    }
    for (size_t i = 0; i < sizeof heston / sizeof *heston; i++)
        failed += test_assets(heston[i],
                              "model = \"heston\"; heston = { v0 = 0.04; kappa = 1.5; theta = "
                              "0.05; xi = 0.3; rho = -0.6; };",
                              CORRELATED_HALF, ORDINARY_WAYS);
    printf("%d failures\n", failed);
    return failed > 0;
}
