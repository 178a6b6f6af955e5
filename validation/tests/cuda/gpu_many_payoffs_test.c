/* A group of more payoffs than one launch can value path by path, against the CPU engine, to the
 * last bit. Exit 77 where no GPU can be used. */
#include "app/pricing/plan/plan_build.h"
#include "kernels/engine.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/test.h"

/* Nine more than a grid values: CUDA takes 65,535 blocks as its second number, of eight each. */
enum { PAYOFFS = 8 * 65535 + 9 };

static struct market market;
static struct currency currency;
static struct asset asset = {
    .name = (char *)"A", .spot = 100.0, .foreign_currency = -1, .model = MODEL_BLACK_SCHOLES};
static double correlation = 1.0;
static struct trade trades[PAYOFFS];
static char ids[PAYOFFS][8];
static struct refusal refusals[PAYOFFS];
static struct tally cpu[PAYOFFS], gpu[PAYOFFS];

/* Averages of one fixing: each has its strike. */
static void make_book(void)
{
    static double date = 0.5;
    static int list = 0;
    const double one = 1.0, rate = 0.03, volatility = 0.25;
    int at = 0;
    term_from_rates(&currency.rate, 1, &one, &rate);
    term_from_rates(&asset.yield, 1, &one, &rate);
    term_from_volatilities(&asset.variance, 1, &one, &volatility, &at);
    market = (struct market){1, &currency, 1, &asset, &correlation};
    for (int i = 0; i < PAYOFFS; i++) {
        snprintf(ids[i], sizeof ids[i], "%d", i);
        trades[i] = (struct trade){.id = ids[i],
                                   .product = PRODUCT_ASIAN,
                                   .n_assets = 1,
                                   .assets = &list,
                                   .quanto = -1,
                                   .quantity = 1.0,
                                   .expiry = 0.5,
                                   .option = i % 2 ? OPTION_PUT : OPTION_CALL,
                                   .strike = 60.0 + 1e-4 * i,
                                   .fixings = {.n = 1, .times = &date}};
    }
}

static enum status price(const struct plan *plan, const struct engine *engine,
                         struct tally *tallies, struct message *why)
{
    struct engine_options options = {.kernel = "auto"};
    struct engine_report report = {.kernel = ""};
    return engine_price(engine, plan, &options, tallies, NULL, &report, why);
}

TEST_MAIN(gpu_many_payoffs_test)
{
    struct plan plan;
    struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 20261123, .max_step = 0.02};
    if (cuda_engine.ready(&said)) {
        printf("skipped: %s\n", said.text);
        return 77;
    }
    make_book();
    if (plan_build(&market, PAYOFFS, trades, &settings, &plan, refusals)) return 1;
    bool many = plan.n_groups == 1 && plan.groups[0].n_single == PAYOFFS;
    bool priced =
        many && !price(&plan, &cpu_engine, cpu, &said) && !price(&plan, &cuda_engine, gpu, &said);
    bool same = priced && !memcmp(gpu, cpu, sizeof gpu);
    printf("%d groups, %d payoffs path by path: %s %s\n", plan.n_groups, plan.groups[0].n_single,
           same     ? "equal"
           : priced ? "DIFFERENT"
                    : "NOT PRICED",
           said.text);
    plan_free(&plan);
    return same ? 0 : 1;
}
