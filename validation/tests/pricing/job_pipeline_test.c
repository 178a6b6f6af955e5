/* Jobs of several series, side by side: each is done once, and finished in one order; few run at a
 * time; the first error is told. */
#include <stdatomic.h>
#include <time.h>

#include "app/pricing/risk/greeks/job_pipeline.h"
#include "validation/tests/test.h"

enum { N_SERIES = 4, N_JOBS = 154, RUNNING = 2, MEANWHILE = 40, NOBODY = -1 };

static const int sizes[N_SERIES] = {1, 0, 93, 60}, numbers[N_SERIES] = {0, 1, 2, 3};

/* Jobs of the last two series in the order of their parts, (i / n): those of the longer first where
 * equal. */
static int place_of(int series, int i)
{
    int before = series == 0 ? 0 : 1;
    for (int s = 2; s < N_SERIES && series > 1; s++)
        for (int j = 0; j < sizes[s]; j++) {
            int one = j * sizes[series], other = i * sizes[s];
            before += one < other || (one == other && s < series);
        }
    return before;
}

/* What all series share. */
static atomic_int preparing, most_preparing, planned, most_planned, running, most_running,
    run_so_far, owners[N_SERIES][JOBS_AT_ONCE];
static bool first_is_long; /* it runs until others have run */
static uint64_t payoffs;   /* of a job of the longest series */
static int finished, failing,
    told; /* failing: the place of the job that fails in run, and all after it */

static void wait_a_little(int i)
{
    nanosleep(&(struct timespec){0, 100000 * (i * 7 % 5)}, NULL);
}

static enum status prepare(void *context, int i, struct message *why)
{
    int series = *(const int *)context;
    int nobody = NOBODY;
    int large = atomic_fetch_add(&planned, sizes[series] == 93) + (sizes[series] == 93);
    if (large > atomic_load(&most_planned)) atomic_store(&most_planned, large);
    (void)why;
    assert_true(atomic_compare_exchange_strong(&owners[series][i % JOBS_AT_ONCE], &nobody, i));
    int now = atomic_fetch_add(&preparing, 1) + 1;
    if (now > atomic_load(&most_preparing)) atomic_store(&most_preparing, now);
    wait_a_little(i);
    atomic_fetch_sub(&preparing, 1);
    return STATUS_OK;
}

/* For five seconds at most. */
static void wait_for_others(void)
{
    for (int i = 0; i < 50000 && atomic_load(&run_so_far) < MEANWHILE; i++) wait_a_little(3);
    assert_true(atomic_load(&run_so_far) >= MEANWHILE);
}

static enum status run(void *context, int i, struct message *why)
{
    int series = *(const int *)context;
    int now = atomic_fetch_add(&running, 1) + 1;
    if (now > atomic_load(&most_running)) atomic_store(&most_running, now);
    if (first_is_long && place_of(series, i) == 0) wait_for_others();
    wait_a_little(i + 1);
    atomic_fetch_sub(&running, 1);
    atomic_fetch_sub(&planned, sizes[series] == 93);
    atomic_fetch_add(&run_so_far, 1);
    snprintf(why->text, sizeof why->text, "job %d", place_of(series, i));
    return failing != NOBODY && place_of(series, i) >= failing ? STATUS_ENGINE : STATUS_OK;
}

static enum status finish(void *context, int i, struct message *why)
{
    int series = *(const int *)context;
    (void)why;
    assert_int_equal(finished, place_of(series, i));
    assert_int_equal(atomic_exchange(&owners[series][i % JOBS_AT_ONCE], NOBODY), i);
    finished++;
    return STATUS_OK;
}

static void tell(void *context, uint64_t done, uint64_t total)
{
    (void)context;
    assert_int_equal(done, ++told);
    assert_int_equal(done, finished);
    assert_int_equal(total, N_JOBS);
}

static enum status do_all(int failing_job, struct message *why)
{
    struct job_series series[N_SERIES];
    finished = told = 0;
    failing = failing_job;
    atomic_store(&most_running, 0);
    atomic_store(&planned, 0);
    atomic_store(&most_planned, 0);
    atomic_store(&run_so_far, 0);
    for (int s = 0; s < N_SERIES; s++) {
        series[s] = (struct job_series){
            sizes[s], sizes[s] == 93 ? payoffs : 0, (void *)&numbers[s], prepare, run, finish};
        for (int j = 0; j < JOBS_AT_ONCE; j++) atomic_store(&owners[s][j], NOBODY);
    }
    return run_job_pipeline(N_SERIES, series, RUNNING, tell, NULL, why);
}

TEST(test_all)
{
    assert_ok(do_all(NOBODY, &said));
    assert_int_equal(finished, N_JOBS);
    assert_int_equal(told, N_JOBS);
    assert_int_equal(atomic_load(&most_running), RUNNING);
    assert_true(atomic_load(&most_preparing) <= PREPARED_AT_ONCE);
    assert_string_equal(said.text, "");
}

TEST(test_a_long_one_holds_up_few)
{
    first_is_long = true;
    assert_ok(do_all(NOBODY, &said));
    first_is_long = false;
    assert_int_equal(finished, N_JOBS);
}

/* Jobs whose plans are large are planned one at a time, and small ones beside them. */
TEST(test_large_plans_wait)
{
    assert_ok(do_all(NOBODY, &said));
    assert_true(atomic_load(&most_planned) > RUNNING);
    payoffs = (uint64_t)1 << 40;
    assert_ok(do_all(NOBODY, &said));
    assert_int_equal(finished, N_JOBS);
    assert_int_equal(atomic_load(&most_planned), 1);
    payoffs = 0;
}

/* Jobs after it fail too, some of them sooner. */
TEST(test_first_error)
{
    for (int job = 0; job < N_JOBS; job += 51) {
        char expected[16];
        snprintf(expected, sizeof expected, "job %d", job);
        assert_int_equal(do_all(job, &said), STATUS_ENGINE);
        assert_int_equal(finished, job);
        assert_int_equal(told, job);
        assert_string_equal(said.text, expected);
    }
}

ALL_TESTS(job_pipeline_test)
