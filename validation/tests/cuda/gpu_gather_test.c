/* The rung `gather` against the CPU engine, to the last bit: sums on past
 * returns, with numbers of steps that no depth of fetching divides, blocks of one day, of several,
 * and longer than a path, tables of two returns and of more than the first cache holds; indices
 * stored as float and as double, and drawn in registers, by the other rungs. Exit 77 where no GPU
 * can be used; the names of the settings are tested all the same. */
#include "app/pricing/plan/plan_build.h"
#include "kernels/engine.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/test.h"

#define DAY (1.0 / 252.0)

enum { PASTS = 4, FIXINGS_MAX = 64, RETURNS_MAX = 150000 };

static const struct {
    int returns, block, fixings;
} pasts[PASTS] = {{2, 1, 37}, {300, 5, 1}, {5000, 20, 42}, {RETURNS_MAX, 100, 17}};

static struct market market;
static struct currency currency;
static struct asset assets[PASTS];
static double correlation[PASTS * PASTS], returns[RETURNS_MAX], fixings[PASTS][FIXINGS_MAX];
static int lists[PASTS];
static struct trade trades[PASTS];

static void make_book(void)
{
    const double one = 1.0, rate = 0.03, volatility = 0.25;
    int at = 0;
    term_from_rates(&currency.rate, 1, &one, &rate);
    for (int i = 0; i < RETURNS_MAX; i++)
        returns[i] = 0.01 * sin(0.3 * i * (i % 1009)) - (i % 97 ? 0.0 : 0.04);
    for (int a = 0; a < PASTS; a++) {
        assets[a] = (struct asset){.name = (char *)"past",
                                   .spot = 90.0 + a,
                                   .foreign_currency = -1,
                                   .model = MODEL_HISTORICAL};
        assets[a].history = (struct history){pasts[a].returns, returns, DAY, pasts[a].block};
        term_from_rates(&assets[a].yield, 1, &one, &rate);
        term_from_volatilities(&assets[a].variance, 1, &one, &volatility, &at);
        correlation[a * PASTS + a] = 1.0;
        lists[a] = a;
        for (int i = 0; i < pasts[a].fixings; i++) fixings[a][i] = (i + 1) * DAY;
        trades[a] = (struct trade){.id = (char *)"abcd" + a,
                                   .product = PRODUCT_ASIAN,
                                   .asset = a,
                                   .n_assets = 1,
                                   .assets = &lists[a],
                                   .quanto = -1,
                                   .quantity = 1.0,
                                   .expiry = pasts[a].fixings * DAY,
                                   .option = OPTION_CALL,
                                   .strike = assets[a].spot,
                                   .fixings = {.n = pasts[a].fixings, .times = fixings[a]}};
    }
    market = (struct market){1, &currency, PASTS, assets, correlation};
}

static enum status price(const struct plan *plan, const struct engine *engine, const char *kernel,
                         int block, int launch_batches, struct tally *tallies, struct message *why)
{
    struct engine_options options = {
        .kernel = kernel, .block = block, .launch_batches = launch_batches};
    struct engine_report report = {.kernel = ""};
    why->text[0] = '\0';
    return engine_price(engine, plan, &options, tallies, NULL, &report, why);
}

static int test_kernel(const struct plan *plan, const struct tally *cpu, const char *kernel)
{
    static const int blocks[] = {0, 32, 96, 256};
    struct message why;
    int failed = 0;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        struct tally gpu[PASTS] = {{0}};
        bool same = !price(plan, &cuda_engine, kernel, blocks[b], (int)b % 3, gpu, &why);
        for (int i = 0; i < PASTS; i++)
            same &= strcmp(kernel, "baseline") ? !memcmp(&gpu[i], &cpu[i], sizeof *gpu)
                                               : fabs(gpu[i].mean - cpu[i].mean) < 1e-9;
        if (!same) printf("%s, block %d: DIFFERENT %s\n", kernel, blocks[b], why.text);
        failed += !same;
    }
    return failed;
}

static int test_kernels(const struct plan *plan)
{
    struct tally cpu[PASTS] = {{0}};
    int failed = price(plan, &cpu_engine, "auto", 0, 0, cpu, &said) != STATUS_OK;
    for (int i = 0; i < PASTS; i++) failed += !(cpu[i].mean > 0.1);
    for (int n = 0; cuda_engine.settings[n]; n++)
        failed += test_kernel(plan, cpu, cuda_engine.settings[n]);
    printf("%d differ\n", failed);
    return failed;
}

TEST_MAIN(gpu_gather_test)
{
    struct plan plan;
    struct refusal refusals[PASTS];
    struct plan_settings settings = {
        .paths = 2 * BATCH_PATHS + 3 * CHUNK_PATHS, .seed = 20261121, .max_step = 0.02};
    make_book();
    if (plan_build(&market, PASTS, trades, &settings, &plan, refusals) || plan.n_groups != PASTS)
        return 1;
    bool there = !cuda_engine.ready(&said);
    int failed = there ? test_kernels(&plan) : 0;
    if (!there) printf("skipped: %s\n", said.text);
    plan_free(&plan);
    return failed ? 1 : there ? 0 : 77;
}
