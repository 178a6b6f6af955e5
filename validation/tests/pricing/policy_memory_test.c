/* Policies that are fitted once: what the memory gives is what a fit gives, to the bit; another
 * seed or market is another policy; a fit that fails leaves the next one to try; and of many
 * threads that ask for one policy at once one fits it. And paths that pass by give the policies of
 * paths that are kept. */
#include <pthread.h>
#include <stdatomic.h>

#include "validation/tests/price_trades.h"
#include "validation/tests/written_book.h"

static struct book book;

/* A put on one asset, whose policy is made from values, and a best-of call on three, whose policy
 * is made from paths. */
static int load(void **state)
{
    (void)state;
    read_written(
        text_of("%s",
                "settings = { paths = 16384; }; market = { correlation_default = 0;"
                "currencies = ( { name = 'USD'; rate = 0.05; } ); assets = ("
                "{ name = 'A'; currency = 'USD'; spot = 100.0; volatility = 0.2; },"
                "{ name = 'B'; currency = 'USD'; spot = 95.0; volatility = 0.3; },"
                "{ name = 'C'; currency = 'USD'; spot = 90.0; volatility = 0.25; } ); };"
                "book = { trades = ("
                "{ id = 'put'; type = 'american'; asset = 'A'; option = 'put'; strike = 105.0;"
                "exercise = 10; expiry = 1.0; },"
                "{ id = 'best'; type = 'american'; assets = ['A', 'B', 'C']; kind = 'best_of';"
                "weights = [1.0, 1.0, 1.0]; option = 'call'; strike = 100.0; exercise = 5;"
                "expiry = 1.0; } ); };"),
        &book);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    book_free(&book);
    return 0;
}

static void build(uint64_t seed, struct plan *plan)
{
    const struct plan_settings settings = {.paths = 16384, .seed = seed};
    plan_trades(&book.market, book.n_trades, book.trades, &settings, plan);
    assert_int_equal(plan->n_groups, 2);
}

/* An engine that counts what it is asked to show, or fails. */
static atomic_int shown;
static atomic_bool broken;

static enum status watch(const struct plan *plan, const struct engine_options *options, int group,
                         uint64_t chunk, const struct path_watcher *watcher, struct message *why)
{
    atomic_fetch_add(&shown, 1);
    if (atomic_load(&broken)) return STATUS_ENGINE;
    return cpu_engine.watch(plan, options, group, chunk, watcher, why);
}

static enum status fit(struct piece_memory *memory, struct plan *plan)
{
    struct engine engine = cpu_engine;
    const struct engine_options options = {.threads = 2};
    engine.watch = watch;
    return exercise_fit(&engine, &options, memory, plan, &said);
}

static int same_policies(const struct plan *a, const struct plan *b)
{
    int same = 1;
    for (int g = 0; g < a->n_groups; g++)
        same &= a->groups[g].lookup.n == b->groups[g].lookup.n &&
                !memcmp(a->groups[g].lookup.table, b->groups[g].lookup.table,
                        sizeof(float) * (size_t)a->groups[g].lookup.n);
    return same;
}

TEST(what_is_remembered_is_what_was_fitted)
{
    struct plan fitted, first, second, other;
    struct piece_memory *memory = piece_memory_begin();
    assert_non_null(memory);
    build(1, &fitted), build(1, &first), build(1, &second), build(2, &other);
    assert_ok(fit(NULL, &fitted));
    assert_ok(fit(memory, &first));
    assert_true(same_policies(&fitted, &first));
    atomic_store(&shown, 0);
    assert_ok(fit(memory, &second));
    assert_int_equal(atomic_load(&shown), 0);
    assert_true(same_policies(&fitted, &second));
    assert_ok(fit(memory, &other));
    assert_true(atomic_load(&shown) > 0);
    assert_false(same_policies(&fitted, &other));
    plan_free(&fitted), plan_free(&first), plan_free(&second), plan_free(&other);
    piece_memory_end(memory);
}

TEST(a_fit_that_fails_is_tried_again)
{
    struct plan fitted, failed, again;
    struct piece_memory *memory = piece_memory_begin();
    build(1, &fitted), build(1, &failed), build(1, &again);
    assert_ok(fit(NULL, &fitted));
    atomic_store(&broken, true);
    assert_int_equal(fit(memory, &failed), STATUS_ENGINE);
    atomic_store(&broken, false);
    assert_ok(fit(memory, &again));
    assert_true(same_policies(&fitted, &again));
    plan_free(&fitted), plan_free(&failed), plan_free(&again);
    piece_memory_end(memory);
}

enum { THREADS = 4 };

struct asking {
    struct piece_memory *memory;
    struct plan plan;
    enum status status;
};

static void *ask(void *argument)
{
    struct asking *asking = argument;
    asking->status = fit(asking->memory, &asking->plan);
    return NULL;
}

TEST(many_threads_fit_once)
{
    struct asking asking[THREADS];
    pthread_t threads[THREADS];
    struct plan alone;
    struct piece_memory *memory = piece_memory_begin();
    build(3, &alone);
    atomic_store(&shown, 0);
    assert_ok(fit(NULL, &alone));
    int once = atomic_load(&shown);
    for (int i = 0; i < THREADS; i++) {
        asking[i].memory = memory;
        build(3, &asking[i].plan);
    }
    atomic_store(&shown, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &asking[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&shown), once);
    for (int i = 0; i < THREADS; i++) {
        assert_ok(asking[i].status);
        assert_true(same_policies(&alone, &asking[i].plan));
        plan_free(&asking[i].plan);
    }
    plan_free(&alone);
    piece_memory_end(memory);
}

ALL_TESTS_BETWEEN(policy_memory_test, load, unload)
