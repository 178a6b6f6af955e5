/* Loops that threads share: every piece is done once, before the loop ends, by no more threads than
 * there are, whoever calls it, also from within a piece; where threads cannot be had, too. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "kernels/team.h"
#include "kernels/threads.h"
#include "validation/tests/test.h"

enum { THREADS = 4, OUTER = 37, INNER = 23, CALLERS = 3 };

static atomic_int busy, most_busy;

/* What pieces write, each its own number. */
struct sums {
    struct team *team;
    int inner[OUTER][INNER]; /* how often a piece was done */
    int sum[OUTER];          /* of its inner pieces, each once and in order */
};

struct row {
    struct sums *sums;
    int i;
    bool in_order;
};

static void wait_a_little(int i)
{
    nanosleep(&(struct timespec){0, 20000 * (i * 7 % 5)}, NULL);
}

static void inner_piece(void *context, int j)
{
    const struct row *row = context;
    int now = atomic_fetch_add(&busy, 1) + 1, most = atomic_load(&most_busy);
    while (now > most && !atomic_compare_exchange_weak(&most_busy, &most, now)) continue;
    wait_a_little(row->i + j);
    row->sums->inner[row->i][j]++;
    atomic_fetch_sub(&busy, 1);
}

/* Adds what a piece did to those before it. */
static void add_piece(void *context, int j)
{
    struct row *row = context;
    row->in_order &= row->sums->sum[row->i] == j;
    row->sums->sum[row->i] += row->sums->inner[row->i][j] == 1 && row->in_order;
}

static void outer_piece(void *context, int i)
{
    struct row row = {context, i, true};
    wait_a_little(i);
    team_loop(row.sums->team, INNER, inner_piece, &row);
    for (int j = 0; j < INNER; j++) add_piece(&row, j);
}

static void check_sums(const struct sums *sums)
{
    for (int i = 0; i < OUTER; i++) {
        assert_int_equal(sums->sum[i], INNER);
        for (int j = 0; j < INNER; j++) assert_int_equal(sums->inner[i][j], 1);
    }
}

/* Loops within loops on a team of so many, of which no more than `most` can be had. */
static void nest(int threads, int most)
{
    struct sums sums = {.team = team_begin(threads)};
    assert_true((sums.team != NULL) == (threads > 1));
    atomic_store(&most_busy, 0);
    team_loop(sums.team, OUTER, outer_piece, &sums);
    team_end(sums.team);
    check_sums(&sums);
    assert_in_range(atomic_load(&most_busy), 1, most);
}

/* Two pieces that are to be under way at once, called for by the second of two. */
struct meeting {
    struct team *team;
    atomic_int here;
    bool met[2];
};

static void meet(void *context, int i)
{
    struct meeting *meeting = context;
    atomic_fetch_add(&meeting->here, 1);
    for (int wait = 0; wait < 2000 && atomic_load(&meeting->here) < 2; wait++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    meeting->met[i] = atomic_load(&meeting->here) == 2;
}

static void call_for_two(void *context, int i)
{
    struct meeting *meeting = context;
    nanosleep(&(struct timespec){0, 20000000 * (i + 1)}, NULL);
    if (i) team_loop(meeting->team, 2, meet, meeting);
}

/* Who waits for a loop helps with what its pieces call for. */
TEST(who_waits_helps)
{
    struct meeting meeting = {.team = team_begin(2)};
    team_loop(meeting.team, 2, call_for_two, &meeting);
    team_end(meeting.team);
    assert_true(meeting.met[0] && meeting.met[1]);
}

TEST(loops_nest)
{
    for (int threads = 1; threads <= THREADS; threads++) nest(threads, threads);
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static atomic_int creations = 1 << 20; /* threads that can still be had */

/* In the place of the C library's own. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *context)
{
    if (atomic_fetch_sub(&creations, 1) <= 0) return EAGAIN;
    create_function *create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
    return create(thread, attributes, start, context);
}

/* Who is there does the work of threads that cannot be had. */
TEST(threads_may_be_missing)
{
    for (int had = 0; had < THREADS; had++) {
        atomic_store(&creations, had);
        nest(THREADS, had + 1);
        assert_true(atomic_load(&creations) < 0 || had == THREADS - 1);
    }
    atomic_store(&creations, 1 << 20);
}

static struct sums of_callers[CALLERS];
static atomic_int next_caller;

static void *call(void *argument)
{
    struct sums *sums = &of_callers[atomic_fetch_add(&next_caller, 1)];
    sums->team = argument;
    team_loop(sums->team, OUTER, outer_piece, sums);
    return NULL;
}

/* Has several threads call one team. */
static void call_together(void *(*caller)(void *))
{
    struct team *team = team_begin(THREADS);
    run_on_threads(CALLERS, caller, team);
    team_end(team);
}

TEST(several_may_call)
{
    call_together(call);
    for (int c = 0; c < CALLERS; c++) check_sums(&of_callers[c]);
}

enum { SHORT_LOOPS = 20000, SHORT = 16 };

/* What one loop after the other adds to; a piece sees what all pieces of the loop before wrote. */
struct short_loops {
    struct team *team;
    int loop, followed;
    int done[2][SHORT][16]; /* of this loop and the one before, each in a line of its own */
    int times[SHORT][16];   /* that a piece was done */
};

/* How many pieces a loop has, 2 to SHORT: rooms of loops serve others of more and of fewer. */
static int pieces_of(int loop)
{
    return 2 + loop * 7 % (SHORT - 1);
}

static void short_piece(void *context, int i)
{
    struct short_loops *loops = context;
    int before = loops->loop ? (i + 1) % pieces_of(loops->loop - 1) : 0;
    loops->done[loops->loop % 2][i][0] = loops->done[(loops->loop + 1) % 2][before][0] + 1;
    loops->times[i][0]++;
}

/* Counts the pieces that are done when their turn comes. */
static void follow_piece(void *context, int i)
{
    struct short_loops *loops = context;
    loops->followed +=
        loops->followed == i && loops->done[loops->loop % 2][i][0] == loops->loop + 1;
}

static void *loop_often(void *argument)
{
    struct short_loops loops = {.team = argument};
    int times[SHORT] = {0};
    for (; loops.loop < SHORT_LOOPS; loops.loop++) {
        int n = pieces_of(loops.loop);
        for (int i = 0; i < n; i++) times[i]++;
        loops.followed = 0;
        team_loop(loops.team, n, short_piece, &loops);
        for (int i = 0; i < n; i++) follow_piece(&loops, i);
        assert_int_equal(loops.followed, n);
    }
    for (int i = 0; i < SHORT; i++) assert_int_equal(loops.times[i][0], times[i]);
    for (int i = 0; i < pieces_of(SHORT_LOOPS - 1); i++)
        assert_int_equal(loops.done[(SHORT_LOOPS - 1) % 2][i][0], SHORT_LOOPS);
    return NULL;
}

static struct sums of_pieces[2 * THREADS];

/* A piece of one team's loop that calls another team. */
static void call_other_team(void *context, int i)
{
    of_pieces[i] = (struct sums){.team = context};
    team_loop(context, OUTER, outer_piece, &of_pieces[i]);
}

/* Threads of one team help another that they call, as any caller does. */
TEST(a_team_may_call_another)
{
    struct team *large = team_begin(2 * THREADS), *small = team_begin(2);
    team_loop(large, 2 * THREADS, call_other_team, small);
    for (int i = 0; i < 2 * THREADS; i++) check_sums(&of_pieces[i]);
    team_end(large);
    team_end(small);
}

TEST(loops_may_be_short)
{
    call_together(loop_often);
}

TEST(a_team_may_be_idle)
{
    team_loop(NULL, 0, inner_piece, NULL);
    struct team *team = team_begin(THREADS);
    team_loop(team, 0, inner_piece, NULL);
    team_end(team);
    team_end(NULL);
}

/* A process has the cores that it may run on, or its part of them. */
TEST(processes_share_cores)
{
    assert_int_equal(threads_part(16, 1), 16);
    assert_int_equal(threads_part(16, 2), 8);
    assert_int_equal(threads_part(32, 3), 10);
    assert_int_equal(threads_part(2, 8), 1);
    assert_int_equal(threads_part(1, 1), 1);
    int all = thread_count(0);
    threads_share_cores(1 << 20);
    assert_int_equal(thread_count(0), 1);
    assert_int_equal(thread_count(3), 3);
    threads_share_cores(1);
    assert_int_equal(thread_count(0), all);
}

ALL_TESTS(team_test)
