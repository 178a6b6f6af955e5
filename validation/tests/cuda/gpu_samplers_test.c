/* Antithetic pairs and Sobol points on the CUDA engine against the CPU engine, to the last bit:
 * every kernel but the baseline, on a book with every product and on assets under every model,
 * alone and in baskets; launches of several sizes, and paths that a run before had begun. Exit 77
 * where no GPU can be used. */
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/every_book.h"

enum { RUNS_TRADES = REPLICATES * EVERY_PRODUCT_TRADES };

static const struct plan_settings samplers[] = {
    {.paths = 3 * BATCH_PATHS + 5 * CHUNK_PATHS,
     .seed = 20261121,
     .max_step = 0.05,
     .antithetic = true},
    {.paths = 2 * REPLICATES * CHUNK_PATHS, .seed = 20261121, .max_step = 0.05, .points = true}};

static int test_sampler(const struct shown_book *book, const struct plan_settings *settings)
{
    static struct tally cpu[RUNS_TRADES], gpu[RUNS_TRADES];
    struct plan plan;
    int k = 0;
    if (!planned(book->market, book->n_trades, book->trades, settings, &plan)) return 1;
    plan.first_path = 3 * CHUNK_PATHS;
    int failed =
        !priced_replicates(&cpu_engine, &plan, (struct engine_options){.kernel = "auto"}, cpu);
    for (const struct kernel_row *row = cuda_engine.kernels; row->name; row++, k++) {
        const struct engine_options options = {.kernel = row->name, .launch_batches = k % 3};
        if (!strcmp(row->name, "baseline")) continue;
        if (groups_as_plain(&plan, row->name) == plan.n_groups) continue;
        bool same = priced_replicates(&cuda_engine, &plan, options, gpu) &&
                    !count_different(book->name, plan_runs(&plan) * book->n_trades, cpu, gpu);
        printf("%s, %s: %-16s %s\n", book->name, settings->points ? "points" : "pairs", row->name,
               same ? "equal" : "DIFFERENT");
        failed += !same;
    }
    plan_free(&plan);
    return failed;
}

static int test_samplers(const struct shown_book *book)
{
    return test_sampler(book, &samplers[0]) + test_sampler(book, &samplers[1]);
}

TEST_MAIN(gpu_samplers_test)
{
    if (!has_gpu()) return 77;
    return check_every_book(test_samplers) ? 1 : 0;
}
