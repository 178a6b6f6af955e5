/* Prices by several ranks have the bits of one call of the engine, however their pieces are cut and
 * in whatever order they come back; where few batches are shared, each group is walked once, with
 * all of its batches. */
#include "validation/tests/pricing/whole_price.h"

enum { BATCHES = 2, PIECES_MOST = 1 << 12, COPIES = 3 };

/* What walks were asked for, and what came back of them. */
static int walks, groups_walked, batches_walked;
static size_t bytes_made;

static enum status note_and_walk(const struct plan *plan, const struct engine_options *options,
                                 const struct batch_range *range, struct engine_report *report,
                                 struct message *why)
{
    walks++;
    groups_walked += plan->n_groups;
    batches_walked += plan->n_groups * (int)(range->end - range->first);
    return cpu_engine.walk(plan, options, range, report, why);
}

/* An engine that a few batches keep busy, and one that more batches would than there are. */
static const struct engine small = {.name = "cpu", .calls = 1, .fill = 0, .walk = note_and_walk},
                           large = {.name = "cpu", .calls = 1, .fill = 64, .walk = note_and_walk};

/* Ranks of one process: ranges of `at_a_time` pieces, the last ones first; what followers are told
 * at the end. */
static uint64_t at_a_time;
static struct bytes told_all;

static enum status share_backwards(void *context, const struct ranks_job *job, struct message *why)
{
    enum status status = STATUS_OK;
    (void)context;
    assert_in_range(job->n, 1, PIECES_MOST);
    for (uint64_t end = job->n, first; !status && end; end = first) {
        struct bytes told = {0}, made = {0};
        first = end > at_a_time ? end - at_a_time : 0;
        status = job->describe(job->context, first, end, &told);
        if (!status) status = job->make(job->context, &told, &made, why);
        if (!status) status = job->take(job->context, first, end, &made, why);
        bytes_made += made.n;
        bytes_free(&told);
        bytes_free(&made);
    }
    if (!status && job->everywhere) status = job->put_result(job->context, &told_all);
    return status;
}

static const struct ranks backwards = {.n = 2, .share = share_backwards};

/* Makes what was told, but for the last bytes of it: a status. */
static enum status make_of_less(const struct ranks_job *job, const struct bytes *told, size_t less,
                                struct bytes *made)
{
    struct bytes damaged = {0};
    assert_ok(bytes_add(&damaged, told->at, told->n - less));
    enum status status = job->make(job->context, &damaged, made, &said);
    bytes_free(&damaged);
    return status;
}

/* Takes what was made, but for the last bytes of it. */
static enum status take_less(const struct ranks_job *job, const struct bytes *made, size_t less)
{
    struct bytes damaged = {0};
    assert_ok(bytes_add(&damaged, made->at, made->n - less));
    enum status status = job->take(job->context, 0, job->n, &damaged, &said);
    bytes_free(&damaged);
    return status;
}

/* A rank of one process whose letters come in part, or ask for batches that are not there, first.
 */
static enum status share_damaged(void *context, const struct ranks_job *job, struct message *why)
{
    struct bytes told = {0}, made = {0};
    (void)context, (void)why;
    assert_ok(job->describe(job->context, 0, job->n, &told));
    for (size_t less = 1; less <= told.n; less++)
        assert_int_equal(make_of_less(job, &told, less, &made), STATUS_FAILED);
    uint64_t batches[2], wrong[][2] = {{0, 0}, {1, 0}, {0, UINT64_MAX}};
    memcpy(batches, told.at, sizeof batches);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(told.at, wrong[i], sizeof batches);
        assert_int_equal(make_of_less(job, &told, 0, &made), STATUS_FAILED);
    }
    assert_int_equal(made.n, 0);
    memcpy(told.at, batches, sizeof batches);
    assert_ok(make_of_less(job, &told, 0, &made));
    for (size_t less = 1; less < made.n; less += made.n / 7)
        assert_int_equal(take_less(job, &made, less), STATUS_ENGINE);
    assert_ok(take_less(job, &made, 0));
    size_t piece = made.n / job->n; /* a letter has 32 MB or so */
    assert_in_range(job->most, (28u << 20) / piece, (36u << 20) / piece);
    bytes_free(&told);
    bytes_free(&made);
    return STATUS_OK;
}

static const struct ranks damaged_ranks = {.n = 2, .share = share_damaged};

/* Gives the trades of copies the totals of the first. */
static void add_totals_of_copies(struct plan *plan)
{
    size_t n = (size_t)book.n_trades;
    plan->totals = realloc(plan->totals, COPIES * n * sizeof *plan->totals);
    plan->quantities = realloc(plan->quantities, COPIES * n * sizeof *plan->quantities);
    for (size_t i = n; i < COPIES * n; i++) {
        plan->totals[i] = plan->totals[i - n];
        plan->quantities[i] = plan->quantities[i - n];
    }
}

/* Builds a plan of so many groups that none is long: of copies of the trades. */
static void build_large(bool contrasts, bool with_totals, struct plan *plan)
{
    plan_book(BATCHES - 1, contrasts, plan);
    if (with_totals) add_totals_of_copies(plan);
    else plan->n_totals = 0;
    for (int copy = 1; copy < COPIES; copy++) {
        struct plan more;
        plan_book(BATCHES - 1, contrasts, &more);
        size_t n = (size_t)more.n_groups, all = n + (size_t)plan->n_groups;
        plan->groups = realloc(plan->groups, all * sizeof *plan->groups);
        memcpy(plan->groups + plan->n_groups, more.groups, n * sizeof *more.groups);
        for (size_t g = all - n; g < all; g++)
            for (int p = 0; p < plan->groups[g].n_payoffs; p++)
                plan->groups[g].trades[p] += copy * book.n_trades;
        plan->n_groups = (int)all;
        plan->n_trades += book.n_trades;
        more.n_groups = 0; /* they are the plan's now */
        plan_free(&more);
    }
}

static struct engine_options options = {.kernel = "auto", .threads = 1, .ranks = &backwards};

/* Prices by ranks and compares the bits. */
static void expect_same(const struct engine *engine, uint64_t pieces, const struct whole *whole)
{
    at_a_time = pieces;
    walks = groups_walked = batches_walked = 0, bytes_made = 0;
    expect_whole(engine, &options, whole);
}

/* Prices, and scenario sets. */
TEST(few_batches_are_shared_by_groups)
{
    for (int contrasts = 0; contrasts < 2; contrasts++) {
        struct whole whole = {0};
        build_large(contrasts, false, &whole.plan);
        price_whole(&small, &whole);
        const uint64_t sizes[] = {1, 7, 64, PIECES_MOST};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            expect_same(&large, sizes[i], &whole);
            assert_int_equal(groups_walked, whole.plan.n_groups);
            assert_int_equal(batches_walked, BATCHES * whole.plan.n_groups);
            assert_in_range(bytes_made, whole.n * sizeof(struct tally),
                            whole.n * sizeof(struct tally) +
                                PIECES_MOST * sizeof(struct engine_report));
            if (sizes[i] == PIECES_MOST)
                assert_int_equal(bytes_made,
                                 whole.n * sizeof(struct tally) + sizeof(struct engine_report));
            if (sizes[i] == 64) assert_in_range(walks, 4, 8);
        }
        free_whole(&whole);
    }
}

TEST(batches_that_keep_an_engine_busy_are_shared)
{
    struct whole whole = {0};
    build_large(false, false, &whole.plan);
    price_whole(&small, &whole);
    for (uint64_t pieces = 1; pieces <= BATCHES; pieces++) {
        expect_same(&small, pieces, &whole);
        assert_int_equal(walks, (BATCHES + (int)pieces - 1) / (int)pieces);
        assert_int_equal(groups_walked, walks * whole.plan.n_groups);
    }
    free_whole(&whole);
}

/* Totals are added in the order of the groups. */
TEST(one_long_group_is_shared_by_batches)
{
    for (int with_totals = 0; with_totals < 2; with_totals++) {
        struct whole whole = {0};
        plan_book(BATCHES - 1, with_totals, &whole.plan);
        price_whole(&small, &whole);
        expect_same(&large, 1, &whole);
        assert_int_equal(walks, BATCHES);
        free_whole(&whole);
    }
}

/* They are sums over groups: short groups are not parted where there are any. */
TEST(many_groups_with_totals_are_shared_by_batches)
{
    struct whole whole = {0};
    build_large(true, true, &whole.plan);
    price_whole(&small, &whole);
    expect_same(&large, 1, &whole);
    assert_int_equal(walks, BATCHES);
    assert_int_equal(groups_walked, BATCHES * whole.plan.n_groups);
    free_whole(&whole);
}

/* What a section adds to is told with it. */
TEST(totals_go_on_from_section_to_section)
{
    struct whole whole = {0};
    plan_book(BATCHES - 1, true, &whole.plan);
    price_whole(&small, &whole);
    options.tally_bytes = 1; /* with so little each unit is a section */
    expect_same(&large, 1, &whole);
    options.tally_bytes = 0;
    assert_true(walks > 2 * BATCHES);
    free_whole(&whole);
}

/* Followers are told all that the leader has. */
TEST(results_are_told_everywhere)
{
    for (int contrasts = 0; contrasts < 2; contrasts++) {
        struct whole whole = {0};
        plan_book(BATCHES - 1, contrasts, &whole.plan);
        price_whole(&small, &whole);
        size_t n = whole.n * sizeof *whole.tallies, of_totals = 0;
        if (contrasts) of_totals = whole.n_totals * sizeof *whole.totals;
        options.everywhere = true;
        expect_same(&small, 1, &whole);
        options.everywhere = false;
        assert_int_equal(told_all.n, n + of_totals);
        assert_memory_equal(told_all.at, whole.tallies, n);
        assert_memory_equal(told_all.at + n, whole.totals, of_totals);
        bytes_free(&told_all);
        free_whole(&whole);
    }
}

/* Of letters that are damaged nothing is taken, and why is said. */
TEST(damaged_letters_are_refused)
{
    for (int contrasts = 0; contrasts < 2; contrasts++) {
        struct whole whole = {0};
        plan_book(BATCHES - 1, contrasts, &whole.plan);
        price_whole(&small, &whole);
        const struct engine_options damaged = {
            .kernel = "auto", .threads = 1, .ranks = &damaged_ranks};
        expect_whole(&small, &damaged, &whole);
        free_whole(&whole);
    }
}

ALL_TESTS_BETWEEN(ranked_price_test, make_book, free_book)
