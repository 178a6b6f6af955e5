/* The tallies that wait to be merged take no more than they may, whatever the plan: alone, through
 * ranks, without a store. What is cut so has the bits of one call. */
#include "app/pricing/value/stored_price.h"
#include "validation/tests/every_contrast.h"
#include "validation/tests/every_product.h"
#include "validation/tests/test.h"

enum { BATCHES = 3 };

static const struct plan_settings settings = {
    .paths = (BATCHES - 1) * BATCH_PATHS + CHUNK_PATHS, .seed = 7, .max_step = 0.5};

/* What waits: most of it at a time, and calls of the engine, or jobs of the ranks. */
static size_t most;
static int calls;

static void note(size_t bytes)
{
    if (bytes > most) most = bytes;
    calls++;
}

static enum status note_and_walk(const struct plan *plan, const struct engine_options *options,
                                 const struct batch_range *range, struct engine_report *report,
                                 struct message *why)
{
    if (!options->ranks) note(sizeof(struct tally) * range_tallies(plan, range));
    return cpu_engine.walk(plan, options, range, report, why);
}

static const struct engine noting = {.name = "cpu", .calls = 1, .walk = note_and_walk};

/* Ranks of one process: each batch of a job is a range, the last ones come back first, and what
 * they bring waits until all of them are there. */
static enum status share_backwards(void *context, const struct ranks_job *job, struct message *why)
{
    enum status status = STATUS_OK;
    struct bytes told[BATCHES] = {{0}}, made[BATCHES] = {{0}};
    size_t bytes = 0;
    (void)context;
    assert_in_range(job->n, 0, BATCHES);
    for (uint64_t b = job->n; !status && b-- > 0;) {
        status = job->describe(job->context, b, b + 1, &told[b]);
        if (!status) status = job->make(job->context, &told[b], &made[b], why);
        bytes += made[b].n;
    }
    for (uint64_t b = job->n; !status && b-- > 0;)
        status = job->take(job->context, b, b + 1, &made[b], why);
    for (int b = 0; b < BATCHES; b++) bytes_free(&told[b]), bytes_free(&made[b]);
    note(bytes);
    return status;
}

static const struct ranks backwards = {.n = 2, .share = share_backwards};

/* A plan, and what one call of the engine makes of it. */
struct whole {
    struct every_product book;
    struct plan plan;
    struct refusal refusals[EVERY_PRODUCT_TRADES];
    size_t n, n_totals, bytes; /* tallies, totals of all chunks; what tallies of batches take */
    struct tally *tallies;
    double *totals;
};

static void make_plan(bool contrasts, struct whole *whole)
{
    static struct every_contrast every;
    every_product_make(&whole->book, 0.0);
    if (!contrasts) {
        assert_ok(plan_build(&whole->book.market, whole->book.n_trades, whole->book.trades,
                             &settings, &whole->plan, whole->refusals));
        return;
    }
    assert_ok(every_contrast_make(&whole->book.market, &every));
    assert_ok(plan_contrasts(&every.wanted, whole->book.n_trades, whole->book.trades, &settings,
                             &whole->plan, whole->refusals));
    every_contrast_free(&every);
}

static void price_whole(bool contrasts, struct whole *whole)
{
    const struct engine_options options = {.kernel = "auto", .threads = 1};
    struct engine_report report = {.kernel = ""};
    memset(whole, 0, sizeof *whole);
    make_plan(contrasts, whole);
    whole->n = (size_t)plan_tallies(&whole->plan);
    whole->n_totals = (size_t)(whole->plan.paths / CHUNK_PATHS) * chunk_totals(&whole->plan);
    whole->tallies = calloc(whole->n, sizeof *whole->tallies);
    whole->totals = calloc(whole->n_totals + 1, sizeof *whole->totals);
    most = 0;
    assert_ok(engine_price(&noting, &whole->plan, &options, whole->tallies, whole->totals, &report,
                           &said));
    whole->bytes = most;
}

/* Prices with room for so many bytes, and compares the bits. */
static void price_within(const struct whole *whole, size_t bytes, const struct ranks *ranks)
{
    const struct engine_options options = {
        .kernel = "auto", .threads = 1, .tally_bytes = bytes, .ranks = ranks};
    struct engine_report report = {.kernel = ""};
    struct tally *tallies = calloc(whole->n, sizeof *tallies);
    double *totals = calloc(whole->n_totals + 1, sizeof *totals);
    most = 0, calls = 0;
    assert_ok(stored_price(NULL, &noting, &whole->plan, &options, tallies, totals, &report, &said));
    assert_memory_equal(tallies, whole->tallies, whole->n * sizeof *tallies);
    assert_memory_equal(totals, whole->totals, whole->n_totals * sizeof *totals);
    free(tallies);
    free(totals);
}

/* Returns what the tallies of the unit that takes most take: it alone has room. */
static size_t largest_unit(const struct whole *whole)
{
    price_within(whole, 1, NULL);
    return most;
}

static void expect_bound(bool contrasts)
{
    struct whole whole;
    price_whole(contrasts, &whole);
    size_t unit = largest_unit(&whole), most_of_ranks;
    assert_in_range(unit, 1, whole.bytes / 2);
    price_within(&whole, 1, &backwards);
    most_of_ranks = most - unit; /* reports and totals that come back beside tallies */
    for (size_t bytes = unit; bytes < 2 * whole.bytes; bytes *= 2) {
        price_within(&whole, bytes, NULL);
        assert_in_range(most, bytes < whole.bytes ? unit : whole.bytes, bytes);
        if (bytes >= whole.bytes) assert_int_equal(calls, 1);
        else assert_in_range(calls, (whole.bytes + bytes - 1) / bytes, 4 * whole.bytes / bytes);
        price_within(&whole, bytes, &backwards);
        assert_in_range(most, unit, bytes + most_of_ranks);
    }
    free(whole.tallies);
    free(whole.totals);
    plan_free(&whole.plan);
    every_product_free(&whole.book);
}

TEST(prices_wait_within_their_room)
{
    expect_bound(false);
}

TEST(contrasts_and_totals_wait_within_their_room)
{
    expect_bound(true);
}

ALL_TESTS(tally_bytes_test)
