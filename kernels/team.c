#include "kernels/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Looks for work, or for the end of a call, before a thread sleeps: some tens of microseconds. */
enum { LOOKS = 1000 };

static inline void take_a_breath(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* A loop that is under way, on the stack of the thread that called for it. */
struct team_call {
    team_piece *piece;
    void *context;
    int n, next;     /* pieces, the first that nobody has begun */
    atomic_int left; /* those that are not done */
    pthread_cond_t done;
    struct team_call *later; /* in the order in which they began */
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t work; /* there are pieces, or the end */
    struct team_call *calls;
    int room, started; /* threads: at most, asked for so far */
    int awake, asleep; /* threads that wait for work */
    atomic_int calls_so_far;
    bool ending;
    int n_ids;
    pthread_t *ids; /* [n_ids] of those that were started */
};

static void *take_part(void *argument);

/* Wakes a thread, or starts one; with the lock held, which a start gives up for a while. Where no
 * thread can be had, who is there does the work. */
static void ask_for_help(struct team *team)
{
    pthread_t id;
    if (team->awake) return;
    if (team->asleep) {
        pthread_cond_signal(&team->work);
        return;
    }
    if (team->started >= team->room) return;
    team->started++;
    pthread_mutex_unlock(&team->lock);
    bool lost = pthread_create(&id, NULL, take_part, team) != 0;
    pthread_mutex_lock(&team->lock);
    if (lost) team->room = 0;
    else team->ids[team->n_ids++] = id;
}

/* Does the next piece of a call, with help for what it leaves; the lock is held before and after.
 */
static void do_piece(struct team *team, struct team_call *call)
{
    int i = call->next++;
    if (call->next < call->n) ask_for_help(team);
    pthread_mutex_unlock(&team->lock);
    call->piece(call->context, i);
    pthread_mutex_lock(&team->lock);
    if (atomic_fetch_sub(&call->left, 1) == 1) pthread_cond_signal(&call->done);
}

/* The first call that has pieces which nobody has begun; NULL: none has. */
static struct team_call *call_with_work(const struct team *team)
{
    struct team_call *call = team->calls;
    while (call && call->next == call->n) call = call->later;
    return call;
}

/* Looks for a call for a while, which finds it sooner than a thread wakes; the lock is held before
 * and after. */
static void look_for_work(struct team *team)
{
    int calls = atomic_load(&team->calls_so_far);
    team->awake++;
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < LOOKS && atomic_load(&team->calls_so_far) == calls; i++) take_a_breath();
    pthread_mutex_lock(&team->lock);
    team->awake--;
}

static void *take_part(void *argument)
{
    struct team *team = argument;
    pthread_mutex_lock(&team->lock);
    while (!team->ending) {
        struct team_call *call = call_with_work(team);
        if (call) {
            do_piece(team, call);
            continue;
        }
        look_for_work(team);
        if (team->ending || call_with_work(team)) continue;
        team->asleep++;
        pthread_cond_wait(&team->work, &team->lock);
        team->asleep--;
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

struct team *team_begin(int threads)
{
    if (threads < 2) return NULL;
    struct team *team = calloc(1, sizeof *team);
    pthread_t *ids = malloc(sizeof *ids * (size_t)threads);
    if (!team || !ids) {
        free(team);
        free(ids);
        return NULL;
    }
    *team = (struct team){.room = threads - 1, .ids = ids};
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    return team;
}

void team_end(struct team *team)
{
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    team->ending = true;
    atomic_fetch_add(&team->calls_so_far, 1); /* who looks for one is to see the end */
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->n_ids; i++) pthread_join(team->ids[i], NULL);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    free(team->ids);
    free(team);
}

static void enter(struct team *team, struct team_call *call)
{
    struct team_call **last = &team->calls;
    while (*last) last = &(*last)->later;
    *last = call;
    atomic_fetch_add(&team->calls_so_far, 1);
}

static void leave(struct team *team, const struct team_call *call)
{
    struct team_call **at = &team->calls;
    while (*at != call) at = &(*at)->later;
    *at = call->later;
}

void team_loop(struct team *team, int n, team_piece *piece, void *context)
{
    if (!team || n < 2) {
        for (int i = 0; i < n; i++) piece(context, i);
        return;
    }
    struct team_call call = {.piece = piece, .context = context, .n = n, .left = n};
    pthread_cond_init(&call.done, NULL);
    pthread_mutex_lock(&team->lock);
    enter(team, &call);
    while (call.next < n) do_piece(team, &call);
    if (atomic_load(&call.left)) {
        pthread_mutex_unlock(&team->lock);
        for (int i = 0; i < LOOKS && atomic_load(&call.left); i++) take_a_breath();
        pthread_mutex_lock(&team->lock);
    }
    while (atomic_load(&call.left)) pthread_cond_wait(&call.done, &team->lock);
    leave(team, &call);
    pthread_mutex_unlock(&team->lock);
    pthread_cond_destroy(&call.done);
}
