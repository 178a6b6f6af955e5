/* The kernels of the CUDA engine against the CPU engine, to the last bit: every kernel on a book
 * with every product, and on assets under every model, with cash dividends, quantos and baskets of
 * five models; by turns one and two streams, several block sizes and launch sizes, and a number of
 * paths that fills no launch; every setting of every kernel on Asian options with few fixings and
 * with a number of them that no depth of prefetching divides. `baseline` to 1e-12 of spot under
 * Black and Scholes, to 1e-9 elsewhere: its spots differ by 1e-14, and what is compared with a
 * threshold on the way (exercise, a call) is not continuous in them. All path code is compiled
 * first. Exit 77 where no GPU can be used; the names of kernels and settings are tested all the
 * same. */
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/every_book.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/watched_book.h"

#if PRICER_HAVE_CUDA
#include "kernels/cuda/host/toolkit.h"
#endif

/* Whether the tallies of a trade are the same, of the baseline but for what is allowed. */
static bool same_tally(const struct shown_book *of, int trade, const char *kernel,
                       const struct tally *a, const struct tally *b)
{
    double spot = of->market->assets[of->trades[trade].asset].spot,
           allowed = (strcmp(of->name, "products") ? 1e-9 : 1e-12) * spot;
    if (!strcmp(kernel, "baseline")) return fabs(a->mean - b->mean) <= allowed;
    return !memcmp(a, b, sizeof *a);
}

/* Number of trades whose tallies differ. */
static int differences(const struct shown_book *of, const struct tally *a, const struct tally *b,
                       const char *kernel)
{
    int different = 0;
    for (int i = 0; i < of->n_trades; i++) {
        if (same_tally(of, i, kernel, &a[i], &b[i])) continue;
        printf("  %s %s: %.17g (m2 %.17g) and %.17g (m2 %.17g)\n", kernel, of->trades[i].id,
               a[i].mean, a[i].m2, b[i].mean, b[i].m2);
        different++;
    }
    return different;
}

enum { PATHS = 3 * BATCH_PATHS + 5 * CHUNK_PATHS };

/* Sums are on steps without a date between fixings, so that they are carried. */
static struct plan_settings settings_of(const struct shown_book *of, int part)
{
    double max_step = !strcmp(of->name, "products")  ? 0.02
                      : !strcmp(of->name, "watched") ? 0.5
                                                     : 0.05;
    return (struct plan_settings){.paths = PATHS,
                                  .seed = 20261120,
                                  .max_step = max_step,
                                  .in = trades_of_part(of->n_trades, part)};
}

static bool build(const struct shown_book *of, int part, struct plan *plan)
{
    const struct plan_settings settings = settings_of(of, part);
    return planned(of->market, of->n_trades, of->trades, &settings, plan);
}

/* ---- every kernel, every product and model --------------------------------------------------- */

static const struct engine_options shapes[] = {{.streams = 2},
                                               {.streams = 1},
                                               {.streams = 2, .block = 64, .launch_batches = 1},
                                               {.streams = 2, .block = 256, .launch_batches = 3},
                                               {.streams = 1, .block = 128, .launch_batches = 2}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Whether a kernel's run repeats that of `plain`. Only assets under Black and Scholes have the ways
 * of all kernels, and parts of "products" show them. */
static bool repeats_plain(const struct shown_book *of, int part, const struct plan *plan,
                          const char *kernel)
{
    int n = groups_as_plain(plan, kernel);
    return part == BOOK_PARTS || !strcmp(of->name, "products") ? n == plan->n_groups : n > 0;
}

/* Runs a kernel in one of the shapes. */
static int test_kernel(const struct shown_book *of, const struct plan *plan, const char *kernel,
                       struct engine_options shape, const struct tally *cpu)
{
    struct tally gpu[EVERY_PRODUCT_TRADES];
    shape.kernel = kernel;
    int wrong = !priced(&cuda_engine, plan, shape, gpu, NULL);
    if (!wrong) wrong = differences(of, cpu, gpu, kernel);
    printf("%s: %-16s %d streams, block %3d, %d batches a launch: %s\n", of->name, kernel,
           shape.streams, shape.block, shape.launch_batches, wrong ? "DIFFERENT" : "equal");
    return wrong;
}

/* Of the settings, path code of a group's own is what matters to books of other than sums. From
 * part to part each kernel has the next shape: over all of them it has all. */
static int test_part(const struct shown_book *of, int part)
{
    static int parts;
    struct plan plan;
    struct tally cpu[EVERY_PRODUCT_TRADES];
    int turn = parts++;
    if (!build(of, part, &plan)) return 1;
    int failed = !priced(&cpu_engine, &plan, (struct engine_options){.kernel = "auto"}, cpu, NULL);
    for (const struct kernel_row *row = cuda_engine.kernels; row->name; row++, turn++)
        if (!repeats_plain(of, part, &plan, row->name))
            failed += test_kernel(of, &plan, row->name, shapes[turn % SHAPES], cpu);
#if PRICER_HAVE_CUDA
    if (nvrtc_name())
        failed += test_kernel(of, &plan, "fused:specialised", shapes[turn % SHAPES], cpu) +
                  test_kernel(of, &plan, "optimized:specialised", shapes[(turn + 1) % SHAPES], cpu);
#endif
    plan_free(&plan);
    return failed;
}

/* All of a book, then its parts. */
static int test_parts(const struct shown_book *of)
{
    int failed = 0;
    for (int part = BOOK_PARTS; part >= 0; part--) failed += test_part(of, part);
    return failed;
}

static struct compilation *compilation;

static int add_part(const struct shown_book *of, int part)
{
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    struct plan plan;
    const struct plan_settings settings = settings_of(of, part);
    if (plan_build(of->market, of->n_trades, of->trades, &settings, &plan, refusals)) return 1;
    add_compiling(compilation, &plan);
    plan_free(&plan);
    return 0;
}

static int add_parts(const struct shown_book *of)
{
    int failed = 0;
    for (int part = BOOK_PARTS; part >= 0; part--) failed += add_part(of, part);
    return failed;
}

/* The shared books, and those whose trades are looked at when paths have ended. */
static int test_books(void)
{
    struct book watched[2];
    struct shown_book of[2];
    for (int clocked = 0; clocked < 2; clocked++) {
        struct book *book = &watched[clocked];
        watched_book_load(clocked, book);
        of[clocked] = (struct shown_book){clocked ? "clocked" : "watched", &book->market,
                                          book->n_trades, book->trades};
    }
    compilation = begin_compiling();
    int failed = check_every_book(add_parts);
    for (int i = 0; i < 2; i++) failed += add_part(&of[i], BOOK_PARTS);
    end_compiling(compilation);
    failed += check_every_book(test_parts);
    for (int i = 0; i < 2; i++) {
        failed += test_part(&of[i], BOOK_PARTS);
        book_free(&watched[i]);
    }
    return failed;
}

/* ---- every setting --------------------------------------------------------------------------- */

enum { ASIANS = 3 };

static struct every_product book;
static struct trade trades[ASIANS];
static const struct shown_book asians = {"products", &book.market, ASIANS, trades};

/* An arithmetic Asian option on each asset: nothing but a sum over every step, so that each is a
 * group of its own and settings reach it. */
static bool build_asians(struct plan *plan)
{
    static const int fixings[ASIANS] = {37, 1, 2};
    static double times[ASIANS][64];
    for (int i = 0; i < ASIANS; i++) {
        for (int k = 0; k < fixings[i]; k++) times[i][k] = 0.9 * (k + 1) / fixings[i];
        trades[i] = option_on(i, OPTION_CALL, book.assets[i].spot, 0.9);
        trades[i].product = PRODUCT_ASIAN;
        trades[i].fixings = (struct schedule){.n = fixings[i], .times = times[i]};
    }
    return build(&asians, BOOK_PARTS, plan);
}

/* Names that are refused with STATUS_BAD_INPUT before a device is looked for. */
static int test_names(const struct plan *plan)
{
    static const char *const refused[] = {"rolling",
                                          "plain:d2",
                                          "rolling-async:",
                                          "wide:specialised",
                                          "optimized:",
                                          "optimized:double",
                                          "fused:general:specialised",
                                          "",
                                          ":d2",
                                          "plain:"};
    struct engine_report report = {.kernel = ""};
    int failed = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct engine_options options = {.kernel = refused[i]};
        said.text[0] = '\0';
        bool right = engine_price(&cuda_engine, plan, &options, NULL, NULL, &report, &said) ==
                         STATUS_BAD_INPUT &&
                     said.text[0];
        printf("'%s' %s: %s\n", refused[i], right ? "is refused" : "IS TAKEN", said.text);
        failed += !right;
    }
    return failed;
}

static int test_setting(const struct plan *plan, const char *name, const struct tally *cpu)
{
    static const int blocks[] = {0, 32, 64, 96, 128, 256};
    int failed = 0;
    for (int b = 0; b < (int)(sizeof blocks / sizeof *blocks); b++) {
        struct tally gpu[ASIANS];
        const struct engine_options options = {
            .kernel = name, .streams = 1 + b % 2, .block = blocks[b], .launch_batches = 1 + b % 3};
        int wrong = !priced(&cuda_engine, plan, options, gpu, NULL);
        if (!wrong) wrong = differences(&asians, cpu, gpu, name);
        if (wrong) printf("%s, block %d: DIFFERENT\n", name, blocks[b]);
        failed += wrong;
    }
    return failed;
}

static int test_settings(const struct plan *plan)
{
    struct tally cpu[ASIANS];
    int n = 0,
        failed = !priced(&cpu_engine, plan, (struct engine_options){.kernel = "auto"}, cpu, NULL);
    for (; cuda_engine.settings[n]; n++)
        failed += test_setting(plan, cuda_engine.settings[n], cpu) > 0;
    printf("%d settings, %d of them differ\n", n, failed);
    return failed;
}

TEST_MAIN(gpu_bits_test)
{
    struct plan plan;
    int failed = 0;
    every_product_make(&book, 0.0);
    if (!build_asians(&plan)) return 1;
    if (cuda_engine.kernels[0].name) failed += test_names(&plan);
    bool there = has_gpu();
    if (there) failed += test_settings(&plan) + test_books();
    plan_free(&plan);
    every_product_free(&book);
    return failed ? 1 : there ? 0 : 77;
}
