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
    enum status status;
    while (!(status = post_receive(&letter)) && letter) {
        state_take_in(ranks, letter);
        any = true;
    }
    while (!status && (letter = letters_take(&ranks->out, 0))) {
        status = post_send(&ranks->post, letter);
        any = true;
    }
    if (status)
        state_fail(ranks, status, ranks->shared.rank,
                   status == STATUS_ENGINE ? "a letter is too long to be sent"
                                           : "not enough memory for a letter");
    return any;
}

/* Tells whether all is said and done, on this rank as on the others. */
static bool is_over(struct mpi_ranks *ranks)
{
    bool heard = ranks->shared.rank ? ranks->ended : ranks->byes == ranks->shared.n - 1;
    return post_all_sent(&ranks->post) && ranks->finished && heard && !ranks->out.first;
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
    bool late = false;
    int wait = NAP_LEAST;
    pthread_mutex_lock(&ranks->lock);
    ranks->alive = seconds_now();
    while (!late && !is_over(ranks)) {
        bool moved = move_letters(ranks);
        const struct timespec until = state_later(moved ? 0.0 : 1e-6 * wait);
        if (!ranks->out.first) pthread_cond_timedwait(&ranks->to_pump, &ranks->lock, &until);
        wait = moved ? NAP_LEAST : 2 * wait < NAP_MOST ? 2 * wait : NAP_MOST;
        late = ranks->shared.rank ? !ranks->ended && is_late(ranks, 0, ranks->alive)
                                  : follower_hangs(ranks);
    }
    pthread_mutex_unlock(&ranks->lock);
    return !late;
}
