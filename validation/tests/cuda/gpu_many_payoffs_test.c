/* A group of more payoffs than one launch can value path by path, against the CPU engine, to the
 * last bit. Exit 77 where no GPU can be used. */
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/flat_market.h"

/* Nine more than a grid values: CUDA takes 65,535 blocks as its second number, of eight each. */
enum { PAYOFFS = 8 * 65535 + 9 };

static struct trade trades[PAYOFFS];
static char ids[PAYOFFS][8];
static struct tally cpu[PAYOFFS], gpu[PAYOFFS];

/* Makes averages of one fixing: each has its strike. */
static void make_trades(void)
{
    static double date = 0.5;
    for (int i = 0; i < PAYOFFS; i++) {
        snprintf(ids[i], sizeof ids[i], "%d", i);
        trades[i] = option_on(0, i % 2 ? OPTION_PUT : OPTION_CALL, 60.0 + 1e-4 * i, 0.5);
        trades[i].id = ids[i];
        trades[i].product = PRODUCT_ASIAN;
        trades[i].fixings = (struct schedule){.n = 1, .times = &date};
    }
}

TEST_MAIN(gpu_many_payoffs_test)
{
    struct plan plan;
    struct flat_market flat;
    const struct plan_settings settings = {
        .paths = CHUNK_PATHS, .seed = 20261123, .max_step = 0.02};
    const struct engine_options options = {.kernel = "auto"};
    if (!has_gpu()) return 77;
    flat_market_make(&flat, MODEL_BLACK_SCHOLES, 0.03, 0.03, 0.25);
    make_trades();
    if (!planned(&flat.market, PAYOFFS, trades, &settings, &plan)) return 1;
    bool many = plan.n_groups == 1 && plan.groups[0].n_single == PAYOFFS;
    bool same = many && priced(&cpu_engine, &plan, options, cpu, NULL) &&
                priced(&cuda_engine, &plan, options, gpu, NULL) &&
                !count_different("many payoffs", PAYOFFS, cpu, gpu);
    printf("%d groups, %d payoffs path by path: %s\n", plan.n_groups, plan.groups[0].n_single,
           same ? "equal" : "DIFFERENT");
    plan_free(&plan);
    return same ? 0 : 1;
}
