#include "kernels/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Looks for work, or for the end of a call, before a thread sleeps: some tens of microseconds, or
 * a hundred and more on processors that take long breaths. */
enum {
    LOOKS = 3000,
    LINE = 64,      /* bytes of a line of the cache */
    CALLS_MOST = 64 /* loops under way at once; others are done by their callers */
};

static inline void take_a_breath(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* A loop that is under way, or room for one. Who calls for it opens it; who takes part counts among
 * its users from before its pieces are looked at, so that it is not closed meanwhile. What threads
 * count lies apart, a line of the cache each. */
struct team_call {
    _Alignas(LINE) atomic_bool taken; /* by a caller */
    atomic_bool open;                 /* for pieces to be taken */
    team_piece *piece;
    void *context;
    int n;
    bool own; /* each thread begins with pieces of its own */
    const struct team *team;
    struct team_call *within; /* the one that a piece of calls for it; NULL: none */
    _Alignas(LINE) atomic_int users;
    _Alignas(LINE) atomic_int next;              /* the first piece that nobody has begun, */
    _Alignas(LINE) atomic_uint_fast64_t waiting; /* or all of them, a bit each */
    _Alignas(LINE) atomic_int left;              /* pieces that are not done */
    atomic_bool sleeps;                          /* the caller, until they are or it can help: */
    pthread_cond_t done;
};

struct team {
    struct team_call calls[CALLS_MOST];
    _Alignas(LINE) atomic_int calls_so_far;
    _Alignas(LINE) atomic_int awake, asleep; /* threads that wait for work */
    int woken;                               /* that sleep no more, and do not know it yet */
    atomic_int numbers;                      /* given to threads */
    atomic_int started;                      /* threads that were asked for, */
    int room;                                /* at most */
    pthread_mutex_t lock;                    /* of sleep, and of: */
    pthread_cond_t work;                     /* there are pieces, or the end */
    atomic_bool ending;
    int n_ids;
    pthread_t *ids; /* [n_ids] of those that were started */
};

/* Of this thread in its team; 0: it is a caller. */
static _Thread_local int number;

/* The call that this thread does a piece of. */
static _Thread_local struct team_call *doing;

static void *take_part(void *argument);

/* Starts a thread; where none can be had, who is there does the work. */
static void start_one(struct team *team)
{
    pthread_t id;
    if (atomic_fetch_add(&team->started, 1) >= team->room) {
        atomic_fetch_sub(&team->started, 1);
        return;
    }
    if (pthread_create(&id, NULL, take_part, team)) return;
    pthread_mutex_lock(&team->lock);
    team->ids[team->n_ids++] = id;
    pthread_mutex_unlock(&team->lock);
}

/* Wakes a thread that has no work, once. */
static void wake_one(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    if (atomic_load(&team->asleep)) {
        atomic_fetch_sub(&team->asleep, 1);
        team->woken++;
        pthread_cond_signal(&team->work);
    }
    pthread_mutex_unlock(&team->lock);
}

/* Wakes who sleeps until a call is done that this one is within. */
static void wake_caller(struct team *team, struct team_call *call)
{
    for (call = call->within; call; call = call->within) {
        if (!atomic_load(&call->sleeps) || !atomic_exchange(&call->sleeps, false)) continue;
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&call->done);
        pthread_mutex_unlock(&team->lock);
        return;
    }
}

/* Wakes a thread, or starts one, unless one is looking for work. */
static void ask_for_help(struct team *team, struct team_call *call)
{
    if (atomic_load(&team->awake)) return;
    if (atomic_load(&team->asleep)) wake_one(team);
    else if (atomic_load(&team->started) < team->room) start_one(team);
    else wake_caller(team, call);
}

static bool has_pieces(struct team_call *call)
{
    if (!atomic_load(&call->open)) return false;
    return call->own ? atomic_load(&call->waiting) != 0 : atomic_load(&call->next) < call->n;
}

static bool take_piece(struct team_call *call, int i)
{
    uint64_t piece = (uint64_t)1 << i;
    return (atomic_load(&call->waiting) & piece) &&
           (atomic_fetch_and(&call->waiting, ~piece) & piece);
}

/* The next piece for this thread, of its own before those of others; -1: there is none. */
static int own_piece(const struct team *team, struct team_call *call)
{
    for (int i = number % (team->room + 1); i < call->n; i += team->room + 1)
        if (take_piece(call, i)) return i;
    for (uint64_t waiting; (waiting = atomic_load(&call->waiting)) != 0;) {
        int last = 63;
        while (!(waiting >> last)) last--;
        if (take_piece(call, last)) return last;
    }
    return -1;
}

static int next_piece(const struct team *team, struct team_call *call)
{
    if (call->own) return own_piece(team, call);
    int i = atomic_fetch_add(&call->next, 1);
    return i < call->n ? i : -1;
}

/* Does pieces of a call until nobody has to begin one, with help for what is left. */
static void do_pieces(struct team *team, struct team_call *call)
{
    for (int i; (i = next_piece(team, call)) >= 0;) {
        struct team_call *outer = doing;
        if (has_pieces(call)) ask_for_help(team, call);
        doing = call;
        call->piece(call->context, i);
        doing = outer;
        if (atomic_fetch_sub(&call->left, 1) != 1 || !atomic_load(&call->sleeps)) continue;
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&call->done);
        pthread_mutex_unlock(&team->lock);
    }
}

/* Tells whether it is for a piece of another call that this one is; of any call, where that is
 * NULL. Both are open. */
static bool is_within(const struct team_call *call, const struct team_call *outer)
{
    while (call && call != outer) call = call->within;
    return call == outer;
}

/* Does pieces of the calls within `outer` that have some; whether one had. */
static bool find_work(struct team *team, const struct team_call *outer)
{
    bool found = false;
    for (int c = 0; c < CALLS_MOST; c++) {
        struct team_call *call = &team->calls[c];
        if (!atomic_load(&call->open)) continue;
        atomic_fetch_add(&call->users, 1);
        if (has_pieces(call) && is_within(call, outer)) {
            do_pieces(team, call);
            found = true;
        }
        atomic_fetch_sub(&call->users, 1);
    }
    return found;
}

/* Looks for a call beyond the first `calls` for a while, which finds it sooner than a thread wakes.
 */
static void look_for_work(struct team *team, int calls)
{
    atomic_fetch_add(&team->awake, 1);
    for (int i = 0; i < LOOKS && atomic_load(&team->calls_so_far) == calls; i++) take_a_breath();
    atomic_fetch_sub(&team->awake, 1);
}

/* Sleeps until there may be work. What came before this thread counted as asleep it looks for
 * itself; whoever comes later wakes it. */
static void sleep_without_work(struct team *team, int calls)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->asleep, 1);
    while (!team->woken && atomic_load(&team->calls_so_far) == calls && !atomic_load(&team->ending))
        pthread_cond_wait(&team->work, &team->lock);
    if (team->woken) team->woken--;
    else atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->lock);
}

static void *take_part(void *argument)
{
    struct team *team = argument;
    number = atomic_fetch_add(&team->numbers, 1) + 1;
    while (!atomic_load(&team->ending)) {
        int calls = atomic_load(&team->calls_so_far);
        if (find_work(team, NULL)) continue;
        look_for_work(team, calls);
        if (!find_work(team, NULL)) sleep_without_work(team, calls);
    }
    return NULL;
}

struct team *team_begin(int threads)
{
    if (threads < 2) return NULL;
    struct team *team = aligned_alloc(LINE, sizeof *team);
    pthread_t *ids = malloc(sizeof *ids * (size_t)threads);
    if (!team || !ids) {
        free(team);
        free(ids);
        return NULL;
    }
    memset(team, 0, sizeof *team);
    team->room = threads - 1, team->ids = ids;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    for (int c = 0; c < CALLS_MOST; c++) pthread_cond_init(&team->calls[c].done, NULL);
    return team;
}

int team_threads(const struct team *team)
{
    return team ? team->room + 1 : 1;
}

void team_end(struct team *team)
{
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->ending, true);
    atomic_fetch_add(&team->calls_so_far, 1); /* who looks for one is to see the end */
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->n_ids; i++) pthread_join(team->ids[i], NULL);
    for (int c = 0; c < CALLS_MOST; c++) pthread_cond_destroy(&team->calls[c].done);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    free(team->ids);
    free(team);
}

/* Takes room for a call; NULL where all is taken. */
static struct team_call *take_call(struct team *team)
{
    for (int c = 0; c < CALLS_MOST; c++)
        if (!atomic_load(&team->calls[c].taken) && !atomic_exchange(&team->calls[c].taken, true))
            return &team->calls[c];
    return NULL;
}

/* Waits until the pieces are done, and where that takes a while helps those that do them: with
 * nothing else, which might take longer than they do. */
static void wait_for_pieces(struct team *team, struct team_call *call)
{
    for (int i = 0; i < LOOKS && atomic_load(&call->left); i++) take_a_breath();
    while (atomic_load(&call->left)) {
        int calls = atomic_load(&team->calls_so_far);
        if (find_work(team, call)) continue;
        pthread_mutex_lock(&team->lock);
        atomic_store(&call->sleeps, true);
        while (atomic_load(&call->sleeps) && atomic_load(&call->left) &&
               atomic_load(&team->calls_so_far) == calls)
            pthread_cond_wait(&call->done, &team->lock);
        atomic_store(&call->sleeps, false);
        pthread_mutex_unlock(&team->lock);
    }
}

/* Gives the room back when the last of its users has left, which they do at once. */
static void close_call(struct team_call *call)
{
    atomic_store(&call->open, false);
    for (int i = 1; atomic_load(&call->users); i++)
        if (i % LOOKS) take_a_breath();
        else sched_yield();
    atomic_store(&call->taken, false);
}

static void loop(struct team *team, int n, bool own, team_piece *piece, void *context)
{
    struct team_call *call = team && n > 1 ? take_call(team) : NULL;
    if (!call) {
        for (int i = 0; i < n; i++) piece(context, i);
        return;
    }
    call->piece = piece, call->context = context, call->n = n, call->own = own;
    call->team = team, call->within = doing && doing->team == team ? doing : NULL;
    atomic_store(&call->next, 0);
    atomic_store(&call->waiting, own ? ~(uint64_t)0 >> (64 - n) : 0);
    atomic_store(&call->left, n);
    atomic_store(&call->sleeps, false);
    atomic_store(&call->open, true);
    atomic_fetch_add(&team->calls_so_far, 1);
    do_pieces(team, call);
    wait_for_pieces(team, call);
    close_call(call);
}

void team_loop(struct team *team, int n, team_piece *piece, void *context)
{
    loop(team, n, false, piece, context);
}

void team_loop_own(struct team *team, int n, team_piece *piece, void *context)
{
    loop(team, n, n <= 64, piece, context);
}
