/* Every kernel of the CUDA engine against the CPU engine, to the last bit, on a book with every product: one
 * and two streams, several block sizes and launch sizes, a number of paths that fills no launch. `baseline`
 * to 1e-12 of spot. Exit 77 where no GPU can be used. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/plan/plan.h"
#include "kernels/engine.h"
#include "validation/tests/every_product.h"

static struct every_product book;

static int price(const struct plan *plan, const struct engine *engine, const char *kernel, int streams,
                 int block, int launch_batches, struct tally *tallies)
{
    struct engine_options options = {
        .kernel = kernel, .streams = streams, .block = block, .launch_batches = launch_batches};
    struct engine_report report = {.kernel = ""};
    struct message why = {{0}};
    enum status status = engine->price(plan, &options, tallies, &report, &why);
    if (status) printf("%s %s: %s\n", engine->name, kernel, why.text);
    return status != STATUS_OK;
}

/* Number of trades whose tallies differ: in any bit, or for the baseline by more than 1e-12 of spot. */
static int differences(const struct tally *a, const struct tally *b, int baseline)
{
    int different = 0;
    for (int i = 0; i < book.n_trades; i++) {
        double allowed = 1e-12 * book.assets[book.trades[i].asset].spot;
        int same = baseline ? fabs(a[i].mean - b[i].mean) <= allowed : !memcmp(&a[i], &b[i], sizeof a[i]);
        if (!same)
            printf("  %s: %.17g (m2 %.17g) and %.17g (m2 %.17g)\n", book.trades[i].id, a[i].mean, a[i].m2,
                   b[i].mean, b[i].m2);
        different += !same;
    }
    return different;
}

static const struct {
    int streams, block, launch_batches;
} shapes[] = {{2, 0, 0}, {1, 0, 0}, {2, 64, 1}, {2, 256, 3}, {1, 128, 2}};

int main(void)
{
    struct message why = {{0}};
    struct plan plan;
    struct refusal refusals[EVERY_PRODUCT_TRADES];
    struct tally cpu[EVERY_PRODUCT_TRADES] = {{0}}, gpu[EVERY_PRODUCT_TRADES];
    int failed = 0;
    if (cuda_engine.ready(&why)) {
        printf("skipped: %s\n", why.text);
        return 77;
    }
    every_product_make(&book, 0.0);
    if (plan_build(&book.market, book.n_trades, book.trades, 7 * BATCH_PATHS + 5 * CHUNK_PATHS, 20261120,
                   &plan, refusals))
        return 1;
    for (int i = 0; i < book.n_trades; i++)
        if (refusals[i].why.text[0])
            printf("%s refused: %s\n", book.trades[i].id, refusals[i].why.text), failed++;
    failed += price(&plan, &cpu_engine, "auto", 0, 0, 0, cpu);
    for (const struct kernel_row *row = cuda_engine.kernels; row->name; row++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            memset(gpu, 0, sizeof gpu);
            int wrong = price(&plan, &cuda_engine, row->name, shapes[s].streams, shapes[s].block,
                              shapes[s].launch_batches, gpu);
            if (!wrong) wrong = differences(cpu, gpu, !strcmp(row->name, "baseline"));
            printf("%-14s %d streams, block %3d, %d batches a launch: %s\n", row->name, shapes[s].streams,
                   shapes[s].block, shapes[s].launch_batches, wrong ? "DIFFERENT" : "equal");
            failed += wrong;
        }
    }
    plan_free(&plan);
    every_product_free(&book);
    return failed ? 1 : 0;
}
