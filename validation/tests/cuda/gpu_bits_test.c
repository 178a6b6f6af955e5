/* The kernels of the CUDA engine against the CPU engine, to the last bit: every kernel on a book
 * with every product, one and two streams, several block sizes and launch sizes, a number of paths
 * that fills no launch; the same on assets under every model, with cash dividends, quantos and
 * baskets of five models; every setting of every kernel on Asian options with few fixings and with
 * a number of them that no depth of prefetching divides. `baseline` to 1e-12 of spot under Black
 * and Scholes, to 1e-9 elsewhere: its spots differ by 1e-14, and what is compared with a threshold
 * on the way (exercise, a call) is not continuous in them. Exit 77 where no GPU can be used; the
 * names of kernels and settings are tested all the same. */
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "kernels/engine.h"
#include "app/pricing/value/exercise/exercise_policy.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/test.h"

#if PRICER_HAVE_CUDA
#include "kernels/cuda/host/toolkit.h"
#endif
#include "validation/tests/every_model.h"
#include "validation/tests/every_product.h"
#include "validation/tests/watched_book.h"

static struct every_product book;

/* Trades to be priced, and what the baseline may be off. */
struct priced_book {
    const struct market *market;
    int n_trades;
    const struct trade *trades;
    double allowed; /* of spot */
};

static struct priced_book products(int n_trades, const struct trade *trades)
{
    return (struct priced_book){&book.market, n_trades, trades, 1e-12};
}

static struct priced_book models(const struct every_model *of)
{
    return (struct priced_book){&of->market, of->n_trades, of->trades, 1e-9};
}

static enum status try_price(const struct plan *plan, const struct engine *engine,
                             const char *kernel, int streams, int block, int launch_batches,
                             struct tally *tallies, struct message *why)
{
    struct engine_options options = {
        .kernel = kernel, .streams = streams, .block = block, .launch_batches = launch_batches};
    struct engine_report report = {.kernel = ""};
    why->text[0] = '\0';
    return engine_price(engine, plan, &options, tallies, NULL, &report, why);
}

static int price(const struct plan *plan, const struct engine *engine, const char *kernel,
                 int streams, int block, int launch_batches, struct tally *tallies)
{
    struct message why;
    enum status status =
        try_price(plan, engine, kernel, streams, block, launch_batches, tallies, &why);
    if (status) printf("%s %s: %s\n", engine->name, kernel, why.text);
    return status != STATUS_OK;
}

/* Number of trades whose tallies differ: in any bit, or for the baseline by more than is allowed.
 */
static int differences(const struct priced_book *of, const struct tally *a, const struct tally *b,
                       const char *kernel)
{
    bool baseline = !strcmp(kernel, "baseline");
    int different = 0;
    for (int i = 0; i < of->n_trades; i++) {
        double allowed = of->allowed * of->market->assets[of->trades[i].asset].spot;
        int same =
            baseline ? fabs(a[i].mean - b[i].mean) <= allowed : !memcmp(&a[i], &b[i], sizeof a[i]);
        if (!same)
            printf("  %s %s: %.17g (m2 %.17g) and %.17g (m2 %.17g)\n", kernel, of->trades[i].id,
                   a[i].mean, a[i].m2, b[i].mean, b[i].m2);
        different += !same;
    }
    return different;
}

static int build(const struct priced_book *of, int part, uint64_t paths, double max_step,
                 struct plan *plan)
{
    struct refusal refusals[EVERY_PRODUCT_TRADES];
    struct plan_settings settings = {.paths = paths,
                                     .seed = 20261120,
                                     .max_step = max_step,
                                     .in = trades_of_part(of->n_trades, part)};
    int failed = 0;
    if (plan_build(of->market, of->n_trades, of->trades, &settings, plan, refusals)) return 1;
    if (exercise_fit(&cpu_engine, &(struct engine_options){.threads = 0}, NULL, plan, &said))
        printf("exercise: %s\n", said.text), failed++;
    for (int i = 0; i < of->n_trades; i++)
        if (refusals[i].why.text[0])
            printf("%s refused: %s\n", of->trades[i].id, refusals[i].why.text), failed++;
    return failed;
}

/* ---- every kernel, every product and model --------------------------------------------------- */

static const struct shape {
    int streams, block, launch_batches;
} shapes[] = {{2, 0, 0}, {1, 0, 0}, {2, 64, 1}, {2, 256, 3}, {1, 128, 2}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static int test_kernel(const char *what, const struct priced_book *of, const struct plan *plan,
                       const char *kernel, int n_shapes, const struct tally *cpu)
{
    int failed = 0;
    for (const struct shape *shape = shapes; shape < shapes + n_shapes; shape++) {
        struct tally gpu[EVERY_PRODUCT_TRADES] = {{0}};
        int wrong = price(plan, &cuda_engine, kernel, shape->streams, shape->block,
                          shape->launch_batches, gpu);
        if (!wrong) wrong = differences(of, cpu, gpu, kernel);
        printf("%s: %-16s %d streams, block %3d, %d batches a launch: %s\n", what, kernel,
               shape->streams, shape->block, shape->launch_batches, wrong ? "DIFFERENT" : "equal");
        failed += wrong;
    }
    return failed;
}

/* The first `n_shapes` of the shapes. Of the settings, path code of a group's own is what matters
 * to books of other than sums. */
static int test_part(const char *what, const struct priced_book *of, int part, uint64_t paths,
                     double max_step, int n_shapes)
{
    struct plan plan;
    struct tally cpu[EVERY_PRODUCT_TRADES] = {{0}};
    int failed = build(of, part, paths, max_step, &plan);
    if (failed) return failed;
    failed += price(&plan, &cpu_engine, "auto", 0, 0, 0, cpu);
    for (const struct kernel_row *row = cuda_engine.kernels; row->name; row++)
        failed += test_kernel(what, of, &plan, row->name, n_shapes, cpu);
#if PRICER_HAVE_CUDA
    if (nvrtc_name())
        failed += test_kernel(what, of, &plan, "fused:specialised", n_shapes, cpu) +
                  test_kernel(what, of, &plan, "optimized:specialised", n_shapes, cpu);
#endif
    plan_free(&plan);
    return failed;
}

/* All of a book, then its parts. */
static int test_kernels(const char *what, const struct priced_book *of, uint64_t paths,
                        double max_step, int n_shapes)
{
    int failed = test_part(what, of, BOOK_PARTS, paths, max_step, n_shapes);
    for (int part = 0; part < BOOK_PARTS; part++)
        failed += test_part(what, of, part, paths, max_step, 1);
    return failed;
}

static int test_products(void)
{
    struct priced_book of = products(book.n_trades, book.trades);
    return test_kernels("products", &of, 7 * BATCH_PATHS + 5 * CHUNK_PATHS, 0.02, SHAPES);
}

/* One asset and several apart, for what they share is tested together above; sums on steps without
 * a date between fixings, so that they are carried. */
static int test_models(void)
{
    static const struct {
        const char *what;
        void (*add)(struct every_model *);
        double max_step;
    } books[] = {{"models", every_model_add_products, 0.05},
                 {"baskets", every_model_add_baskets, 0.05},
                 {"sums", every_model_add_sums, 0.05}};
    int failed = 0;
    for (size_t i = 0; i < sizeof books / sizeof *books; i++) {
        static struct every_model every;
        every_model_make(&every);
        books[i].add(&every);
        struct priced_book of = models(&every);
        failed += test_kernels(books[i].what, &of, 2 * BATCH_PATHS + 5 * CHUNK_PATHS,
                               books[i].max_step, 3);
        every_model_free(&every);
    }
    return failed;
}

/* Trades whose looks come when paths have ended. */
static int test_watched(void)
{
    struct book watched;
    watched_book_load(&watched);
    struct priced_book of = {&watched.market, watched.n_trades, watched.trades, 1e-9};
    int failed =
        test_part("watched", &of, BOOK_PARTS, 2 * BATCH_PATHS + 5 * CHUNK_PATHS, 0.5, SHAPES);
    book_free(&watched);
    return failed;
}

/* ---- every setting --------------------------------------------------------------------------- */

enum { ASIANS = 3 };

/* An arithmetic Asian option on each asset: nothing but a sum over every step, so that each is a
 * group of its own and settings reach it. */
static int build_asians(struct trade *trades, struct plan *plan)
{
    static const int fixings[ASIANS] = {37, 1, 2};
    static int assets[ASIANS] = {0, 1, 2};
    static double times[ASIANS][64];
    for (int i = 0; i < ASIANS; i++) {
        for (int k = 0; k < fixings[i]; k++) times[i][k] = 0.9 * (k + 1) / fixings[i];
        trades[i] = (struct trade){.id = book.ids[i],
                                   .product = PRODUCT_ASIAN,
                                   .asset = i,
                                   .n_assets = 1,
                                   .assets = &assets[i],
                                   .quanto = -1,
                                   .quantity = 1.0,
                                   .expiry = 0.9,
                                   .option = OPTION_CALL,
                                   .strike = book.assets[i].spot,
                                   .fixings = {.n = fixings[i], .times = times[i]}};
    }
    struct priced_book of = products(ASIANS, trades);
    return build(&of, BOOK_PARTS, 2 * BATCH_PATHS + 3 * CHUNK_PATHS, 0.02, plan);
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
    struct message why;
    int failed = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        enum status status = try_price(plan, &cuda_engine, refused[i], 0, 0, 0, NULL, &why);
        failed += status != STATUS_BAD_INPUT || !strlen(why.text);
        printf("'%s' %s: %s\n", refused[i], status == STATUS_BAD_INPUT ? "is refused" : "IS TAKEN",
               why.text);
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
        struct priced_book of = products(ASIANS, trades);
        if (!wrong) wrong = differences(&of, cpu, gpu, name);
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

TEST_MAIN(gpu_bits_test)
{
    struct message why = {{0}};
    struct trade asians[ASIANS];
    struct plan plan;
    every_product_make(&book, 0.0);
    int failed = build_asians(asians, &plan);
    if (failed) return 1;
    if (cuda_engine.kernels[0].name) failed += test_names(&plan);
    bool there = !cuda_engine.ready(&why);
    if (there)
        failed += test_settings(&plan, asians) + test_products() + test_models() + test_watched();
    else printf("skipped: %s\n", why.text);
    plan_free(&plan);
    every_product_free(&book);
    return failed ? 1 : there ? 0 : 77;
}
