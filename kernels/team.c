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
    LINE = 64,       /* bytes of a line of the cache */
    CALLS_MOST = 64, /* loops under way at once; others are done by their callers */
    OWN_MOST = 64    /* pieces of a loop whose threads begin with their own */
};

static inline void take_a_breath(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* The last round in which a piece was done: written by who did it, read by who waits. */
struct done_piece {
    _Alignas(LINE) atomic_uint round;
};

/* A loop that is under way, or room for one. Who calls for it opens it; who takes part says so, in
 * a line of its own or, not being of the team, among the users, from before its pieces are looked
 * at, so that it is not closed meanwhile. What threads count lies apart, a line of the cache each:
 * a line that all of them write takes each as long as a small piece. */
struct team_call {
    _Alignas(LINE) atomic_bool taken; /* by a caller */
    atomic_bool open;                 /* for pieces to be taken */
    team_piece *piece;
    void *context;
    int n;
    bool own;                /* each thread begins with pieces of its own */
    unsigned round;          /* of such loops here, from 1 on */
    struct done_piece *done; /* [OWN_MOST] of them; made for the first of them */
    const struct team *team;
    struct team_call *within; /* the one that a piece of calls for it; NULL: none */
    _Alignas(LINE) atomic_int users;
    _Alignas(LINE) atomic_int next;              /* the first piece that nobody has begun, */
    _Alignas(LINE) atomic_uint_fast64_t waiting; /* or all of them, a bit each */
    _Alignas(LINE) atomic_int left;              /* pieces that are not done, where none is own */
    _Alignas(LINE) atomic_bool sleeps;           /* the caller, until they are or it can help: */
    pthread_cond_t all_done;
};

/* What a thread of the team tells the others. */
struct member {
    _Alignas(LINE) _Atomic(struct team_call *) at; /* whose pieces it looks at; NULL: of none */
    atomic_bool looks;                             /* for work */
};

struct team {
    struct team_call calls[CALLS_MOST];
    _Alignas(LINE) atomic_int calls_so_far;
    _Alignas(LINE) atomic_int asleep; /* threads */
    int woken;                        /* that sleep no more, and do not know it yet */
    atomic_int numbers;               /* given to threads */
    atomic_int started;               /* threads that were asked for, */
    int room;                         /* at most */
    struct member *members;           /* [room] */
    pthread_mutex_t lock;             /* of sleep, and of: */
    pthread_cond_t work;              /* there are pieces, or the end */
    atomic_bool ending;
    int n_ids;
    pthread_t *ids; /* [n_ids] of those that were started */
};

/* Of this thread in its team; 0: it is a caller. */
static _Thread_local int number;
static _Thread_local const struct team *team_of_this;

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

/* Finds who sleeps until a call is done that this one is within. */
static struct team_call *sleeping_caller(struct team_call *call)
{
    for (call = call->within; call; call = call->within)
        if (atomic_load(&call->sleeps)) return call;
    return NULL;
}

static void wake_caller(struct team *team, struct team_call *call)
{
    if (!call || !atomic_exchange(&call->sleeps, false)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&call->all_done);
    pthread_mutex_unlock(&team->lock);
}

/* Tells whether a thread is looking for work; asks first who comes after this one. */
static bool is_one_looking(const struct team *team)
{
    for (int i = 0; i < team->room; i++)
        if (atomic_load(&team->members[(number + i) % team->room].looks)) return true;
    return false;
}

/* Wakes a thread, or starts one, unless one is looking for work. */
static void ask_for_help(struct team *team, struct team_call *call)
{
    bool asleep = atomic_load(&team->asleep) > 0;
    bool room = atomic_load(&team->started) < team->room;
    struct team_call *caller = asleep || room ? NULL : sleeping_caller(call);
    if (!(asleep || room || caller) || is_one_looking(team)) return;
    if (asleep) wake_one(team);
    else if (room) start_one(team);
    else wake_caller(team, caller);
}

static bool has_pieces(struct team_call *call)
{
    if (!atomic_load(&call->open)) return false;
    return call->own ? atomic_load(&call->waiting) != 0 : atomic_load(&call->next) < call->n;
}

/* Takes piece i, unless another thread has; *left: how many nobody has begun. */
static bool take_piece(struct team_call *call, int i, int *left)
{
    uint64_t piece = (uint64_t)1 << i, waiting = atomic_fetch_and(&call->waiting, ~piece);
    *left = __builtin_popcountll(waiting & ~piece);
    return (waiting & piece) != 0;
}

/* The next piece for this thread, of its own before those of others; -1: there is none. */
static int own_piece(const struct team *team, struct team_call *call, int *left)
{
    for (int i = number % (team->room + 1); i < call->n; i += team->room + 1)
        if (take_piece(call, i, left)) return i;
    for (uint64_t waiting; (waiting = atomic_load(&call->waiting)) != 0;) {
        int last = 63;
        while (!(waiting >> last)) last--;
        if (take_piece(call, last, left)) return last;
    }
    return -1;
}

static int next_piece(const struct team *team, struct team_call *call, int *left)
{
    if (call->own) return own_piece(team, call, left);
    int i = atomic_fetch_add(&call->next, 1);
    *left = call->n - i - 1;
    return i < call->n ? i : -1;
}

/* This thread's line in a team; NULL: it is not of the team. */
static struct member *this_member(const struct team *team)
{
    return team == team_of_this ? &team->members[number - 1] : NULL;
}

/* Notes that a piece is done; whether it may have been the last one. */
static bool note_done(struct team_call *call, int i)
{
    if (!call->own) return atomic_fetch_sub(&call->left, 1) == 1;
    atomic_store(&call->done[i].round, call->round);
    return true;
}

/* Does pieces of a call until nobody has to begin one, with help for what is left: who begins wakes
 * two, who wake two each. Threads that help (`self`) look at other calls while they do a piece, for
 * which this one waits, and at it again before it knows that the piece is done. */
static void do_pieces(struct team *team, struct team_call *call, struct member *self)
{
    for (int i, left = 0; (i = next_piece(team, call, &left)) >= 0;) {
        struct team_call *outer = doing;
        for (int k = 0; k < 2 && k < left; k++) ask_for_help(team, call);
        doing = call;
        call->piece(call->context, i);
        doing = outer;
        if (self) atomic_store(&self->at, call);
        if (!note_done(call, i) || !atomic_load(&call->sleeps)) continue;
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&call->all_done);
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
    struct member *self = this_member(team);
    for (int c = 0; c < CALLS_MOST; c++) {
        struct team_call *call = &team->calls[c];
        if (!atomic_load(&call->open)) continue;
        if (self) atomic_store(&self->at, call);
        else atomic_fetch_add(&call->users, 1);
        if (has_pieces(call) && is_within(call, outer)) {
            do_pieces(team, call, self);
            found = true;
        }
        if (self) atomic_store(&self->at, NULL);
        else atomic_fetch_sub(&call->users, 1);
    }
    return found;
}

/* Looks for a call beyond the first `calls` for a while, which finds it sooner than a thread wakes.
 */
static void look_for_work(struct team *team, int calls)
{
    atomic_bool *looks = &this_member(team)->looks;
    atomic_store(looks, true);
    for (int i = 0; i < LOOKS && atomic_load(&team->calls_so_far) == calls; i++) take_a_breath();
    atomic_store(looks, false);
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
    number = atomic_fetch_add(&team->numbers, 1) + 1, team_of_this = team;
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
    struct member *members = aligned_alloc(LINE, sizeof *members * (size_t)threads);
    pthread_t *ids = malloc(sizeof *ids * (size_t)threads);
    if (!team || !members || !ids) {
        free(team);
        free(members);
        free(ids);
        return NULL;
    }
    memset(team, 0, sizeof *team);
    memset(members, 0, sizeof *members * (size_t)threads);
    team->room = threads - 1, team->ids = ids, team->members = members;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    for (int c = 0; c < CALLS_MOST; c++) pthread_cond_init(&team->calls[c].all_done, NULL);
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
    for (int c = 0; c < CALLS_MOST; c++) {
        pthread_cond_destroy(&team->calls[c].all_done);
        free(team->calls[c].done);
    }
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    free(team->ids);
    free(team->members);
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

/* Tells whether pieces from *first on, which goes on, or any are not done. */
static bool is_left(struct team_call *call, int *first)
{
    if (!call->own) return atomic_load(&call->left) > 0;
    while (*first < call->n && atomic_load(&call->done[*first].round) == call->round) ++*first;
    return *first < call->n;
}

/* Waits until the pieces are done, and where that takes a while helps those that do them: with
 * nothing else, which might take longer than they do. */
static void wait_for_pieces(struct team *team, struct team_call *call)
{
    int first = 0;
    for (int i = 0; i < LOOKS && is_left(call, &first); i++) take_a_breath();
    while (is_left(call, &first)) {
        int calls = atomic_load(&team->calls_so_far);
        if (find_work(team, call)) continue;
        pthread_mutex_lock(&team->lock);
        atomic_store(&call->sleeps, true);
        while (atomic_load(&call->sleeps) && is_left(call, &first) &&
               atomic_load(&team->calls_so_far) == calls)
            pthread_cond_wait(&call->all_done, &team->lock);
        atomic_store(&call->sleeps, false);
        pthread_mutex_unlock(&team->lock);
    }
}

/* Tells whether a thread that helps looks at a call; those before *first no more. */
static bool is_looked_at(const struct team *team, struct team_call *call, int *first)
{
    while (*first < team->room && atomic_load(&team->members[*first].at) != call) ++*first;
    return *first < team->room || atomic_load(&call->users) > 0;
}

/* Gives the room back when nobody looks at it any more, which they do not for long. */
static void close_call(struct team *team, struct team_call *call)
{
    int first = 0;
    atomic_store(&call->open, false);
    for (int i = 1; is_looked_at(team, call, &first); i++)
        if (i % LOOKS) take_a_breath();
        else sched_yield();
    atomic_store(&call->taken, false);
}

/* Begins a round of pieces that threads have of their own; false without memory. */
static bool begin_round(struct team_call *call)
{
    if (!call->done) {
        call->done = aligned_alloc(LINE, sizeof *call->done * OWN_MOST);
        if (!call->done) return false;
        memset(call->done, 0, sizeof *call->done * OWN_MOST);
    }
    call->round++;
    return true;
}

static void loop(struct team *team, int n, bool own, team_piece *piece, void *context)
{
    struct team_call *call = team && n > 1 ? take_call(team) : NULL;
    if (!call) {
        for (int i = 0; i < n; i++) piece(context, i);
        return;
    }
    call->own = own = own && begin_round(call);
    call->piece = piece, call->context = context, call->n = n;
    call->team = team, call->within = doing && doing->team == team ? doing : NULL;
    if (own) atomic_store(&call->waiting, ~(uint64_t)0 >> (64 - n));
    else atomic_store(&call->next, 0), atomic_store(&call->left, n);
    atomic_store(&call->open, true);
    atomic_fetch_add(&team->calls_so_far, 1);
    do_pieces(team, call, NULL);
    wait_for_pieces(team, call);
    close_call(team, call);
}

void team_loop(struct team *team, int n, team_piece *piece, void *context)
{
    loop(team, n, false, piece, context);
}

void team_loop_own(struct team *team, int n, team_piece *piece, void *context)
{
    loop(team, n, n <= OWN_MOST, piece, context);
}
