/* Prices again and again in one process: memory does not grow. `library_memory_test N` prices N
 * times (100,000 by hand; 2,000 in the ordinary run). */
#include "validation/tests/api/api_run.h"

static long rounds = 2000;

/* Sanitizers keep what is released for a while; they look for leaks themselves, as valgrind does in
 * fewer rounds. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { WATCHED = 0 };
#else
enum { WATCHED = 1 };
#endif

static const char text[] =
    "settings = { paths = 1024; check = 'none'; };"
    "market = { currencies = ( { name = 'EUR'; rate = 0.03; } ); assets = ("
    "{ name = 'A'; currency = 'EUR'; spot = 100.0; volatility = 0.2; },"
    "{ name = 'B'; currency = 'EUR'; spot = 100.0; volatility = 0.2; } ); };"
    "book = { trades = (" CALL ","
    "{ id = 'p'; type = 'american'; asset = 'A'; option = 'put'; strike = 100.0; expiry = 0.1; "
    "exercise = 2; },"
    "{ id = 'b'; type = 'european'; asset = 'B'; option = 'put'; strike = 100.0; expiry = 1.0; } "
    "); "
    "};";

/* Kilobytes that the process holds. */
static long resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void take_columns(struct pricer_results *results)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int64_t n;
    assert_non_null(pricer_column(results, PRICER_TABLE_PRICES, "price", &n));
    assert_int_equal(pricer_arrow(results, PRICER_TABLE_PRICES, &stream), PRICER_OK);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    batch.release(&batch);
    stream.release(&stream);
}

/* A book from its text to its prices. */
static uint64_t price_anew(struct pricer *pricer)
{
    struct run run = price_text(pricer, text, 0, NULL);
    take_columns(run.results);
    uint64_t digest = pricer_digest(run.results);
    end(&run);
    return digest;
}

/* Runs `one` a tenth of the rounds, to warm up, then the rest: the process may have grown by less
 * than 1 MB, which 1,800 leaks of 600 bytes exceed. */
static void watch(void (*one)(void *context, long round), void *context)
{
    for (long i = 0; i < rounds / 10; i++) one(context, i);
    long before = resident();
    for (long i = rounds / 10; i < rounds; i++) one(context, i);
    long grown = resident() - before;
    if (rounds > 2000)
        print_message("%ld rounds: %ld kB, grown by %ld kB\n", rounds, before, grown);
    if (before && grown > 1024 && WATCHED && rounds >= 2000)
        fail_msg("grown by %ld kB in %ld rounds", grown, rounds);
}

/* A run, and the digest of its first round. */
struct watched {
    struct run run;
    uint64_t digest;
};

static void one_anew(void *context, long round)
{
    struct watched *watched = context;
    uint64_t digest = price_anew(watched->run.pricer);
    if (!round) watched->digest = digest;
    assert_true(digest == watched->digest);
}

static void one_moved(void *context, long round)
{
    struct watched *watched = context;
    struct pricer_results *results = watched->run.results;
    double spot = round % 2 ? 101.0 + 1e-5 * (double)round : 100.0;
    assert_done(watched->run.pricer, pricer_set_spot(results, "A", spot));
    assert_done(watched->run.pricer, pricer_price(results));
    if (!round) watched->digest = pricer_digest(results);
    assert_true((pricer_digest(results) == watched->digest) == !(round % 2));
    take_columns(results);
}

static void one_handle(void *context, long round)
{
    (void)context;
    (void)round;
    struct pricer *pricer = open_with(cpu_options());
    price_anew(pricer);
    pricer_close(pricer);
}

TEST(books_come_and_go)
{
    struct watched watched = {.run.pricer = open_with(cpu_options())};
    watch(one_anew, &watched);
    pricer_close(watched.run.pricer);
}

TEST(a_warm_run_goes_on)
{
    struct watched watched = {.run = price_text(open_with(cpu_options()), text, 0, NULL)};
    watch(one_moved, &watched);
    end_and_close(&watched.run);
}

TEST(handles_come_and_go)
{
    watch(one_handle, NULL);
}

int library_memory_test(int argc, char **argv)
{
    if (argc > 1) rounds = atol(argv[1]);
    return run_own_tests("library_memory_test", false, NULL, NULL);
}
