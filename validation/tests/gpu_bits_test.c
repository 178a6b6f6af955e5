/* The kernels of the CUDA engine against the CPU engine, to the last bit: every kernel on a book with every
 * product, one and two streams, several block sizes and launch sizes, a number of paths that fills no launch;
 * every setting of every kernel on Asian options with few fixings and with a number of them that no depth of
 * prefetching divides. `baseline` to 1e-12 of spot. Exit 77 where no GPU can be used; the names of kernels
 * and settings are tested all the same. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/plan/plan.h"
#include "kernels/engine.h"
#include "validation/tests/every_product.h"

static struct every_product book;

static enum status try_price(const struct plan *plan, const struct engine *engine, const char *kernel,
                             int streams, int block, int launch_batches, struct tally *tallies,
                             struct message *why)
{
    struct engine_options options = {
        .kernel = kernel, .streams = streams, .block = block, .launch_batches = launch_batches};
    struct engine_report report = {.kernel = ""};
    why->text[0] = '\0';
    return engine->price(plan, &options, tallies, &report, why);
}

static int price(const struct plan *plan, const struct engine *engine, const char *kernel, int streams,
                 int block, int launch_batches, struct tally *tallies)
{
    struct message why;
    enum status status = try_price(plan, engine, kernel, streams, block, launch_batches, tallies, &why);
    if (status) printf("%s %s: %s\n", engine->name, kernel, why.text);
    return status != STATUS_OK;
}

/* Number of trades whose tallies differ: in any bit, or for the baseline by more than 1e-12 of spot. */
static int differences(int n_trades, const struct trade *trades, const struct tally *a, const struct tally *b,
                       const char *kernel)
{
    bool baseline = !strcmp(kernel, "baseline");
    int different = 0;
    for (int i = 0; i < n_trades; i++) {
        double allowed = 1e-12 * book.assets[trades[i].asset].spot;
        int same = baseline ? fabs(a[i].mean - b[i].mean) <= allowed : !memcmp(&a[i], &b[i], sizeof a[i]);
        if (!same)
            printf("  %s %s: %.17g (m2 %.17g) and %.17g (m2 %.17g)\n", kernel, trades[i].id, a[i].mean,
                   a[i].m2, b[i].mean, b[i].m2);
        different += !same;
    }
    return different;
}

static int build(int n_trades, const struct trade *trades, uint64_t paths, struct plan *plan)
{
    struct refusal refusals[EVERY_PRODUCT_TRADES];
    int failed = 0;
    if (plan_build(&book.market, n_trades, trades, paths, 20261120, plan, refusals)) return 1;
    for (int i = 0; i < n_trades; i++)
        if (refusals[i].why.text[0]) printf("trade %d refused: %s\n", i, refusals[i].why.text), failed++;
    return failed;
}

/* ---- every kernel, every product ---------------------------------------------------------------------- */

static const struct {
    int streams, block, launch_batches;
} shapes[] = {{2, 0, 0}, {1, 0, 0}, {2, 64, 1}, {2, 256, 3}, {1, 128, 2}};

static int test_kernels(void)
{
    struct plan plan;
    struct tally cpu[EVERY_PRODUCT_TRADES] = {{0}}, gpu[EVERY_PRODUCT_TRADES];
    int failed = build(book.n_trades, book.trades, 7 * BATCH_PATHS + 5 * CHUNK_PATHS, &plan);
    if (failed) return failed;
    failed += price(&plan, &cpu_engine, "auto", 0, 0, 0, cpu);
    for (const struct kernel_row *row = cuda_engine.kernels; row->name; row++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            memset(gpu, 0, sizeof gpu);
            int wrong = price(&plan, &cuda_engine, row->name, shapes[s].streams, shapes[s].block,
                              shapes[s].launch_batches, gpu);
            if (!wrong) wrong = differences(book.n_trades, book.trades, cpu, gpu, row->name);
            printf("%-14s %d streams, block %3d, %d batches a launch: %s\n", row->name, shapes[s].streams,
                   shapes[s].block, shapes[s].launch_batches, wrong ? "DIFFERENT" : "equal");
            failed += wrong;
        }
    }
    plan_free(&plan);
    return failed;
}

/* ---- every setting ------------------------------------------------------------------------------------ */

enum { ASIANS = 3 };

/* An arithmetic Asian option on each asset: nothing but a sum over every step, so that each is a group of its
 * own and settings reach it. */
static int build_asians(struct trade *trades, struct plan *plan)
{
    static const int fixings[ASIANS] = {37, 1, 2};
    static double times[ASIANS][64];
    for (int i = 0; i < ASIANS; i++) {
        for (int k = 0; k < fixings[i]; k++) times[i][k] = 0.9 * (k + 1) / fixings[i];
        trades[i] = (struct trade){.id = book.ids[i],
                                   .product = PRODUCT_ASIAN,
                                   .asset = i,
                                   .quantity = 1.0,
                                   .expiry = 0.9,
                                   .option = OPTION_CALL,
                                   .strike = book.assets[i].spot,
                                   .fixings = {.n = fixings[i], .times = times[i]}};
    }
    return build(ASIANS, trades, 2 * BATCH_PATHS + 3 * CHUNK_PATHS, plan);
}

/* Names that are taken, and names that are refused with STATUS_BAD_INPUT before a device is looked for. */
static int test_names(const struct plan *plan)
{
    static const char *const refused[] = {"rolling",
                                          "plain:d2",
                                          "rolling-async:d7",
                                          "rolling-async:d4:d8",
                                          "bounds:256x3",
                                          "wide:",
                                          "prefetch-l2:l3",
                                          "rolling-reg:d4:padded",
                                          "rolling-async:D4",
                                          "optimized:slot",
                                          "",
                                          ":d2",
                                          "rolling-async:d4:slot:x",
                                          "plain:"};
    static const char *const taken[] = {"rolling-async:padded:d6", "rolling-shared:slot", "prefetch-l2:l1"};
    struct message why;
    int failed = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        enum status status = try_price(plan, &cuda_engine, refused[i], 0, 0, 0, NULL, &why);
        failed += status != STATUS_BAD_INPUT || !strlen(why.text);
        printf("'%s' %s: %s\n", refused[i], status == STATUS_BAD_INPUT ? "is refused" : "IS TAKEN", why.text);
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        struct tally tallies[ASIANS];
        if (try_price(plan, &cuda_engine, taken[i], 0, 0, 0, tallies, &why) != STATUS_BAD_INPUT) continue;
        printf("'%s' IS REFUSED: %s\n", taken[i], why.text), failed++;
    }
    return failed;
}

static int test_setting(const struct plan *plan, const struct trade *trades, const char *name,
                        const struct tally *cpu)
{
    static const int blocks[] = {0, 32, 64, 96, 128, 256};
    int failed = 0;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        struct tally gpu[ASIANS] = {{0}};
        int wrong = price(plan, &cuda_engine, name, 1 + (int)b % 2, blocks[b], 1 + (int)b % 3, gpu);
        if (!wrong) wrong = differences(ASIANS, trades, cpu, gpu, name);
        if (wrong) printf("%s, block %d: DIFFERENT\n", name, blocks[b]);
        failed += wrong;
    }
    return failed;
}

static int test_settings(const struct plan *plan, const struct trade *trades)
{
    struct tally cpu[ASIANS] = {{0}};
    int n = 0, failed = price(plan, &cpu_engine, "auto", 0, 0, 0, cpu);
    for (; cuda_engine.settings[n]; n++)
        failed += test_setting(plan, trades, cuda_engine.settings[n], cpu) > 0;
    printf("%d settings, %d of them differ\n", n, failed);
    return failed;
}

int main(void)
{
    struct message why = {{0}};
    struct trade asians[ASIANS];
    struct plan plan;
    every_product_make(&book, 0.0);
    int failed = build_asians(asians, &plan);
    if (failed) return 1;
    if (cuda_engine.kernels[0].name) failed += test_names(&plan);
    bool there = !cuda_engine.ready(&why);
    if (there) failed += test_settings(&plan, asians) + test_kernels();
    else printf("skipped: %s\n", why.text);
    plan_free(&plan);
    every_product_free(&book);
    return failed ? 1 : there ? 0 : 77;
}
