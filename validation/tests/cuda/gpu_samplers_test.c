/* Antithetic pairs and Sobol points on the CUDA engine against the CPU engine, to the last bit:
 * every kernel but the baseline, on a book with every product and on assets under every model,
 * alone and in baskets; launches of several sizes, and paths that a run before had begun. Exit 77
 * where no GPU can be used. */
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/value/exercise/exercise_policy.h"
#include "kernels/replicates.h"
#include "validation/tests/every_model.h"
#include "validation/tests/every_product.h"
#include "validation/tests/test.h"

enum { RUNS_TRADES = REPLICATES * EVERY_PRODUCT_TRADES };

static const struct plan_settings samplers[] = {
    {.paths = 3 * BATCH_PATHS + 5 * CHUNK_PATHS,
     .seed = 20261121,
     .max_step = 0.05,
     .antithetic = true},
    {.paths = 2 * REPLICATES * CHUNK_PATHS, .seed = 20261121, .max_step = 0.05, .points = true}};

static enum status on_engine(void *context, const struct plan *plan,
                             const struct engine_options *options, struct tally *tallies,
                             struct engine_report *report, struct message *why)
{
    const struct engine *engine = context;
    return engine_price(engine, plan, options, tallies, NULL, report, why);
}

static int price(const struct plan *plan, const struct engine *engine, const char *kernel,
                 int launch_batches, struct tally *tallies)
{
    struct engine_options options = {.kernel = kernel, .launch_batches = launch_batches};
    struct engine_report report = {.kernel = ""};
    const struct plan_pricer pricer = {on_engine, (void *)engine, &options, &report};
    memset(tallies, 0, sizeof *tallies * RUNS_TRADES);
    if (!replicates_run(&pricer, plan, tallies, &said)) return 0;
    printf("%s %s: %s\n", engine->name, kernel, said.text);
    return 1;
}

static int test_sampler(const char *what, const struct market *market, int n,
                        const struct trade *trades, const struct plan_settings *settings)
{
    static struct tally cpu[RUNS_TRADES], gpu[RUNS_TRADES];
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    struct plan plan;
    int failed = 0, k = 0;
    if (plan_build(market, n, trades, settings, &plan, refusals) ||
        exercise_fit(&cpu_engine, &(struct engine_options){.threads = 0}, NULL, &plan, &said))
        return 1;
    plan.first_path = 3 * CHUNK_PATHS;
    failed += price(&plan, &cpu_engine, "auto", 0, cpu);
    for (const struct kernel_row *row = cuda_engine.kernels; row->name; row++, k++) {
        if (!strcmp(row->name, "baseline")) continue;
        int wrong = price(&plan, &cuda_engine, row->name, k % 3, gpu);
        if (!wrong)
            wrong = memcmp(cpu, gpu, sizeof *cpu * (size_t)plan_runs(&plan) * (size_t)n) != 0;
        printf("%s, %s: %-16s %s\n", what, settings->points ? "points" : "pairs", row->name,
               wrong ? "DIFFERENT" : "equal");
        failed += wrong;
    }
    plan_free(&plan);
    return failed;
}

TEST_MAIN(gpu_samplers_test)
{
    static void (*const add[])(struct every_model *) = {
        every_model_add_products, every_model_add_baskets, every_model_add_sums};
    static const char *const names[] = {"models", "baskets", "sums"};
    static struct every_product book;
    struct message why = {{0}};
    int failed = 0;
    if (cuda_engine.ready(&why)) return printf("skipped: %s\n", why.text), 77;
    every_product_make(&book, 0.0);
    for (int s = 0; s < 2; s++)
        failed += test_sampler("products", &book.market, book.n_trades, book.trades, &samplers[s]);
    for (int i = 0; i < 3; i++) {
        static struct every_model every;
        every_model_make(&every);
        add[i](&every);
        for (int s = 0; s < 2; s++)
            failed +=
                test_sampler(names[i], &every.market, every.n_trades, every.trades, &samplers[s]);
        every_model_free(&every);
    }
    every_product_free(&book);
    return failed ? 1 : 0;
}
