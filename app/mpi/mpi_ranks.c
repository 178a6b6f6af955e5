#define _GNU_SOURCE /* sched_getaffinity */
#include "app/mpi/rank_state.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/base/clock.h"

/* ---- what goes wrong ------------------------------------------------------------------------- */

void state_fail(struct mpi_ranks *ranks, enum status status, int rank, const char *text)
{
    if (ranks->failed) return;
    ranks->failed = status;
    snprintf(ranks->why.text, sizeof ranks->why.text, "rank %d on %.100s: %.380s", rank,
             ranks->hosts[rank], text && text[0] ? text : "not enough memory");
    pthread_cond_broadcast(&ranks->changed);
}

void state_send(struct mpi_ranks *ranks, struct letter *letter, enum status status)
{
    if (letter && !status) {
        letters_put(&ranks->out, letter);
        pthread_cond_signal(&ranks->to_pump);
        return;
    }
    letter_free(letter);
    state_fail(ranks, STATUS_NO_MEMORY, ranks->shared.rank, "not enough memory for a letter");
}

struct timespec state_later(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    double end = (double)time.tv_nsec * 1e-9 + seconds;
    time.tv_sec += (time_t)end;
    time.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
    return time;
}

void state_wait(struct mpi_ranks *ranks, double seconds)
{
    const struct timespec until = state_later(seconds);
    pthread_cond_timedwait(&ranks->changed, &ranks->lock, &until);
}

enum status state_ending(const struct mpi_ranks *ranks, struct message *why)
{
    *why = ranks->why;
    return ranks->failed ? ranks->failed : STATUS_INTERRUPTED;
}

/* ---- a follower's share ---------------------------------------------------------------------- */

/* Does a range that was dealt, without the lock, and sends it back. */
static void do_dealt(struct mpi_ranks *ranks, const struct ranks_job *job, struct letter *dealt)
{
    struct message why = {""};
    struct letter *done = letter_new(LETTER_DONE, 0, dealt->key, dealt->id, 0);
    enum status status = done ? STATUS_OK : STATUS_NO_MEMORY, made = STATUS_OK;
    while (ranks->making >= job->at_once) pthread_cond_wait(&ranks->changed, &ranks->lock);
    ranks->making++;
    pthread_mutex_unlock(&ranks->lock);
    if (done) made = job->make(job->context, &dealt->body, &done->body, &why);
    if (done && made) {
        bytes_free(&done->body);
        done->number = made;
        status = bytes_add(&done->body, why.text, strlen(why.text) + 1);
    }
    pthread_mutex_lock(&ranks->lock);
    ranks->making--;
    pthread_cond_broadcast(&ranks->changed);
    state_send(ranks, done, status);
    letter_free(dealt);
}

/* A job that this rank follows, on the stack of the thread that does. */
struct followed_job {
    struct mpi_ranks *ranks;
    const struct ranks_job *job;
    bool over;
    enum status status;
    struct message why;
};

/* Does what is dealt of the job, beside other threads that do, until it is over. */
static void *follow(void *argument)
{
    struct followed_job *followed = argument;
    struct mpi_ranks *ranks = followed->ranks;
    const struct ranks_job *job = followed->job;
    pthread_mutex_lock(&ranks->lock);
    while (!followed->over && !followed->status) {
        struct letter *letter = letters_take(&ranks->in, job->key);
        if (letter && letter->kind == LETTER_OVER) { /* the leader has no more of it */
            if (job->everywhere) followed->status = job->take_result(job->context, &letter->body);
            followed->over = true;
            letter_free(letter);
            pthread_cond_broadcast(&ranks->changed);
        } else if (letter) do_dealt(ranks, job, letter);
        else if (ranks->ended || ranks->failed)
            followed->status = state_ending(ranks, &followed->why);
        else pthread_cond_wait(&ranks->changed, &ranks->lock);
    }
    pthread_mutex_unlock(&ranks->lock);
    return NULL;
}

/* Leads a job, or joins it and follows on as many threads as do ranges at a time. */
static enum status share(void *context, const struct ranks_job *job, struct message *why)
{
    struct mpi_ranks *ranks = context;
    struct followed_job followed = {.ranks = ranks, .job = job};
    pthread_t threads[HELPERS_MAX];
    int n = 0;
    if (!ranks->shared.rank) return leading_share(ranks, job, why);
    pthread_mutex_lock(&ranks->lock);
    state_send(ranks, letter_new(LETTER_JOIN, 0, job->key, job->least, job->at_once), STATUS_OK);
    pthread_mutex_unlock(&ranks->lock);
    while (n < job->at_once - 1 && n < HELPERS_MAX &&
           !pthread_create(&threads[n], NULL, follow, &followed))
        n++;
    follow(&followed);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
    if (followed.status) *why = followed.why;
    return followed.status;
}

/* ---- the run --------------------------------------------------------------------------------- */

static int run_ended(void *context, int signal_number)
{
    struct mpi_ranks *ranks = context;
    pthread_mutex_lock(&ranks->lock);
    int number = ranks->shared.rank ? ranks->ended : signal_number ? signal_number : ranks->signal;
    if (ranks->shared.rank && signal_number && !ranks->signal_told) {
        state_send(ranks, letter_new(LETTER_SIGNAL, 0, 0, 0, signal_number), STATUS_OK);
        ranks->signal_told = true;
    }
    pthread_mutex_unlock(&ranks->lock);
    return number;
}

/* Tells the leader why a follower cannot go on; what a leader says, the caller shows. */
static void fail_here(void *context, enum status status, struct message *why)
{
    struct mpi_ranks *ranks = context;
    pthread_mutex_lock(&ranks->lock);
    if (ranks->shared.rank && !ranks->ended && status != STATUS_INTERRUPTED) {
        struct letter *letter = letter_new(LETTER_FAIL, 0, 0, 0, status);
        state_send(ranks, letter,
                   letter ? bytes_add(&letter->body, why->text, strlen(why->text) + 1)
                          : STATUS_NO_MEMORY);
    } else if (!ranks->shared.rank && why->text[0]) { /* which was not told yet */
        if (status == STATUS_NO_MEMORY) state_fail(ranks, status, 0, why->text);
        if (ranks->failed == status) *why = ranks->why;
    }
    pthread_mutex_unlock(&ranks->lock);
}

static enum status compare(void *context, uint64_t digest, struct message *why)
{
    struct mpi_ranks *ranks = context;
    enum status status = STATUS_OK;
    digest |= 1; /* 0: not heard yet */
    pthread_mutex_lock(&ranks->lock);
    if (ranks->shared.rank) state_send(ranks, letter_new(LETTER_HELLO, 0, digest, 0, 0), STATUS_OK);
    double end = seconds_now() + ranks->limit;
    bool late = false;
    while (!ranks->shared.rank && ranks->heard < ranks->shared.n - 1 && !ranks->failed && !late) {
        state_wait(ranks, 1.0);
        late = seconds_now() > end;
    }
    for (int r = 1; late && r < ranks->shared.n; r++)
        if (!ranks->places[r].digest)
            state_fail(ranks, STATUS_ENGINE, r, "has not read the book in time");
    for (int r = 1; !ranks->shared.rank && !ranks->failed && r < ranks->shared.n; r++)
        if (ranks->places[r].digest != digest)
            state_fail(
                ranks, STATUS_BAD_INPUT, r,
                "has read another book than rank 0, or has other options or another version");
    if (ranks->failed) status = state_ending(ranks, why);
    pthread_mutex_unlock(&ranks->lock);
    return status;
}

/* ---- letters that arrive --------------------------------------------------------------------- */

void state_take_in(struct mpi_ranks *ranks, struct letter *letter)
{
    if (ranks->shared.rank) ranks->alive = seconds_now();
    switch (letter->kind) {
    case LETTER_HELLO:
        ranks->places[letter->rank].digest = letter->key;
        ranks->heard++;
        break;
    case LETTER_JOIN: leading_take_join(ranks, letter); return;
    case LETTER_DONE: leading_take_done(ranks, letter); return;
    case LETTER_SIGNAL: ranks->signal = (int)letter->number; break;
    case LETTER_FAIL:
        state_fail(ranks, (enum status)letter->number, letter->rank, (const char *)letter->body.at);
        break;
    case LETTER_BYE:
        leading_lose(ranks, letter->rank);
        ranks->byes++;
        break;
    case LETTER_DEAL:
    case LETTER_OVER:
        letters_put(&ranks->in, letter);
        pthread_cond_broadcast(&ranks->changed);
        return;
    case LETTER_ALIVE: break;
    case LETTER_END: ranks->ended = true; break;
    }
    pthread_cond_broadcast(&ranks->changed);
    letter_free(letter);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

void mpi_ranks_finish(struct mpi_ranks *ranks)
{
    pthread_mutex_lock(&ranks->lock);
    for (int r = 1; ranks->shared.rank == 0 && r < ranks->shared.n; r++)
        state_send(ranks, letter_new(LETTER_END, r, 0, 0, 0), STATUS_OK);
    if (ranks->shared.rank) state_send(ranks, letter_new(LETTER_BYE, 0, 0, 0, 0), STATUS_OK);
    ranks->finished = true;
    pthread_cond_signal(&ranks->to_pump);
    pthread_mutex_unlock(&ranks->lock);
}

/* Returns how many of the n ranks of a host may run on the same cores as this one, itself included.
 */
static int count_sharing(MPI_Comm host, int n)
{
    int sharing = 0;
    cpu_set_t affinity, *all = malloc((size_t)n * sizeof *all);
    CPU_ZERO(&affinity);
    sched_getaffinity(0, sizeof affinity, &affinity);
    if (!all) MPI_Abort(MPI_COMM_WORLD, EXIT_MACHINE);
    MPI_Allgather(&affinity, sizeof affinity, MPI_BYTE, all, sizeof affinity, MPI_BYTE, host);
    for (int r = 0; r < n; r++) sharing += CPU_EQUAL(&affinity, &all[r]) != 0;
    free(all);
    return sharing;
}

static void find_place(struct mpi_ranks *ranks)
{
    MPI_Comm host;
    int length;
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &ranks->local);
    MPI_Comm_size(host, &ranks->n_local);
    ranks->sharing = count_sharing(host, ranks->n_local);
    MPI_Comm_free(&host);
    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, sizeof name, MPI_CHAR, ranks->hosts, sizeof name, MPI_CHAR, MPI_COMM_WORLD);
}

struct mpi_ranks *mpi_ranks_begin(double limit)
{
    struct mpi_ranks *ranks = calloc(1, sizeof *ranks);
    if (!ranks) return NULL;
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    ranks->shared = (struct ranks){.context = ranks,
                                   .rank = rank,
                                   .n = n,
                                   .share = share,
                                   .ended = run_ended,
                                   .fail = fail_here,
                                   .compare = compare};
    ranks->limit = limit;
    pthread_mutex_init(&ranks->lock, NULL);
    pthread_cond_init(&ranks->changed, NULL);
    pthread_cond_init(&ranks->to_pump, NULL);
    ranks->hosts = calloc((size_t)n, sizeof *ranks->hosts);
    ranks->places = calloc((size_t)n, sizeof *ranks->places);
    if (!ranks->hosts || !ranks->places) {
        mpi_ranks_end(ranks);
        return NULL;
    }
    find_place(ranks);
    ranks->shared.host = ranks->hosts[rank];
    return ranks;
}

void mpi_ranks_end(struct mpi_ranks *ranks)
{
    if (!ranks) return;
    for (struct letter *l; (l = letters_take(&ranks->overs, 0));) letter_free(l);
    for (struct letter *l; (l = letters_take(&ranks->in, 0));) letter_free(l);
    for (int r = 0; ranks->places && r < ranks->shared.n; r++)
        for (struct letter *l; (l = letters_take(&ranks->places[r].joins, 0));) letter_free(l);
    free(ranks->places);
    free(ranks->hosts);
    pthread_cond_destroy(&ranks->changed);
    pthread_cond_destroy(&ranks->to_pump);
    pthread_mutex_destroy(&ranks->lock);
    free(ranks);
}
