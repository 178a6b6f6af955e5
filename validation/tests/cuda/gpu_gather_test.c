/* The rung `gather` against the CPU engine, to the last bit: sums on past
 * returns, with numbers of steps that no depth of fetching divides, blocks of one day, of several,
 * and longer than a path, tables of two returns and of more than the first cache holds; indices
 * stored as float and as double, and drawn in registers, by the other rungs. Exit 77 where no GPU
 * can be used; the names of the settings are tested all the same. */
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/flat_market.h"

#define DAY (1.0 / 252.0)

enum { PASTS = 4, FIXINGS_MAX = 64, RETURNS_MAX = 150000 };

static const struct {
    int returns, block, fixings;
} pasts[PASTS] = {{2, 1, 37}, {300, 5, 1}, {5000, 20, 42}, {RETURNS_MAX, 100, 17}};

static double returns[RETURNS_MAX], fixings[PASTS][FIXINGS_MAX];
static struct trade trades[PASTS];

/* Makes a market of such assets and their trades. */
static void make_book(struct flat_assets *flat)
{
    flat_assets_make(flat, PASTS, MODEL_HISTORICAL, 0.03, 0.03, 0.25);
    for (int i = 0; i < RETURNS_MAX; i++)
        returns[i] = 0.01 * sin(0.3 * i * (i % 1009)) - (i % 97 ? 0.0 : 0.04);
    for (int a = 0; a < PASTS; a++) {
        struct asset *asset = &flat->assets[a];
        asset->spot = 90.0 + a;
        asset->history = (struct history){pasts[a].returns, returns, DAY, pasts[a].block};
        for (int i = 0; i < pasts[a].fixings; i++) fixings[a][i] = (i + 1) * DAY;
        trades[a] = option_on(a, OPTION_CALL, asset->spot, pasts[a].fixings * DAY);
        trades[a].id = (char *)"abcd" + a;
        trades[a].product = PRODUCT_ASIAN;
        trades[a].fixings = (struct schedule){.n = pasts[a].fixings, .times = fixings[a]};
    }
}

static int test_kernel(const struct plan *plan, const struct tally *cpu, const char *kernel)
{
    static const int blocks[] = {0, 32, 96, 256};
    int failed = 0;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        struct tally gpu[PASTS];
        const struct engine_options options = {
            .kernel = kernel, .block = blocks[b], .launch_batches = (int)b % 3};
        bool same = priced(&cuda_engine, plan, options, gpu, NULL);
        for (int i = 0; i < PASTS; i++)
            same &= strcmp(kernel, "baseline") ? !memcmp(&gpu[i], &cpu[i], sizeof *gpu)
                                               : fabs(gpu[i].mean - cpu[i].mean) < 1e-9;
        if (!same) printf("%s, block %d: DIFFERENT\n", kernel, blocks[b]);
        failed += !same;
    }
    return failed;
}

static int test_kernels(const struct plan *plan)
{
    struct tally cpu[PASTS];
    int failed = !priced(&cpu_engine, plan, (struct engine_options){.kernel = "auto"}, cpu, NULL);
    for (int i = 0; i < PASTS; i++) failed += !(cpu[i].mean > 0.1);
    for (int n = 0; cuda_engine.settings[n]; n++)
        failed += test_kernel(plan, cpu, cuda_engine.settings[n]);
    printf("%d differ\n", failed);
    return failed;
}

TEST_MAIN(gpu_gather_test)
{
    struct plan plan;
    struct flat_assets flat;
    const struct plan_settings settings = {
        .paths = 2 * BATCH_PATHS + 3 * CHUNK_PATHS, .seed = 20261121, .max_step = 0.02};
    make_book(&flat);
    if (!planned(&flat.market, PASTS, trades, &settings, &plan) || plan.n_groups != PASTS) return 1;
    bool there = has_gpu();
    int failed = there ? test_kernels(&plan) : 0;
    plan_free(&plan);
    return failed ? 1 : there ? 0 : 77;
}
