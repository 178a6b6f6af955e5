/* Control variates on the CUDA engine against the CPU engine, to the last bit: prices, their errors
 * and the controls they take, on books with every product and every model, in one round and in two.
 * Exit 77 where no GPU can be used. */
#include "app/pricing/value/controls/controls.h"
#include "validation/reference/reference.h"
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/every_book.h"

enum { MOST = EVERY_PRODUCT_TRADES };

static int price(const struct controls *controls, const struct plan *plan,
                 const struct engine *engine, double target, struct controlled_price *prices)
{
    const struct engine_options options = {.kernel = "auto"};
    struct engine_report report = {.kernel = ""};
    const struct controls_job job = {.controls = controls,
                                     .plan = plan,
                                     .accuracy = {target, 2 * plan->paths},
                                     .engine = engine,
                                     .options = &options};
    memset(prices, 0, sizeof *prices * MOST);
    if (!controls_price(&job, prices, &report, &said)) return 0;
    printf("%s: %s\n", engine->name, said.text);
    return 1;
}

/* Trades whose prices differ. */
static int compare(int n, const struct controlled_price *a, const struct controlled_price *b)
{
    int different = 0;
    for (int i = 0; i < n; i++)
        different += memcmp(&a[i].unit, &b[i].unit, sizeof a->unit) ||
                     strcmp(a[i].control, b[i].control) || a[i].paths != b[i].paths;
    return different;
}

static int test_book(const struct shown_book *book)
{
    static struct controlled_price of_cpu[MOST], of_gpu[MOST];
    static struct refusal refusals[MOST];
    const struct plan_settings settings = {
        .paths = 3 * BATCH_PATHS + 5 * CHUNK_PATHS, .seed = 20261121, .max_step = 0.25};
    const int n = book->n_trades;
    struct controls controls = {0};
    struct plan plan = {0};
    int failed = controls_find(book->market, n, book->trades, &controls) ||
                 controls_plan(&controls, book->market, &settings, &plan, refusals);
    for (int rounds = 1; !failed && rounds <= 2; rounds++) {
        double target = rounds == 1 ? 0.0 : 1e-9;
        failed = price(&controls, &plan, &cpu_engine, target, of_cpu) ||
                 price(&controls, &plan, &cuda_engine, target, of_gpu);
        if (failed) break;
        failed = compare(n, of_cpu, of_gpu);
        printf("%s, %d round%s: %d of %d trades different\n", book->name, rounds,
               rounds == 1 ? "" : "s", failed, n);
    }
    plan_free(&plan);
    controls_free(&controls);
    return failed;
}

TEST_MAIN(gpu_controls_test)
{
    if (!has_gpu()) return 77;
    reference_begin();
    return check_every_book(test_book) ? 1 : 0;
}
