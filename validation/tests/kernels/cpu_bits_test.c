/* One digest on the CPU: every kernel but the baseline, 1, 2 and 3 threads, and the book in another
 * order, give the same bits for every trade; the baseline agrees to 1e-12 of spot. */
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "kernels/engine.h"
#include "validation/tests/every_product.h"
#include "validation/tests/walk_in_parts.h"
#include "validation/tests/watched_book.h"
#include "validation/tests/test.h"

static struct every_product book;
static struct tally expected[EVERY_PRODUCT_TRADES];

static void price(const char *kernel, int threads, const struct trade *trades,
                  struct tally *tallies)
{
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    struct engine_options options = {.kernel = kernel, .threads = threads};
    struct engine_report report = {.kernel = ""};
    struct plan plan;
    uint64_t paths = 2 * BATCH_PATHS + 3 * CHUNK_PATHS;
    assert_ok(
        plan_build(&book.market, book.n_trades, trades,
                   &(struct plan_settings){.paths = paths, .seed = 20261120, .max_step = 0.02},
                   &plan, refusals));
    for (int i = 0; i < book.n_trades; i++) assert_string_equal(refusals[i].why.text, "");
    assert_ok(engine_price(&cpu_engine, &plan, &options, tallies, NULL, &report, &said));
    plan_free(&plan);
}

static int make_book(void **state)
{
    (void)state;
    every_product_make(&book, 0.0);
    price("auto", 1, book.trades, expected);
    return 0;
}

static int free_book(void **state)
{
    (void)state;
    every_product_free(&book);
    return 0;
}

TEST(kernels_and_threads_change_no_bit)
{
    struct tally tallies[EVERY_PRODUCT_TRADES];
    for (const struct kernel_row *row = cpu_engine.kernels; row->name; row++) {
        struct engine_options options = {.kernel = row->name};
        struct plan none = {.paths = CHUNK_PATHS};
        struct engine_report report = {.kernel = ""};
        if (engine_price(&cpu_engine, &none, &options, tallies, NULL, &report, &said))
            continue; /* not on this processor */
        for (int threads = 1; threads <= 3; threads++) {
            price(row->name, threads, book.trades, tallies);
            for (int i = 0; i < book.n_trades; i++) {
                double spot = book.assets[book.trades[i].asset].spot;
                if (!strcmp(row->name, "baseline"))
                    assert_true(fabs(tallies[i].mean - expected[i].mean) <= 1e-12 * spot);
                else assert_memory_equal(&tallies[i], &expected[i], sizeof expected[i]);
            }
        }
    }
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

/* The plan of two and a bit batches, walked in three parts. */
TEST(parts_change_no_bit)
{
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    static struct tally parts[EVERY_PRODUCT_TRADES];
    const struct plan_settings settings = {
        .paths = 2 * BATCH_PATHS + 3 * CHUNK_PATHS, .seed = 20261120, .max_step = 0.02};
    struct engine_options options = {.kernel = "auto"};
    struct plan plan;
    assert_ok(plan_build(&book.market, book.n_trades, book.trades, &settings, &plan, refusals));
    assert_ok(walk_in_parts(&cpu_engine, &plan, &options, parts, NULL, &said));
    assert_memory_equal(parts, expected, sizeof *parts * (size_t)book.n_trades);
    plan_free(&plan);
}

/* ---- looks that come after the walk ---------------------------------------------------------- */

/* Prices the trades of a book that are `in`, all for NULL. Returns how many chains look back. */
static int price_watched(const struct book *of, const bool *in, struct tally *tallies)
{
    static struct refusal refusals[WATCHED_TRADES];
    const struct plan_settings settings = {
        .paths = BATCH_PATHS + CHUNK_PATHS, .seed = 7, .max_step = 0.5, .in = in};
    struct engine_options options = {.kernel = "auto", .threads = 1};
    struct engine_report report = {.kernel = ""};
    struct plan plan;
    assert_ok(plan_build(&of->market, of->n_trades, of->trades, &settings, &plan, refusals));
    assert_ok(engine_price(&cpu_engine, &plan, &options, tallies, NULL, &report, &said));
    int chains = 0;
    for (int g = 0; g < plan.n_groups; g++) chains += plan.groups[g].n_chains;
    plan_free(&plan);
    return chains;
}

/* A trade beside the few that keep its dates is looked at on its way, all together when paths have
 * ended: on the same dates they see the same paths. */
TEST(looks_after_the_walk_change_no_bit)
{
    struct book of;
    struct tally together[WATCHED_TRADES], alone[WATCHED_TRADES];
    watched_book_load(&of);
    assert_true(price_watched(&of, NULL, together) > WATCHED_TRADES / 2);
    for (int i = 0; i < of.n_trades; i++) {
        bool in[WATCHED_TRADES] = {false};
        for (int k = 0; k < of.n_trades; k++) in[k] = k == i || watched_keeps_dates(k);
        assert_int_equal(price_watched(&of, in, alone), 0);
        assert_memory_equal(&alone[i], &together[i], sizeof alone[i]);
    }
    book_free(&of);
}

/* Notes on one basket read one worst of it: no chain of theirs is longer than a walk carries. */
TEST(chains_are_bounded)
{
    enum { NOTES = 20 };
    static struct refusal refusals[NOTES];
    const struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 7, .max_step = 0.5};
    struct trade notes[NOTES];
    struct book of;
    struct plan plan;
    int n = 0;
    watched_book_load(&of);
    for (int i = 0; i < NOTES; i++) {
        notes[i] = of.trades[WATCHED_NOTE];
        notes[i].call_level += 0.001 * i;
    }
    assert_ok(plan_build(&of.market, NOTES, notes, &settings, &plan, refusals));
    for (int g = 0; g < plan.n_groups; g++) {
        assert_true(plan.groups[g].chain_slots <= GROUP_SLOTS + 1);
        n += plan.groups[g].n_payoffs;
    }
    assert_int_equal(n, NOTES);
    plan_free(&plan);
    book_free(&of);
}

ALL_TESTS_BETWEEN(cpu_bits_test, make_book, free_book)
