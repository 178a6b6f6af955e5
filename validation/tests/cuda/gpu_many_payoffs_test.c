/* Groups of many payoffs, against the CPU engine, to the last bit: more than one launch can value
 * path by path; and more barriers under a clock than are taken together. Exit 77 where no GPU can
 * be used. */
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

/* Barriers under heston, from next to the spot to where few paths come, with one level or two, in
 * three lives, knock-outs with a rebate at the hit among them. */
static int make_barriers(void)
{
    enum { BARRIERS = 66 };
    static const double expiries[] = {0.25, 1.0, 1.5};
    for (int i = 0; i < BARRIERS; i++) {
        const double away = 0.2 + i * 0.6;
        snprintf(ids[i], sizeof ids[i], "%d", i);
        trades[i] = option_on(0, i & 1 ? OPTION_PUT : OPTION_CALL, 100.0, expiries[i % 3]);
        trades[i].id = ids[i];
        trades[i].monitoring = (struct schedule){.continuous = true};
        trades[i].rebate = 3.0;
        if (i & 4) {
            trades[i].product = PRODUCT_DOUBLE_BARRIER;
            trades[i].lower = 100.0 - away, trades[i].upper = 101.0 + away;
            continue;
        }
        trades[i].product = PRODUCT_BARRIER;
        trades[i].direction = i & 2 ? DIRECTION_UP : DIRECTION_DOWN;
        trades[i].barrier = i & 2 ? 100.0 + away : 100.0 - away;
        trades[i].pay_at = i & 8 ? PAY_AT_HIT : PAY_AT_EXPIRY;
    }
    return BARRIERS;
}

/* Prices n of the trades on both engines. */
static bool equal(const char *what, const struct plan *plan, int n)
{
    const struct engine_options options = {.kernel = "auto"};
    const bool same = priced(&cpu_engine, plan, options, cpu, NULL) &&
                      priced(&cuda_engine, plan, options, gpu, NULL) &&
                      !count_different(what, n, cpu, gpu);
    printf("%s, %d groups: %s\n", what, plan->n_groups, same ? "equal" : "DIFFERENT");
    return same;
}

TEST_MAIN(gpu_many_payoffs_test)
{
    struct plan plan;
    struct flat_market flat;
    struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 20261123, .max_step = 0.02};
    if (!has_gpu()) return 77;
    flat_market_make(&flat, MODEL_BLACK_SCHOLES, 0.03, 0.03, 0.25);
    make_trades();
    if (!planned(&flat.market, PAYOFFS, trades, &settings, &plan)) return 1;
    bool same = plan.n_groups == 1 && plan.groups[0].n_single == PAYOFFS &&
                equal("payoffs path by path", &plan, PAYOFFS);
    plan_free(&plan);
    flat_market_make(&flat, MODEL_HESTON, 0.03, 0.01, 0.25);
    settings.paths = 8 * CHUNK_PATHS;
    const int n = make_barriers();
    if (!planned(&flat.market, n, trades, &settings, &plan)) return 1;
    same = equal("barriers under a clock", &plan, n) && same;
    plan_free(&plan);
    return same ? 0 : 1;
}
