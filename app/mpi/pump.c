/* The thread that speaks to MPI. */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/mpi/mpi_ranks.h"
#include "app/mpi/rank_state.h"
#include "models/base/clock.h"
#include "models/base/grow.h"

/* ---- letters --------------------------------------------------------------------------------- */

/* What a message begins with; its letter's body follows. */
struct letter_head {
    uint64_t key, id;
    int64_t number;
    int32_t kind, nothing;
};

/* A message on its way. */
struct sending {
    MPI_Request request;
    unsigned char *message;
};

struct letter *letter_new(enum letter_kind kind, int rank, uint64_t key, uint64_t id,
                          int64_t number)
{
    struct letter *letter = malloc(sizeof *letter);
    if (letter)
        *letter =
            (struct letter){.kind = kind, .rank = rank, .key = key, .id = id, .number = number};
    return letter;
}

void letter_free(struct letter *letter)
{
    if (letter) bytes_free(&letter->body);
    free(letter);
}

void letters_put(struct letters *letters, struct letter *letter)
{
    letter->next = NULL;
    if (letters->first) letters->last->next = letter;
    else letters->first = letter;
    letters->last = letter;
}

struct letter *letters_take(struct letters *letters, uint64_t key)
{
    struct letter *before = NULL, *letter = letters->first;
    while (letter && key && letter->key != key) before = letter, letter = letter->next;
    if (!letter) return NULL;
    if (before) before->next = letter->next;
    else letters->first = letter->next;
    if (letters->last == letter) letters->last = before;
    return letter;
}

/* Begins to send a letter and frees it. STATUS_NO_MEMORY; STATUS_ENGINE where it is too long. */
static enum status post_send(struct post *post, struct letter *letter)
{
    const struct letter_head head = {
        .key = letter->key, .id = letter->id, .number = letter->number, .kind = letter->kind};
    size_t n = sizeof head + letter->body.n;
    unsigned char *message = n <= INT_MAX ? malloc(n) : NULL;
    enum status status = n > INT_MAX ? STATUS_ENGINE : STATUS_NO_MEMORY;
    if (message)
        status = grow_array(&post->sendings, &post->room, post->n + 1, sizeof *post->sendings);
    if (!status) {
        struct sending *sending = &post->sendings[post->n++];
        memcpy(message, &head, sizeof head);
        if (letter->body.n) memcpy(message + sizeof head, letter->body.at, letter->body.n);
        sending->message = message;
        MPI_Isend(message, (int)n, MPI_BYTE, letter->rank, 0, MPI_COMM_WORLD, &sending->request);
    } else free(message);
    letter_free(letter);
    return status;
}

/* Frees what has been sent; tells whether all has. */
static bool post_all_sent(struct post *post)
{
    for (int i = 0; i < post->n;) {
        int sent = 0;
        MPI_Test(&post->sendings[i].request, &sent, MPI_STATUS_IGNORE);
        if (!sent) {
            i++;
            continue;
        }
        free(post->sendings[i].message);
        post->sendings[i] = post->sendings[--post->n];
    }
    return post->n == 0;
}

/* Gives the next letter that has arrived, NULL where none has, or with STATUS_NO_MEMORY. */
static enum status post_receive(struct letter **letter)
{
    int there = 0, n = 0;
    MPI_Status from;
    struct letter_head head;
    *letter = NULL;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &from);
    if (!there) return STATUS_OK;
    MPI_Get_count(&from, MPI_BYTE, &n);
    unsigned char *message = malloc((size_t)n + 1);
    if (!message) return STATUS_NO_MEMORY;
    MPI_Recv(message, n, MPI_BYTE, from.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(&head, message, sizeof head);
    struct letter *made =
        letter_new((enum letter_kind)head.kind, from.MPI_SOURCE, head.key, head.id, head.number);
    if (made && !bytes_add(&made->body, message + sizeof head, (size_t)n - sizeof head))
        *letter = made;
    else letter_free(made);
    free(message);
    return *letter ? STATUS_OK : STATUS_NO_MEMORY;
}

/* ---- the pump -------------------------------------------------------------------------------- */

/* Microseconds that the pump sleeps where nothing happens: at first, and at most. */
enum { NAP_LEAST = 20, NAP_MOST = 1000 };

/* Seconds that a rank may take to end, unless the limit is less. */
#define END_LIMIT 60.0

double mpi_ranks_patience(const struct mpi_ranks *ranks)
{
    return ranks->limit < END_LIMIT ? ranks->limit : END_LIMIT;
}

/* Receives what has arrived and sends what waits; tells whether there was anything. */
static bool move_letters(struct mpi_ranks *ranks)
{
    bool any = false;
    struct letter *letter;
    for (enum status status = STATUS_OK; !status;) {
        status = post_receive(&letter);
        pthread_mutex_lock(&ranks->lock);
        if (status) state_fail(ranks, status, ranks->shared.rank, "not enough memory for a letter");
        else if (letter) state_take_in(ranks, letter);
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
        enum status status = post_send(&ranks->post, letter);
        if (!status) continue;
        pthread_mutex_lock(&ranks->lock);
        state_fail(ranks, status, ranks->shared.rank,
                   status == STATUS_ENGINE ? "a letter is too long to be sent"
                                           : "not enough memory for a letter");
        pthread_mutex_unlock(&ranks->lock);
    }
    return any;
}

/* Tells whether all is said and done, on this rank as on the others. */
static bool is_over(struct mpi_ranks *ranks)
{
    bool sent = post_all_sent(&ranks->post);
    pthread_mutex_lock(&ranks->lock);
    bool heard = ranks->shared.rank ? ranks->ended : ranks->byes == ranks->shared.n - 1;
    bool over = sent && ranks->finished && heard && !ranks->out.first;
    pthread_mutex_unlock(&ranks->lock);
    return over;
}

/* Says that a rank hangs where it has not answered since a moment. */
static bool is_late(const struct mpi_ranks *ranks, int rank, double since)
{
    double seconds = seconds_now() - since;
    if (seconds <= ranks->limit) return false;
    fprintf(stderr, "pricer: rank %d on %s has not answered for %.0f s: the run ends\n", rank,
            ranks->hosts[rank], seconds);
    return true;
}

/* Finds a follower that hangs: in a range, or at the end; the others are told that this one does
 * not. */
static bool follower_hangs(struct mpi_ranks *ranks)
{
    double now = seconds_now();
    if (ranks->finished) {
        if (ranks->finished_at == 0.0) ranks->finished_at = now;
        if (now - ranks->finished_at <= mpi_ranks_patience(ranks)) return false;
        fprintf(stderr, "pricer: %d ranks do not end: they are ended\n",
                ranks->shared.n - 1 - ranks->byes);
        return true;
    }
    for (int r = 1; r < ranks->shared.n && now - ranks->alive > 0.25 * ranks->limit; r++)
        state_send(ranks, letter_new(LETTER_ALIVE, r, 0, 0, 0), STATUS_OK);
    if (now - ranks->alive > 0.25 * ranks->limit) ranks->alive = now;
    for (int r = 1; r < ranks->shared.n; r++)
        if (ranks->places[r].busy && !ranks->places[r].lost &&
            is_late(ranks, r, ranks->places[r].since))
            return true;
    return false;
}

bool mpi_ranks_pump(struct mpi_ranks *ranks)
{
    int wait = NAP_LEAST;
    ranks->alive = seconds_now();
    while (!is_over(ranks)) {
        if (move_letters(ranks)) {
            wait = NAP_LEAST;
            continue;
        }
        const struct timespec until = state_later(1e-6 * wait);
        pthread_mutex_lock(&ranks->lock);
        if (!ranks->out.first) pthread_cond_timedwait(&ranks->to_pump, &ranks->lock, &until);
        pthread_mutex_unlock(&ranks->lock);
        if (wait < NAP_MOST) wait = 2 * wait < NAP_MOST ? 2 * wait : NAP_MOST;
        pthread_mutex_lock(&ranks->lock);
        bool late = ranks->shared.rank ? !ranks->ended && is_late(ranks, 0, ranks->alive)
                                       : follower_hangs(ranks);
        pthread_mutex_unlock(&ranks->lock);
        if (late) return false;
    }
    return true;
}
