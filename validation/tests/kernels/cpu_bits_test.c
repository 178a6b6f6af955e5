/* One digest on the CPU: every kernel but the baseline, 1, 2 and 3 threads, and the book in another
 * order, give the same bits for every trade; the baseline agrees to 1e-12 of spot. */
#include <stdlib.h>
#include <unistd.h>

#include "app/config/load_book.h"
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "kernels/engine.h"
#include "validation/tests/every_product.h"
#include "validation/tests/walk_in_parts.h"
#include "validation/tests/test.h"

static struct every_product book;
static struct tally expected[EVERY_PRODUCT_TRADES];

static void price(const char *kernel, int threads, const struct trade *trades,
                  struct tally *tallies)
{
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    struct engine_options options = {.kernel = kernel, .threads = threads};
    struct engine_report report = {.kernel = ""};
    struct message why = {""};
    struct plan plan;
    uint64_t paths = 2 * BATCH_PATHS + 3 * CHUNK_PATHS;
    assert_int_equal(
        plan_build(&book.market, book.n_trades, trades,
                   &(struct plan_settings){.paths = paths, .seed = 20261120, .max_step = 0.02},
                   &plan, refusals),
        STATUS_OK);
    for (int i = 0; i < book.n_trades; i++) assert_string_equal(refusals[i].why.text, "");
    assert_int_equal(engine_price(&cpu_engine, &plan, &options, tallies, NULL, &report, &why),
                     STATUS_OK);
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

static void kernels_and_threads_change_no_bit(void **state)
{
    (void)state;
    struct tally tallies[EVERY_PRODUCT_TRADES];
    for (const struct kernel_row *row = cpu_engine.kernels; row->name; row++) {
        struct engine_options options = {.kernel = row->name};
        struct plan none = {.paths = CHUNK_PATHS};
        struct engine_report report = {.kernel = ""};
        struct message why = {""};
        if (engine_price(&cpu_engine, &none, &options, tallies, NULL, &report, &why))
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
static void the_order_of_trades_changes_no_bit(void **state)
{
    (void)state;
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
static void parts_change_no_bit(void **state)
{
    (void)state;
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    static struct tally parts[EVERY_PRODUCT_TRADES];
    const struct plan_settings settings = {
        .paths = 2 * BATCH_PATHS + 3 * CHUNK_PATHS, .seed = 20261120, .max_step = 0.02};
    struct engine_options options = {.kernel = "auto"};
    struct message why = {""};
    struct plan plan;
    assert_int_equal(
        plan_build(&book.market, book.n_trades, book.trades, &settings, &plan, refusals),
        STATUS_OK);
    assert_int_equal(walk_in_parts(&cpu_engine, &plan, &options, parts, NULL, &why), STATUS_OK);
    assert_memory_equal(parts, expected, sizeof *parts * (size_t)book.n_trades);
    plan_free(&plan);
}

/* ---- looks that come after the walk ---------------------------------------------------------- */

/* Products on the same four dates, each at levels of its own; %d is a number from 0. */
static const char *const watched[] = {
    "type = \"asian\"; option = \"call\"; averaging = \"arithmetic\"; strike_type = \"fixed\"; "
    "strike = 10%d.0; fixing_times = [0.25, 0.5, 0.75, 1.0];",
    "type = \"asian\"; option = \"put\"; averaging = \"geometric\"; strike_type = \"fixed\"; "
    "strike = 10%d.0; fixing_times = [0.25, 0.5, 0.75, 1.0];",
    "type = \"lookback\"; option = \"call\"; strike_type = \"fixed\"; strike = 10%d.0; "
    "monitoring = [0.25, 0.5, 0.75, 1.0];",
    "type = \"lookback\"; option = \"put\"; strike_type = \"fixed\"; strike = 9%d.0; "
    "monitoring = [0.25, 0.5, 0.75, 1.0];",
    "type = \"barrier\"; option = \"call\"; strike = 100.0; barrier = 8%d.0; direction = \"down\"; "
    "knock = \"out\"; rebate = 5.0; monitoring = [0.25, 0.5, 0.75, 1.0];",
    "type = \"barrier\"; option = \"put\"; strike = 100.0; barrier = 11%d.0; direction = \"up\"; "
    "knock = \"in\"; monitoring = [0.25, 0.5, 0.75, 1.0];",
    "type = \"double_barrier\"; option = \"call\"; strike = 100.0; lower = 7%d.0; upper = 150.0; "
    "knock = \"out\"; monitoring = [0.25, 0.5, 0.75, 1.0];",
    "type = \"touch\"; touch = \"one\"; barrier = 8%d.0; direction = \"down\"; pay_at = \"hit\"; "
    "monitoring = [0.25, 0.5, 0.75, 1.0];",
    "type = \"variance_swap\"; strike_volatility = 0.2%d; notional = 1e4; "
    "fixing_times = [0.25, 0.5, 0.75, 1.0];",
    "type = \"cliquet\"; reset_times = [0.0, 0.25, 0.5, 0.75]; local_cap = 0.0%d5; notional = "
    "100.0;",
};
enum { WATCHED = sizeof watched / sizeof *watched, LEVELS = 3 };

/* Writes their book, all on one asset. */
static void load_watched(struct book *of)
{
    char path[] = "/tmp/looks_XXXXXX";
    struct complaints complaints = {0};
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(
        "settings = { paths = 4096; seed = 1; }; market = { currencies = ( { name = \"USD\"; rate "
        "= "
        "0.03; } ); assets = ( { name = \"A\"; currency = \"USD\"; spot = 100.0; dividend_yield = "
        "0.01; volatility = 0.25; } ); }; book = { trades = (\n",
        file);
    for (int i = 0; i < WATCHED * LEVELS; i++) {
        fprintf(file, "%s{ id = \"T%d\"; asset = \"A\"; expiry = 1.0; ", i ? ",\n" : "", i);
        fprintf(file, watched[i / LEVELS], 1 + i % LEVELS);
        fputs(" }", file);
    }
    fputs(" ); };\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(book_load(path, of, &complaints), STATUS_OK);
    complaints_free(&complaints);
    unlink(path);
}

/* Prices the trades of a book that are `in`, all for NULL. Returns how many chains look back. */
static int price_watched(const struct book *of, const bool *in, struct tally *tallies)
{
    static struct refusal refusals[WATCHED * LEVELS];
    const struct plan_settings settings = {
        .paths = BATCH_PATHS + CHUNK_PATHS, .seed = 7, .max_step = 0.5, .in = in};
    struct engine_options options = {.kernel = "auto", .threads = 1};
    struct engine_report report = {.kernel = ""};
    struct message why = {""};
    struct plan plan;
    assert_int_equal(plan_build(&of->market, of->n_trades, of->trades, &settings, &plan, refusals),
                     STATUS_OK);
    assert_int_equal(engine_price(&cpu_engine, &plan, &options, tallies, NULL, &report, &why),
                     STATUS_OK);
    int chains = plan.groups[0].n_chains;
    plan_free(&plan);
    return chains;
}

/* A trade alone is looked at on its way, all together when paths have ended: on the same dates they
 * see the same paths. */
static void looks_after_the_walk_change_no_bit(void **state)
{
    (void)state;
    struct book of;
    struct tally together[WATCHED * LEVELS], alone[WATCHED * LEVELS];
    load_watched(&of);
    assert_int_equal(of.n_trades, WATCHED * LEVELS);
    assert_true(price_watched(&of, NULL, together) > GROUP_SLOTS / 3);
    for (int i = 0; i < of.n_trades; i++) {
        bool in[WATCHED * LEVELS] = {false};
        in[i] = true;
        assert_int_equal(price_watched(&of, in, alone), 0);
        assert_memory_equal(&alone[i], &together[i], sizeof alone[i]);
    }
    book_free(&of);
}

TESTS_BETWEEN(cpu_bits_test, make_book, free_book,
              cmocka_unit_test(looks_after_the_walk_change_no_bit),
              cmocka_unit_test(kernels_and_threads_change_no_bit),
              cmocka_unit_test(the_order_of_trades_changes_no_bit),
              cmocka_unit_test(parts_change_no_bit))
