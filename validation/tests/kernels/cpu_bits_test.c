/* One digest on the CPU: every kernel but the baseline, 1, 2 and 3 threads, and the book in another
 * order, give the same bits for every trade of every model, whatever samples its paths; the
 * baseline agrees to 1e-12 of spot. */
#include "app/pricing/value/rounds.h"
#include "kernels/replicates.h"
#include "validation/tests/every_book.h"
#include "validation/tests/every_product_book.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/watched_book.h"

static struct tally expected[EVERY_PRODUCT_TRADES];

static const struct plan_settings usual = {
    .paths = 2 * BATCH_PATHS + 3 * CHUNK_PATHS, .seed = 20261120, .max_step = 0.02};
static const struct plan_settings samplers[] = {
    {.paths = BATCH_PATHS + CHUNK_PATHS, .seed = 20261120, .max_step = 0.25},
    {.paths = 3 * CHUNK_PATHS, .seed = 20261120, .max_step = 0.25, .antithetic = true},
    {.paths = REPLICATES * CHUNK_PATHS, .seed = 20261120, .max_step = 0.25, .points = true}};

/* Takes one sample of every trade of a plan. */
static void sample(const struct plan *plan, const char *kernel, int threads, struct tally *tallies)
{
    const struct engine_options options = {.kernel = kernel, .threads = threads};
    const struct accuracy once = {.target = 0.0};
    struct engine_report report = {.kernel = ""};
    const struct plan_pricer pricer = {price_on_cpu, NULL, &options, &report};
    double paths[EVERY_PRODUCT_TRADES];
    assert_in_range(plan->n_trades, 1, EVERY_PRODUCT_TRADES);
    assert_ok(rounds_price(&pricer, plan, &once, tallies, paths, &said));
}

/* Prices the book's trades in some order. */
static void price(int threads, const struct trade *trades, struct tally *tallies)
{
    struct plan plan;
    plan_trades(&book.market, book.n_trades, trades, &usual, &plan);
    sample(&plan, "auto", threads, tallies);
    plan_free(&plan);
}

static int price_book(void **state)
{
    make_book(state);
    price(1, book.trades, expected);
    return 0;
}

/* Prices a book by every kernel on three threads, by one on two as well, for they share batches in
 * one way; compares its bits with those of one thread. The baseline has others. */
static int expect_bits(const struct shown_book *of)
{
    static struct tally one[EVERY_PRODUCT_TRADES], tallies[EVERY_PRODUCT_TRADES];
    size_t bytes = sizeof *one * (size_t)of->n_trades;
    for (size_t s = 0; s < sizeof samplers / sizeof *samplers; s++) {
        struct plan plan;
        plan_trades(of->market, of->n_trades, of->trades, &samplers[s], &plan);
        fit_policies(&plan, 2);
        sample(&plan, "auto", 1, one);
        sample(&plan, "auto", 2, tallies);
        assert_memory_equal(tallies, one, bytes);
        for (const struct kernel_row *row = cpu_engine.kernels; row->name; row++) {
            if (!runs_here(row->name)) continue;
            sample(&plan, row->name, 3, tallies);
            if (strcmp(row->name, "baseline")) assert_memory_equal(tallies, one, bytes);
            for (int i = 0; i < of->n_trades; i++)
                assert_true(fabs(tallies[i].mean - one[i].mean) <=
                            1e-12 * of->market->assets[trade_asset(&of->trades[i], 0)].spot);
        }
        plan_free(&plan);
    }
    return 0;
}

TEST(kernels_threads_and_samplers_change_no_bit)
{
    check_every_book(expect_bits);
}

/* The book reversed, and with the halves swapped: every trade keeps its bits. */
TEST(the_order_of_trades_changes_no_bit)
{
    struct trade shuffled[EVERY_PRODUCT_TRADES] = {{0}};
    struct tally tallies[EVERY_PRODUCT_TRADES];
    int n = book.n_trades;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < n; i++) shuffled[i] = book.trades[turn ? (i + n / 2) % n : n - 1 - i];
        price(2, shuffled, tallies);
        for (int i = 0; i < n; i++) {
            const struct tally *of_trade = &expected[turn ? (i + n / 2) % n : n - 1 - i];
            assert_memory_equal(&tallies[i], of_trade, sizeof *of_trade);
        }
    }
}

/* Prices the trades of a book that are `in`, all for NULL. Returns how many chains look back. */
static int price_watched(const struct book *of, const bool *in, struct tally *tallies)
{
    const struct plan_settings settings = {
        .paths = BATCH_PATHS + CHUNK_PATHS, .seed = 7, .max_step = 0.05, .in = in};
    struct plan plan;
    plan_trades(&of->market, of->n_trades, of->trades, &settings, &plan);
    price_plan(&plan, "auto", 1, tallies);
    int chains = 0;
    for (int g = 0; g < plan.n_groups; g++) chains += plan.groups[g].n_chains;
    plan_free(&plan);
    return chains;
}

/* A trade beside the few that keep its dates is looked at on its way, all together when paths have
 * ended: on the same dates they see the same paths. */
static void check_looks_after_the_walk(bool clocked)
{
    struct book of;
    struct tally together[WATCHED_TRADES], alone[WATCHED_TRADES];
    watched_book_load(clocked, &of);
    assert_true(price_watched(&of, NULL, together) > WATCHED_TRADES / 2);
    for (int i = 0; i < of.n_trades; i++) {
        bool in[WATCHED_TRADES] = {false};
        for (int k = 0; k < of.n_trades; k++) in[k] = k == i || watched_keeps_dates(k);
        assert_int_equal(price_watched(&of, in, alone), 0);
        assert_memory_equal(&alone[i], &together[i], sizeof alone[i]);
    }
    book_free(&of);
}

TEST(looks_after_the_walk_change_no_bit)
{
    check_looks_after_the_walk(false);
    check_looks_after_the_walk(true);
}

/* Notes on one basket read one worst of it: no chain of theirs is longer than a walk carries. */
TEST(chains_are_bounded)
{
    enum { NOTES = 20 };
    const struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 7, .max_step = 0.5};
    struct trade notes[NOTES];
    struct book of;
    struct plan plan;
    int n = 0;
    watched_book_load(false, &of);
    for (int i = 0; i < NOTES; i++) {
        notes[i] = of.trades[WATCHED_NOTE];
        notes[i].call_level += 0.001 * i;
    }
    plan_trades(&of.market, NOTES, notes, &settings, &plan);
    for (int g = 0; g < plan.n_groups; g++) {
        assert_true(plan.groups[g].chain_slots <= GROUP_SLOTS + 1);
        n += plan.groups[g].n_payoffs;
    }
    assert_int_equal(n, NOTES);
    plan_free(&plan);
    book_free(&of);
}

ALL_TESTS_BETWEEN(cpu_bits_test, price_book, free_book)
