/* How rank 0 leads a job, without MPI: the test is the follower, and hands it the letters that one
 * would send. What is sent and received by MPI is replaced where it is linked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/mpi/mpi_ranks.h"
#include "app/mpi/rank_state.h"
#include "models/base/clock.h"

enum { KEY = 5, PIECES = 8, OWN_RANGES = 1, NO_RANGES = 0 };

/* A run of two ranks and its job. */
struct led {
    struct mpi_ranks ranks;
    struct ranks_job job;
    struct stop stop;
    bool stopped, held; /* rank 0 is asked to stop; does not end a range */
    int taken[PIECES];  /* times */
    pthread_t thread;
    enum status status;
    struct message why;
};

static enum status describe(void *context, uint64_t first, uint64_t end, struct bytes *told)
{
    (void)context;
    const uint64_t range[2] = {first, end};
    return bytes_add(told, range, sizeof range);
}

static enum status make(void *context, struct bytes *told, struct bytes *made, struct message *why)
{
    const struct led *led = context;
    (void)why;
    while (__atomic_load_n(&led->held, __ATOMIC_SEQ_CST))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return bytes_add(made, told->at, told->n);
}

static enum status take(void *context, uint64_t first, uint64_t end, struct bytes *made,
                        struct message *why)
{
    struct led *led = context;
    uint64_t range[2];
    (void)why;
    assert_true(bytes_read(made, range, sizeof range));
    assert_true(range[0] == first && range[1] == end);
    for (uint64_t p = first; p < end; p++) led->taken[p]++;
    return STATUS_OK;
}

static int is_stopped(void *context)
{
    const struct led *led = context;
    return __atomic_load_n(&led->stopped, __ATOMIC_SEQ_CST);
}

static void *lead(void *argument)
{
    struct led *led = argument;
    led->status = leading_share(&led->ranks, &led->job, &led->why);
    return NULL;
}

/* Begins to lead the job; rank 0 does so many ranges at a time itself. */
static void begin_job(struct led *led, int own_ranges)
{
    memset(led->taken, 0, sizeof led->taken);
    led->job = (struct ranks_job){.key = KEY,
                                  .at_once = own_ranges,
                                  .n = PIECES,
                                  .cost = 1.0,
                                  .least = 1,
                                  .most = 2,
                                  .last = true,
                                  .stop = &led->stop,
                                  .context = led,
                                  .describe = describe,
                                  .make = make,
                                  .take = take};
    assert_int_equal(pthread_create(&led->thread, NULL, lead, led), 0);
}

static enum status end_job(struct led *led)
{
    pthread_join(led->thread, NULL);
    return led->status;
}

static int begin(void **state)
{
    struct led *led = calloc(1, sizeof *led);
    struct mpi_ranks *ranks = &led->ranks;
    ranks->shared = (struct ranks){.context = ranks, .n = 2};
    ranks->hosts = calloc(2, sizeof *ranks->hosts);
    strcpy(ranks->hosts[1], "there");
    ranks->dealer = dealer_begin(2);
    pthread_mutex_init(&ranks->lock, NULL);
    pthread_cond_init(&ranks->changed, NULL);
    pthread_cond_init(&ranks->to_pump, NULL);
    led->stop = (struct stop){is_stopped, led};
    *state = led;
    alarm(60); /* a leader that waits for ever */
    return 0;
}

static int end(void **state)
{
    struct led *led = *state;
    for (struct letter *l; (l = letters_take(&led->ranks.out, 0));) letter_free(l);
    for (struct over_job *next, *over = led->ranks.overs; over; over = next) {
        next = over->next;
        leading_forget(over);
    }
    dealer_end(led->ranks.dealer);
    free(led->ranks.hosts);
    free(led);
    return 0;
}

/* ---- the follower ---------------------------------------------------------------------------- */

static void send_letter(struct led *led, struct letter *letter)
{
    pthread_mutex_lock(&led->ranks.lock);
    state_take_in(&led->ranks, letter);
    pthread_mutex_unlock(&led->ranks.lock);
}

static void join(struct led *led)
{
    send_letter(led, letter_new(LETTER_JOIN, 1, KEY, 1, 1));
}

/* Returns the next letter to the follower. */
static struct letter *await_letter(struct led *led)
{
    struct letter *letter;
    pthread_mutex_lock(&led->ranks.lock);
    while (!(letter = letters_take(&led->ranks.out, 0))) state_wait(&led->ranks, 0.01);
    pthread_mutex_unlock(&led->ranks.lock);
    assert_int_equal(letter->rank, 1);
    return letter;
}

/* Answers a range, which stays the caller's. */
static void answer(struct led *led, const struct letter *dealt)
{
    struct letter *done = letter_new(LETTER_DONE, 1, KEY, dealt->id, STATUS_OK);
    assert_int_equal(bytes_add(&done->body, dealt->body.at, dealt->body.n), STATUS_OK);
    send_letter(led, done);
}

/* Does what is dealt until the job is over. */
static void follow(struct led *led)
{
    for (bool over = false; !over;) {
        struct letter *letter = await_letter(led);
        over = letter->kind == LETTER_OVER;
        if (!over) answer(led, letter);
        letter_free(letter);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void expect_once(const struct led *led)
{
    for (int p = 0; p < PIECES; p++) assert_int_equal(led->taken[p], 1);
}

/* A key that was over may come again: its followers are dealt to, not sent away. */
static void a_job_comes_again(void **state)
{
    struct led *led = *state;
    for (int turn = 0; turn < 2; turn++) {
        begin_job(led, NO_RANGES);
        join(led);
        follow(led);
        assert_int_equal(end_job(led), STATUS_OK);
        expect_once(led);
        assert_null(led->ranks.overs);
        for (int r = 0; r < 2; r++) assert_false(dealer_leave(led->ranks.dealer, r, KEY));
    }
}

/* Who comes when all is done goes on at once. */
static void a_late_follower_goes_on(void **state)
{
    struct led *led = *state;
    begin_job(led, OWN_RANGES);
    assert_int_equal(end_job(led), STATUS_OK);
    expect_once(led);
    join(led);
    follow(led);
    assert_null(led->ranks.overs);
}

static void a_stop_ends_the_wait(void **state)
{
    struct led *led = *state;
    begin_job(led, NO_RANGES);
    join(led);
    letter_free(await_letter(led)); /* it is not answered */
    __atomic_store_n(&led->stopped, true, __ATOMIC_SEQ_CST);
    assert_int_equal(end_job(led), STATUS_INTERRUPTED);
}

/* What a follower could not do is not taken, and says why with its name. */
static void a_failure_is_told(void **state)
{
    struct led *led = *state;
    static const char why[] = "no luck";
    begin_job(led, NO_RANGES);
    join(led);
    struct letter *dealt = await_letter(led);
    struct letter *failed = letter_new(LETTER_DONE, 1, KEY, dealt->id, STATUS_FAILED);
    assert_int_equal(bytes_add(&failed->body, why, sizeof why), STATUS_OK);
    send_letter(led, failed);
    letter_free(dealt);
    assert_int_equal(end_job(led), STATUS_FAILED);
    assert_string_equal(led->why.text, "rank 1 on there: no luck");
}

/* A range that comes back twice counts once. */
static void a_doubled_answer_counts_once(void **state)
{
    struct led *led = *state;
    begin_job(led, NO_RANGES);
    join(led);
    struct letter *dealt = await_letter(led);
    answer(led, dealt);
    answer(led, dealt);
    letter_free(dealt);
    follow(led);
    assert_int_equal(end_job(led), STATUS_OK);
    expect_once(led);
}

/* What a follower has that ends is done by others, and it is told nothing more. */
static void a_follower_that_ends_leaves_its_ranges(void **state)
{
    struct led *led = *state;
    led->held = true;
    join(led);
    begin_job(led, OWN_RANGES);
    letter_free(await_letter(led));
    send_letter(led, letter_new(LETTER_BYE, 1, 0, 0, 0));
    __atomic_store_n(&led->held, false, __ATOMIC_SEQ_CST);
    assert_int_equal(end_job(led), STATUS_OK);
    expect_once(led);
    for (struct letter *l; (l = letters_take(&led->ranks.out, 0)); letter_free(l))
        assert_int_equal(l->kind, LETTER_DEAL);
}

/* ---- the pump -------------------------------------------------------------------------------- */

/* Letters of a kind that were sent. */
static atomic_int sent[LETTER_END + 1];

enum status __wrap_post_send(struct post *post, struct letter *letter)
{
    (void)post;
    atomic_fetch_add(&sent[letter->kind], 1);
    letter_free(letter);
    return STATUS_OK;
}

enum status __wrap_post_receive(struct letter **letter)
{
    *letter = NULL;
    return STATUS_OK;
}

bool __wrap_post_all_sent(struct post *post)
{
    (void)post;
    return true;
}

static void *pump(void *argument)
{
    struct led *led = argument;
    led->status = mpi_ranks_pump(&led->ranks) ? STATUS_OK : STATUS_ENGINE;
    return NULL;
}

/* A leader that has nothing to say tells its followers that it is there, until the run is over. */
static void an_idle_leader_is_heard(void **state)
{
    struct led *led = *state;
    led->ranks.limit = 0.2;
    assert_int_equal(pthread_create(&led->thread, NULL, pump, led), 0);
    double end = seconds_now() + 10.0;
    while (atomic_load(&sent[LETTER_ALIVE]) < 3 && seconds_now() < end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    send_letter(led, letter_new(LETTER_BYE, 1, 0, 0, 0));
    mpi_ranks_finish(&led->ranks);
    assert_int_equal(end_job(led), STATUS_OK);
    assert_true(atomic_load(&sent[LETTER_ALIVE]) >= 3);
    assert_int_equal(atomic_load(&sent[LETTER_END]), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_job_comes_again, begin, end),
        cmocka_unit_test_setup_teardown(a_late_follower_goes_on, begin, end),
        cmocka_unit_test_setup_teardown(a_stop_ends_the_wait, begin, end),
        cmocka_unit_test_setup_teardown(a_failure_is_told, begin, end),
        cmocka_unit_test_setup_teardown(a_doubled_answer_counts_once, begin, end),
        cmocka_unit_test_setup_teardown(a_follower_that_ends_leaves_its_ranges, begin, end),
        cmocka_unit_test_setup_teardown(an_idle_leader_is_heard, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
