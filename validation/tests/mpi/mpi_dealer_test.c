/* The dealer of pricer-mpi, without MPI: on a simulated cluster whose ranks die and whose messages
 * are late, lost and doubled, each piece counts exactly once; and it is fast. `--efficiency` prints
 * the tables of docs/cluster.md. */
#include <time.h>

#include "app/mpi/dealer.h"
#include "app/mpi/local_gpus.h"
#include "validation/tests/mpi/cluster_simulation.h"
#include "validation/tests/test.h"

enum { SEEDS = 1000 };

static void each_piece_counts_once(void **state)
{
    struct cluster_run all = {.seconds = 0.0};
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const struct cluster cluster = {.ranks = 2 + (int)(seed * 7 % 11),
                                        .at_once = 1,
                                        .seed = seed,
                                        .least = 1,
                                        .pieces = 1 + seed * 13 % 301,
                                        .piece = 0.01,
                                        .spread = seed % 3 ? 0.3 : 1.8,
                                        .latency = seed % 5 ? 1e-4 : 0.5,
                                        .message = 1e-5,
                                        .lost = seed % 2 ? 0.05 : 0.0,
                                        .double_ = seed % 4 ? 0.05 : 0.0,
                                        .deaths = seed % 3 ? 0.01 : 0.1,
                                        .limit = seed % 7 ? 5.0 : 0.2};
        struct cluster_run run;
        assert_true(cluster_simulate(&cluster, &run));
        if (!run.once) printf("seed %llu\n", (unsigned long long)seed);
        assert_true(run.once);
        all.lost += run.lost, all.doubled += run.doubled, all.again += run.again;
        all.deaths += run.deaths, all.twice += run.twice, all.ranges += run.ranges;
    }
    printf("%d seeds, %llu ranges: %d ranks died, %llu messages lost, %llu doubled, %llu ranges "
           "dealt again, %llu pieces came back twice, each counted once\n",
           SEEDS, (unsigned long long)all.ranges, all.deaths, (unsigned long long)all.lost,
           (unsigned long long)all.doubled, (unsigned long long)all.again,
           (unsigned long long)all.twice);
    /* Who counted what comes back would have been wrong. */
    assert_true(all.deaths > 100 && all.lost > 100 && all.doubled > 100 && all.again > 100 &&
                all.twice > 1000);
}

/* What is urgent goes first, what is older next; a rank gets nothing of what it has not joined, nor
 * more than it does at a time. */
static void deals_in_order(void **state)
{
    struct dealer *dealer = dealer_begin(2);
    struct deal deal;
    (void)state;
    assert_non_null(dealer);
    for (uint64_t key = 1; key <= 3; key++)
        assert_int_equal(
            dealer_open(dealer,
                        &(struct dealt_job){
                            .key = key, .n = 4, .cost = 1.0, .most = 4, .urgent = key == 3}),
            STATUS_OK);
    dealer_lose(dealer, 0); /* all is for the other rank */
    assert_false(dealer_deal(dealer, 1, 0, 0.0, &deal));
    for (uint64_t key = 1; key <= 3; key++)
        assert_int_equal(dealer_join(dealer, 1, key, 2, 4), STATUS_OK);
    assert_true(dealer_deal(dealer, 1, 0, 0.0, &deal) && deal.key == 3 && deal.end == 4);
    assert_true(dealer_deal(dealer, 1, 0, 0.0, &deal) && deal.key == 1);
    assert_false(dealer_deal(dealer, 1, 0, 0.0, &deal));
    assert_false(dealer_done(dealer, 0, deal.id, 1.0, &deal)); /* it is not this rank's */
    assert_true(dealer_done(dealer, 1, deal.id, 1.0, &deal));
    assert_false(dealer_done(dealer, 1, deal.id, 1.0, &deal));
    assert_int_equal(dealer_missing(dealer, 1), 0);
    assert_true(dealer_leave(dealer, 1, 2));
    assert_false(dealer_leave(dealer, 1, 2));
    assert_false(dealer_deal(dealer, 1, 0, 1.0, &deal));
    dealer_end(dealer);
}

/* Ranges follow the speeds that ranks have shown, and become smaller. */
static void sizes_follow_speeds(void **state)
{
    struct dealer *dealer = dealer_begin(2);
    const struct dealt_job job = {.key = 1, .n = 100000, .cost = 1.0, .most = 100000};
    struct deal deal[2];
    uint64_t before[2] = {0, 0};
    (void)state;
    assert_non_null(dealer);
    assert_int_equal(dealer_open(dealer, &job), STATUS_OK);
    for (int r = 0; r < 2; r++) assert_int_equal(dealer_join(dealer, r, 1, 1, 1), STATUS_OK);
    for (int turn = 0; turn < 6; turn++)
        for (int r = 0; r < 2; r++) {
            double speed = r ? 1e6 : 1e5;
            assert_true(dealer_deal(dealer, r, 0, 0.0, &deal[r]));
            uint64_t size = deal[r].end - deal[r].first;
            if (turn > 2) assert_true(size < before[r]);
            if (turn > 1 && r) {
                double ratio = (double)size / (double)(deal[0].end - deal[0].first);
                assert_true(ratio > 4.0 && ratio < 11.0);
            }
            before[r] = size;
            assert_true(dealer_done(dealer, r, deal[r].id, (double)size / speed, &deal[r]));
        }
    dealer_end(dealer);
}

/* Deals two ranks, two ranges at a time, what they have room for; returns the ranges. */
static int deal_all(uint64_t pieces, uint64_t least, uint64_t *each)
{
    struct dealer *dealer = dealer_begin(2);
    const struct dealt_job job = {.key = 1, .n = pieces, .cost = 1.0, .most = 133};
    struct deal deals[2];
    int ranges = 0;
    assert_non_null(dealer);
    assert_int_equal(dealer_open(dealer, &job), STATUS_OK);
    for (int r = 0; r < 2; r++) assert_int_equal(dealer_join(dealer, r, 1, 2, least), STATUS_OK);
    for (bool any = true; any;) {
        any = false;
        for (int r = 0; r < 2; r++)
            while (dealer_deal(dealer, r, 0, 0.0, &deals[r])) {
                each[r] += deals[r].end - deals[r].first;
                ranges++;
                any = true;
            }
    }
    assert_int_equal(dealer_missing(dealer, 1), pieces);
    dealer_end(dealer);
    return ranges;
}

/* Ranks that need many pieces to keep busy get so many, and equal parts of what is less. */
static void ranges_keep_busy(void **state)
{
    static const struct {
        uint64_t pieces;
        int ranges;
    } rows[] = {{16, 2}, {87, 2}, {100, 2}, {256, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t each[2] = {0, 0};
        assert_int_equal(deal_all(rows[i].pieces, 64, each), rows[i].ranges);
        assert_int_equal(each[0], (rows[i].pieces + 1) / 2);
        assert_int_equal(each[1], rows[i].pieces / 2);
    }
}

/* Deals a rank, at a moment, what it has room for; returns the pieces. */
static uint64_t deal_at(struct dealer *dealer, int rank, double now, struct deal *deals)
{
    uint64_t pieces = 0;
    for (int i = 0; dealer_deal(dealer, rank, 0, now, &deals[i]); i++)
        pieces += deals[i].end - deals[i].first;
    return pieces;
}

/* Two ranks that are as fast as each other: the first to bring something back leaves the other its
 * part, which has brought nothing yet. */
static void one_that_has_shown_nothing_has_its_part(void **state)
{
    struct dealer *dealer = dealer_begin(2);
    const struct dealt_job job = {.key = 1, .n = 512, .cost = 1.0, .most = 512};
    struct deal own[8], others[8];
    (void)state;
    assert_non_null(dealer);
    assert_int_equal(dealer_open(dealer, &job), STATUS_OK);
    for (int r = 0; r < 2; r++) assert_int_equal(dealer_join(dealer, r, 1, 2, 64), STATUS_OK);
    uint64_t first = deal_at(dealer, 0, 0.0, own), other = deal_at(dealer, 1, 0.0, others);
    assert_in_range(first, 128, 192);
    assert_in_range(other, 128, 192);
    for (int i = 0; i < 2; i++) assert_true(dealer_done(dealer, 0, own[i].id, 1.0, &own[i]));
    first += deal_at(dealer, 0, 1.0, own);
    assert_in_range(first, 192, 512 / 2);
    dealer_end(dealer);
}

/* A rank that has its part of a job gets the next job, not the part of the others. */
static void goes_on_to_the_next_job(void **state)
{
    struct dealer *dealer = dealer_begin(2);
    struct deal deal;
    (void)state;
    assert_non_null(dealer);
    for (uint64_t key = 1; key <= 2; key++) {
        const struct dealt_job job = {.key = key, .n = 16, .cost = 1.0, .most = 16};
        assert_int_equal(dealer_open(dealer, &job), STATUS_OK);
        assert_int_equal(dealer_join(dealer, 0, key, 2, 64), STATUS_OK);
    }
    assert_true(dealer_deal(dealer, 0, 0, 0.0, &deal) && deal.key == 1 && deal.end == 8);
    assert_true(dealer_deal(dealer, 0, 0, 0.0, &deal) && deal.key == 2);
    dealer_end(dealer);
}

/* A range has no more pieces than the job allows, and takes no longer than 30 seconds. */
static void ranges_have_bounds(void **state)
{
    struct dealer *dealer = dealer_begin(1);
    struct deal deal;
    (void)state;
    assert_non_null(dealer);
    for (uint64_t key = 1; key <= 2; key++) {
        const struct dealt_job job = {.key = key, .n = 10000, .cost = 1.0, .most = 10 * key * key};
        assert_int_equal(dealer_open(dealer, &job), STATUS_OK);
        assert_int_equal(dealer_join(dealer, 0, key, 1, 1), STATUS_OK);
    }
    assert_true(dealer_deal(dealer, 0, 1, 0.0, &deal));
    assert_int_equal(deal.end - deal.first, 10);
    assert_true(dealer_done(dealer, 0, deal.id, 10.0, &deal)); /* a piece a second */
    assert_true(dealer_deal(dealer, 0, 2, 10.0, &deal));
    assert_int_equal(deal.end - deal.first, 30);
    dealer_end(dealer);
}

/* What a rank has that is lost is dealt to others, and what it brings back later does not count. */
static void what_is_lost_is_dealt_again(void **state)
{
    struct dealer *dealer = dealer_begin(2);
    const struct dealt_job job = {.key = 1, .n = 8, .cost = 1.0, .most = 2};
    struct deal lost[2], deal;
    bool again[8] = {false};
    (void)state;
    assert_non_null(dealer);
    assert_int_equal(dealer_open(dealer, &job), STATUS_OK);
    for (int r = 0; r < 2; r++) assert_int_equal(dealer_join(dealer, r, 1, 2, 2), STATUS_OK);
    for (int i = 0; i < 2; i++) assert_true(dealer_deal(dealer, 1, 0, 0.0, &lost[i]));
    assert_int_equal(dealer_undealt(dealer, 1), 4);
    dealer_lose(dealer, 1);
    assert_int_equal(dealer_undealt(dealer, 1), 8);
    assert_false(dealer_deal(dealer, 1, 0, 0.0, &deal));
    for (int i = 0; i < 2; i++) assert_false(dealer_done(dealer, 1, lost[i].id, 1.0, &deal));
    while (dealer_deal(dealer, 0, 0, 1.0, &deal)) {
        for (uint64_t p = deal.first; p < deal.end; again[p++] = true) assert_false(again[p]);
        assert_true(dealer_done(dealer, 0, deal.id, 2.0, &deal));
    }
    assert_int_equal(dealer_missing(dealer, 1), 0);
    dealer_end(dealer);
}

/* A range that lies ready begins when the one before it is done: a rank that has two does not seem
 * to hang twice as soon. */
static void what_lies_ready_begins_later(void **state)
{
    struct dealer *dealer = dealer_begin(2);
    const struct dealt_job job = {.key = 1, .n = 100, .cost = 1.0, .most = 1};
    struct deal first, ready, deal;
    (void)state;
    assert_non_null(dealer);
    assert_int_equal(dealer_open(dealer, &job), STATUS_OK);
    assert_int_equal(dealer_join(dealer, 1, 1, 1, 1), STATUS_OK);
    assert_true(dealer_deal(dealer, 1, 0, 0.0, &first) && dealer_deal(dealer, 1, 0, 0.0, &ready));
    assert_false(dealer_deal(dealer, 1, 0, 0.0, &deal));
    assert_true(dealer_done(dealer, 1, first.id, 7.0, &deal));
    assert_true(dealer_oldest(dealer, &deal) && deal.id == ready.id && deal.since == 7.0);
    dealer_end(dealer);
}

/* Returns ranges of one piece dealt and taken back a second of processor time, in turn to all
 * ranks. */
static double dealing_rate(int ranks, uint64_t n)
{
    struct dealer *dealer = dealer_begin(ranks);
    struct deal *deals = calloc((size_t)ranks, sizeof *deals);
    const struct dealt_job job = {.key = 1, .n = n, .cost = 1.0, .most = 1};
    assert_true(dealer && deals && !dealer_open(dealer, &job));
    for (int r = 0; r < ranks; r++)
        assert_true(!dealer_join(dealer, r, 1, 1, 1) && dealer_deal(dealer, r, 0, 0.0, &deals[r]));
    clock_t began = clock();
    for (uint64_t i = 0; dealer_missing(dealer, 1); i++) {
        struct deal *deal = &deals[i % (uint64_t)ranks], done;
        if (!deal->id) continue;
        assert_true(dealer_done(dealer, deal->rank, deal->id, 1.0, &done));
        if (!dealer_deal(dealer, deal->rank, 0, 1.0, deal)) deal->id = 0;
    }
    double rate = (double)n / ((double)(clock() - began) / CLOCKS_PER_SEC);
    free(deals);
    dealer_end(dealer);
    return rate;
}

static void is_fast(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 1024; ranks *= 8) {
        double rate = dealing_rate(ranks, 100000);
        printf("%4d ranks: %.0f ranges a second\n", ranks, rate);
        assert_true(rate > 20000.0);
    }
}

/* ---- GPUs of one host ------------------------------------------------------------------------ */

/* Ranks of this host, as local_gpus_choose() asks for them. */
static int local, n_local;

int mpi_ranks_local(const struct mpi_ranks *ranks, int *n)
{
    (void)ranks;
    *n = n_local;
    return local;
}

static void gpus_are_shared_out(void **state)
{
    static const struct {
        const char *visible;
        int local, n;
        const char *own;
    } rows[] = {{"0,1", 0, 2, "0"},
                {"0,1", 1, 2, "1"},
                {"0,1", 2, 3, ""},
                {"3,5,7,9", 1, 2, "5,9"},
                {"GPU-a,GPU-b", 1, 2, "GPU-b"},
                {"", 0, 2, ""},
                {"0,1,2", 0, 2, "0,2"}};
    (void)state;
    n_local = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char own[32];
        local_gpus_share(rows[i].visible, rows[i].local, rows[i].n, sizeof own, own);
        assert_string_equal(own, rows[i].own);
    }
    setenv("CUDA_VISIBLE_DEVICES", "4,6", 1);
    for (local = 1, n_local = 1; n_local <= 2; n_local++) {
        assert_true(local_gpus_choose(NULL));
        assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), n_local == 1 ? "4,6" : "6");
    }
    unsetenv("CUDA_VISIBLE_DEVICES");
}

/* ---- efficiency ------------------------------------------------------------------------------ */

/* What a book costs, measured on one process: seconds of a batch of paths and number of batches,
 * bytes that come back of a batch, seconds of planning and of output. */
struct costs {
    const char *name;
    double batch, batches, bytes, plan, output;
};

/* Seconds of rank 0 for a letter and for a byte that comes back (copied twice, merged in two
 * passes); seconds that a message is on its way. */
#define LETTER 5e-6
#define BYTE 1e-9
#define LATENCY 2e-4

static void print_efficiency(const struct costs *costs)
{
    double one = costs->plan + costs->batches * costs->batch + costs->output;
    printf("\n%s: one rank %.3g s\n\n| ranks | seconds | efficiency | of paths alone | rank 0 with "
           "letters | planning | output |\n|---|---|---|---|---|---|---|\n",
           costs->name, one);
    for (int ranks = 2; ranks <= 1024; ranks *= 2) {
        const struct cluster cluster = {.ranks = ranks,
                                        .at_once = 1,
                                        .seed = 1,
                                        .least = 1,
                                        .pieces = (uint64_t)costs->batches,
                                        .piece = costs->batch,
                                        .spread = 0.05,
                                        .latency = LATENCY,
                                        .message = LETTER,
                                        .piece_taken = costs->bytes * BYTE,
                                        .limit = 1e9};
        struct cluster_run run;
        if ((uint64_t)ranks > cluster.pieces || !cluster_simulate(&cluster, &run)) break;
        double all = costs->plan + run.seconds + costs->output;
        printf("| %d | %.3g | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% |\n", ranks, all,
               100.0 * one / all / run.power,
               100.0 * costs->batches * costs->batch / run.seconds / run.power,
               100.0 * run.busy / all, 100.0 * costs->plan / all, 100.0 * costs->output / all);
    }
}

static int print_tables(int argc, char **argv)
{
    for (int i = 2; i + 5 < argc; i += 6) {
        const struct costs costs = {argv[i],           atof(argv[i + 1]), atof(argv[i + 2]),
                                    atof(argv[i + 3]), atof(argv[i + 4]), atof(argv[i + 5])};
        print_efficiency(&costs);
    }
    return 0;
}

int mpi_dealer_test(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_piece_counts_once),
                                       cmocka_unit_test(deals_in_order),
                                       cmocka_unit_test(sizes_follow_speeds),
                                       cmocka_unit_test(ranges_keep_busy),
                                       cmocka_unit_test(goes_on_to_the_next_job),
                                       cmocka_unit_test(ranges_have_bounds),
                                       cmocka_unit_test(what_is_lost_is_dealt_again),
                                       cmocka_unit_test(what_lies_ready_begins_later),
                                       cmocka_unit_test(is_fast),
                                       cmocka_unit_test(gpus_are_shared_out),
                                       cmocka_unit_test(one_that_has_shown_nothing_has_its_part)};
    if (argc > 1 && !strcmp(argv[1], "--efficiency")) return print_tables(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
