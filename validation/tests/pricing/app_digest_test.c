/* Digests: the published hash, and what they depend on and what not. */
#include "validation/tests/written_book.h"
#include "app/pricing/base/digest.h"
#include "validation/tests/price_trades.h"

/* Test vectors of the authors of FNV (RFC 9923, and their test_fnv.c). */
TEST(hash_is_fnv_1a)
{
    assert_true(digest_bytes(DIGEST_BEGIN, "", 0) == 0xcbf29ce484222325u);
    assert_true(digest_bytes(DIGEST_BEGIN, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(digest_bytes(DIGEST_BEGIN, "foobar", 6) == 0x85944171f73967e8u);
}

TEST(numbers_are_hashed_lowest_byte_first)
{
    const unsigned char one[8] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, count[8] = {2, 1};
    assert_true(digest_number(DIGEST_BEGIN, 1.0) == digest_bytes(DIGEST_BEGIN, one, 8));
    assert_true(digest_integer(DIGEST_BEGIN, 258) == digest_bytes(DIGEST_BEGIN, count, 8));
    assert_true(digest_number(DIGEST_BEGIN, 0.0) != digest_number(DIGEST_BEGIN, -0.0));
    assert_true(digest_text(digest_text(DIGEST_BEGIN, "ab"), "c") !=
                digest_text(digest_text(DIGEST_BEGIN, "a"), "bc"));
}

static uint64_t results_of(int n, const struct trade *trades, const struct estimate *estimates)
{
    int *order = digest_order(n, trades);
    assert_non_null(order);
    uint64_t digest = digest_results(n, order, trades, estimates);
    free(order);
    return digest;
}

TEST(results_digest_knows_ids_and_bits)
{
    struct trade trades[3] = {{.id = "a"}, {.id = "b"}, {.id = "c"}};
    struct trade turned[3] = {{.id = "c"}, {.id = "a"}, {.id = "b"}};
    struct estimate e[3] = {
        {.unit = {1024, 1.5, 2.0}}, {.unit = {1024, 2.5, 2.0}}, {.verdict = VERDICT_FAILED}};
    struct estimate turned_e[3] = {e[2], e[0], e[1]};
    uint64_t digest = results_of(3, trades, e);
    assert_true(results_of(3, turned, turned_e) == digest);
    assert_true(results_of(3, turned, e) != digest);
    e[1].unit.mean = nextafter(e[1].unit.mean, 3.0);
    assert_true(results_of(3, trades, e) != digest);
    e[1].unit.mean = 2.5;
    e[0].unit.m2 = 2.1;
    assert_true(results_of(3, trades, e) != digest);
    e[0].unit.m2 = 2.0;
    e[2].reference = 1.0; /* what the check finds is no part of it */
    e[0].verdict = VERDICT_DISAGREES;
    assert_true(results_of(3, trades, e) == digest);
    e[2].verdict = VERDICT_OK;
    assert_true(results_of(3, trades, e) != digest);
}

/* The digest of the plan of a book's trades. */
static uint64_t plan_of(const struct market *market, int n, const struct trade *trades,
                        uint64_t paths, uint64_t seed)
{
    const struct plan_settings settings = {.paths = paths, .seed = seed, .max_step = 0.02};
    struct plan plan;
    plan_trades(market, n, trades, &settings, &plan);
    uint64_t digest = digest_plan(&plan);
    plan_free(&plan);
    return digest;
}

TEST(plan_digest_knows_what_decides_a_price)
{
    struct book book;
    read_file("inputs/first.cfg", &book);
    int n = book.n_trades;
    struct trade turned[8];
    for (int i = 0; i < n; i++) turned[i] = book.trades[n - 1 - i];
    uint64_t digest = plan_of(&book.market, n, book.trades, 4096, 1);
    assert_true(plan_of(&book.market, n, turned, 4096, 1) == digest);
    assert_true(plan_of(&book.market, n, book.trades, 4000, 1) == digest); /* rounded up */
    assert_true(plan_of(&book.market, n, book.trades, 4096, 2) != digest);
    assert_true(plan_of(&book.market, n, book.trades, 5120, 1) != digest);
    double spot = book.market.assets[0].spot;
    book.market.assets[0].spot = spot * 1.001;
    assert_true(plan_of(&book.market, n, book.trades, 4096, 1) != digest);
    book.market.assets[0].spot = spot;
    assert_true(plan_of(&book.market, n, book.trades, 4096, 1) == digest);
    book.trades[0].strike = nextafter(book.trades[0].strike, 0.0);
    assert_true(plan_of(&book.market, n, book.trades, 4096, 1) != digest);
    book_free(&book);
}

ALL_TESTS(app_digest_test)
