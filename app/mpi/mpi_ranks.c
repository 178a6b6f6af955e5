#include "app/mpi/mpi_ranks.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/mpi/dealer.h"
#include "app/mpi/post.h"
#include "models/base/clock.h"

/* Microseconds that the pump sleeps where nothing happens: at first, and at most. */
enum { NAP_LEAST = 20, NAP_MOST = 250 };

/* Seconds that a follower may take to end. */
#define END_LIMIT 60.0

/* A job that the leader shares, on the stack of the thread that does. */
struct led_job {
    const struct ranks_job *job;
    struct letters arrived; /* what followers made, to be taken */
    bool released;          /* followers have been told that it is over */
    enum status status;
    struct message why;
    struct led_job *next;
};

/* A job that is over, and its result where followers need it. */
struct over_job {
    uint64_t key;
    struct bytes result;
    struct over_job *next;
};

struct mpi_ranks {
    struct ranks shared;
    int local, n_local;
    char (*hosts)[MPI_MAX_PROCESSOR_NAME]; /* [n] */
    struct post *post;                     /* the pump's alone; all else under the lock: */
    pthread_mutex_t lock;
    pthread_cond_t changed, to_pump; /* anything, for the program; something to send, or the end */
    struct letters out, in;          /* to be sent; of a follower: dealt, and over */
    struct dealer *dealer;
    struct led_job *led;
    struct over_job *overs;
    int heard, byes; /* followers that have said which book they have; whose program has ended */
    bool finished, ended, signal_told; /* the program here; the run; of a follower */
    int signal;                        /* that a follower got */
    double limit, finished_at;
    enum status failed; /* of the whole run, and why */
    struct message why;
    uint64_t *digests; /* [n] of the book that each rank has read */
};

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* Ends the run with what a rank says, unless it ends already. */
static void fail(struct mpi_ranks *ranks, enum status status, int rank, const char *text)
{
    if (ranks->failed) return;
    ranks->failed = status;
    snprintf(ranks->why.text, sizeof ranks->why.text, "rank %d on %.100s: %.380s", rank,
             ranks->hosts[rank], text[0] ? text : "not enough memory");
    pthread_cond_broadcast(&ranks->changed);
}

/* Puts a letter into the queue; NULL and a status are lack of memory. */
static void put_out(struct mpi_ranks *ranks, struct letter *letter, enum status status)
{
    if (letter && !status) {
        letters_put(&ranks->out, letter);
        pthread_cond_signal(&ranks->to_pump);
        return;
    }
    letter_free(letter);
    fail(ranks, STATUS_NO_MEMORY, ranks->shared.rank, "not enough memory for a letter");
}

static enum status give_up(const struct mpi_ranks *ranks, struct message *why)
{
    *why = ranks->why;
    return ranks->failed ? ranks->failed : STATUS_INTERRUPTED;
}

/* ---- dealing --------------------------------------------------------------------------------- */

static struct led_job *find_led(const struct mpi_ranks *ranks, uint64_t key)
{
    struct led_job *led = ranks->led;
    while (led && led->job->key != key) led = led->next;
    return led;
}

/* Tells a follower that a job is over, as often as it has joined. */
static void send_over(struct mpi_ranks *ranks, int rank, const struct over_job *over)
{
    struct letter *letter = letter_new(LETTER_OVER, rank, over->key, 0, 0);
    enum status status =
        letter ? bytes_add(&letter->body, over->result.at, over->result.n) : STATUS_NO_MEMORY;
    put_out(ranks, letter, status);
}

/* Lets all followers go on, with the result where they need it. */
static void end_job(struct mpi_ranks *ranks, struct led_job *led)
{
    const struct ranks_job *job = led->job;
    struct over_job *over = malloc(sizeof *over);
    if (over) *over = (struct over_job){.key = job->key, .next = ranks->overs};
    enum status status = over ? STATUS_OK : STATUS_NO_MEMORY;
    if (!status && job->everywhere) status = job->tell(job->context, &over->result);
    led->released = true;
    led->status = status;
    if (status) {
        free(over);
        return;
    }
    ranks->overs = over;
    for (int r = 1; r < ranks->shared.n; r++)
        while (dealer_leave(ranks->dealer, r, job->key)) send_over(ranks, r, over);
}

/* Deals to a follower what it has room for. */
static void deal_to(struct mpi_ranks *ranks, int rank)
{
    struct deal deal;
    while (dealer_deal(ranks->dealer, rank, 0, seconds_now(), &deal)) {
        struct led_job *led = find_led(ranks, deal.key);
        const struct ranks_job *job = led->job;
        struct letter *letter = letter_new(LETTER_DEAL, rank, deal.key, deal.id, 0);
        enum status status =
            letter ? job->describe(job->context, deal.first, deal.end, &letter->body)
                   : STATUS_NO_MEMORY;
        put_out(ranks, letter, status);
        if (job->last && !job->everywhere && !led->released &&
            !dealer_undealt(ranks->dealer, deal.key))
            end_job(ranks, led);
    }
}

/* ---- the leader's share ---------------------------------------------------------------------- */

/* Takes what was made of a range, without the lock. */
static void take_made(struct mpi_ranks *ranks, struct led_job *led, uint64_t first, uint64_t end,
                      struct bytes *made)
{
    const struct ranks_job *job = led->job;
    pthread_mutex_unlock(&ranks->lock);
    enum status status = job->take(job->context, first, end, made, &led->why);
    pthread_mutex_lock(&ranks->lock);
    if (!led->status) led->status = status;
}

/* Does a range on this rank. */
static void do_own(struct mpi_ranks *ranks, struct led_job *led, struct deal *deal)
{
    const struct ranks_job *job = led->job;
    struct bytes told = {0}, made = {0};
    enum status status = job->describe(job->context, deal->first, deal->end, &told);
    pthread_mutex_unlock(&ranks->lock);
    if (!status) status = job->make(job->context, &told, &made, &led->why);
    pthread_mutex_lock(&ranks->lock);
    dealer_done(ranks->dealer, 0, deal->id, seconds_now(), deal);
    pthread_cond_broadcast(&ranks->changed); /* the rank has room for another job */
    if (status) led->status = status;
    else take_made(ranks, led, deal->first, deal->end, &made);
    bytes_free(&told);
    bytes_free(&made);
}

static void take_letter(struct mpi_ranks *ranks, struct led_job *led, struct letter *letter)
{
    enum status status = (enum status)letter->number;
    if (!status) take_made(ranks, led, letter->first, letter->end, &letter->body);
    else if (!led->status) {
        led->status = status;
        snprintf(led->why.text, sizeof led->why.text, "rank %d on %.100s: %.*s", letter->rank,
                 ranks->hosts[letter->rank], letter->body.n < 380 ? (int)letter->body.n : 380,
                 letter->body.n ? (const char *)letter->body.at : "");
    }
    letter_free(letter);
}

/* Does the next thing that there is to do for a job; false when all of it is there. */
static bool go_on(struct mpi_ranks *ranks, struct led_job *led)
{
    struct deal deal;
    struct letter *letter = letters_take(&led->arrived, 0);
    if (letter) take_letter(ranks, led, letter);
    else if (ranks->failed) led->status = give_up(ranks, &led->why);
    else if (dealer_deal(ranks->dealer, 0, led->job->key, seconds_now(), &deal))
        do_own(ranks, led, &deal);
    else if (!dealer_missing(ranks->dealer, led->job->key)) return false;
    else pthread_cond_wait(&ranks->changed, &ranks->lock);
    return !led->status;
}

static enum status open_job(struct mpi_ranks *ranks, struct led_job *led)
{
    const struct ranks_job *job = led->job;
    const struct dealt_job dealt = {.key = job->key,
                                    .n = job->n,
                                    .work = job->work,
                                    .cost = job->cost,
                                    .least = job->least,
                                    .most = job->most,
                                    .urgent = job->work == WORK_POLICIES};
    enum status status = dealer_join(ranks->dealer, 0, job->key, job->at_once);
    if (!status) status = dealer_open(ranks->dealer, &dealt);
    led->next = ranks->led;
    ranks->led = led;
    for (int r = 1; !status && r < ranks->shared.n; r++) deal_to(ranks, r);
    return status;
}

static void close_job(struct mpi_ranks *ranks, struct led_job *led)
{
    struct led_job **at = &ranks->led;
    while (*at != led) at = &(*at)->next;
    *at = led->next;
    dealer_close(ranks->dealer, led->job->key);
    dealer_leave(ranks->dealer, 0, led->job->key);
    for (struct letter *l; (l = letters_take(&led->arrived, 0));) letter_free(l);
    pthread_cond_broadcast(&ranks->changed);
}

static enum status lead(struct mpi_ranks *ranks, const struct ranks_job *job, struct message *why)
{
    struct led_job led = {.job = job};
    pthread_mutex_lock(&ranks->lock);
    while (find_led(ranks, job->key)) pthread_cond_wait(&ranks->changed, &ranks->lock);
    led.status = open_job(ranks, &led);
    while (!led.status && go_on(ranks, &led)) continue;
    if (!led.status && job->last && !led.released) end_job(ranks, &led);
    close_job(ranks, &led);
    pthread_mutex_unlock(&ranks->lock);
    if (led.status) *why = led.why;
    return led.status;
}

/* ---- a follower's share ---------------------------------------------------------------------- */

/* Does a range that was dealt, without the lock, and sends it back. */
static void do_dealt(struct mpi_ranks *ranks, const struct ranks_job *job, struct letter *dealt)
{
    struct message why = {""};
    struct letter *done = letter_new(LETTER_DONE, 0, dealt->key, dealt->id, 0);
    pthread_mutex_unlock(&ranks->lock);
    enum status status = done ? STATUS_OK : STATUS_NO_MEMORY, made = STATUS_OK;
    if (done) made = job->make(job->context, &dealt->body, &done->body, &why);
    if (done && made) {
        bytes_free(&done->body);
        done->number = made;
        status = bytes_add(&done->body, why.text, strlen(why.text) + 1);
    }
    pthread_mutex_lock(&ranks->lock);
    put_out(ranks, done, status);
    letter_free(dealt);
}

static enum status follow(struct mpi_ranks *ranks, const struct ranks_job *job,
                          struct message *why)
{
    enum status status = STATUS_OK;
    bool over = false;
    pthread_mutex_lock(&ranks->lock);
    put_out(ranks, letter_new(LETTER_JOIN, 0, job->key, 0, job->at_once), STATUS_OK);
    while (!over && !status) {
        struct letter *letter = letters_take(&ranks->in, job->key);
        over = letter && letter->kind == LETTER_OVER;
        if (letter && !over) do_dealt(ranks, job, letter);
        else if (over && job->everywhere) status = job->hear(job->context, &letter->body);
        else if (!letter && (ranks->ended || ranks->failed)) status = give_up(ranks, why);
        else if (!letter) pthread_cond_wait(&ranks->changed, &ranks->lock);
        if (over) letter_free(letter);
    }
    pthread_mutex_unlock(&ranks->lock);
    return status;
}

static enum status share(void *context, const struct ranks_job *job, struct message *why)
{
    struct mpi_ranks *ranks = context;
    return ranks->shared.rank ? follow(ranks, job, why) : lead(ranks, job, why);
}

/* ---- the run --------------------------------------------------------------------------------- */

static int ended(void *context, int own)
{
    struct mpi_ranks *ranks = context;
    pthread_mutex_lock(&ranks->lock);
    int number = ranks->shared.rank ? ranks->ended : own ? own : ranks->signal;
    if (ranks->shared.rank && own && !ranks->signal_told) {
        put_out(ranks, letter_new(LETTER_SIGNAL, 0, 0, 0, own), STATUS_OK);
        ranks->signal_told = true;
    }
    pthread_mutex_unlock(&ranks->lock);
    return number;
}

static void fail_here(void *context, enum status status, const struct message *why)
{
    struct mpi_ranks *ranks = context;
    pthread_mutex_lock(&ranks->lock);
    struct letter *letter = letter_new(LETTER_FAIL, 0, 0, 0, status);
    enum status added =
        letter ? bytes_add(&letter->body, why->text, strlen(why->text)) : STATUS_NO_MEMORY;
    if (ranks->ended || status == STATUS_INTERRUPTED) letter_free(letter);
    else put_out(ranks, letter, added);
    pthread_mutex_unlock(&ranks->lock);
}

/* Waits until all followers have said which book they have. */
static void await_books(struct mpi_ranks *ranks)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)ranks->limit;
    int late = 0;
    while (ranks->heard < ranks->shared.n - 1 && !ranks->failed && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&ranks->changed, &ranks->lock, &until);
    for (int r = 1; late == ETIMEDOUT && r < ranks->shared.n; r++)
        if (!ranks->digests[r]) fail(ranks, STATUS_ENGINE, r, "has not read the book in time");
}

static enum status compare(void *context, uint64_t digest, struct message *why)
{
    struct mpi_ranks *ranks = context;
    enum status status = STATUS_OK;
    digest |= 1; /* 0: not heard yet */
    pthread_mutex_lock(&ranks->lock);
    if (ranks->shared.rank) put_out(ranks, letter_new(LETTER_HELLO, 0, digest, 0, 0), STATUS_OK);
    else await_books(ranks);
    for (int r = 1; !ranks->shared.rank && !ranks->failed && r < ranks->shared.n; r++)
        if (ranks->digests[r] != digest)
            fail(ranks, STATUS_BAD_INPUT, r,
                 "has read another book than rank 0, or has other options or another version");
    if (ranks->failed) status = give_up(ranks, why);
    pthread_mutex_unlock(&ranks->lock);
    return status;
}

/* ---- letters that arrive --------------------------------------------------------------------- */

static void take_join(struct mpi_ranks *ranks, const struct letter *letter)
{
    const struct over_job *over = ranks->overs;
    if (ranks->finished) return; /* the end is on its way */
    while (over && over->key != letter->key) over = over->next;
    if (over) send_over(ranks, letter->rank, over);
    else if (dealer_join(ranks->dealer, letter->rank, letter->key, (int)letter->number))
        fail(ranks, STATUS_NO_MEMORY, 0, "");
    else deal_to(ranks, letter->rank);
}

/* Hands what was made of a range to who leads the job. */
static void take_done(struct mpi_ranks *ranks, struct letter *letter)
{
    struct deal deal;
    struct led_job *led = find_led(ranks, letter->key);
    bool counts = dealer_done(ranks->dealer, letter->rank, letter->id, seconds_now(), &deal);
    if (counts && led) {
        letter->first = deal.first, letter->end = deal.end;
        letters_put(&led->arrived, letter);
        pthread_cond_broadcast(&ranks->changed);
    } else letter_free(letter);
    deal_to(ranks, letter->rank);
}

static void take_failure(struct mpi_ranks *ranks, const struct letter *letter)
{
    char text[380] = "";
    if (letter->body.n)
        snprintf(text, sizeof text, "%.*s", (int)letter->body.n, (const char *)letter->body.at);
    fail(ranks, (enum status)letter->number, letter->rank, text);
}

/* A follower's program has ended. */
static void take_bye(struct mpi_ranks *ranks, const struct letter *letter)
{
    dealer_lose(ranks->dealer, letter->rank);
    ranks->byes++;
}

static void take_letter_in(struct mpi_ranks *ranks, struct letter *letter)
{
    switch (letter->kind) {
    case LETTER_HELLO:
        ranks->digests[letter->rank] = letter->key;
        ranks->heard++;
        break;
    case LETTER_JOIN: take_join(ranks, letter); break;
    case LETTER_DONE: take_done(ranks, letter); return;
    case LETTER_SIGNAL: ranks->signal = (int)letter->number; break;
    case LETTER_FAIL: take_failure(ranks, letter); break;
    case LETTER_BYE: take_bye(ranks, letter); break;
    case LETTER_DEAL:
    case LETTER_OVER:
        letters_put(&ranks->in, letter);
        pthread_cond_broadcast(&ranks->changed);
        return;
    case LETTER_END: ranks->ended = true; break;
    }
    pthread_cond_broadcast(&ranks->changed);
    letter_free(letter);
}

/* ---- the pump -------------------------------------------------------------------------------- */

/* Receives what has arrived and sends what waits; tells whether there was anything. */
static bool move_letters(struct mpi_ranks *ranks)
{
    bool any = false;
    struct letter *letter;
    for (enum status status = STATUS_OK; !status;) {
        status = post_receive(&letter);
        pthread_mutex_lock(&ranks->lock);
        if (status) fail(ranks, status, ranks->shared.rank, "not enough memory for a letter");
        else if (letter) take_letter_in(ranks, letter);
        pthread_mutex_unlock(&ranks->lock);
        if (!letter) break;
        any = true;
    }
    for (;;) {
        pthread_mutex_lock(&ranks->lock);
        letter = letters_take(&ranks->out, 0);
        pthread_mutex_unlock(&ranks->lock);
        if (!letter) break;
        any = true;
        if (post_send(ranks->post, letter)) {
            pthread_mutex_lock(&ranks->lock);
            fail(ranks, STATUS_NO_MEMORY, ranks->shared.rank, "a letter is too long to be sent");
            pthread_mutex_unlock(&ranks->lock);
        }
    }
    return any;
}

/* Sleeps until there is something to send, or for a while. */
static void nap(struct mpi_ranks *ranks, int microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000L * microseconds;
    if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
    pthread_mutex_lock(&ranks->lock);
    if (!ranks->out.first) pthread_cond_timedwait(&ranks->to_pump, &ranks->lock, &until);
    pthread_mutex_unlock(&ranks->lock);
}

/* Tells whether all is said and done, on this rank as on the others. */
static bool is_over(struct mpi_ranks *ranks)
{
    bool sent = post_all_sent(ranks->post);
    pthread_mutex_lock(&ranks->lock);
    bool heard = ranks->shared.rank ? ranks->ended : ranks->byes == ranks->shared.n - 1;
    bool over = sent && ranks->finished && heard && !ranks->out.first;
    pthread_mutex_unlock(&ranks->lock);
    return over;
}

/* Finds a follower that hangs: in a range, or at the end. */
static bool hangs(struct mpi_ranks *ranks)
{
    struct deal deal;
    double now = seconds_now();
    bool late = false;
    if (ranks->shared.rank) return false;
    pthread_mutex_lock(&ranks->lock);
    if (ranks->finished) {
        if (ranks->finished_at == 0.0) ranks->finished_at = now;
        if ((late = now - ranks->finished_at > END_LIMIT))
            fprintf(stderr, "pricer: %d ranks do not end: they are ended\n",
                    ranks->shared.n - 1 - ranks->byes);
    } else if (dealer_oldest(ranks->dealer, &deal) && deal.rank) {
        if ((late = now - deal.since > ranks->limit))
            fprintf(stderr, "pricer: rank %d on %s has not answered for %.0f s: the run ends\n",
                    deal.rank, ranks->hosts[deal.rank], now - deal.since);
    }
    pthread_mutex_unlock(&ranks->lock);
    return late;
}

bool mpi_ranks_pump(struct mpi_ranks *ranks)
{
    int wait = NAP_LEAST;
    while (!is_over(ranks)) {
        if (move_letters(ranks)) {
            wait = NAP_LEAST;
            continue;
        }
        nap(ranks, wait);
        if (wait < NAP_MOST) wait = 2 * wait < NAP_MOST ? 2 * wait : NAP_MOST;
        if (hangs(ranks)) return false;
    }
    return true;
}

void mpi_ranks_finish(struct mpi_ranks *ranks)
{
    pthread_mutex_lock(&ranks->lock);
    for (int r = 1; ranks->shared.rank == 0 && r < ranks->shared.n; r++)
        put_out(ranks, letter_new(LETTER_END, r, 0, 0, 0), STATUS_OK);
    if (ranks->shared.rank) put_out(ranks, letter_new(LETTER_BYE, 0, 0, 0, 0), STATUS_OK);
    ranks->finished = true;
    pthread_cond_signal(&ranks->to_pump);
    pthread_mutex_unlock(&ranks->lock);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Finds the place among the ranks of this host, and all hosts. */
static void find_place(struct mpi_ranks *ranks)
{
    MPI_Comm host;
    int length;
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &ranks->local);
    MPI_Comm_size(host, &ranks->n_local);
    MPI_Comm_free(&host);
    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, sizeof name, MPI_CHAR, ranks->hosts, sizeof name, MPI_CHAR,
                  MPI_COMM_WORLD);
}

struct mpi_ranks *mpi_ranks_begin(double limit)
{
    struct mpi_ranks *ranks = calloc(1, sizeof *ranks);
    if (!ranks) return NULL;
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    ranks->shared = (struct ranks){
        .context = ranks, .rank = rank, .n = n, .share = share, .ended = ended, .fail = fail_here,
        .compare = compare};
    ranks->limit = limit;
    pthread_mutex_init(&ranks->lock, NULL);
    pthread_cond_init(&ranks->changed, NULL);
    pthread_cond_init(&ranks->to_pump, NULL);
    ranks->hosts = calloc((size_t)n, sizeof *ranks->hosts);
    ranks->digests = calloc((size_t)n, sizeof *ranks->digests);
    ranks->post = post_begin();
    ranks->dealer = dealer_begin(n);
    if (!ranks->hosts || !ranks->digests || !ranks->post || !ranks->dealer) {
        mpi_ranks_end(ranks);
        return NULL;
    }
    find_place(ranks);
    return ranks;
}

void mpi_ranks_end(struct mpi_ranks *ranks)
{
    if (!ranks) return;
    for (struct over_job *next, *over = ranks->overs; over; over = next) {
        next = over->next;
        bytes_free(&over->result);
        free(over);
    }
    for (struct letter *l; (l = letters_take(&ranks->in, 0));) letter_free(l);
    dealer_end(ranks->dealer);
    post_end(ranks->post);
    free(ranks->digests);
    free(ranks->hosts);
    pthread_cond_destroy(&ranks->changed);
    pthread_cond_destroy(&ranks->to_pump);
    pthread_mutex_destroy(&ranks->lock);
    free(ranks);
}

const struct ranks *mpi_ranks_shared(const struct mpi_ranks *ranks)
{
    return ranks->shared.n > 1 ? &ranks->shared : NULL;
}

int mpi_ranks_local(const struct mpi_ranks *ranks, int *n)
{
    *n = ranks->n_local;
    return ranks->local;
}

const char *mpi_ranks_host(const struct mpi_ranks *ranks)
{
    return ranks->hosts[ranks->shared.rank];
}
