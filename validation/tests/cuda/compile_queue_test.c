/* The queue of compilations: all is done or dropped, once; what has begun is waited for; it can be
 * used again after its end, and a program's end is one. */
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "validation/tests/test.h"

#if PRICER_HAVE_CUDA
#include "kernels/cuda/host/compile_queue.h"

enum { JOBS = 64 };

struct job {
    atomic_int done, dropped;
};

static void do_job(void *argument)
{
    struct job *job = argument;
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    atomic_fetch_add(&job->done, 1);
}

static void drop_job(void *argument)
{
    struct job *job = argument;
    atomic_fetch_add(&job->dropped, 1);
}

/* Queues all, lets some pass, and ends the queue. Returns how many were done. */
static int run_jobs(struct job *jobs, long nanoseconds)
{
    int done = 0;
    for (int i = 0; i < JOBS; i++) {
        atomic_store(&jobs[i].done, 0), atomic_store(&jobs[i].dropped, 0);
        assert_true(compile_later(do_job, drop_job, &jobs[i]));
    }
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
    compile_queue_end();
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(atomic_load(&jobs[i].done) + atomic_load(&jobs[i].dropped), 1);
        done += atomic_load(&jobs[i].done);
    }
    return done;
}

static void every_job_is_done_or_dropped_once(void **state)
{
    (void)state;
    static struct job jobs[JOBS];
    compile_queue_end();
    assert_true(run_jobs(jobs, 0) < JOBS);
    int done = run_jobs(jobs, 30000000);
    assert_true(done > 0);
    compile_queue_end();
    assert_true(run_jobs(jobs, 900000000) == JOBS);
}

static void tell(void *argument)
{
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    assert_int_equal(write(*(int *)argument, "x", 1), 1);
}

/* A compilation that has begun is waited for by a program that ends without a word. */
static void the_end_of_the_program_waits(void **state)
{
    (void)state;
    int ends[2], status = -1;
    char told = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child) {
        compile_later(tell, tell, &ends[1]);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        exit(0);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &told, 1), 1);
    close(ends[0]);
}

TESTS(compile_queue_test, cmocka_unit_test(the_end_of_the_program_waits),
      cmocka_unit_test(every_job_is_done_or_dropped_once))

#else

TEST_MAIN(compile_queue_test)
{
    return 77;
}

#endif
