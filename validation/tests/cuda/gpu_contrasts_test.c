/* Measures of the CUDA engine against the CPU engine, to the last bit, tallies and totals: every
 * setting of a kernel but `baseline`, which has its own arithmetic, on books with every product and
 * every model, with one contrast and with forty of sixteen scenarios; by turns with launches that
 * bundles fill and do not fill, on one stream and two, and with the paths divided between two runs
 * as between two GPUs. Exit 77 where no GPU can be used. Arguments:
 * a book and a kernel, to run no others (under a memory checker, say). */
#include "app/pricing/risk/greeks/conditional.h"
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/every_book.h"
#include "validation/tests/every_contrast.h"
#include "validation/tests/many_assets.h"
#include "validation/tests/walk_in_parts.h"

static const uint64_t PATHS = 3 * BATCH_PATHS + 5 * CHUNK_PATHS;

enum { MOST_CONTRASTS = 40 };

/* What a plan gives. */
struct found_keys {
    struct tally tallies[MOST_CONTRASTS * EVERY_MEASURE_TRADES];
    double *totals; /* [chunk][contrast][total] */
};

static size_t totals_bytes(const struct plan *plan)
{
    return sizeof(double) * (size_t)(plan->paths / CHUNK_PATHS) * chunk_totals(plan);
}

static const char *only_book, *only_kernel; /* NULL: all */

static const struct engine_options shapes[] = {{.streams = 2},
                                               {.streams = 1, .launch_batches = 1},
                                               {.streams = 2, .launch_batches = 1, .block = 64},
                                               {.n_gpus = 2, .gpus = {0, 0}, .launch_batches = 2},
                                               {.timed = true}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Totals are added to what is there. */
static void begin_totals(const struct plan *plan, double *totals)
{
    for (size_t i = 0; i < totals_bytes(plan) / sizeof *totals; i++) totals[i] = 0.5 * (double)i;
}

/* Whether the kernel finds the same in a shape. */
static int test_kernel(const char *what, const struct plan *plan, const char *kernel, int shape,
                       const struct found_keys *expected, struct found_keys *found)
{
    if (only_kernel && strcmp(only_kernel, kernel)) return 0;
    struct engine_options options = shapes[shape];
    options.kernel = kernel;
    begin_totals(plan, found->totals);
    if (!priced(&cuda_engine, plan, options, found->tallies, found->totals)) return 1;
    bool same = !memcmp(found->tallies, expected->tallies,
                        sizeof *found->tallies * (size_t)plan_tallies(plan));
    bool sums = !memcmp(found->totals, expected->totals, totals_bytes(plan));
    printf("%s: %s, shape %d: %s\n", what, kernel, shape,
           same && sums ? "equal"
           : same       ? "TOTALS DIFFER"
                        : "TALLIES DIFFER");
    return !same || !sums;
}

/* Every kernel and setting in one shape: from plan to plan in the next one. `optimized` and `fused`
 * are run in two, and `plain` stands for kernels that simulate nothing otherwise. */
static int test_kernels(const char *what, const struct plan *plan,
                        const struct found_keys *expected, struct found_keys *found)
{
    static int plans;
    int failed = 0, turn = 2 * plans++;
    for (int i = 1; cuda_engine.settings[i]; i++, turn++) {
        const char *kernel = cuda_engine.settings[i];
        if (groups_as_plain(plan, kernel) == plan->n_groups) continue;
        failed += test_kernel(what, plan, kernel, turn % SHAPES, expected, found);
        if (!strcmp(kernel, "optimized") || !strcmp(kernel, "fused"))
            failed += test_kernel(what, plan, kernel, (turn + 2) % SHAPES, expected, found);
    }
    return failed;
}

/* Whether the plan walked in parts is the plan walked at once. */
static int test_parts(const char *what, const struct plan *plan, const struct found_keys *expected,
                      struct found_keys *found)
{
    const struct engine_options options = {.kernel = "auto"};
    struct message why = {""};
    memset(found->tallies, 0, sizeof found->tallies);
    begin_totals(plan, found->totals);
    enum status status =
        walk_in_parts(&cuda_engine, plan, &options, found->tallies, found->totals, &why);
    bool same = !status && !memcmp(found->totals, expected->totals, totals_bytes(plan)) &&
                !memcmp(found->tallies, expected->tallies,
                        sizeof *found->tallies * (size_t)plan_tallies(plan));
    printf("%s: in parts: %s%s\n", what, same ? "equal" : "DIFFERENT ", why.text);
    return !same;
}

/* Finds the tallies and totals of the CPU engine. */
static int find_expected(const struct plan *plan, struct found_keys *expected)
{
    begin_totals(plan, expected->totals);
    return !priced(&cpu_engine, plan, (struct engine_options){.kernel = "auto"}, expected->tallies,
                   expected->totals);
}

/* Whether another seed reads none of the normals that are kept of the first. */
static int test_other_seed(const char *what, const struct plan *plan, struct found_keys *expected,
                           struct found_keys *found)
{
    struct plan other = *plan;
    other.seed++;
    return find_expected(&other, expected) +
           test_kernel(what, &other, "optimized", 0, expected, found);
}

static int test_plan(const char *what, const struct plan *plan)
{
    static struct found_keys expected, found;
    expected.totals = malloc(totals_bytes(plan));
    found.totals = malloc(totals_bytes(plan));
    if (!expected.totals || !found.totals) return 1;
    int failed = find_expected(plan, &expected);
    failed += test_kernels(what, plan, &expected, &found);
    failed += test_parts(what, plan, &expected, &found);
    failed += test_other_seed(what, plan, &expected, &found);
    free(expected.totals);
    free(found.totals);
    return failed;
}

/* Plans the contrasts of a book, fits its policies and compares. */
static int test_contrasts(const char *what, const struct contrast_list *wanted, int n_trades,
                          const struct trade *trades)
{
    static struct refusal refusals[EVERY_MEASURE_TRADES];
    const struct plan_settings settings = {.paths = PATHS, .seed = 20261121, .max_step = 0.25};
    struct plan plan;
    if (only_book && strcmp(only_book, what)) return 0;
    if (plan_contrasts(wanted, n_trades, trades, &settings, &plan, refusals)) return 1;
    int failed = 0;
    for (int i = 0; i < n_trades; i++) failed += refusals[i].why.text[0] != '\0';
    failed += exercise_fit(&cpu_engine, &(struct engine_options){.threads = 0}, NULL, &plan,
                           &said) != STATUS_OK;
    failed += test_plan(what, &plan);
    plan_free(&plan);
    return failed;
}

static int test_book(const struct shown_book *book)
{
    static struct every_contrast every;
    int failed = every_contrast_make(book->market, &every) != STATUS_OK;
    if (!strcmp(book->name, "heston")) every_contrast_bump(book->market, &every);
    if (!failed) failed = test_contrasts(book->name, &every.wanted, book->n_trades, book->trades);
    every_contrast_free(&every);
    return failed;
}

/* Contrast c of forty: one to four terms, of scenarios near and far. */
static struct contrast contrast_of_many(int c)
{
    struct contrast contrast = {.n_terms = 1 + c % CONTRAST_TERMS};
    for (int t = 0; t < contrast.n_terms; t++)
        contrast.terms[t] = (struct contrast_term){(5 * c + 3 * t) % MARKETS_MAX,
                                                   (t % 2 ? -1.0 : 1.0) / (1.0 + c + t)};
    return contrast;
}

/* As many scenarios as there may be, each of EVERY_SCENARIO twice, under more contrasts than one
 * block takes, and under one. */
static int test_numbers_of_contrasts(const struct market *market, int n_trades,
                                     const struct trade *trades)
{
    static struct every_contrast every;
    struct scenario scenarios[MARKETS_MAX];
    struct contrast many[MOST_CONTRASTS];
    int failed = every_contrast_make(market, &every) != STATUS_OK;
    for (int s = 0; s < MARKETS_MAX; s++) scenarios[s] = every.scenarios[s % EVERY_SCENARIO];
    for (int c = 0; c < MOST_CONTRASTS; c++) many[c] = contrast_of_many(c);
    struct contrast_list wanted = every.wanted;
    wanted.contrasts = many;
    wanted.n_contrasts = MOST_CONTRASTS;
    wanted.scenarios = (struct scenario_list){MARKETS_MAX, scenarios};
    if (!failed)
        failed = test_contrasts("forty", &wanted, n_trades, trades) +
                 test_contrasts("forty of one trade", &wanted, 1, trades);
    wanted.contrasts = &every.contrasts[MEASURE_GAMMA];
    wanted.n_contrasts = 1;
    wanted.scenarios.n = SCENARIO_DOWN + 1;
    if (!failed) failed = test_contrasts("one", &wanted, n_trades, trades);
    every_contrast_free(&every);
    return failed;
}

/* Those whose Greeks are means over one normal of their paths, which engines value by formulas that
 * no book names. */
static int test_means(const struct market *market, int n_trades, const struct trade *trades)
{
    static struct trade means[EVERY_PRODUCT_TRADES];
    int n = 0;
    for (int i = 0; i < n_trades; i++) {
        means[n] = trades[i];
        means[n].pivot = conditional_pivot(market, &trades[i]);
        n += means[n].pivot > 0.0;
    }
    return n ? test_book(&(struct shown_book){"means", market, n, means}) : 1;
}

static int test_products(void)
{
    static struct every_product book;
    every_product_make(&book, 0.0);
    int failed = test_numbers_of_contrasts(&book.market, book.n_trades, book.trades) +
                 test_means(&book.market, book.n_trades, book.trades);
    every_product_free(&book);
    return failed;
}

static int test_heston(void)
{
    static struct every_model book;
    every_model_make(&book);
    every_model_under_heston(&book);
    every_model_add_baskets(&book);
    int failed =
        test_book(&(struct shown_book){"heston", &book.market, book.n_trades, book.trades});
    every_model_free(&book);
    return failed;
}

/* So many assets that their normals lie in shared memory. */
static int test_many_assets(void)
{
    struct book book;
    many_assets_load(24, "volatility = 0.25;", CORRELATED_ANYHOW, &book);
    int failed =
        test_book(&(struct shown_book){"many assets", &book.market, book.n_trades, book.trades});
    book_free(&book);
    return failed;
}

int gpu_contrasts_test(int argc, char **argv)
{
    if (argc > 1) only_book = argv[1];
    if (argc > 2) only_kernel = argv[2];
    if (!has_gpu()) return 77;
    int failed = check_every_book(test_book) + test_products() + test_heston() + test_many_assets();
    printf("%d different\n", failed);
    return failed ? 1 : 0;
}
