/* How rank 0 leads a job, without MPI: the test is the follower, and hands it the letters that one
 * would send. What is sent and received by MPI is replaced where it is linked. */
#include <stdatomic.h>

#include "app/mpi/rank_state.h"
#include "models/base/clock.h"
#include "validation/tests/test.h"

enum {
    KEY = 5,
    OTHER_KEY,
    PIECES = 8,
    PIECES_MOST = 100000,
    RANKS_MOST = 12,
    OWN_RANGES = 1,
    NO_RANGES = 0
};

/* A run, of two ranks unless a test says otherwise, and its job. */
static struct led {
    struct mpi_ranks ranks;
    struct ranks_job job;
    uint64_t pieces, least, most; /* of the job, and of its ranges */
    struct stop stop;
    bool stopped, held, over; /* rank 0 is asked to stop; does not end a range; has led the job */
    long nap;                 /* nanoseconds that rank 0 is at a range */
    int taken[PIECES_MOST];   /* times */
    pthread_t thread;
    enum status status;
    struct message why;
} * led; /* of each test */

static enum status describe(void *context, uint64_t first, uint64_t end, struct bytes *told)
{
    (void)context;
    const uint64_t range[2] = {first, end};
    return bytes_add(told, range, sizeof range);
}

static enum status make(void *context, struct bytes *told, struct bytes *made, struct message *why)
{
    (void)context, (void)why;
    while (__atomic_load_n(&led->held, __ATOMIC_SEQ_CST))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (led->nap) nanosleep(&(struct timespec){.tv_nsec = led->nap}, NULL);
    return bytes_add(made, told->at, told->n);
}

static enum status take(void *context, uint64_t first, uint64_t end, struct bytes *made,
                        struct message *why)
{
    uint64_t range[2];
    (void)context, (void)why;
    assert_true(bytes_read(made, range, sizeof range));
    assert_true(range[0] == first && range[1] == end);
    for (uint64_t p = first; p < end; p++) led->taken[p]++;
    return STATUS_OK;
}

static int is_stopped(void *context)
{
    (void)context;
    return __atomic_load_n(&led->stopped, __ATOMIC_SEQ_CST);
}

static void *lead(void *argument)
{
    (void)argument;
    led->status = leading_share(&led->ranks, &led->job, &led->why);
    __atomic_store_n(&led->over, true, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Begins to lead the job; rank 0 does so many ranges at a time itself. */
static void begin_job(int own_ranges)
{
    memset(led->taken, 0, sizeof led->taken);
    led->job = (struct ranks_job){.key = KEY,
                                  .at_once = own_ranges,
                                  .n = led->pieces,
                                  .least = led->least,
                                  .most = led->most,
                                  .last = true,
                                  .stop = &led->stop,
                                  .describe = describe,
                                  .make = make,
                                  .take = take};
    assert_int_equal(pthread_create(&led->thread, NULL, lead, NULL), 0);
}

static enum status end_job(void)
{
    pthread_join(led->thread, NULL);
    return led->status;
}

static int begin(void **state)
{
    (void)state;
    led = calloc(1, sizeof *led);
    struct mpi_ranks *ranks = &led->ranks;
    led->pieces = PIECES, led->least = 1, led->most = 2;
    ranks->shared = (struct ranks){.context = ranks, .n = 2};
    ranks->hosts = calloc(RANKS_MOST, sizeof *ranks->hosts);
    strcpy(ranks->hosts[1], "there");
    ranks->places = calloc(RANKS_MOST, sizeof *ranks->places);
    pthread_mutex_init(&ranks->lock, NULL);
    pthread_cond_init(&ranks->changed, NULL);
    pthread_cond_init(&ranks->to_pump, NULL);
    led->stop = (struct stop){.asked = is_stopped};
    alarm(60); /* a leader that waits for ever */
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (struct letter *l; (l = letters_take(&led->ranks.out, 0));) letter_free(l);
    for (struct letter *l; (l = letters_take(&led->ranks.overs, 0));) letter_free(l);
    for (int r = 0; r < RANKS_MOST; r++)
        for (struct letter *l; (l = letters_take(&led->ranks.places[r].joins, 0));) letter_free(l);
    free(led->ranks.places);
    free(led->ranks.hosts);
    free(led);
    return 0;
}

/* ---- the follower ---------------------------------------------------------------------------- */

static void send_letter(struct letter *letter)
{
    pthread_mutex_lock(&led->ranks.lock);
    state_take_in(&led->ranks, letter);
    pthread_mutex_unlock(&led->ranks.lock);
}

static void join(void)
{
    send_letter(letter_new(LETTER_JOIN, 1, KEY, led->least, 1));
}

/* Returns the next letter to the follower. */
static struct letter *await_letter(void)
{
    struct letter *letter;
    pthread_mutex_lock(&led->ranks.lock);
    while (!(letter = letters_take(&led->ranks.out, 0))) state_wait(&led->ranks, 0.01);
    pthread_mutex_unlock(&led->ranks.lock);
    assert_int_equal(letter->rank, 1);
    return letter;
}

/* Returns the pieces of a range that was dealt. */
static uint64_t size_of(const struct letter *dealt)
{
    uint64_t range[2];
    memcpy(range, dealt->body.at, sizeof range);
    return range[1] - range[0];
}

/* Answers a range, which stays the caller's. */
static void answer(const struct letter *dealt)
{
    struct letter *done = letter_new(LETTER_DONE, dealt->rank, dealt->key, dealt->id, STATUS_OK);
    assert_ok(bytes_add(&done->body, dealt->body.at, dealt->body.n));
    send_letter(done);
}

/* Does what is dealt until the job is over. */
static void follow(void)
{
    for (bool over = false; !over;) {
        struct letter *letter = await_letter();
        over = letter->kind == LETTER_OVER;
        if (!over) answer(letter);
        letter_free(letter);
    }
}

static void expect_once(void)
{
    for (uint64_t p = 0; p < led->pieces; p++) assert_int_equal(led->taken[p], 1);
}

/* Begins a job that the follower does alone. */
static void begin_followed(void)
{
    begin_job(NO_RANGES);
    join();
}

/* Does what is left of the job, which ends well. */
static void finish(void)
{
    follow();
    assert_ok(end_job());
    expect_once();
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* A key that was over may come again: its followers are dealt to, not sent away. */
TEST(a_job_comes_again)
{
    for (int turn = 0; turn < 2; turn++) {
        begin_followed();
        finish();
        assert_null(led->ranks.overs.first);
        assert_null(led->ranks.places[1].joins.first);
    }
}

/* Who comes when all is done goes on at once. */
TEST(a_late_follower_goes_on)
{
    begin_job(OWN_RANGES);
    assert_ok(end_job());
    expect_once();
    join();
    follow();
    assert_null(led->ranks.overs.first);
}

TEST(a_stop_ends_the_wait)
{
    begin_followed();
    letter_free(await_letter()); /* it is not answered */
    __atomic_store_n(&led->stopped, true, __ATOMIC_SEQ_CST);
    assert_int_equal(end_job(), STATUS_INTERRUPTED);
}

/* What a follower could not do is not taken, and says why with its name. */
TEST(a_failure_is_told)
{
    static const char why[] = "no luck";
    begin_followed();
    struct letter *dealt = await_letter();
    struct letter *failed = letter_new(LETTER_DONE, 1, KEY, dealt->id, STATUS_FAILED);
    assert_ok(bytes_add(&failed->body, why, sizeof why));
    send_letter(failed);
    letter_free(dealt);
    assert_int_equal(end_job(), STATUS_FAILED);
    assert_string_equal(led->why.text, "rank 1 on there: no luck");
}

/* A range that comes back twice counts once. */
TEST(a_doubled_answer_counts_once)
{
    begin_followed();
    struct letter *dealt = await_letter();
    answer(dealt);
    answer(dealt);
    letter_free(dealt);
    finish();
}

/* What a follower has that ends is done by others, and it is told nothing more. */
TEST(a_follower_that_ends_leaves_its_ranges)
{
    led->held = true;
    join();
    begin_job(OWN_RANGES);
    letter_free(await_letter());
    send_letter(letter_new(LETTER_BYE, 1, 0, 0, 0));
    __atomic_store_n(&led->held, false, __ATOMIC_SEQ_CST);
    assert_ok(end_job());
    expect_once();
    for (struct letter *l; (l = letters_take(&led->ranks.out, 0)); letter_free(l))
        assert_int_equal(l->kind, LETTER_DEAL);
}

/* ---- how much is dealt ----------------------------------------------------------------------- */

static double later; /* seconds that the clock of rank 0 is ahead */

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    int error = __real_clock_gettime(clock, time);
    if (clock == CLOCK_MONOTONIC) time->tv_sec += (time_t)later;
    return error;
}

/* Ranks that need many pieces to keep busy get so many, and equal parts of what is less. */
TEST(ranges_keep_busy)
{
    static const struct {
        uint64_t pieces, follower;
        int ranges;
    } rows[] = {{16, 8, 1}, {87, 44, 1}, {100, 50, 1}, {256, 128, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t pieces = 0;
        struct letter *dealt[2];
        led->pieces = rows[i].pieces, led->least = 64, led->most = 1000;
        send_letter(letter_new(LETTER_JOIN, 1, KEY, led->least, 2));
        begin_job(NO_RANGES);
        for (int r = 0; r < rows[i].ranges; r++)
            dealt[r] = await_letter(), pieces += size_of(dealt[r]);
        assert_int_equal(pieces, rows[i].follower);
        assert_null(led->ranks.out.first); /* the rest is for rank 0 */
        for (int r = 0; r < rows[i].ranges; r++) answer(dealt[r]), letter_free(dealt[r]);
        finish();
    }
}

/* No range takes longer than 30 seconds, by what those before it took: a rank that hangs is found.
 */
TEST(ranges_take_no_longer)
{
    led->pieces = led->most = PIECES_MOST;
    begin_followed();
    struct letter *dealt = await_letter(), *ready = await_letter();
    assert_int_equal(size_of(dealt), PIECES_MOST / 2 / 64);
    later += 0.1 * (double)size_of(dealt);
    answer(dealt);
    letter_free(dealt);
    dealt = await_letter();
    assert_in_range(size_of(dealt), 290, 300);
    answer(ready);
    answer(dealt);
    letter_free(ready);
    letter_free(dealt);
    finish();
}

static enum status tell_nothing(void *context, struct bytes *result)
{
    (void)context, (void)result;
    return STATUS_OK;
}

static void *lead_other(void *argument)
{
    (void)argument;
    struct ranks_job other = led->job;
    other.key = OTHER_KEY;
    other.everywhere = true;
    other.put_result = tell_nothing;
    assert_ok(leading_share(&led->ranks, &other, &said));
    return NULL;
}

/* What all followers wait for is dealt before what is older. */
TEST(what_others_wait_for_goes_first)
{
    pthread_t other;
    bool over = false;
    led->pieces = led->most = 2; /* a range each */
    begin_followed();
    struct letter *first = await_letter(), *next;
    assert_int_equal(pthread_create(&other, NULL, lead_other, NULL), 0);
    pthread_mutex_lock(&led->ranks.lock);
    while (!led->ranks.led->next) state_wait(&led->ranks, 0.001); /* until both are led */
    pthread_mutex_unlock(&led->ranks.lock);
    send_letter(letter_new(LETTER_JOIN, 1, OTHER_KEY, 1, 1));
    answer(first);
    next = await_letter();
    assert_int_equal(next->key, OTHER_KEY);
    for (int overs = 0; overs < 2; letter_free(next), next = overs < 2 ? await_letter() : NULL) {
        over = next->kind == LETTER_OVER;
        overs += over;
        if (!over) answer(next);
    }
    letter_free(first);
    pthread_join(other, NULL);
    assert_ok(end_job());
}

/* ---- many ranks that die --------------------------------------------------------------------- */

/* Followers whose answers come in any order, twice, or after their rank has died. */
struct crowd {
    uint64_t random;
    struct letter *held[4 * RANKS_MOST]; /* [n] */
    int n, died, doubled, late;
};

static uint64_t draw(struct crowd *crowd, uint64_t n)
{
    crowd->random = crowd->random * 6364136223846793005u + 1442695040888963407u;
    return (crowd->random >> 33) % n;
}

static void hold_what_is_sent(struct crowd *crowd)
{
    pthread_mutex_lock(&led->ranks.lock);
    for (struct letter *l; (l = letters_take(&led->ranks.out, 0));)
        if (l->kind == LETTER_DEAL) crowd->held[crowd->n++] = l;
        else letter_free(l);
    pthread_mutex_unlock(&led->ranks.lock);
}

/* Does something with one of the letters. */
static void act(struct crowd *crowd)
{
    uint64_t i = draw(crowd, (uint64_t)crowd->n);
    struct letter *letter = crowd->held[i];
    bool dead = led->ranks.places[letter->rank].lost;
    if (!dead && !draw(crowd, 12)) {
        send_letter(letter_new(LETTER_BYE, letter->rank, 0, 0, 0));
        crowd->died++;
        return;
    }
    for (uint64_t twice = !draw(crowd, 8), n = 0; n <= twice; n++, crowd->doubled += n == 2)
        answer(letter);
    crowd->late += dead;
    letter_free(letter);
    crowd->held[i] = crowd->held[--crowd->n];
}

/* Whatever becomes of ranks and in whichever order they answer, each piece counts once. */
TEST(each_piece_counts_once)
{
    enum { SEEDS = 200 };
    struct crowd all = {.n = 0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct crowd crowd = {.random = seed};
        end(NULL);
        begin(NULL);
        int n = led->ranks.shared.n = 2 + (int)(seed * 7 % (RANKS_MOST - 1));
        led->pieces = 1 + seed * 13 % 301, led->most = 1 + seed % 40, led->nap = 20000;
        for (int r = 1; r < n; r++) send_letter(letter_new(LETTER_JOIN, r, KEY, 1, 1));
        begin_job(OWN_RANGES);
        while (!__atomic_load_n(&led->over, __ATOMIC_SEQ_CST)) {
            hold_what_is_sent(&crowd);
            if (crowd.n) act(&crowd);
            else nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        }
        assert_ok(end_job());
        expect_once();
        while (crowd.n) letter_free(crowd.held[--crowd.n]);
        all.died += crowd.died, all.doubled += crowd.doubled, all.late += crowd.late;
    }
    printf("%d ranks died, %d answers came twice, %d late\n", all.died, all.doubled, all.late);
    /* Who counted what comes back would have been wrong. */
    assert_true(all.died > 100 && all.doubled > 100 && all.late > 50);
}

/* ---- the pump -------------------------------------------------------------------------------- */

/* Letters of a kind that were sent. */
static atomic_int sent[LETTER_END + 1];

enum status __wrap_post_send(struct letters *post, struct letter *letter)
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

bool __wrap_post_all_sent(struct letters *post)
{
    (void)post;
    return true;
}

static void *pump(void *argument)
{
    (void)argument;
    led->status = mpi_ranks_pump(&led->ranks) ? STATUS_OK : STATUS_ENGINE;
    return NULL;
}

/* A leader that has nothing to say tells its followers that it is there, until the run is over. */
TEST(an_idle_leader_is_heard)
{
    led->ranks.limit = 0.2;
    assert_int_equal(pthread_create(&led->thread, NULL, pump, NULL), 0);
    double end = seconds_now() + 10.0;
    while (atomic_load(&sent[LETTER_ALIVE]) < 3 && seconds_now() < end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    send_letter(letter_new(LETTER_BYE, 1, 0, 0, 0));
    mpi_ranks_finish(&led->ranks);
    assert_ok(end_job());
    assert_true(atomic_load(&sent[LETTER_ALIVE]) >= 3);
    assert_int_equal(atomic_load(&sent[LETTER_END]), 1);
}

ALL_TESTS_EACH(main, begin, end)
