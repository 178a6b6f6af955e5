/* One digest on the CPU: every kernel but the baseline, 1, 2 and 3 threads, and the book in another
 * order, give the same bits for every trade; the baseline agrees to 1e-12 of spot. */
#include "validation/tests/every_product_book.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/watched_book.h"

static struct tally expected[EVERY_PRODUCT_TRADES];

static const struct plan_settings usual = {
    .paths = 2 * BATCH_PATHS + 3 * CHUNK_PATHS, .seed = 20261120, .max_step = 0.02};

static void price(const char *kernel, int threads, const struct trade *trades,
                  struct tally *tallies)
{
    struct plan plan;
    plan_trades(&book.market, book.n_trades, trades, &usual, &plan);
    price_plan(&plan, kernel, threads, tallies);
    plan_free(&plan);
}

static int price_book(void **state)
{
    make_book(state);
    price("auto", 1, book.trades, expected);
    return 0;
}

/* Prices the book and compares its bits with those of one thread; the baseline has others. */
static void expect_bits(const char *kernel, int threads)
{
    struct tally tallies[EVERY_PRODUCT_TRADES];
    price(kernel, threads, book.trades, tallies);
    for (int i = 0; i < book.n_trades; i++) {
        double spot = book.assets[book.trades[i].asset].spot;
        if (!strcmp(kernel, "baseline"))
            assert_true(fabs(tallies[i].mean - expected[i].mean) <= 1e-12 * spot);
        else assert_memory_equal(&tallies[i], &expected[i], sizeof expected[i]);
    }
}

/* Threads share batches in one way whatever the kernel: all run on three, one on two as well. */
TEST(kernels_and_threads_change_no_bit)
{
    expect_bits("auto", 2);
    for (const struct kernel_row *row = cpu_engine.kernels; row->name; row++)
        if (runs_here(row->name)) expect_bits(row->name, 3);
}

/* The book reversed, and with the halves swapped: every trade keeps its bits. */
TEST(the_order_of_trades_changes_no_bit)
{
    struct trade shuffled[EVERY_PRODUCT_TRADES] = {{0}};
    struct tally tallies[EVERY_PRODUCT_TRADES];
    int n = book.n_trades;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < n; i++) shuffled[i] = book.trades[turn ? (i + n / 2) % n : n - 1 - i];
        price("auto", 2, shuffled, tallies);
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
