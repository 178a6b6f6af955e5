/* The tallies that wait to be merged take no more than they may, whatever the plan: alone, through
 * ranks, without a store. What is cut so has the bits of one call. */
#include "validation/tests/pricing/whole_price.h"

enum { BATCHES = 3 };

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

/* Prices with room for so many bytes. */
static void price_within(const struct whole *whole, size_t bytes, const struct ranks *ranks)
{
    const struct engine_options options = {
        .kernel = "auto", .threads = 1, .tally_bytes = bytes, .ranks = ranks};
    most = 0, calls = 0;
    expect_whole(&noting, &options, whole);
}

/* Prices, and contrasts and totals. */
TEST(what_waits_stays_within_its_room)
{
    for (int contrasts = 0; contrasts < 2; contrasts++) {
        struct whole whole = {0};
        most = 0;
        plan_book(BATCHES - 1, contrasts, &whole.plan);
        price_whole(&noting, &whole);
        size_t all = most;
        price_within(&whole, 1, NULL); /* the unit that takes most, alone, has room */
        size_t unit = most;
        assert_in_range(unit, 1, all / 2);
        price_within(&whole, 1, &backwards);
        size_t of_ranks = most - unit; /* reports and totals that come back beside tallies */
        for (size_t bytes = unit; bytes < 2 * all; bytes *= 2) {
            price_within(&whole, bytes, NULL);
            assert_in_range(most, bytes < all ? unit : all, bytes);
            if (bytes >= all) assert_int_equal(calls, 1);
            else assert_in_range(calls, (all + bytes - 1) / bytes, 4 * all / bytes);
            price_within(&whole, bytes, &backwards);
            assert_in_range(most, unit, bytes + of_ranks);
        }
        free_whole(&whole);
    }
}

ALL_TESTS_BETWEEN(tally_bytes_test, make_book, free_book)
