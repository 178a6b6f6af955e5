/* The thread that speaks to MPI. */
#include <stdio.h>

#include "app/mpi/rank_state.h"
#include "models/base/clock.h"

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
